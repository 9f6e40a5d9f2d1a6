import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import * as t from 'io-ts'
import { messageOf, StoreFault } from '../ports/faults.ts'
import { queues } from '../ports/queues.ts'
import { cosign, type WitnessKey, witnessKeyText } from './cosignature.ts'
import { HASH_BYTES, rootsFromGrowth } from './merkle.ts'
import { checkpointIn, openNote, publicHalf, textOfNote, verifierKeyIn } from './note.ts'
import { readIfExists } from './read-if-exists.ts'
import { replaceFile } from './replace-file.ts'
import { areSameBytes } from './trees.ts'

/* A witness (C2SP tlog-witness): it cosigns a checkpoint that continues the last one that it saw of a log, and no other. */

const Log = t.type({ keys: t.readonlyArray(t.string), size: t.number, root: t.string })
const Stored = t.type({ name: t.string, key: t.string, logs: t.record(t.string, Log) })
type WitnessFile = t.TypeOf<typeof Stored>

/** The answer of a witness to a request. */
export type WitnessAnswer = { readonly status: number; readonly body: string; readonly type?: string }

export const MAX_REQUEST_BYTES = 65_536
const MAX_PROOF_HASHES = 63
const MAX_LOGS = 10_000
const MAX_KEYS_OF_LOG = 100

const refusal = (status: number, body: string): WitnessAnswer => ({ status, body: `${body}\n` })

const hashIn = (line: string): Uint8Array | undefined => {
  const bytes = Buffer.from(line, 'base64')
  return bytes.length === HASH_BYTES && bytes.toString('base64') === line ? bytes : undefined
}

type Request = { readonly old: number; readonly proof: readonly Uint8Array[]; readonly note: string }

/** Returns the parts of a request; undefined for what is none. */
const requestIn = (body: string): Request | undefined => {
  const end = body.indexOf('\n\n')
  const [first = '', ...lines] = end < 0 ? [] : body.slice(0, end).split('\n')
  const [, old] = /^old (0|[1-9]\d{0,14})$/.exec(first) ?? []
  const proof = lines.map(hashIn)
  if (old === undefined || lines.length > MAX_PROOF_HASHES || proof.includes(undefined)) return undefined
  return { old: Number(old), proof: proof as readonly Uint8Array[], note: body.slice(end + 2) }
}

const parseFile = (file: string, text: string): { readonly stored: WitnessFile; readonly key: KeyObject } => {
  try {
    const stored: unknown = JSON.parse(text)
    if (!Stored.is(stored)) throw new Error('it lacks the name, the key or the logs')
    const key = createPrivateKey(stored.key)
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('its key is not Ed25519')
    return { stored, key }
  } catch (cause) {
    throw new StoreFault('damaged', `${file} is not the file of a witness: ${messageOf(cause)}`, { cause })
  }
}

/** Makes the file of a witness, with a new key, unless there is one. */
export const createWitness = async (file: string, name: string): Promise<void> => {
  const { privateKey } = generateKeyPairSync('ed25519')
  const stored: WitnessFile = { name, key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), logs: {} }
  await replaceFile(file, `${JSON.stringify(stored, null, 1)}\n`)
}

export type Witness = {
  readonly key: () => string
  /** Lists the logs that it knows: the line of each, and the size of the last checkpoint that it cosigned. */
  readonly logs: () => readonly (readonly [line: string, size: number])[]
  /** Has it cosign checkpoints of a log that this key signs; a second key of a log follows the first. */
  readonly add: (verifierKey: string) => Promise<void>
  readonly addCheckpoint: (body: string) => Promise<WitnessAnswer>
}

/** Opens the witness in a file; undefined if there is no such file. One process has it at a time. */
export const openWitness = async (file: string, clock: () => number): Promise<Witness | undefined> => {
  const text = await readIfExists(file)
  if (text === undefined) return undefined
  let { stored, key } = parseFile(file, text)
  const ownKey: WitnessKey = { name: stored.name, key: publicHalf(key) }
  /** It is on disk before any cosignature leaves: a witness that forgets one could cosign a fork. */
  const keep = async (logs: WitnessFile['logs']): Promise<void> => {
    const next = { ...stored, logs }
    await replaceFile(file, `${JSON.stringify(next, null, 1)}\n`)
    stored = next
  }
  const knownSize = (size: number): WitnessAnswer => ({ status: 409, body: `${size}\n`, type: 'text/x.tlog.size' })

  const judge = async (body: string): Promise<WitnessAnswer> => {
    const request = requestIn(body)
    if (request === undefined) return refusal(400, 'it is no request to add a checkpoint')
    const { old, proof, note } = request
    const line = note.slice(0, Math.max(0, note.indexOf('\n')))
    const log = Object.hasOwn(stored.logs, line) ? stored.logs[line] : undefined
    if (log === undefined) return refusal(404, 'the log is not one that this witness knows')
    const signed = log.keys.some((known) => {
      const verifier = verifierKeyIn(known)
      return verifier !== undefined && openNote(note, verifier.name, verifier.key) !== undefined
    })
    if (!signed) return refusal(403, 'it is not signed by a key of the log')
    const checkpoint = checkpointIn(textOfNote(note))
    if (checkpoint === undefined) return refusal(400, 'it is no checkpoint')
    const { size, root } = checkpoint
    if (old > size) return refusal(400, 'the old size is larger than that of the checkpoint')
    if (old !== log.size) return knownSize(log.size)
    const before = Buffer.from(log.root, 'base64')
    if (old === size && old > 0 && !areSameBytes(root, before)) return knownSize(log.size)
    if ((old === 0 || old === size) && proof.length > 0) return refusal(old === 0 ? 400 : 422, 'no proof belongs to it')
    const [smaller, larger] = old === 0 ? [before, root] : (rootsFromGrowth(old, size, before, proof) ?? [])
    if (!smaller || !larger || !areSameBytes(smaller, before) || !areSameBytes(larger, root))
      return refusal(422, 'the proof does not show that it continues the last checkpoint')
    await keep({ ...stored.logs, [line]: { ...log, size, root: Buffer.from(root).toString('base64') } })
    return { status: 200, body: cosign(textOfNote(note), { name: stored.name, key }, Math.floor(clock() / 1000)) }
  }

  /** Handles one request after the other, so that two cannot both continue one checkpoint. */
  const inTurn = queues()
  return {
    key: () => witnessKeyText(ownKey),
    logs: () => Object.entries(stored.logs).map(([line, { size }]) => [line, size] as const),
    add: (verifierKey) =>
      inTurn('', async () => {
        const verifier = verifierKeyIn(verifierKey)
        if (verifier === undefined) throw new StoreFault('unavailable', `${verifierKey} is no verifier key of a log, name+hash+base64`)
        const { name } = verifier
        const known = Object.hasOwn(stored.logs, name) ? stored.logs[name] : undefined
        const keys = [...new Set([...(known?.keys ?? []), verifierKey])]
        if (keys.length > MAX_KEYS_OF_LOG || (!known && Object.keys(stored.logs).length >= MAX_LOGS))
          throw new StoreFault('full', `${file} has as many logs, or as many keys of ${name}, as a witness keeps`)
        await keep({ ...stored.logs, [name]: { size: 0, root: '', ...known, keys } })
      }),
    addCheckpoint: (body) => inTurn('', () => judge(body)),
  }
}
