import { createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { link, readFile, rename } from 'node:fs/promises'
import * as t from 'io-ts'
import { isNameTaken, StoreFault } from '../ports/faults.ts'
import { publicHalf } from './note.ts'
import { readIfExists } from './read-if-exists.ts'
import { replaceFile } from './replace-file.ts'

/**
 * The key that signs heads, and the secret that makes leaves unguessable, in a file outside of both stores. `former` holds the public
 * halves of the keys before it, oldest first, in base64. So somebody who writes to the stores cannot put their own key before it.
 */
export type HistoryKey = { readonly secret: string; readonly key: KeyObject; readonly former: readonly string[] }

const Stored = t.intersection([t.type({ secret: t.string, key: t.string }), t.partial({ former: t.readonlyArray(t.string) })])

const textOf = (secret: string, former: readonly string[]): string => {
  const { privateKey } = generateKeyPairSync('ed25519')
  return `${JSON.stringify({ secret, key: privateKey.export({ type: 'pkcs8', format: 'pem' }), former }, null, 2)}\n`
}

const parseKey = (file: string, text: string): HistoryKey => {
  try {
    const stored: unknown = JSON.parse(text)
    if (!Stored.is(stored) || !/^[0-9a-f]{64}$/.test(stored.secret)) throw new Error('it lacks the secret or the key')
    const key = createPrivateKey(stored.key)
    if (key.asymmetricKeyType !== 'ed25519') throw new Error('its key is not Ed25519')
    return { secret: stored.secret, key, former: stored.former ?? [] }
  } catch (cause) {
    throw new StoreFault('damaged', `${file} is not a history key: ${cause instanceof Error ? cause.message : cause}`, { cause })
  }
}

/** Returns the public halves of a key and of those before it, oldest first, in base64. */
export const knownKeys = ({ key, former }: Pick<HistoryKey, 'key' | 'former'>): readonly string[] => [
  ...former,
  publicHalf(key).toString('base64'),
]

/** Returns the key in a file; undefined if there is no file. */
export const historyKeyIn = async (file: string): Promise<HistoryKey | undefined> => {
  const text = await readIfExists(file)
  return text === undefined ? undefined : parseKey(file, text)
}

/** Moves a file. It does not replace an existing one, if the file system can prevent that. */
const putNew = async (from: string, to: string): Promise<void> =>
  link(from, to).catch((error) => (isNameTaken(error) ? undefined : rename(from, to)))

/** Makes a key file that only its owner can read. An existing file stays. */
export const createHistoryKey = (file: string): Promise<void> => replaceFile(file, textOf(randomBytes(32).toString('hex'), []), putNew)

/**
 * Makes a key that follows another, beside it. The secret stays the same, so that the tree goes on. The returned function puts the file in
 * place.
 */
export const successorOf = async (file: string, old: HistoryKey): Promise<readonly [HistoryKey, () => Promise<void>]> => {
  const beside = `${file}.new`
  await replaceFile(beside, textOf(old.secret, knownKeys(old)))
  return [parseKey(beside, await readFile(beside, 'utf8')), () => rename(beside, file)]
}
