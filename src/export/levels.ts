import { type Actor, type EventDefinition, type Meta, schemaOf } from '../domain/event.ts'
import { eventDefinitions, type Logged } from '../domain/events.ts'
import { type Codec, type StoredMeta, sealedEvent } from '../log/codec.ts'
import type { RecordedEvent } from '../ports/event-store.ts'
import { type Column, dataColumns, publicOnly } from './columns.ts'
import type { TableRow } from './parquet.ts'

export const levels = ['public', 'sealed', 'open'] as const
/**
 * The extent of an export: the events that anybody may read now; all of them, with texts as they are stored, sealed; or all of them, with
 * the texts that can be opened.
 */
export type Level = (typeof levels)[number]

/** An event and its place in the whole log, from 0. */
export type Numbered = { readonly n: number; readonly recorded: RecordedEvent }

/** An exported event. Absent fields are not disclosed. `schema` is that of its data here; `hash` is of the stored event. */
export type ExportedEvent = {
  readonly n: number
  readonly at: number
  readonly type: string
  readonly schema: number
  readonly id?: string | undefined
  readonly stream?: string | undefined
  readonly revision?: number | undefined
  readonly position?: string
  readonly by?: Actor | undefined
  readonly hash?: string
  readonly data: object
  readonly meta?: Meta
  readonly withheld?: readonly string[]
}

/** Converts the events of a page for a level. Undefined stands for events that it leaves out. */
export type Exporting = {
  readonly level: Level
  readonly events: (page: readonly Numbered[]) => Promise<readonly (ExportedEvent | undefined)[]>
  /** Returns the events as lines. */
  readonly lines: (page: readonly Numbered[]) => Promise<readonly (string | undefined)[]>
}

const storedMeta = ({ meta }: Pick<RecordedEvent, 'meta'>) => JSON.parse(meta) as StoredMeta

export const currentSchema = (type: string): number => schemaOf(eventDefinitions.get(type) ?? { upcasts: [] })

const lineOf = (event: ExportedEvent | undefined): string | undefined => event && `${JSON.stringify(event)}\n`

export const byLines = (level: Level, events: Exporting['events']): Exporting => ({
  level,
  events,
  lines: async (page) => (await events(page)).map(lineOf),
})

/** Returns data and metadata byte for byte as they are stored, since the hash is over these. */
const sealedLine = ({ n, recorded }: Numbered): string => {
  const { position, stream, revision, id, type, data, meta } = recorded
  const { at, by, hash, schema } = storedMeta(recorded)
  const head = JSON.stringify({ n, at, type, schema, id, stream, revision, position, by, hash })
  return `${head.slice(0, -1)},"data":${data},"meta":${meta}}\n`
}

const asSealed = ({ n, recorded }: Numbered): ExportedEvent => {
  const { position, stream, revision, id, type } = recorded
  const { data, meta } = sealedEvent(recorded)
  const { at, by, hash } = meta
  return { n, at, type, schema: currentSchema(type), id, stream, revision, position, by, hash, data, meta }
}

/** Leaves texts as they are stored. Lines have the data in the schema that it was stored in, `events` in that of today. */
export const sealedEvents: Exporting = {
  level: 'sealed',
  events: async (page) => page.map(asSealed),
  lines: async (page) => page.map(sealedLine),
}

/** Opens texts if there are keys for them. */
export const openEvents = (open: Codec['open']): Exporting =>
  byLines('open', async (page) => {
    const opened = await open(page.map(({ recorded }) => recorded))
    return page.map(({ n, recorded }, index) => {
      const { type, at, id, stream, revision, position, by, data, meta } = opened[index] as Logged
      const { hash } = storedMeta(recorded)
      return { n, at, type, schema: currentSchema(type), id, stream, revision, position, by, hash, data, meta }
    })
  })

/** Returns the columns that an event's data has at a level. */
export const columnsAt = (level: Level, definition: EventDefinition): readonly Column[] =>
  level === 'public' ? publicOnly(dataColumns(definition)) : dataColumns(definition)

/** Returns the row of an event in the table of its type. */
export const rowOf = ({ n, at, schema, by, hash, data }: ExportedEvent): TableRow => ({
  ...data,
  n,
  time: at,
  actor: by?.account,
  actor_as: by?.as,
  schema,
  event_hash: hash,
})

/** Returns the row of an event in the table of all. */
export const envelopeOf = ({ n, at, type, schema, id, stream, revision, position, by, hash, meta, withheld }: ExportedEvent): TableRow => ({
  n,
  time: at,
  type,
  schema,
  id,
  stream,
  revision,
  position,
  event_hash: hash,
  withheld,
  seen: meta?.seen,
  actor: by?.account,
  actor_as: by?.as,
  command_id: meta?.commandId,
  correlation_id: meta?.correlationId,
  causation_id: meta?.causationId,
})
