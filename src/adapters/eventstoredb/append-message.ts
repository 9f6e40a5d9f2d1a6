import type { ExpectedRevision, Position, ProposedEvent } from '../../ports/event-store.ts'
import { positionText } from './event-text.ts'
import { type Failure, failureOf } from './failures.ts'
import { type Field, fieldsOf, messageOf, textField } from './protobuf.ts'

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

const numberField = (bytes: Buffer, wanted: number): bigint | undefined => {
  let found: bigint | undefined
  fieldsOf(bytes, (field, number) => {
    if (field === wanted) found = number
  })
  return found
}

const successIn = (bytes: Buffer): TryOutcome => {
  let revision = 0
  let commit: bigint | undefined
  fieldsOf(bytes, (field, number, value) => {
    if (field === 1) revision = Number(number)
    else if (field === 3) commit = numberField(value, 1) ?? 0n
  })
  return { kind: 'success', revision, position: commit === undefined ? undefined : positionText({ commit }) }
}

/** A refusal names itself by the type of its details; some have no message. */
const refusalIn = (bytes: Buffer): Failure => {
  const message = textField(bytes, 2)
  let name = ''
  let actual: bigint | undefined
  fieldsOf(bytes, (field, _, details) => {
    if (field !== 3) return
    name = textField(details, 1).replace(/^.*[./]/, '')
    fieldsOf(details, (inner, __, value) => {
      if (inner === 2) actual = numberField(value, 1)
    })
  })
  return failureOf(name, message, actual)
}

/** Which append a response is about, and its result. */
export const appendResponse = (bytes: Buffer): { readonly id: number; readonly outcome: TryOutcome } => {
  let id = 0
  let outcome: TryOutcome | undefined
  fieldsOf(bytes, (field, _, value) => {
    if (field === 1)
      fieldsOf(value, (form, __, parts) => {
        if (form === 1) id = Number(numberField(parts, 2) ?? 0n)
      })
    else if (field === 2) outcome = refusalIn(value)
    else if (field === 3) outcome = successIn(value)
  })
  return { id, outcome: outcome ?? failureOf('', 'an empty response', undefined) }
}
