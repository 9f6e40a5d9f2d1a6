import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import type { Anchor } from '../ports/documents.ts'

/**
 * Anchors at places of items that the viewer may not see. A plain key would tell when the item was made, and its name which item it is.
 * They are sealed under the secret of the site, so that every process takes them, after a restart as well.
 */
export type OpaqueAnchors = {
  readonly seal: (order: readonly string[], key: Anchor) => string
  /** Returns the anchor; undefined for anything but an anchor of this order. */
  readonly unseal: (order: readonly string[], text: string) => Anchor | undefined
}

/** The first characters of a sealed anchor. No fullname has an underscore after other letters. */
const PREFIX = 'at_'
const NONCE_BYTES = 12
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

export const openOpaqueAnchors = (secret: string): OpaqueAnchors => {
  const secretKey = createHmac('sha256', secret).update('anchors').digest()
  const digestOrder = (order: readonly string[]) => Buffer.from(order.join(' '))
  return {
    seal: (order, key) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, secretKey, nonce).setAAD(digestOrder(order))
      const sealed = Buffer.concat([cipher.update(JSON.stringify(key)), cipher.final()])
      return `${PREFIX}${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('hex')}`
    },
    unseal: (order, text) => {
      if (!text.startsWith(PREFIX)) return undefined
      const bytes = Buffer.from(text.slice(PREFIX.length), 'hex')
      if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined
      try {
        const opened = createDecipheriv(CIPHER, secretKey, bytes.subarray(0, NONCE_BYTES))
          .setAAD(digestOrder(order))
          .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        const key = Buffer.concat([opened.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), opened.final()])
        return JSON.parse(key.toString()) as Anchor
      } catch {
        return undefined
      }
    },
  }
}
