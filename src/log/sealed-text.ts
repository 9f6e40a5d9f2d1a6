import { createCipheriv, createDecipheriv, createHmac, hash } from 'node:crypto'
import { type Actor, ERASED_PLACEHOLDER, type EventDefinition, type SealedPath } from '../domain/event.ts'
import { isRecord, type Json } from '../domain/json.ts'
import { LABEL_BYTES, labelBytes, labelFrom, labelOf, standInKeys, type ThingKeys } from './key-tree.ts'
import { type AccountKey, ID_BYTES, thingKeysOf } from './keys.ts'

/**
 * The first byte of a sealed text: sealed under the one key that an account had in earlier versions, or under that of a thing, later with a
 * commitment, now also padded.
 */
const OF_ACCOUNT = 1
const OF_THING = 2
const COMMITTED_FORMAT = 3
const PADDED_FORMAT = 4
const IV_BYTES = 12
const TAG_BYTES = 16
const COMMITMENT_BYTES = 32
const SALT_BYTES = 16
/** Texts are padded to a multiple of this, so that the ciphertext tells little of their length. */
const STEP_BYTES = 64
/** The byte between a text and the zeros that pad it; no text in UTF-8 contains it. */
const END = 0xff
const AFTER_ID = 1 + ID_BYTES
const AFTER_LABEL = AFTER_ID + LABEL_BYTES
const TEXT_AT = AFTER_LABEL + IV_BYTES + COMMITMENT_BYTES

/** The place that a sealed text belongs to: an event, a path in its data, and the thing whose erasure erases it. */
export type TextLocation = { readonly event: string; readonly path: readonly string[]; readonly thing: string }

/**
 * An opened text. Texts of this version have a `commitment`, also erased ones. `salt` is the one it was made with, undefined if the text is
 * erased.
 */
export type OpenedText = { readonly text: string; readonly salt?: Buffer | undefined; readonly commitment?: Buffer | undefined }

/** Returns the commitment to a salt and the text after it. */
const commitmentTo = (salted: Buffer): Buffer => hash('sha256', salted, 'buffer')

const hasCommitment = ({ 0: first }: Buffer): boolean => first === COMMITTED_FORMAT || first === PADDED_FORMAT

/** Returns a salt, a text after it, and what pads the text: at least one byte. */
const padText = (salt: Buffer, text: string): Buffer => {
  const bytes = Buffer.byteLength(text)
  const padded = Buffer.alloc(SALT_BYTES + bytes + STEP_BYTES - (bytes % STEP_BYTES))
  salt.copy(padded)
  padded.write(text, SALT_BYTES)
  padded[SALT_BYTES + bytes] = END
  return padded
}

/** Returns the commitment in a sealed text, in hexadecimal; undefined for a text of an earlier version. */
export const commitmentIn = (sealed: string): string | undefined => {
  const from = AFTER_LABEL + IV_BYTES
  const head = Buffer.from(sealed.slice(0, 2 * (from + COMMITMENT_BYTES)), 'base64url')
  return hasCommitment(head) ? head.toString('hex', from, from + COMMITMENT_BYTES) : undefined
}

/** Tells whether a text is the one that was committed to. It is true without a commitment. */
export const fitsCommitment = ({ text, salt, commitment }: OpenedText): boolean =>
  salt === undefined || commitment === undefined || commitmentTo(Buffer.concat([salt, Buffer.from(text)])).equals(commitment)

/**
 * Seals a text with AES-256-GCM, bound to the event. The commitment SHA-256(salt ‖ text), of the text without its padding, stands beside
 * it. It can be shown to anybody who may read the text, and stays when the key is destroyed. Salt and nonce are a MAC over the place and
 * the text: sealing the same again, in a retry, gives the same bytes, and another text or place gives others. Without the key both are
 * random. For an erased account or thing, `[erased]` is sealed in place of the text. Returns the text that was sealed as `text`.
 */
export const sealText = (
  key: AccountKey,
  { event, path, thing }: TextLocation,
  text: string,
): { readonly sealed: string; readonly text: string } => {
  const { tree, erased } = key
  if (tree === undefined) throw new Error('this key only opens texts of earlier versions')
  const label = labelOf(thing)
  const existing = erased ? undefined : thingKeysOf(key, label)
  const { secret, nonces } = existing ?? standInKeys(label)
  const plain = existing ? text : ERASED_PLACEHOLDER
  const mac = createHmac('sha256', nonces())
    .update(JSON.stringify([PADDED_FORMAT, event, path, plain]))
    .digest()
  const padded = padText(mac.subarray(IV_BYTES, IV_BYTES + SALT_BYTES), plain)
  const sealed = Buffer.allocUnsafe(TEXT_AT + padded.length + TAG_BYTES)
  sealed[0] = PADDED_FORMAT
  tree.id.copy(sealed, 1)
  labelBytes(label).copy(sealed, AFTER_ID)
  mac.copy(sealed, AFTER_LABEL, 0, IV_BYTES)
  commitmentTo(padded.subarray(0, padded.lastIndexOf(END))).copy(sealed, AFTER_LABEL + IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', secret, mac.subarray(0, IV_BYTES)).setAAD(Buffer.from(event))
  cipher.update(padded).copy(sealed, TEXT_AT)
  cipher.final() // nothing is left to encrypt in this mode
  cipher.getAuthTag().copy(sealed, TEXT_AT + padded.length)
  return { sealed: sealed.toString('base64url'), text: plain }
}

/** Returns the keys for a sealed text; undefined if the text is erased. */
const openerOf = (key: AccountKey | undefined, bytes: Buffer, thing: string): Pick<ThingKeys, 'secret'> | undefined => {
  const id = bytes.subarray(1, AFTER_ID)
  const { direct, tree } = key ?? {}
  if (bytes[0] === OF_ACCOUNT) {
    if (!direct?.id.equals(id)) return undefined
    const isErased = tree !== undefined && tree.erased.size > 0 && tree.erased.has(labelOf(thing))
    return isErased ? undefined : direct
  }
  return key && tree?.id.equals(id) ? thingKeysOf(key, labelFrom(bytes.subarray(AFTER_ID))) : undefined
}

const decryptText = (secret: Buffer, event: string, iv: Buffer, rest: Buffer): Buffer => {
  const tagAt = rest.length - TAG_BYTES
  const decipher = createDecipheriv('aes-256-gcm', secret, iv, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(event)).setAuthTag(rest.subarray(tagAt))
  const plain = decipher.update(rest.subarray(0, tagAt))
  decipher.final()
  return plain
}

/**
 * Returns the text, or `[erased]` without the key it was sealed under. The key of an earlier version's text still exists when the `thing`
 * it belongs to is erased; such a text is not opened. Throws for anything that was not sealed for that event. The commitment is not
 * checked.
 */
export const openText = (key: AccountKey | undefined, { event, thing }: Omit<TextLocation, 'path'>, sealed: string): OpenedText => {
  const bytes = Buffer.from(sealed, 'base64url')
  const isCommitted = hasCommitment(bytes)
  const ivAt = bytes[0] === OF_ACCOUNT ? AFTER_ID : AFTER_LABEL
  const commitmentAt = ivAt + IV_BYTES
  const textAt = isCommitted ? commitmentAt + COMMITMENT_BYTES : commitmentAt
  const shortest = textAt + TAG_BYTES + (isCommitted ? SALT_BYTES : 0)
  if (bytes.length < shortest || (bytes[0] !== OF_ACCOUNT && bytes[0] !== OF_THING && !isCommitted))
    throw new Error('not an encrypted text')
  const commitment = isCommitted ? bytes.subarray(commitmentAt, textAt) : undefined
  const opener = openerOf(key, bytes, thing)
  if (opener === undefined) return { text: ERASED_PLACEHOLDER, commitment }
  const openWith = (secret: Buffer): OpenedText => {
    const plain = decryptText(secret, event, bytes.subarray(ivAt, commitmentAt), bytes.subarray(textAt))
    if (!isCommitted) return { text: plain.toString() }
    const end = bytes[0] === PADDED_FORMAT ? plain.lastIndexOf(END) : plain.length
    return { text: plain.toString('utf8', SALT_BYTES, end), salt: plain.subarray(0, SALT_BYTES), commitment }
  }
  try {
    return openWith(opener.secret)
  } catch (damaged) {
    if (bytes[0] === OF_ACCOUNT) throw damaged
    // another process had destroyed the key before sealing, while it is still in memory here
    return openWith(standInKeys(labelFrom(bytes.subarray(AFTER_ID))).secret)
  }
}

/** Returns the record that holds the last name of a path, or undefined if an optional one on the way is absent. */
const holderOf = (data: Json, path: readonly string[]): Json | undefined => {
  let holder: unknown = data
  for (const name of path.slice(0, -1)) holder = isRecord(holder) ? holder[name] : undefined
  return isRecord(holder) ? holder : undefined
}

const replaceAt = (data: Json, [name = '', ...rest]: readonly string[], value: string): Json => {
  const member = data[name]
  return { ...data, [name]: rest.length > 0 && isRecord(member) ? replaceAt(member, rest, value) : value }
}

/** Returns the account whose key seals the text at a path; undefined if there is no text, or no account that it belongs to. */
const subjectAt = (data: Json, { path, subject }: SealedPath, by: Actor): string | undefined => {
  const holder = holderOf(data, path)
  if (holder === undefined || typeof holder[path.at(-1) ?? ''] !== 'string') return undefined
  const account = subject === '@by' ? by.account : holder[subject]
  return typeof account === 'string' ? account : undefined
}

export const subjectsOf = (definition: EventDefinition, data: Json, by: Actor) =>
  definition.sealedPaths.flatMap((sealedPath) => subjectAt(data, sealedPath, by) ?? [])

const nameAt = (data: Json, path: readonly string[]): string | undefined => {
  const name = holderOf(data, path)?.[path.at(-1) ?? '']
  return typeof name === 'string' ? name : undefined
}

/** Returns the thing that the text at a path belongs to: named beside it or elsewhere in the data, or else the event itself. */
const thingAt = (data: Json, { path, thing }: SealedPath, event: string): string => {
  if (thing === undefined) return event
  return nameAt(data, [...path.slice(0, -1), ...thing]) ?? nameAt(data, thing) ?? event
}

/** Replaces the text at each sealed path of the data by the result of `change`. */
export const mapSealed = (
  { id, definition, data, by }: { readonly id: string; readonly definition: EventDefinition; readonly data: Json; readonly by: Actor },
  change: (text: string, place: TextLocation, subject: string) => string,
) =>
  definition.sealedPaths.reduce((changed, sealedPath) => {
    const { path } = sealedPath
    const subject = subjectAt(data, sealedPath, by)
    const text = nameAt(data, path)
    return subject === undefined || text === undefined
      ? changed
      : replaceAt(changed, path, change(text, { event: id, path, thing: thingAt(data, sealedPath, id) }, subject))
  }, data)
