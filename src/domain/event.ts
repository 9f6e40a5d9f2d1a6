import * as t from 'io-ts'

/** The capacity in which an account acted. A `system` action is a consequence without a requesting account: an expiry, a freed slot. */
export const Capacity = t.keyof({ user: null, moderator: null, admin: null, system: null })
export type Capacity = t.TypeOf<typeof Capacity>

/** The actor: an account's fullname, or null for the service itself. */
export type Actor = { readonly account: string | null; readonly as: Capacity }

/** Revisions of other streams that the decision read, so that an audit can detect a race. */
export type SeenRevisions = Readonly<Record<string, number | 'none'>>

export type Meta = {
  readonly commandId: string
  readonly correlationId: string
  readonly causationId: string
  readonly schema: number
  readonly seen: SeenRevisions
}

/** The result of a decision, without ids and times, which are added at append. */
export type AnyEvent = {
  readonly type: string
  readonly data: object
  /** The account that the event is recorded of; if absent, the actor of the command. */
  readonly by?: Actor
}

/** The service itself as the actor. */
export const SERVICE: Actor = { account: null, as: 'system' }

/**
 * Marks an event as recorded by the service before those of a command, such as the end of a ban. It is no act of the account that gave the
 * command.
 */
export const byService = <Event extends AnyEvent>(event: Event): Event => ({ ...event, by: SERVICE })

/** `at` is in milliseconds since 1970. It is read once per command. */
type InStream<Event extends AnyEvent> = Event & {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly at: number
  readonly by: Actor
  readonly meta: Meta
}

/** An event as it is in the log, with its sealed texts opened. */
export type Envelope<Event extends AnyEvent = AnyEvent> = InStream<Event> & { readonly position: string }

/** An event that was just appended. Only the position of the last event of the append is known. */
export type AppendedEnvelope<Event extends AnyEvent = AnyEvent> = InStream<Event> & { readonly positionAtMost: string }

/** An event in the log, either read from it or just appended. */
export type StoredEnvelope<Event extends AnyEvent = AnyEvent> = Envelope<Event> | AppendedEnvelope<Event>

type Bounded = { readonly position: string } | { readonly positionAtMost: string }

/** Returns a position that bounds an event: its own, or that of the last event of its append. It bounds no other event of the same append. */
export const positionAtMost = (event: Bounded): string => ('position' in event ? event.position : event.positionAtMost)

/** Replaces a sealed text once its key is destroyed. */
export const ERASED_PLACEHOLDER = '[erased]'

/**
 * A user's text, sealed in the log. The key is that of the account in the field `subject` beside it, or of the acting account for `@by`. If
 * that is null, the service itself wrote the text, and it stays plain. `thing` is the field, beside the text or else in the event's data,
 * that names the thing it belongs to. The erasure of that thing makes it unreadable. Without `thing`, the text belongs to the event itself.
 */
export class SealedText extends t.Type<string, string, unknown> {
  readonly _tag = 'SealedText'
  readonly subject: string
  readonly thing: readonly string[] | undefined

  constructor(subject: string, thing?: string) {
    super('SealedText', t.string.is, t.string.validate, t.identity)
    this.subject = subject
    this.thing = thing?.split('.')
  }
}

export const sealedText = (subject: string, thing?: string) => new SealedText(subject, thing)

type Optional<C extends t.Mixed> = { readonly optional: C }

/** A field that older events of the same schema may lack; never null. */
export const optional = <C extends t.Mixed>(codec: C): Optional<C> => ({ optional: codec })

/**
 * The readers of a field: everybody; the moderators of its subsite; the accounts concerned, which the fields marked `party` name; or
 * admins, who may read all of them. A field of a record needs the permission of both. Texts that are erased or hidden for another reason
 * are judged when they are read.
 */
export type Readers = 'public' | 'subsite' | 'party' | 'admins'

/** Returns the readers of a field of a record that is itself a field. */
export const readersWithin = (outer: Readers, inner: Readers): Readers => {
  if (outer === 'public' || outer === inner) return inner
  return inner === 'public' ? outer : 'admins'
}

export type Unit = 'milliseconds since 1970' | 'days' | 'minutes' | 'months of gold' | 'credits' | 'pixels' | 'bytes'

/** A declared field: its meaning in a sentence, and its readers. */
export type EventField<C extends t.Mixed = t.Mixed, O extends boolean = boolean> = {
  readonly codec: C
  readonly optional: O
  readonly meaning: string
  readonly readers: Readers
  readonly unit: Unit | undefined
  /** True if it names an account that the event concerns. */
  readonly party: boolean
  /** True if some events of the type show it to everybody, as its meaning says. */
  readonly sometimesPublic: boolean
}

type Declarable = t.Mixed | Optional<t.Mixed>
type CodecOf<D> = D extends Optional<infer C> ? C : D extends t.Mixed ? D : never

const isOptional = (declared: Declarable): declared is Optional<t.Mixed> => 'optional' in declared

export const field = <D extends Declarable>(
  declared: D,
  meaning: string,
  readers: Readers,
  {
    unit,
    party = false,
    sometimesPublic = false,
  }: { readonly unit?: Unit; readonly party?: boolean; readonly sometimesPublic?: boolean } = {},
): EventField<CodecOf<D>, D extends t.Mixed ? false : true> =>
  ({
    codec: isOptional(declared) ? declared.optional : declared,
    optional: isOptional(declared),
    meaning,
    readers,
    unit,
    party,
    sometimesPublic,
  }) as never

export type Fields = Readonly<Record<string, EventField>>

/** Returns the same fields for other readers. */
export const readBy = <F extends Fields>(readers: Readers, fields: F): F =>
  Object.fromEntries(Object.entries(fields).map(([name, declared]) => [name, { ...declared, readers }])) as never

type ValueOf<D extends EventField> = t.TypeOf<D['codec']>
type RequiredNames<F extends Fields> = { [K in keyof F]: F[K]['optional'] extends false ? K : never }[keyof F]
type Data<F extends Fields> = { readonly [K in RequiredNames<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredNames<F>>]?: ValueOf<F[K]>
}

/** Builds a record codec from declared fields, some `optional(…)`. Unknown keys are accepted but not stored. */
export const recordCodec = <F extends Fields>(name: string, fields: F): t.Type<Data<F>, unknown, unknown> & { readonly fields: Fields } => {
  const required: Record<string, t.Mixed> = {}
  const optionals: Record<string, t.Mixed> = {}
  for (const [key, { codec, optional }] of Object.entries(fields)) (optional ? optionals : required)[key] = codec
  // one part decodes faster than two
  const members = Object.keys(optionals).length === 0 ? t.type(required) : t.intersection([t.type(required), t.partial(optionals)])
  const codec = t.exact(members, name)
  return Object.assign(codec, { fields }) as never
}

const membersOf = (codec: t.Mixed): readonly t.Mixed[] => {
  if (codec instanceof t.ReadonlyArrayType || codec instanceof t.ArrayType) return [codec.type]
  return codec instanceof t.UnionType ? (codec.types as readonly t.Mixed[]) : []
}

/** Returns the fields of a record, of the records in a list, or of a record that may be null; undefined for anything else. */
export const fieldsWithin = (codec: t.Mixed): Fields | undefined => {
  if ('fields' in codec) return codec.fields as Fields
  for (const member of membersOf(codec)) {
    const fields = fieldsWithin(member)
    if (fields) return fields
  }
  return undefined
}

/** A sealed text in an event's data, with the account whose key seals it and the thing that it belongs to. */
export type SealedPath = { readonly path: readonly string[]; readonly subject: string; readonly thing: readonly string[] | undefined }

const sealedPathsOf = (fields: Fields, path: readonly string[] = []): readonly SealedPath[] =>
  Object.entries(fields).flatMap(([key, { codec }]) => {
    if (codec instanceof SealedText) return [{ path: [...path, key], subject: codec.subject, thing: codec.thing }]
    return 'fields' in codec ? sealedPathsOf(codec.fields as Fields, [...path, key]) : []
  })

/** Converts data of one schema to the next. */
export type Upcast = (data: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>

/** A declared event: its stored name, which never changes, its meaning, its data, its schema number and the upcasts from older schemas. */
export type EventDefinition<Name extends string = string, D extends object = object> = ((data: D) => {
  readonly type: Name
  readonly data: D
}) & {
  readonly type: Name
  readonly meaning: string
  readonly fields: Fields
  /** The readers of the actor, and with it of the event's id and stream, which tell as much. */
  readonly by: Readers
  readonly codec: t.Type<D, unknown, unknown>
  readonly sealedPaths: readonly SealedPath[]
  /** `upcasts[n]` converts schema n + 1 to n + 2. The current schema is their number plus one. */
  readonly upcasts: readonly Upcast[]
}

/**
 * Declares an event: its meaning in a sentence, its fields, and the readers of its actor. Its name is stored. A new meaning needs a new
 * event, a new field is `optional`, and any other change needs an upcast.
 */
export const event = <Name extends string, F extends Fields>(
  type: Name,
  meaning: string,
  fields: F,
  { by, upcasts = [] }: { readonly by: Readers; readonly upcasts?: readonly Upcast[] },
): EventDefinition<Name, Data<F>> => {
  const codec = recordCodec(type, fields)
  const create = (data: Data<F>) => ({ type, data })
  return Object.assign(create, { type, meaning, fields, by, codec, sealedPaths: sealedPathsOf(fields), upcasts })
}

/** Returns the number of the schema in which events of a type are stored now. */
export const schemaOf = ({ upcasts }: Pick<EventDefinition, 'upcasts'>): number => upcasts.length + 1

export type EventOf<Definition> =
  Definition extends EventDefinition<infer Name, infer D> ? { readonly type: Name; readonly data: D } : never

/** The union of the events of some definitions. */
export type OneOf<Definitions extends readonly unknown[]> = EventOf<Definitions[number]>
