import { hash } from 'node:crypto'
import * as t from 'io-ts'
import { messageOf, StoreFault } from '../ports/faults.ts'
import type { OwnHead } from './grow-trees.ts'
import type { HistoryKey } from './key.ts'
import { openNote, signNote } from './note.ts'
import type { FollowedKey, Origin } from './origins.ts'
import { readIfExists } from './read-if-exists.ts'
import type { Tree } from './trees.ts'

/**
 * The last signed head of the log, with everything that is needed to go on from it: the place of its last event, and a hash over the heads
 * of all other trees. It is signed, and kept in the state of the log's tree and in a file outside of the stores.
 */
export type LastHead = Pick<Tree, 'size' | 'last'> & { readonly origin: string; readonly root: Uint8Array; readonly others: string }

const Kept = t.tuple([t.number, t.string, t.union([t.type({ stream: t.string, revision: t.number }), t.null]), t.string])

const FIRST_WORDS = 'last head of '

/** Returns the name of the origin in a note, whoever signed it. */
const originIn = (note: string): string => note.slice(FIRST_WORDS.length, note.indexOf('\n'))

export const lastHeadNote = ({ origin, size, root, last, others }: LastHead, { key }: Pick<HistoryKey, 'key'>): string =>
  signNote(`${FIRST_WORDS}${origin}\n${JSON.stringify([size, Buffer.from(root).toString('base64'), last, others])}\n`, origin, key)

/** Returns the last head in a note that a key of the origin signed; undefined for any other note. */
export const lastHeadIn = (note: string, { name }: Pick<Origin, 'name'>, keys: readonly FollowedKey[]): LastHead | undefined => {
  const opened = keys.map(({ key, until }) => ({ text: openNote(note, name, key), until })).find(({ text }) => text !== undefined)
  const [line, json = ''] = opened?.text?.split('\n') ?? []
  if (line !== `${FIRST_WORDS}${name}`) return undefined
  const decoded: unknown = JSON.parse(json)
  if (!Kept.is(decoded)) return undefined
  const [size, root, last, others] = decoded
  if (size > (opened?.until ?? 0)) return undefined
  return { origin: name, size, root: Buffer.from(root, 'base64'), last, others }
}

const readIn = (file: string): Promise<string | undefined> =>
  readIfExists(file).catch((error: unknown) => {
    throw new StoreFault('unavailable', `the last head, ${file}, cannot be read: ${messageOf(error)}`, { cause: error })
  })

/** Returns the last head in the file, of whatever origin, if one of these keys signed it. */
export const lastHeadInFile = async (file: string, keys: readonly Buffer[]): Promise<LastHead | undefined> => {
  const note = await readIn(file)
  const known = keys.map((key) => ({ key, until: Number.POSITIVE_INFINITY }))
  return note === undefined ? undefined : lastHeadIn(note, { name: originIn(note) }, known)
}

/** Returns the note in the file; undefined if there is no file yet, or if the note is of an origin that was ended. */
export const noteInFile = async (file: string, origins: readonly Pick<Origin, 'name'>[]): Promise<string | undefined> => {
  const note = await readIn(file)
  if (note === undefined) return undefined
  const at = origins.findIndex(({ name }) => name === originIn(note))
  if (at < 0)
    throw new StoreFault(
      'damaged',
      `${file} holds the last head of ${originIn(note).slice(0, 200) || 'nothing'}, but the history has no such origin`,
    )
  return at === origins.length - 1 ? note : undefined
}

/** Returns a hash over the heads of all trees except that of the log. */
export const hashOfOtherHeads = (others: ReadonlyMap<string, OwnHead>): string => {
  const lines = [...others].map(([tree, { size, root }]) => `${tree.slice(tree.indexOf('/'))} ${size} ${root.toString('base64')}\n`)
  return hash('sha256', lines.toSorted().join(''))
}
