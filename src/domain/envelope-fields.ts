import * as t from 'io-ts'
import { Capacity, type Envelope, type Field, field, record } from './event.ts'
import { AccountId } from './ids.ts'

/** A part of an envelope. Readers `by`: those who may read who acted, as the declaration of the event says. */
type EnvelopeField = Omit<Field, 'readers'> & { readonly readers: Field['readers'] | 'by' }

const byReaders = (part: Field): EnvelopeField => ({ ...part, readers: 'by' })

const orNull = (codec: t.Mixed) => t.union([codec, t.null])
const meta = record('Meta', {
  commandId: field(t.string, 'The request that it was decided for.', 'admins'),
  correlationId: field(t.string, 'The request that all of it began with.', 'admins'),
  causationId: field(t.string, 'The event that it is a consequence of, or the request.', 'admins'),
  schema: field(t.number, 'The version of the schema that it is stored in.', 'admins'),
  seen: field(
    t.record(t.string, t.union([t.number, t.literal('none')])),
    'The other streams that were read for the decision, each with its revision then.',
    'admins',
  ),
})

/** What every event has beside its data. Who acted, its id and its stream tell as much as its fields, and `meta` what it is related to. */
export const envelopeFields: Readonly<Record<Exclude<keyof Envelope, 'data'>, EnvelopeField>> = {
  type: field(t.string, 'What happened.', 'public'),
  at: field(t.number, 'When it was decided.', 'public', { unit: 'milliseconds since 1970' }),
  id: byReaders(field(t.string, 'Its id, a UUID.', 'admins')),
  stream: byReaders(field(t.string, 'The stream that it is in: what it happened to.', 'admins')),
  revision: byReaders(field(t.number, 'Its place in its stream, from 0.', 'admins')),
  by: byReaders(
    field(
      record('Actor', {
        account: field(orNull(AccountId), 'The account; null: the service.', 'public'),
        as: field(Capacity, 'The capacity in which it acted; `system`: nobody asked for it.', 'public'),
      }),
      'Who acted.',
      'admins',
    ),
  ),
  position: field(t.string, 'Its place in the log of this store, which differs after an import.', 'admins'),
  meta: field(meta, 'What it is related to.', 'admins'),
}
