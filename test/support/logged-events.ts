import { v5 } from 'uuid'
import { streamOf } from '../../src/audit/rules/streams.ts'
import type { Actor, AnyEvent, SeenRevisions } from '../../src/domain/event.ts'
import { type DomainEvent, eventDefinitions, type Logged } from '../../src/domain/events.ts'
import type { StampedEvent } from '../../src/log/codec.ts'

/** The time of the first event of a history. */
export const DAWN = Date.UTC(2026, 2, 1, 12)
export const MINUTE = 60_000

export type LoggedEvent = {
  readonly by: Actor
  readonly event: DomainEvent
  /** Revisions of other streams that its decision saw. */
  readonly seen?: SeenRevisions
  /** Its cause: so many events before it, or the last one of that type. */
  readonly cause?: number | DomainEvent['type']
  /** When, if it is neither a minute after the one before it nor when its cause was. */
  readonly at?: number
}

type As = Actor['as']

/** Makes an event in the name of an account: `inNameOf(ann)(LinkSubmitted({ … }))`. */
export const inNameOf =
  (account: string | null, as: As = account === null ? 'system' : 'user') =>
  <Event extends AnyEvent>(event: Event): LoggedEvent => ({ by: { account, as }, event: event as AnyEvent as DomainEvent })

/** A consequence of the event that is told so many before it, or of the last one of a type. */
export const consequence = (cause: NonNullable<LoggedEvent['cause']>, told: LoggedEvent): LoggedEvent => ({ ...told, cause })

export const positionOf = (n: number): string => String(n).padStart(20, '0')

/** Returns the id of the command of the nth event; in data it stands for the id of that event. */
export const idOf = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`
const standIns = /00000000-0000-5000-8000-(\d{12})/g

/** Data with the ids of earlier events in the place of what stands for them. */
const insertIds = <Event extends object>(event: Event, ids: readonly string[]): Event => {
  const text = JSON.stringify(event)
  const named = text.replaceAll(standIns, (found, n) => ids[Number(n) - 1] ?? found)
  return named === text ? event : (JSON.parse(named) as Event)
}

/** Events as they are in the log: a minute between events, positions from 1, each of a command of its own. */
export const loggedFrom = (told: readonly LoggedEvent[]): readonly Logged[] => {
  const revisions = new Map<string, number>()
  const ids: string[] = []
  const logged: Logged[] = []
  for (const [i, { by: actor, event: unnamed, seen = {}, cause: from, at: then }] of told.entries()) {
    const event = insertIds(unnamed, ids)
    const stream = streamOf(event)
    const revision = (revisions.get(stream) ?? -1) + 1
    revisions.set(stream, revision)
    const commandId = idOf(i + 1)
    const id = v5(`${stream}@${revision}`, commandId)
    ids.push(id)
    const schema = (eventDefinitions.get(event.type)?.upcasts.length ?? 0) + 1
    const cause = typeof from === 'number' ? logged[i - from] : logged.findLast(({ type }) => type === from)
    const correlationId = cause?.meta.correlationId ?? commandId
    const meta = { commandId, correlationId, causationId: cause?.id ?? commandId, schema, seen }
    const at = then ?? cause?.at ?? DAWN + i * MINUTE
    logged.push({ ...event, id, stream, revision, position: positionOf(i + 1), at, by: actor, meta } as Logged)
  }
  return logged
}

/** Returns the input that the codec seals to store the event. */
export const stampedOf = ({ id, type, data, at, by: actor, meta: { schema: _, ...meta } }: Logged): StampedEvent => ({
  id,
  event: { type, data } as AnyEvent,
  at,
  by: actor,
  ...meta,
})
