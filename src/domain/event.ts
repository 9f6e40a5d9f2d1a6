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
class SealedText extends t.Type<string, string, unknown> {
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

type Fields = Readonly<Record<string, t.Mixed | Optional<t.Mixed>>>
type RequiredNames<F extends Fields> = { [K in keyof F]: F[K] extends t.Mixed ? K : never }[keyof F]
type Data<F extends Fields> = {
  readonly [K in RequiredNames<F>]: F[K] extends t.Mixed ? t.TypeOf<F[K]> : never
} & { readonly [K in Exclude<keyof F, RequiredNames<F>>]?: F[K] extends Optional<infer C> ? t.TypeOf<C> : never }

const isOptional = (field: t.Mixed | Optional<t.Mixed>): field is Optional<t.Mixed> => 'optional' in field

/** A record codec in which some fields are `optional(…)`; unknown keys are accepted but not stored. */
export const record = <F extends Fields>(name: string, fields: F): t.Type<Data<F>, unknown, unknown> & { readonly fields: F } => {
  const required: Record<string, t.Mixed> = {}
  const optionals: Record<string, t.Mixed> = {}
  for (const [key, field] of Object.entries(fields)) {
    if (isOptional(field)) optionals[key] = field.optional
    else required[key] = field
  }
  const codec = t.exact(t.intersection([t.type(required), t.partial(optionals)], name))
  return Object.assign(codec, { fields }) as never
}

/** The sealed texts in an event's data, the account whose key seals each, and the thing that each belongs to. */
export type SealedPath = { readonly path: readonly string[]; readonly subject: string; readonly thing: readonly string[] | undefined }

const sealedPathsOf = (fields: Fields, path: readonly string[] = []): readonly SealedPath[] =>
  Object.entries(fields).flatMap(([key, field]) => {
    const codec = isOptional(field) ? field.optional : field
    if (codec instanceof SealedText) return [{ path: [...path, key], subject: codec.subject, thing: codec.thing }]
    if ('fields' in codec) return sealedPathsOf(codec.fields as Fields, [...path, key])
    return []
  })

/** Converts data of one schema to the next. */
export type Upcast = (data: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>

/** A declared event: its stored name (which never changes), its data, its schema number and the upcasts from older schemas. */
export type EventDefinition<Name extends string = string, D extends object = object> = ((data: D) => {
  readonly type: Name
  readonly data: D
}) & {
  readonly type: Name
  readonly codec: t.Type<D, unknown, unknown>
  readonly sealedPaths: readonly SealedPath[]
  /** `upcasts[n]` leads from schema n + 1 to n + 2; the current schema is their number plus one. */
  readonly upcasts: readonly Upcast[]
}

/** Declare an event. Its name is stored: a new meaning needs a new event, a new field is `optional`, any other change needs an upcast. */
export const event = <Name extends string, F extends Fields>(
  type: Name,
  fields: F,
  upcasts: readonly Upcast[] = [],
): EventDefinition<Name, Data<F>> => {
  const codec = record(type, fields)
  const create = (data: Data<F>) => ({ type, data })
  return Object.assign(create, { type, codec, sealedPaths: sealedPathsOf(fields), upcasts })
}

export type EventOf<Definition> =
  Definition extends EventDefinition<infer Name, infer D> ? { readonly type: Name; readonly data: D } : never

/** One of a list of declared events. */
export type OneOf<Definitions extends readonly unknown[]> = EventOf<Definitions[number]>
