import type { ExpectedRevision, Position, ProposedEvent } from '../../ports/event-store.ts'
import { positionText } from './event-text.ts'
import { type Failure, failureOf } from './failures.ts'
import { type Field, messageOf, Reader } from './protobuf.ts'

/**
 * The messages of the stream that carries appends. The client would write JSON of what it parsed, turn its bytes to base64 for the protobuf library, which
 * turns them back, and write each event twice, first for its size.
 */
export type AppendRequest = {
  readonly stream: string
  readonly expected: ExpectedRevision
  /** As they are stored, see `stored`. */
  readonly events: readonly ProposedEvent[]
}

/** The result of one try. */
export type TryOutcome = { readonly kind: 'success'; readonly revision: number; readonly position: Position | undefined } | Failure

const NOTHING: readonly Field[] = []

const proposedMessage = ({ id, type, data, meta }: ProposedEvent): Field => [
  3,
  [
    [1, [[2, id]]],
    [2, [[1, 'type'], [2, type]]], // biome-ignore format: an entry of the map of an event's properties
    [2, [[1, 'content-type'], [2, 'application/json']]], // biome-ignore format: the same
    [3, meta],
    [4, data],
  ],
]

/** An append in one message: the client cuts them at three mebibytes, and none of ours is larger than one. */
export const appendRequest = (id: number, { stream, expected, events }: AppendRequest, deadline: number): Buffer =>
  messageOf([
    [1, [[1, [[1, 0], [2, id]]]]], // biome-ignore format: a UUID as two numbers, which the response has again
    [
      2,
      [
        [1, [[3, stream]]],
        expected === 'none' ? [3, NOTHING] : [2, expected],
        [6, [[1, Math.floor(deadline / 1_000)], [2, (deadline % 1_000) * 1_000_000]]], // biome-ignore format: seconds and nanoseconds
      ],
    ],
    ...events.map(proposedMessage),
    [4, 1],
  ])

/** The last number with this field in a message. */
const numberIn = (message: Reader, field: number): bigint | undefined => {
  let found: bigint | undefined
  while (message.next()) if (message.field === field) found = message.number()
  return found
}

const successIn = (message: Reader): TryOutcome => {
  let revision = 0
  let position: Position | undefined
  while (message.next()) {
    if (message.field === 1) revision = Number(message.number())
    else if (message.field === 3) position = positionText({ commit: numberIn(message.inner(), 1) ?? 0n })
  }
  return { kind: 'success', revision, position }
}

/** A refusal names itself by the type of its details; some have no message. */
const refusalIn = (message: Reader): Failure => {
  let [why, name] = ['', '']
  let actual: bigint | undefined
  while (message.next()) {
    if (message.field === 2) why = message.text()
    if (message.field !== 3) continue
    const details = message.inner()
    while (details.next()) {
      if (details.field === 1) name = details.text().replace(/^.*[./]/, '')
      else if (details.field === 2 && name === 'WrongExpectedVersion') actual = numberIn(details.inner(), 1)
    }
  }
  return failureOf(name, why, actual)
}

/** Which append a response is about, and its result. */
export const appendResponse = (bytes: Buffer): { readonly id: number; readonly outcome: TryOutcome } => {
  const message = new Reader(bytes)
  let id = 0
  let outcome: TryOutcome | undefined
  while (message.next()) {
    if (message.field === 1) {
      const form = message.inner()
      while (form.next()) if (form.field === 1) id = Number(numberIn(form.inner(), 2) ?? 0n)
    } else if (message.field === 2) outcome = refusalIn(message.inner())
    else if (message.field === 3) outcome = successIn(message.inner())
  }
  return { id, outcome: outcome ?? failureOf('', 'an empty response', undefined) }
}
