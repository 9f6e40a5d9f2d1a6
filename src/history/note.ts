import { createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto'

/** C2SP signed notes with Ed25519, and tlog-checkpoints. */

/** Returns the raw public half of an Ed25519 key. */
export const publicHalf = (key: KeyObject): Buffer =>
  Buffer.from((key.type === 'private' ? createPublicKey(key) : key).export({ format: 'jwk' }).x ?? '', 'base64url')

const ED25519 = 1

const withKeyType = (publicKey: Uint8Array): Buffer => Buffer.from([ED25519, ...publicKey])

/** Returns the first bytes of a signature line, which identify the key. */
const keyId = (name: string, publicKey: Uint8Array): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), withKeyType(publicKey)]), 'buffer').subarray(0, 4)

/** Returns a key as verifiers of notes take it: `name+hash+base64`. */
export const verifierKey = (name: string, publicKey: Uint8Array): string =>
  `${name}+${keyId(name, publicKey).toString('hex')}+${withKeyType(publicKey).toString('base64')}`

const KEY = /^([^\s+]{1,600})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/

/** Returns the name and the public half in such a key; undefined for any other text. */
export const verifierKeyIn = (text: string): { readonly name: string; readonly key: Uint8Array } | undefined => {
  const [, name = '', , base64 = ''] = KEY.exec(text) ?? []
  const bytes = Buffer.from(base64, 'base64')
  const key = bytes.subarray(1)
  return bytes.length === 33 && bytes[0] === ED25519 && verifierKey(name, key) === text ? { name, key } : undefined
}

/** Returns the text of a note, whoever signed it. */
export const textOfNote = (note: string): string => note.slice(0, Math.max(0, note.lastIndexOf('\n\n') + 1))

const MARK = '\u2014 '

/** Signs a text, which must end in a line feed. */
export const signNote = (text: string, name: string, key: KeyObject): string => {
  const signature = Buffer.concat([keyId(name, publicHalf(key)), sign(null, Buffer.from(text), key)])
  return `${text}\n${MARK}${name} ${signature.toString('base64')}\n`
}

/** Returns an Ed25519 key from its 32 bytes. */
export const publicKeyOf = (raw: Uint8Array): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(raw).toString('base64url') }, format: 'jwk' })

/** Returns the text of a note, if a key signed it under a name. Other signatures do not count. */
export const openNote = (note: string, name: string, publicKey: Uint8Array): string | undefined => {
  const end = note.lastIndexOf('\n\n')
  if (end < 0) return undefined
  const text = note.slice(0, end + 1)
  const id = keyId(name, publicKey)
  const isSigned = note
    .slice(end + 2)
    .split('\n')
    .filter((line) => line.startsWith(`${MARK}${name} `))
    .some((line) => {
      const bytes = Buffer.from(line.slice(MARK.length + name.length + 1), 'base64')
      return bytes.subarray(0, 4).equals(id) && verify(null, Buffer.from(text), publicKeyOf(publicKey), bytes.subarray(4))
    })
  return isSigned ? text : undefined
}

/** A head of a tree: its origin, its number of leaves, and the root over them. */
export type Checkpoint = { readonly origin: string; readonly size: number; readonly root: Uint8Array }

export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${Buffer.from(root).toString('base64')}\n`

/** Returns the head in the text of a note; undefined for any other text. */
export const checkpointIn = (text: string): Checkpoint | undefined => {
  const [origin, size, root, end, ...more] = text.split('\n')
  if (!origin || !/^(0|[1-9]\d{0,15})$/.test(size ?? '') || !Number.isSafeInteger(Number(size)) || end !== '' || more.length > 0)
    return undefined
  const bytes = Buffer.from(root ?? '', 'base64')
  return bytes.length === 32 && bytes.toString('base64') === root ? { origin, size: Number(size), root: bytes } : undefined
}
