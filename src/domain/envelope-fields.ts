import * as t from 'io-ts'
import { Capacity, type Envelope, type EventField, field, optional, recordCodec } from './event.ts'
import { AccountId } from './ids.ts'

/** A part of an envelope. With the readers `by`, it is for those who may read who acted, as the declaration of the event says. */
type EnvelopeField = Omit<EventField, 'readers'> & { readonly readers: EventField['readers'] | 'by' }

const byReaders = (part: EventField): EnvelopeField => ({ ...part, readers: 'by' })

const time = { unit: 'milliseconds since 1970' } as const
const actor = recordCodec('Actor', {
  account: field(t.union([AccountId, t.null]), 'The account; null: the service.', 'public'),
  as: field(Capacity, 'The capacity in which it acted; `system`: nobody asked for it.', 'public'),
})
const meta = recordCodec('Meta', {
  commandId: field(t.string, 'The request that it was decided for.', 'admins'),
  correlationId: field(t.string, 'The request that all of it began with.', 'admins'),
  causationId: field(t.string, 'The event that it is a consequence of, or the request.', 'admins'),
  schema: field(t.number, 'The version of the schema that it is stored in.', 'admins'),
  seen: field(
    t.record(t.string, t.union([t.number, t.literal('none')])),
    'The other streams that were read for the decision, each with its revision then.',
    'admins',
  ),
  at: field(optional(t.number), 'The time, once more, where the event is exported as it is stored.', 'admins', time),
  by: field(optional(actor), 'Who acted, once more, where the event is exported as it is stored.', 'admins'),
  hash: field(optional(t.string), 'The hash, once more, where the event is exported as it is stored.', 'admins'),
})

/**
 * The fields of every event beside its data. The actor, the id and the stream tell as much as the data does; `meta` tells what the event is
 * related to.
 */
export const envelopeFields: Readonly<Record<Exclude<keyof Envelope, 'data'>, EnvelopeField>> = {
  type: field(t.string, 'What happened.', 'public'),
  at: field(t.number, 'When it was decided.', 'public', time),
  id: byReaders(field(t.string, 'Its id, a UUID.', 'admins')),
  stream: byReaders(field(t.string, 'The stream that it is in: what it happened to.', 'admins')),
  revision: byReaders(field(t.number, 'Its place in its stream, from 0.', 'admins')),
  by: byReaders(field(actor, 'Who acted.', 'admins')),
  position: field(t.string, 'Its place in the log of this store, which differs after an import.', 'admins'),
  meta: field(meta, 'What it is related to.', 'admins'),
}

/** The fields that followers and exports get beside those of the event. */
export const servedFields = {
  n: field(t.number, 'Its number in the log of all events, from 0.', 'public'),
  schema: field(t.number, 'The version of the schema that its data is in here.', 'public'),
  hash: field(t.string, 'The SHA-256 of the event as it is stored, in hexadecimal.', 'admins'),
  withheld: field(t.readonlyArray(t.string), 'The fields that its reader may not read, or not any more.', 'public'),
}
