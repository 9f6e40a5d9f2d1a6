import { type Actor, type EventDefinition, type Meta, schemaOf } from '../domain/event.ts'
import { eventDefinitions, type Logged } from '../domain/events.ts'
import { type Codec, sealedEvent } from '../log/codec.ts'
import type { RecordedEvent } from '../ports/event-store.ts'
import { type Column, dataColumns, publicOnly } from './columns.ts'
import type { TableRow } from './parquet.ts'

export const levels = ['public', 'sealed', 'open'] as const
/**
 * How much of the log is exported: what anybody may read now; all of it, but texts as they are stored, sealed; or all of it, with the texts
 * that can be opened.
 */
export type Level = (typeof levels)[number]

/** An event and its place in the whole log, from 0. */
export type Numbered = { readonly n: number; readonly recorded: RecordedEvent }

/** An event as it is exported; what is absent is not told. `schema`: of its data, as it is here; `hash`: of what is stored. */
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

/** Events of a page as a level has them: undefined for those that it leaves out. */
export type Exporting = {
  readonly level: Level
  readonly events: (page: readonly Numbered[]) => Promise<readonly (ExportedEvent | undefined)[]>
  /** The same, each as a line. */
  readonly lines: (page: readonly Numbered[]) => Promise<readonly (string | undefined)[]>
}

type StoredMeta = Meta & { readonly at: number; readonly by: Actor; readonly hash: string }

const storedMeta = ({ meta }: Pick<RecordedEvent, 'meta'>) => JSON.parse(meta) as StoredMeta

export const currentSchema = (type: string): number => schemaOf(eventDefinitions.get(type) ?? { upcasts: [] })

const lineOf = (event: ExportedEvent | undefined): string | undefined => event && `${JSON.stringify(event)}\n`

export const byLines = (level: Level, events: Exporting['events']): Exporting => ({
  level,
  events,
  lines: async (page) => (await events(page)).map(lineOf),
})

/** Data and metadata byte for byte as they are stored, of which the hash is. */
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

/** Texts stay as they are stored. Lines have the data in the schema that it was stored in; `events` in that of today. */
export const sealedEvents: Exporting = {
  level: 'sealed',
  events: async (page) => page.map(asSealed),
  lines: async (page) => page.map(sealedLine),
}

/** Texts are opened, as far as there are keys. */
export const openEvents = (open: Codec['open']): Exporting =>
  byLines('open', async (page) => {
    const opened = await open(page.map(({ recorded }) => recorded))
    return page.map(({ n, recorded }, index) => {
      const { type, at, id, stream, revision, position, by, data, meta } = opened[index] as Logged
      const { hash } = storedMeta(recorded)
      return { n, at, type, schema: currentSchema(type), id, stream, revision, position, by, hash, data, meta }
    })
  })

/** The columns that an event's data has at a level. */
export const columnsAt = (level: Level, definition: EventDefinition): readonly Column[] =>
  level === 'public' ? publicOnly(dataColumns(definition)) : dataColumns(definition)

/** The row of an event in the table of its type. */
export const rowOf = ({ n, at, schema, by, hash, data }: ExportedEvent): TableRow => ({
  ...data,
  n,
  time: at,
  actor: by?.account,
  actor_as: by?.as,
  schema,
  event_hash: hash,
})

/** The row of an event in the table of all. */
export const envelopeOf = ({ n, at, type, schema, id, stream, revision, position, by, hash, meta, withheld }: ExportedEvent): TableRow => ({
  ...{ n, time: at, type, schema, id, stream, revision, position, event_hash: hash, withheld, seen: meta?.seen },
  actor: by?.account,
  actor_as: by?.as,
  command_id: meta?.commandId,
  correlation_id: meta?.correlationId,
  causation_id: meta?.causationId,
})
