import type { Disclosed } from '../../../disclosure/disclosure.ts'
import { Capacity, type EventDefinition, fieldsWithin } from '../../../domain/event.ts'
import { eventDefinitions } from '../../../domain/events.ts'
import { settingNames } from '../../../domain/subsite-settings.ts'
import type { LogPlace } from '../../contract/place-params.ts'
import type { Viewer } from '../../contract/request.ts'
import { JsonLines } from '../../contract/schemas/answers.ts'
import { cast } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { EVENT_STREAM } from '../../wire/event-stream.ts'
import { disclosePage, type PagesContext } from './disclosed-pages.ts'
import { namesShape } from './event-names.ts'
import type { EventFilter } from './filters.ts'

/** A delivered line: an event or, without filters, the number of withheld events. `n` is the last number that it covers. */
type Line = { readonly n: number; readonly line: object; readonly event?: Disclosed }

/** Returns the record of an event. */
export const eventRecord = ({ meta, ...event }: Disclosed): object => ({
  ...event,
  ...(meta && { meta: { ...meta, seen: Object.entries(meta.seen) } }),
})

const lineOf = (event: Disclosed): object => ({ kind: 'event', ...eventRecord(event) })

/** A part of the log: the number after which reading goes on, and whether no further match follows. */
export type EventLines = { readonly lines: readonly Line[]; readonly passed: number; readonly isEnd: boolean }

const endsBefore = (until: LogPlace | undefined, event: Disclosed | undefined, n: number): boolean => {
  if (until === undefined) return false
  return 'n' in until ? n > until.n : event !== undefined && event.at >= until.time
}

const linesOf = (page: readonly (Disclosed | undefined)[], first: number, filter: EventFilter): readonly Line[] => {
  if (filter) return page.flatMap((event, at) => (event && filter.passes(event) ? [{ n: first + at, line: lineOf(event), event }] : []))
  const lines: Line[] = []
  let gap: number | undefined
  for (const [at, event] of [...page, null].entries()) {
    const n = first + at
    if (event === undefined) gap ??= n
    else if (gap !== undefined) {
      lines.push({ n: n - 1, line: { kind: 'withheld', from: gap, to: n - 1 } })
      gap = undefined
    }
    if (event) lines.push({ n, line: lineOf(event), event })
  }
  return lines
}

/** Returns the events after a number, as many as a page of the log has. */
export const partAfter = async (
  context: PagesContext,
  viewer: Viewer,
  { after, until, filter }: { readonly after: number; readonly until: LogPlace | undefined; readonly filter: EventFilter },
): Promise<EventLines> => {
  const first = after + 1
  if (until && 'n' in until && until.n < first) return { lines: [], passed: after, isEnd: true }
  // any event that may be read can be the one at which a time ends the page
  const mayPass = until && 'time' in until ? undefined : filter?.mayPass
  const page = await disclosePage(context, viewer, first, mayPass)
  const end = page.findIndex((event, at) => endsBefore(until, event, first + at))
  const within = end < 0 ? page : page.slice(0, end)
  const passed = after + within.length
  const isLast = until !== undefined && 'n' in until && passed >= until.n
  return { lines: linesOf(within, first, filter), passed, isEnd: end >= 0 || isLast }
}

type DeclaredFields = EventDefinition['fields']

const listInner = (fields: DeclaredFields): readonly DeclaredFields[] =>
  Object.values(fields).flatMap(({ codec }) => {
    const inner = fieldsWithin(codec)
    return inner ? [inner, ...listInner(inner)] : []
  })

const declared = [...eventDefinitions.values()].map(({ fields }) => fields)

/**
 * Returns the schema of an object with fields of events of any type. It is a map, since an object with some hundred members of six
 * alternatives each is too large for programs that read the document.
 */
const someFields = (fields: readonly DeclaredFields[], value: shape.SchemaOrComponent, more: readonly string[] = []): shape.Schema =>
  shape.mapOf(value, { enum: [...new Set([...fields.flatMap(Object.keys), ...more])].toSorted() })

const plainValue = shape.component('EventValue', () =>
  shape.union(shape.text(), shape.integer(1), shape.flag, shape.nullSchema, shape.listOf(shape.text())),
)
const innerRecord = shape.component('EventRecord', () => someFields(declared.flatMap(listInner), plainValue, settingNames))

const data = shape.component('EventData', () => ({
  ...someFields(declared, shape.union(plainValue, innerRecord, shape.listOf(innerRecord))),
  description: 'The fields that you may read, as `/history/schemas/{type}/{version}` describes them.',
  examples: [{ comment: cast.comment, link: cast.link, subsite: cast.subsite, author: cast.account, parent: null, body: 'soft water' }],
}))

const n = (description: string) => shape.integer(4711, description)

/** Returns the fields of a disclosed event. */
export const eventFields = (): shape.Fields => ({
  n: n('The number of the event in the log.'),
  type: { ...shape.choice(...eventDefinitions.keys()), examples: ['CommentPosted'] },
  at: { ...shape.integer(1_795_000_000_000), description: 'When it happened, in milliseconds since 1970.' },
  id: shape.optional(shape.text('00000000-0000-5000-8000-000000000000')),
  stream: shape.optional(shape.text(`comment-${cast.comment}`)),
  revision: shape.optional(shape.integer(0, 'Its place in its stream, for moderators and admins.')),
  by: shape.optional(
    shape.recordSchema({ account: shape.orNull(shape.text(cast.account)), as: shape.choice(...Object.keys(Capacity.keys)) }),
  ),
  meta: shape.optional(
    shape.recordSchema({
      commandId: shape.text('id'),
      correlationId: shape.text('id'),
      causationId: shape.text('id'),
      schema: shape.integer(1),
      seen: {
        ...shape.listOf(shape.tuple(shape.text(`comment-${cast.comment}`), shape.union(shape.integer(0), shape.constant('none')))),
        description: 'The streams that the decision read, and at which revisions.',
      },
    }),
  ),
  data,
  withheld: { ...shape.listOf(shape.text('linkAuthor')), description: 'The names of what you may not read of it.' },
})

const eventShape = shape.component('HistoryEvent', () =>
  shape.recordSchema({ kind: shape.constant('event'), ...eventFields(), names: shape.optional(namesShape) }),
)

const lineShape = shape.component('HistoryEventLine', () =>
  shape.union(
    eventShape,
    shape.recordSchema({
      kind: shape.constant('withheld'),
      from: n('The number of the first event of which you may read nothing.'),
      to: n('The number of the last one.'),
    }),
    shape.recordSchema({
      kind: shape.constant('end'),
      next: { ...shape.integer(4711), description: 'The `since` of what follows.' },
      more: { ...shape.flag, description: 'Whether anything that was asked for follows already.' },
    }),
  ),
)

/** A page of lines, or the same as server-sent events. */
export const linesOrEvents = new JsonLines(lineShape, EVENT_STREAM)
