import { hash, type KeyObject, sign, verify } from 'node:crypto'
import { publicHalf, publicKeyOf } from './note.ts'

/** C2SP tlog-cosignatures with Ed25519: a witness says when it saw a checkpoint that continued all those which it had seen before. */

const COSIGNATURE = 4
const MARK = '\u2014 '
const TIME_BYTES = 8
const SIGNATURE_BYTES = 64

/** A witness by its name and its public key. */
export type WitnessKey = { readonly name: string; readonly key: Uint8Array }

/** A witness that is asked: its address, and its key. */
export type Witness = WitnessKey & { readonly url: string }

const withKeyType = (key: Uint8Array): Buffer => Buffer.from([COSIGNATURE, ...key])

const keyId = ({ name, key }: WitnessKey): Buffer =>
  hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), withKeyType(key)]), 'buffer').subarray(0, 4)

/** Returns the key of a witness as it is handed out: `name+hash+base64`. */
export const witnessKeyText = (witness: WitnessKey): string =>
  `${witness.name}+${keyId(witness).toString('hex')}+${withKeyType(witness.key).toString('base64')}`

/** Names that stand in a note: no spaces, no plus. */
const KEY = /^([^\s+]{1,200})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/

/** Returns the key in such a text; undefined for any other. */
export const witnessKeyIn = (text: string): WitnessKey | undefined => {
  const [, name = '', , base64 = ''] = KEY.exec(text) ?? []
  const bytes = Buffer.from(base64, 'base64')
  if (bytes.length !== 33 || bytes[0] !== COSIGNATURE) return undefined
  const witness = { name, key: bytes.subarray(1) }
  return witnessKeyText(witness) === text ? witness : undefined
}

/** Returns what a witness signs: the time in seconds, and the text of the checkpoint. */
const message = (text: string, seconds: bigint | number): Buffer => Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`)

/** Returns the line that a witness adds to a checkpoint. */
export const cosign = (text: string, { name, key }: { readonly name: string; readonly key: KeyObject }, seconds: number): string => {
  const time = Buffer.alloc(TIME_BYTES)
  time.writeBigUInt64BE(BigInt(seconds))
  const bytes = Buffer.concat([keyId({ name, key: publicHalf(key) }), time, sign(null, message(text, seconds), key)])
  return `${MARK}${name} ${bytes.toString('base64')}\n`
}

/** Returns the time, in seconds, at which a witness saw a checkpoint, by its signature among these lines; undefined if none is its own. */
export const readCosignTime = (text: string, lines: string, witness: WitnessKey): number | undefined => {
  const start = `${MARK}${witness.name} `
  const id = keyId(witness)
  const times = lines.split('\n').flatMap((line) => {
    const bytes = line.startsWith(start) ? Buffer.from(line.slice(start.length), 'base64') : Buffer.alloc(0)
    if (bytes.length !== id.length + TIME_BYTES + SIGNATURE_BYTES || !bytes.subarray(0, id.length).equals(id)) return []
    const seconds = bytes.readBigUInt64BE(id.length)
    const isSigned = verify(null, message(text, seconds), publicKeyOf(witness.key), bytes.subarray(id.length + TIME_BYTES))
    return isSigned && seconds <= BigInt(Number.MAX_SAFE_INTEGER) ? [Number(seconds)] : []
  })
  return times.length === 0 ? undefined : Math.max(...times)
}

/** Returns the lines of a witness among those that it answered with. */
export const linesOfWitness = (text: string, lines: string, witness: WitnessKey): string =>
  lines
    .split('\n')
    .filter((line) => readCosignTime(text, line, witness) !== undefined)
    .map((line) => `${line}\n`)
    .join('')
