// Decision 63.

import { setImmediate } from 'node:timers/promises'
import type { Encoding } from '../contract/incoming.ts'
import type { Html } from './html.ts'
import { Fragment, isLongText, isPlain, longText, SharedFragment, toJsonPieces } from './json-writing.ts'

/** The time of work after which other requests get their turn. */
const SLICE_MS = 5

const inTurns = async <Item>(items: Iterator<Item>, work: (item: Item) => unknown): Promise<void> => {
  let began = performance.now()
  for (let next = items.next(); !next.done; next = items.next()) {
    const pending = work(next.value)
    if (pending instanceof Promise) await pending
    if (performance.now() - began < SLICE_MS) continue
    await setImmediate()
    began = performance.now()
  }
}

/**
 * Works through items one after the other, and lets other requests in between. Work that takes less than a slice is done when this returns,
 * without a promise: requests that wait in between keep everything that they have made so far in memory.
 */
export const inSlices = <Item>(items: Iterable<Item>, work: (item: Item) => unknown): Promise<void> | undefined => {
  const rest = items[Symbol.iterator]()
  const began = performance.now()
  for (let next = rest.next(); !next.done; next = rest.next()) {
    const pending = work(next.value)
    if (pending instanceof Promise) return pending.then(() => inTurns(rest, work))
    if (performance.now() - began >= SLICE_MS) return setImmediate().then(() => inTurns(rest, work))
  }
  return undefined
}

/** Returns the text of markup, and lets other requests in between its rows. */
export const renderInSlices = async (markup: Html): Promise<string> => {
  const pieces: string[] = []
  await inSlices({ [Symbol.iterator]: () => markup.pieces() }, (piece) => pieces.push(piece))
  return pieces.join('')
}

/** Replaces long strings and the objects in lists by fragments, which are added to `pieces`, inner ones first. */
const inPieces = (value: unknown, pieces: Fragment[]): unknown => {
  if (value instanceof Fragment) {
    for (const part of value.parts) inPieces(part, pieces)
    pieces.push(value)
    return value
  }
  if (isLongText(value)) return inPieces(longText(value), pieces)
  if (Array.isArray(value)) return value.map((item) => (isPlain(item) ? inPieces(pieceOf(item, pieces), pieces) : inPieces(item, pieces)))
  if (!isPlain(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inPieces(member, pieces)]))
}

const pieceOf = (item: object, pieces: Fragment[]): Fragment => {
  const split = inPieces(item, pieces)
  return new Fragment((encoding) => toJsonPieces(split, encoding))
}

/**
 * Returns a value with its long strings and the objects in its lists already written, and lets other requests in between. Only joining the
 * pieces remains.
 */
export const writtenInSlices = async (value: unknown, encoding: Encoding): Promise<unknown> => {
  const pieces: Fragment[] = []
  const ahead = inPieces(value, pieces)
  await inSlices(pieces, (piece) => (piece instanceof SharedFragment ? piece.piece(encoding) : piece.make(encoding)))
  return ahead
}
