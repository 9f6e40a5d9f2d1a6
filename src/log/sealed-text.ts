import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import { ERASED_PLACEHOLDER } from '../domain/event.ts'
import { LABEL_BYTES, labelBytes, labelFrom, labelOf, standInKeys, type ThingKeys } from './key-tree.ts'
import { type AccountKey, ID_BYTES, thingKeysOf } from './keys.ts'

/** The first byte: sealed under the one key that an account had in earlier versions, or under that of a thing. */
const OF_ACCOUNT = 1
const OF_THING = 2
const IV_BYTES = 12
const TAG_BYTES = 16
const AFTER_ID = 1 + ID_BYTES
const AFTER_LABEL = AFTER_ID + LABEL_BYTES

/** Where sealed text belongs: an event, a place in its data, and the thing whose erasure erases it. */
export type TextLocation = { readonly event: string; readonly path: readonly string[]; readonly thing: string }

/**
 * AES-256-GCM, bound to the event. The nonce is a MAC over the place and the text, so that sealing the same again, in a retry, gives
 * the same bytes, and other text or another place another nonce. Of an erased account or thing `[erased]` is sealed in its place.
 */
export const sealText = (key: AccountKey, { event, path, thing }: TextLocation, text: string): string => {
  const { tree, erased } = key
  if (tree === undefined) throw new Error('this key only opens texts of earlier versions')
  const label = labelOf(thing)
  const existing = erased ? undefined : thingKeysOf(key, label)
  const { secret, nonces } = existing ?? standInKeys(label)
  const plain = existing ? text : ERASED_PLACEHOLDER
  const iv = createHmac('sha256', nonces())
    .update(JSON.stringify([event, path, plain]))
    .digest()
    .subarray(0, IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(Buffer.from(event))
  const sealed = [cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]
  return Buffer.concat([Buffer.of(OF_THING), tree.id, labelBytes(label), iv, ...sealed]).toString('base64url')
}

/** The keys for a sealed text, and where its nonce begins; undefined if the text is erased. */
const openerOf = (key: AccountKey | undefined, bytes: Buffer, thing: string): [Pick<ThingKeys, 'secret'>, number] | undefined => {
  const id = bytes.subarray(1, AFTER_ID)
  const { direct, tree } = key ?? {}
  if (bytes[0] === OF_ACCOUNT) {
    if (!direct?.id.equals(id)) return undefined
    const isErased = tree !== undefined && tree.erased.size > 0 && tree.erased.has(labelOf(thing))
    return isErased ? undefined : [direct, AFTER_ID]
  }
  const keys = key && tree?.id.equals(id) ? thingKeysOf(key, labelFrom(bytes.subarray(AFTER_ID))) : undefined
  return keys && [keys, AFTER_LABEL]
}

/**
 * The text, or `[erased]` without the key it was sealed under. The key of an earlier version's text still exists when the `thing` it
 * belongs to is erased; such a text is not opened. Throws for anything that was not sealed for that event.
 */
export const openText = (key: AccountKey | undefined, { event, thing }: Omit<TextLocation, 'path'>, sealed: string): string => {
  const bytes = Buffer.from(sealed, 'base64url')
  const shortest = (bytes[0] === OF_THING ? AFTER_LABEL : AFTER_ID) + IV_BYTES + TAG_BYTES
  if (bytes.length < shortest || (bytes[0] !== OF_ACCOUNT && bytes[0] !== OF_THING)) throw new Error('not an encrypted text')
  const opener = openerOf(key, bytes, thing)
  if (opener === undefined) return ERASED_PLACEHOLDER
  const [{ secret }, ivAt] = opener
  const opened = (by: Buffer): string => {
    const textAt = ivAt + IV_BYTES
    const tagAt = bytes.length - TAG_BYTES
    const decipher = createDecipheriv('aes-256-gcm', by, bytes.subarray(ivAt, textAt), { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(event)).setAuthTag(bytes.subarray(tagAt))
    return decipher.update(bytes.subarray(textAt, tagAt), undefined, 'utf8') + decipher.final('utf8')
  }
  try {
    return opened(secret)
  } catch (damaged) {
    if (bytes[0] === OF_ACCOUNT) throw damaged
    // sealed when another process had destroyed the key, which is still in memory here
    return opened(standInKeys(labelFrom(bytes.subarray(AFTER_ID))).secret)
  }
}
