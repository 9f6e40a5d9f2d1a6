import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import { ERASED } from '../domain/event.ts'

/** The key that one account's text is sealed under. `id` tells it from a later key of the same account and reveals nothing. */
export type AccountKey = { readonly id: Buffer; readonly secret: Buffer; readonly nonces: Buffer }

export const KEY_BYTES = 32
const FORM = 1
const ID_BYTES = 6
const IV_BYTES = 12
const TAG_BYTES = 16
const IV_AT = 1 + ID_BYTES
const TEXT_AT = IV_AT + IV_BYTES

const derive = (secret: Buffer, purpose: string) => createHmac('sha256', secret).update(purpose).digest()

export const accountKey = (secret: Buffer): AccountKey => ({
  id: derive(secret, 'id').subarray(0, ID_BYTES),
  secret,
  nonces: derive(secret, 'nonces'),
})

/** Where sealed text belongs: an event, and a place in its data. */
export type Place = { readonly event: string; readonly path: readonly string[] }

/**
 * AES-256-GCM, bound to the event. The nonce is a MAC over the place and the text, so that sealing the same again, in a retry, gives
 * the same bytes, and other text or another place another nonce.
 */
export const sealText = (key: AccountKey, { event, path }: Place, text: string): string => {
  const iv = createHmac('sha256', key.nonces)
    .update(JSON.stringify([event, path, text]))
    .digest()
    .subarray(0, IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key.secret, iv).setAAD(Buffer.from(event))
  const sealed = [cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([Buffer.of(FORM), key.id, iv, ...sealed]).toString('base64url')
}

/** The text, or `[erased]` without the key it was sealed under. Throws for anything that was not sealed for that event. */
export const openText = (key: AccountKey | undefined, event: string, sealed: string): string => {
  const bytes = Buffer.from(sealed, 'base64url')
  if (bytes.length < TEXT_AT + TAG_BYTES || bytes[0] !== FORM) throw new Error('not an encrypted text')
  if (!key?.id.equals(bytes.subarray(1, IV_AT))) return ERASED
  const tagAt = bytes.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', key.secret, bytes.subarray(IV_AT, TEXT_AT), { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(event)).setAuthTag(bytes.subarray(tagAt))
  return decipher.update(bytes.subarray(TEXT_AT, tagAt), undefined, 'utf8') + decipher.final('utf8')
}
