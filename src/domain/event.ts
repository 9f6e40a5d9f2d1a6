import * as t from 'io-ts'

/** The capacity in which an account acted; a `system` action is a consequence without a requesting account (an expiry, a freed slot). */
export const Capacity = t.keyof({ user: null, moderator: null, admin: null, system: null })
export type Capacity = t.TypeOf<typeof Capacity>

/** Who acted: an account fullname, or null for the service itself. */
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
  /** Who records it; absent: the actor of the command. */
  readonly by?: Actor
}

/** The service itself. */
const SERVICE: Actor = { account: null, as: 'system' }

/** An event that the service records before those of a command, such as the end of a ban: no act of the account that gave the command. */
export const byService = <Event extends AnyEvent>(event: Event): Event => ({ ...event, by: SERVICE })

/** An event as it stands in the log, its sealed text opened. `at` is milliseconds since 1970, read once per command. */
export type Envelope<Event extends AnyEvent = AnyEvent> = Event & {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly position: string
  readonly at: number
  readonly by: Actor
  readonly meta: Meta
}

/** The text shown once the key of a sealed text is destroyed. */
export const ERASED_PLACEHOLDER = '[erased]'

/**
 * A user's text: sealed in the log under the key of the account that the field `subject` beside it names, or of the
 * acting account for `@by`. Where that is null the service itself wrote the text, and it stays plain. `thing`: the field, beside it or else
 * in the event's data, that names the thing it is a text of, whose erasure makes it unreadable; without one, the event itself.
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

export const sealed = (subject: string, thing?: string) => new SealedText(subject, thing)

type Optional<C extends t.Mixed> = { readonly optional: C }

/** A field that older events of the same schema may lack; never null. */
export const optional = <C extends t.Mixed>(codec: C): Optional<C> => ({ optional: codec })

/**
 * Who may read a field: everybody; the moderators of its subsite; the accounts concerned, which the fields marked `party` name; admins, who may
 * read all of them. Of a field of a record, both must allow it. A text that is erased, or not to be seen for another reason, is judged when it is read.
 */
export type Readers = 'public' | 'subsite' | 'party' | 'admins'

/** Who may read a field of a record that is itself a field. */
export const readersWithin = (outer: Readers, inner: Readers): Readers => {
  if (outer === 'public' || outer === inner) return inner
  return inner === 'public' ? outer : 'admins'
}

export type Unit = 'milliseconds since 1970' | 'days' | 'minutes' | 'months of gold' | 'credits' | 'pixels' | 'bytes'

/** A declared field: what it means, in a sentence, and who may read it. */
export type Field<C extends t.Mixed = t.Mixed, O extends boolean = boolean> = {
  readonly codec: C
  readonly optional: O
  readonly meaning: string
  readonly readers: Readers
  readonly unit: Unit | undefined
  /** It names an account that the event concerns. */
  readonly party: boolean
}

type Declarable = t.Mixed | Optional<t.Mixed>
type CodecOf<D> = D extends Optional<infer C> ? C : D extends t.Mixed ? D : never

const isOptional = (declared: Declarable): declared is Optional<t.Mixed> => 'optional' in declared

export const field = <D extends Declarable>(
  declared: D,
  meaning: string,
  readers: Readers,
  { unit, party = false }: { readonly unit?: Unit; readonly party?: boolean } = {},
): Field<CodecOf<D>, D extends t.Mixed ? false : true> =>
  ({ codec: isOptional(declared) ? declared.optional : declared, optional: isOptional(declared), meaning, readers, unit, party }) as never

type Fields = Readonly<Record<string, Field>>

/** The same fields for other readers. */
export const readBy = <F extends Fields>(readers: Readers, fields: F): F =>
  Object.fromEntries(Object.entries(fields).map(([name, declared]) => [name, { ...declared, readers }])) as never

type ValueOf<D extends Field> = t.TypeOf<D['codec']>
type RequiredNames<F extends Fields> = { [K in keyof F]: F[K]['optional'] extends false ? K : never }[keyof F]
type Data<F extends Fields> = { readonly [K in RequiredNames<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredNames<F>>]?: ValueOf<F[K]>
}

/** A record codec of declared fields, some `optional(…)`; unknown keys are accepted but not stored. */
export const record = <F extends Fields>(name: string, fields: F): t.Type<Data<F>, unknown, unknown> & { readonly fields: Fields } => {
  const required: Record<string, t.Mixed> = {}
  const optionals: Record<string, t.Mixed> = {}
  for (const [key, { codec, optional }] of Object.entries(fields)) (optional ? optionals : required)[key] = codec
  // decodes faster without a second part
  const whole = Object.keys(optionals).length === 0 ? t.type(required) : t.intersection([t.type(required), t.partial(optionals)])
  const codec = t.exact(whole, name)
  return Object.assign(codec, { fields }) as never
}

const membersOf = (codec: t.Mixed): readonly t.Mixed[] => {
  if (codec instanceof t.ReadonlyArrayType || codec instanceof t.ArrayType) return [codec.type]
  return codec instanceof t.UnionType ? (codec.types as readonly t.Mixed[]) : []
}

/** The fields of a record; of the records in a list, or of a record that may be null; undefined for anything else. */
export const fieldsWithin = (codec: t.Mixed): Fields | undefined => {
  if ('fields' in codec) return codec.fields as Fields
  for (const member of membersOf(codec)) {
    const fields = fieldsWithin(member)
    if (fields) return fields
  }
  return undefined
}

/** The sealed texts in an event's data, the account whose key seals each, and the thing that each belongs to. */
export type SealedPath = { readonly path: readonly string[]; readonly subject: string; readonly thing: readonly string[] | undefined }

const sealedPathsOf = (fields: Fields, path: readonly string[] = []): readonly SealedPath[] =>
  Object.entries(fields).flatMap(([key, { codec }]) => {
    if (codec instanceof SealedText) return [{ path: [...path, key], subject: codec.subject, thing: codec.thing }]
    return 'fields' in codec ? sealedPathsOf(codec.fields as Fields, [...path, key]) : []
  })

/** Converts data of one schema to the next. */
export type Upcast = (data: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>

/** A declared event: its stored name (which never changes), what it means, its data, its schema number and the upcasts from older schemas. */
export type EventDefinition<Name extends string = string, D extends object = object> = ((data: D) => {
  readonly type: Name
  readonly data: D
}) & {
  readonly type: Name
  readonly meaning: string
  readonly fields: Fields
  /** Who may read who acted: `by`, and with it the event's id and its stream, which tell as much. */
  readonly by: Readers
  readonly codec: t.Type<D, unknown, unknown>
  readonly sealedPaths: readonly SealedPath[]
  /** `upcasts[n]` leads from schema n + 1 to n + 2; the current schema is their number plus one. */
  readonly upcasts: readonly Upcast[]
}

/**
 * Declare an event: what it means, in a sentence, its fields, and who may read who acted. Its name is stored: a new meaning needs a new event, a new
 * field is `optional`, any other change needs an upcast.
 */
export const event = <Name extends string, F extends Fields>(
  type: Name,
  meaning: string,
  fields: F,
  { by, upcasts = [] }: { readonly by: Readers; readonly upcasts?: readonly Upcast[] },
): EventDefinition<Name, Data<F>> => {
  const codec = record(type, fields)
  const create = (data: Data<F>) => ({ type, data })
  return Object.assign(create, { type, meaning, fields, by, codec, sealedPaths: sealedPathsOf(fields), upcasts })
}

/** The number of the schema that events of a type are stored in now. */
export const schemaOf = ({ upcasts }: Pick<EventDefinition, 'upcasts'>): number => upcasts.length + 1

export type EventOf<Definition> =
  Definition extends EventDefinition<infer Name, infer D> ? { readonly type: Name; readonly data: D } : never

/** One of a list of declared events. */
export type OneOf<Definitions extends readonly unknown[]> = EventOf<Definitions[number]>
