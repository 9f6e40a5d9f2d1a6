import { canonicalJson } from '../../ports/canonical-json.ts'
import type { LeftOut, Position, ProposedEvent, RecordedEvent } from '../../ports/event-store.ts'
import { StoreFault } from '../../ports/faults.ts'
import { alreadyCanonical, type Names } from './already-canonical.ts'

/**
 * Converts between the port's canonical JSON text and the text in the database. The database stores JSON as its client wrote it, in any
 * order. Canonical form is a function of the value, so reading gives the same text. Stored metadata has the names (correlation and
 * causation) that the server's own tools use; in the port they have no prefix.
 */
const RESERVED: Names = { correlationId: '$correlationId', causationId: '$causationId' }
const PLAIN: Names = { $correlationId: 'correlationId', $causationId: 'causationId' }

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const renameMembers = (object: object, names: Names): object =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [Object.hasOwn(names, key) ? names[key] : key, value]))

/** Returns a text as it is; throws unless it is canonical. */
const canonical = (text: string, part: string): string => {
  if (alreadyCanonical(text) === undefined && canonicalJson(JSON.parse(text)) !== text) throw new TypeError(`${part} is not canonical JSON`)
  return text
}

/** Returns metadata with some names replaced in place by those of the database. */
const storedMeta = (text: string): string => {
  const quickly = text.startsWith('{') && !text.includes('"$') ? alreadyCanonical(text, RESERVED) : undefined
  if (quickly !== undefined) return quickly
  const meta: unknown = JSON.parse(canonical(text, 'event metadata'))
  if (typeof meta !== 'object' || meta === null || Array.isArray(meta)) throw new TypeError('event metadata is not a JSON object')
  if (Object.keys(meta).some((key) => key.startsWith('$'))) throw new TypeError('names beginning with $ are reserved by the database')
  return JSON.stringify(renameMembers(meta, RESERVED))
}

/** Returns the event as it is sent and stored. Throws on anything for which the server would return an error without a reason. */
export const toStoredEvent = ({ id, type, data, meta }: ProposedEvent): ProposedEvent => {
  if (!UUID.test(id)) throw new TypeError(`event id "${id}" is not a lower-case UUID`)
  if (type === '' || type.startsWith('$')) throw new TypeError(`"${type}" is not a valid event type`)
  return { id, type, data: canonical(data, 'event data'), meta: storedMeta(meta) }
}

const NO_POSITION = 2n ** 64n - 1n

/**
 * commit and prepare are the same for everything written over gRPC; they differ only in transactions of the old TCP interface, which this
 * log never had
 */
export const positionText = ({ commit }: { readonly commit: bigint }): Position => commit.toString().padStart(20, '0')

export const parsePosition = (text: Position): { readonly commit: bigint; readonly prepare: bigint } => ({
  commit: BigInt(text),
  prepare: BigInt(text),
})

/** The filter of a read of `$all`: the server sends the events whose type, or whose stream, matches a regular expression. */
export type LogFilter = { readonly by: 'type' | 'stream'; readonly regex: string }

/** Returns an expression for some endings of two characters, which has one alternative for each first character. */
const anyEnding = (endings: readonly string[]): string =>
  [...Map.groupBy(endings, ([first]) => first)].map(([first, same]) => `${first}[${same.map(([, second]) => second).join('')}]`).join('|')

/** Returns the filter of all events but the server's own and those that are left out. */
export const filterWithout = (leftOut: LeftOut = { types: [] }): LogFilter => {
  if ('types' in leftOut) return { by: 'type', regex: `^(?!\\$|(?:${leftOut.types.join('|')})$)` }
  const { category, except } = leftOut
  const others = `^(?!\\$|${category}-)`
  return { by: 'stream', regex: except.length === 0 ? others : `${others}|^${category}-.*(?:${anyEnding(except)})$` }
}

export const isSystemEvent = (type: string): boolean => type.startsWith('$')

type ReceivedEvent = {
  readonly id: string
  readonly streamId: string
  readonly revision: bigint
  readonly type: string
  readonly isJson: boolean
  readonly data: unknown
  readonly metadata: unknown
  readonly position?: { readonly commit: bigint; readonly prepare: bigint }
}

/** Converts an event of the client to the port's form. Throws on one that this service did not write. */
export const toRecordedEvent = ({
  id,
  streamId: stream,
  revision,
  type,
  isJson,
  data,
  metadata,
  position,
}: ReceivedEvent): RecordedEvent => {
  if (!isJson || typeof metadata !== 'object' || metadata === null || metadata instanceof Uint8Array)
    throw new StoreFault('damaged', `event ${revision} of ${stream} was not written by this service: it is not JSON with metadata`)
  if (position === undefined || position.commit === NO_POSITION)
    throw new StoreFault('damaged', `event ${revision} of ${stream} has no position in the log: EventStoreDB 22.6 or later is needed`)
  return {
    id,
    stream,
    revision: Number(revision),
    type,
    data: canonicalJson(data),
    meta: canonicalJson(renameMembers(metadata, PLAIN)),
    position: positionText(position),
  }
}

/** Returns the number of characters of an event's data and metadata. */
export const charactersOf = ({ data, meta }: RecordedEvent): number => data.length + meta.length
