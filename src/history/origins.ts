import { randomBytes } from 'node:crypto'
import * as t from 'io-ts'
import { StoreFault } from '../ports/faults.ts'
import type { HistoryRow, HistoryStore } from '../ports/history.ts'
import { type HistoryKey, knownKeys } from './key.ts'
import { type Checkpoint, checkpointIn, openNote, publicHalf, signNote, verifierKey } from './note.ts'

/**
 * An origin: one growth of all trees, from the first event on. If it was ended, because the log was restored from a backup, the next origin
 * says so.
 */
const StoredOrigin = t.intersection([
  t.type({
    name: t.string,
    created: t.number,
    /**
     * The last head of the log under the origin before, as its signed note. `unproved` means that no available key proves that it was the
     * last one, or any.
     */
    previous: t.union([
      t.intersection([t.type({ name: t.string, checkpoint: t.string }), t.partial({ unproved: t.literal(true) })]),
      t.null,
    ]),
  }),
  t.partial({
    /**
     * The note by which the origin's first key signed all this. So nobody who only writes to the stores can begin an origin. It is absent
     * only in histories of v0.1.0-alpha.1, whose leaves had another form.
     */
    signature: t.string,
  }),
])
export type Origin = t.TypeOf<typeof StoredOrigin> & { readonly number: number }

/** A key of an origin: base64 of its 32 bytes, and the note by which the key before it signed it; null for the first. */
const StoredKey = t.type({ key: t.string, since: t.number, endorsement: t.union([t.string, t.null]) })
export type OriginKey = t.TypeOf<typeof StoredKey>

const ORIGINS = 'origins'
const MAX_ORIGINS = 1_000
const MAX_KEYS = 1_000
const keysOf = (origin: number): string => `${origin}/keys`

const valueIn = (bytes: Uint8Array): unknown => JSON.parse(Buffer.from(bytes).toString())
const bytesOf = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value))

const originOf = ({ number, value }: HistoryRow): Origin => {
  const stored = valueIn(value)
  if (!StoredOrigin.is(stored)) throw new StoreFault('damaged', `origin ${number} of the history cannot be read`)
  return { ...stored, number }
}

/** Returns the origins up to a number, the last one first. */
const originsUpTo = async (history: Pick<HistoryStore, 'list'>, number: number, limit: number): Promise<readonly Origin[]> =>
  (await history.list(ORIGINS, 'origin', number, limit, 'down')).map(originOf)

/** Returns the last thousand origins, in their order. */
export const originsIn = async (history: Pick<HistoryStore, 'list'>): Promise<readonly Origin[]> =>
  (await originsUpTo(history, Number.MAX_SAFE_INTEGER, MAX_ORIGINS)).toReversed()

export const lastOrigin = async (history: Pick<HistoryStore, 'list'>): Promise<Origin | undefined> =>
  (await originsUpTo(history, Number.MAX_SAFE_INTEGER, 1))[0]

export const keysIn = async (history: Pick<HistoryStore, 'list'>, origin: number): Promise<readonly OriginKey[]> =>
  (await history.list(keysOf(origin), 'key', 0, MAX_KEYS)).map(({ value }) => valueIn(value)).filter(StoredKey.is)

/** Returns the rows of all origins, and of their keys. */
export const originRows = (history: Pick<HistoryStore, 'list'>): Promise<readonly HistoryRow[]> =>
  history.list(ORIGINS, 'origin', 0, MAX_ORIGINS)
export const keyRows = async (history: Pick<HistoryStore, 'list'>): Promise<readonly HistoryRow[]> => {
  const origins = await originRows(history)
  return (await Promise.all(origins.map(({ number }) => history.list(keysOf(number), 'key', 0, MAX_KEYS)))).flat()
}

/** Makes the name of an origin: the site's address and 64 random bits, so that no two are ever the same. It never changes. */
const nameAt = (publicUrl: string): string => {
  const { host, pathname } = new URL(publicUrl)
  return `${host}${pathname.replace(/\/$/, '').replaceAll('+', '-')}/history/${randomBytes(8).toString('hex')}`
}

type Unsigned = Pick<Origin, 'name' | 'created' | 'previous'>

const originText = ({ name, created, previous }: Unsigned): string =>
  `origin ${name}\n${JSON.stringify([created, ...(previous ? [previous.name, previous.checkpoint] : []), ...(previous?.unproved ? ['unproved'] : [])])}\n`

/** Tells whether a key signed the beginning of an origin. */
export const isBegunBy = (origin: Origin, key: Uint8Array): boolean =>
  origin.signature !== undefined && openNote(origin.signature, origin.name, key) === originText(origin)

export const signOrigin = (origin: Unsigned, { key }: Pick<HistoryKey, 'key'>): Omit<Origin, 'number'> => ({
  ...origin,
  signature: signNote(originText(origin), origin.name, key),
})

/** Says what to do about an origin of the first form of the history, which no key signed; undefined for any other. */
const problemOfUnsigned = ({ name, signature }: Pick<Origin, 'name' | 'signature'>): string | undefined =>
  signature === undefined
    ? `the history ${name} is of v0.1.0-alpha.1, or somebody removed its signature: npx rostra history new-origin begins one that names its last head`
    : undefined

export const refuseUnsigned = (origin: Pick<Origin, 'name' | 'signature'>): void => {
  const problem = problemOfUnsigned(origin)
  if (problem !== undefined) throw new StoreFault('unavailable', problem)
}

export const createOrigin = async (
  history: Pick<HistoryStore, 'add'>,
  { key }: Pick<HistoryKey, 'key'>,
  { number, previous, publicUrl, at }: Pick<Origin, 'number' | 'previous'> & { readonly publicUrl: string; readonly at: number },
): Promise<Origin> => {
  if (!Number.isSafeInteger(number))
    throw new StoreFault(
      'full',
      `origin ${number - 1} of the history was not made by this service and is too large to be followed by another: delete it`,
    )
  const origin = signOrigin({ name: nameAt(publicUrl), created: at, previous }, { key })
  const first: OriginKey = { key: publicHalf(key).toString('base64'), since: at, endorsement: null }
  await history.add([
    { tree: keysOf(number), kind: 'key', number: 0, value: bytesOf(first) },
    { tree: ORIGINS, kind: 'origin', number, value: bytesOf(origin) },
  ])
  return { ...origin, number }
}

/** A key of an origin, and the approximate size of the largest log whose heads it signs: the next key follows there. */
export type FollowedKey = { readonly key: Buffer; readonly until: number }

/** Returns the text by which a key hands over to the next, before a line with the size of the log up to which it still signs. */
const endorsementText = (name: string, key: Uint8Array): string => `key of ${name}\n${Buffer.from(key).toString('base64')}\n`

/**
 * Returns the size up to which the key before one signs, by its endorsement. It is infinite in those of earlier versions, and undefined for
 * an invalid endorsement.
 */
const readHandover = (name: string, before: Uint8Array, { key, endorsement }: OriginKey): number | undefined => {
  const words = endorsementText(name, Buffer.from(key, 'base64'))
  const text = openNote(endorsement ?? '', name, before)
  if (text === words) return Number.POSITIVE_INFINITY
  const [, size] = text?.startsWith(words) ? (/^(\d{1,15})\n$/.exec(text.slice(words.length)) ?? []) : []
  return size === undefined ? undefined : Number(size)
}

export const addKey = async (
  history: Pick<HistoryStore, 'add' | 'list'>,
  origin: Origin,
  { old, next, at, until }: { readonly old: HistoryKey; readonly next: HistoryKey; readonly at: number; readonly until: number },
): Promise<void> => {
  // accepts only the wording that verifiers accept: a key that is handed over in other words ends the origin
  if (!/^\d{1,15}$/.test(String(until))) throw new StoreFault('damaged', `${until} is not a valid size of a log`)
  const { length } = await keysIn(history, origin.number)
  if (length >= MAX_KEYS)
    throw new StoreFault(
      'full',
      `${origin.name} has had ${MAX_KEYS} keys, the most that verifiers follow: run npx rostra history new-origin`,
    )
  const key = publicHalf(next.key)
  const endorsement = signNote(`${endorsementText(origin.name, key)}${until}\n`, origin.name, old.key)
  const added: OriginKey = { key: key.toString('base64'), since: at, endorsement }
  await history.add([{ tree: keysOf(origin.number), kind: 'key', number: length, value: bytesOf(added) }])
}

/** Returns the keys of an origin, each signed by the one before it, or a problem in words if one is not. */
export const followKeys = ({ name }: Origin, keys: readonly OriginKey[]): readonly FollowedKey[] | string => {
  const followed: FollowedKey[] = []
  for (const [at, one] of keys.entries()) {
    const before = followed.at(-1)
    const until = before && readHandover(name, before.key, one)
    if (before && until === undefined) return `key ${at} of ${name} is not signed by the one before it`
    if (before && until !== undefined) followed[at - 1] = { key: before.key, until }
    followed.push({ key: Buffer.from(one.key, 'base64'), until: Number.POSITIVE_INFINITY })
  }
  return followed
}

/**
 * Returns the keys of an origin, or a problem in words. The key in the file and those before it must be as the file has them, and the first
 * of them must have begun the origin. The stores alone prove nothing, since somebody else may have written to them.
 */
export const readTrustedKeys = async (
  history: Pick<HistoryStore, 'list'>,
  origin: Origin,
  key: Pick<HistoryKey, 'key' | 'former'>,
): Promise<readonly FollowedKey[] | string> => {
  const keys = followKeys(origin, await keysIn(history, origin.number))
  if (typeof keys === 'string') return keys
  const known = knownKeys(key)
  const listed = keys.map((one) => one.key.toString('base64'))
  const upToOwn = listed.slice(0, listed.lastIndexOf(known.at(-1) ?? '') + 1)
  if (upToOwn.length === 0) return `the history key is none of those of ${origin.name}`
  if (upToOwn.join() !== known.slice(-upToOwn.length).join())
    return `${origin.name} has keys that the file of the history key does not know`
  const unsigned = problemOfUnsigned(origin)
  if (unsigned !== undefined) return unsigned
  const [first] = keys
  if (first === undefined || !isBegunBy(origin, first.key))
    return `the beginning of ${origin.name} is not signed by its first key: somebody put it into the history`
  const before = await originsUpTo(history, origin.number - 1, MAX_ORIGINS)
  const ownKeys = known.map((one) => Buffer.from(one, 'base64'))
  // otherwise an ended origin could be put after itself, and be signed anew
  const isEnded = before.some((one) => one.created >= origin.created && ownKeys.some((key) => isBegunBy(one, key)))
  return isEnded ? `${origin.name} does not follow the origin before it` : keys
}

/** Returns the origin line of a tree's heads: the part of the tree's name after the number follows the origin's name. */
export const originLine = ({ name }: Pick<Origin, 'name'>, tree: string): string => `${name}${tree.slice(tree.indexOf('/'))}`

/** Returns the head in a note that any of the keys signed. Heads of the log count only up to the size at which their key was replaced. */
export const headIn = (origin: Origin, tree: string, keys: readonly FollowedKey[], note: string): Checkpoint | undefined => {
  const name = originLine(origin, tree)
  for (const { key, until } of keys.toReversed()) {
    const text = openNote(note, name, key)
    const head = text === undefined ? undefined : checkpointIn(text)
    if (head?.origin === name && (head.size <= until || !tree.endsWith('/log'))) return head
  }
  return undefined
}

export const lastNote = async (
  history: Pick<HistoryStore, 'list'>,
  tree: string,
  upTo = Number.MAX_SAFE_INTEGER,
): Promise<string | undefined> => {
  const [row] = await history.list(tree, 'head', upTo, 1, 'down')
  return row && Buffer.from(row.value).toString()
}

/** Returns the verifier keys of a tree: one for each key that has signed. */
export const verifierKeys = (origin: Origin, tree: string, keys: readonly FollowedKey[]): readonly string[] =>
  keys.map(({ key }) => verifierKey(originLine(origin, tree), key))
