import { hash } from 'node:crypto'
import { type Actor, type AnyEvent, type EventDefinition, type Meta, type SeenRevisions, schemaOf } from '../domain/event.ts'
import { type EventName, eventDefinitions, type Logged } from '../domain/events.ts'
import type { ProposedEvent, RecordedEvent } from '../ports/event-store.ts'
import { assertStorable, canonicalJson, inOrder } from './canonical-json.ts'
import { type AccountKey, DamagedKey, isRecord, type Json, type Keyring } from './keys.ts'
import { fitsCommitment, mapSealed, openText, sealText, subjectsOf } from './sealed-text.ts'

/** A decided event with everything that is stamped on it before it is written. */
export type StampedEvent = {
  readonly id: string
  readonly event: AnyEvent
  readonly at: number
  readonly by: Actor
  readonly commandId: string
  readonly correlationId: string
  readonly causationId: string
  readonly seen: SeenRevisions
}

type RecordedPlace = Pick<RecordedEvent, 'stream' | 'revision' | 'position'>

/** Domain events to stored ones and back. Both are deterministic: the same input gives the same bytes. */
export type Codec = {
  /** The stored form: text sealed under keys that are durable by then, canonical JSON, hashed. */
  readonly seal: (stamped: readonly StampedEvent[]) => Promise<readonly ProposedEvent[]>
  /** An event that was sealed here, as it was recorded. It is opened without being decrypted, as long as the keys are those it was sealed under. */
  readonly recorded: (proposed: ProposedEvent, place: RecordedPlace) => RecordedEvent
  /**
   * The domain's form: brought to today's schema, text opened. Throws `UnreadableEvent` for an event that cannot be read, now or later; any
   * other error is not caused by the events and may be temporary. Texts are compared with their commitments only where `misfit` is given,
   * which is told of each event with one that differs.
   */
  readonly open: (recorded: readonly RecordedEvent[], misfit?: (recorded: RecordedEvent) => void) => Promise<readonly Logged[]>
}

/** An event in the log that this version does not know or that is damaged. Going on without it would be wrong. */
export class UnreadableEvent extends Error {
  readonly position: string
  readonly why: string

  constructor({ type, stream, revision, position }: RecordedEvent, why: string, options?: ErrorOptions) {
    super(`cannot read ${type} at revision ${revision} of ${stream} (position ${position}): ${why}`, options)
    this.name = 'UnreadableEvent'
    this.position = position
    this.why = why
  }
}

type StoredMeta = Meta & { readonly at: number; readonly by: Actor; readonly hash: string }
type Definitions = ReadonlyMap<string, EventDefinition>
type ParsedEvent = {
  readonly recorded: RecordedEvent
  readonly definition: EventDefinition
  readonly data: Json
  readonly meta: StoredMeta
}
/** What an event says that was sealed in this process, its texts open, and the keys of those. */
type SealedHere = Pick<ParsedEvent, 'definition' | 'data' | 'meta'> & { readonly keyOf: ReadonlyMap<string, AccountKey> }

/** The events by which the text of an account becomes unreadable. */
const erasing: ReadonlySet<string> = new Set<EventName>(['AccountErased', 'AccountTextsErased'])

export const isErasure = ({ type }: Pick<RecordedEvent, 'type'>): boolean => erasing.has(type)

const isStoredMeta = (meta: unknown): meta is StoredMeta =>
  isRecord(meta) &&
  typeof meta.commandId === 'string' &&
  typeof meta.correlationId === 'string' &&
  typeof meta.causationId === 'string' &&
  typeof meta.schema === 'number' &&
  typeof meta.at === 'number' &&
  isRecord(meta.seen) &&
  isRecord(meta.by) &&
  (meta.by.account === null || typeof meta.by.account === 'string') &&
  typeof meta.by.as === 'string'

/** The last millisecond that has a date. */
const LATEST_TIME_MS = 8_640_000_000_000_000

const isTime = (at: number): boolean => Number.isSafeInteger(at) && at >= 0 && at <= LATEST_TIME_MS

const parse = (definitions: Definitions, recorded: RecordedEvent): ParsedEvent => {
  const definition = definitions.get(recorded.type)
  if (definition === undefined) throw new UnreadableEvent(recorded, 'the event type is unknown')
  let data: unknown
  let meta: unknown
  try {
    data = JSON.parse(recorded.data)
    meta = JSON.parse(recorded.meta)
  } catch (cause) {
    throw new UnreadableEvent(recorded, 'it is not JSON', { cause })
  }
  if (!isStoredMeta(meta)) throw new UnreadableEvent(recorded, 'its metadata is invalid')
  if (!isTime(meta.at)) throw new UnreadableEvent(recorded, `its time, ${meta.at}, is not one of any date`)
  if (!isRecord(data)) throw new UnreadableEvent(recorded, 'its data is not an object')
  const schema = schemaOf(definition)
  if (meta.schema === schema) return { recorded, definition, data, meta }
  if (!(meta.schema >= 1 && meta.schema < schema))
    throw new UnreadableEvent(recorded, `its schema is ${meta.schema}, the newest known ${schema}`)
  try {
    const current = definition.upcasts.slice(meta.schema - 1).reduce((older, upcast) => upcast(older), data)
    return { recorded, definition, data: current, meta }
  } catch (cause) {
    throw new UnreadableEvent(recorded, `its schema ${meta.schema} cannot be upcast to ${schema}`, { cause })
  }
}

/** The data of an event in today's schema, its texts as they are stored, sealed; and its metadata. */
export const sealedEvent = (recorded: RecordedEvent, definitions: Definitions = eventDefinitions): Omit<ParsedEvent, 'recorded'> =>
  parse(definitions, recorded)

const logged = ({ id, type, stream, revision, position }: RecordedEvent, data: Json, meta: StoredMeta): Logged => {
  const { at, by, commandId, correlationId, causationId, schema, seen } = meta
  return { type, data, id, stream, revision, position, at, by, meta: { commandId, correlationId, causationId, schema, seen } } as Logged
}

const openParsed = (
  { recorded, definition, data: sealed, meta }: ParsedEvent,
  keyOf: (account: string) => AccountKey | undefined,
  misfit?: (recorded: RecordedEvent) => void,
): Logged => {
  const { id } = recorded
  let data = sealed
  if (definition.sealedPaths.length > 0) {
    try {
      data = mapSealed({ id, definition, data: sealed, by: meta.by }, (text, place, subject) => {
        const opened = openText(keyOf(subject), place, text)
        if (misfit && !fitsCommitment(opened)) misfit(recorded)
        return opened.text
      })
    } catch (cause) {
      throw new UnreadableEvent(recorded, 'its encrypted text is damaged', { cause })
    }
  }
  if (!definition.codec.is(data)) throw new UnreadableEvent(recorded, 'its data does not match its declaration')
  return logged(recorded, data, meta)
}

const wantedBy = ({ definition, data, meta }: Pick<ParsedEvent, 'definition' | 'data' | 'meta'>): readonly string[] =>
  definition.sealedPaths.length === 0 ? [] : subjectsOf(definition, data, meta.by)

type OpenedHere = (recorded: RecordedEvent) => SealedHere | undefined

/** Opens events; seals none. Without a key a text reads as erased. */
export const eventOpener = (
  keys: Pick<Keyring, 'fetch' | 'forget'>,
  definitions: Definitions = eventDefinitions,
  sealedHere: OpenedHere = () => undefined,
): Codec['open'] => {
  const keysFor = async (parsed: readonly ParsedEvent[], wanted: ReadonlySet<string>) => {
    try {
      return await keys.fetch(wanted)
    } catch (fault) {
      const blamed = fault instanceof DamagedKey && parsed.find((event) => wantedBy(event).includes(fault.account))
      if (blamed) throw new UnreadableEvent(blamed.recorded, fault.message, { cause: fault })
      throw fault
    }
  }

  return async (recorded, misfit) => {
    const here = misfit ? [] : recorded.map(sealedHere)
    const parsed = recorded.map((event, i) => ({ ...(here[i] ?? parse(definitions, event)), recorded: event }))
    // a key in memory must not be used after the event that destroys it
    for (const { recorded: event, data } of parsed) if (isErasure(event)) keys.forget(String(data.account))
    const wanted = new Set(parsed.flatMap(wantedBy))
    const keyOf = wanted.size === 0 ? new Map<string, AccountKey>() : await keysFor(parsed, wanted)
    return parsed.map((event, i) => {
      const known = here[i]
      if (known === undefined) return openParsed(event, (account) => keyOf.get(account), misfit)
      if (wantedBy(known).every((account) => known.keyOf.get(account) === keyOf.get(account)))
        return logged(event.recorded, known.data, known.meta)
      return openParsed(parse(definitions, event.recorded), (account) => keyOf.get(account))
    })
  }
}

/** The codec of the log. Upcasts see data whose text is still sealed: they move it, they cannot read it. */
export const codec = (keys: Keyring, definitions: Definitions = eventDefinitions): Codec => {
  const definitionOf = ({ type, data }: AnyEvent) => {
    const definition = definitions.get(type)
    if (definition === undefined) throw new Error(`${type} is not declared in events.ts`)
    if (!definition.codec.is(data)) throw new Error(`${type} has data that does not match its declaration`)
    return definition
  }
  /** What was sealed here and is still held by somebody, by the proposed and then by the recorded event. */
  const sealedHere = new WeakMap<ProposedEvent, SealedHere>()

  const sealOne = (
    { id, event, by: actor, at, causationId, commandId, correlationId, seen }: StampedEvent,
    definition: EventDefinition,
    keyOf: ReadonlyMap<string, AccountKey>,
  ): ProposedEvent => {
    const { type } = event
    const by = { account: actor.account, as: actor.as }
    const plain = definition.codec.encode(event.data) as Json
    assertStorable(plain, type)
    let isOpen = true
    const sealed = mapSealed({ id, definition, data: plain, by }, (text, place, subject) => {
      const key = keyOf.get(subject)
      if (key === undefined) throw new Error(`no key for ${subject}`)
      const done = sealText(key, place, text)
      isOpen &&= done.text === text
      return done.sealed
    })
    const ordered = inOrder(sealed)
    const data = canonicalJson(sealed, ordered)
    const stamp = { at, by, causationId, commandId, correlationId, schema: schemaOf(definition), seen }
    assertStorable(stamp, 'metadata')
    const orderedStamp = inOrder(stamp)
    const metaWithoutHash = canonicalJson(stamp, orderedStamp)
    const hash = hashOf({ id, type, data, metaWithoutHash })
    // `hash` sorts right before `schema`; within a value the quotes would be escaped
    const proposed = { id, type, data, meta: metaWithoutHash.replace(',"schema":', `,"hash":"${hash}","schema":`) }
    const opened = isOpen ? (sealed === plain ? ordered : inOrder(plain)) : undefined
    if (opened && orderedStamp)
      sealedHere.set(proposed, { definition, data: opened as Json, meta: { ...(orderedStamp as typeof stamp), hash }, keyOf })
    return proposed
  }

  return {
    seal: async (stamped) => {
      const defined = stamped.map((one) => ({ one, definition: definitionOf(one.event) }))
      const subjects = defined.flatMap(({ one, definition }) => subjectsOf(definition, one.event.data as Json, one.by))
      const keyOf = subjects.length === 0 ? new Map() : await keys.ensure(subjects)
      return defined.map(({ one, definition }) => sealOne(one, definition, keyOf))
    },
    recorded: (proposed, place) => {
      const recorded = { ...proposed, ...place }
      const here = sealedHere.get(proposed)
      if (here) sealedHere.set(recorded, here)
      return recorded
    },
    open: eventOpener(keys, definitions, (recorded) => sealedHere.get(recorded)),
  }
}

/** The hash of an event as it is stored: SHA-256 over the canonical JSON of id, type, sealed data and metadata without the hash. */
const hashOf = (event: Omit<ProposedEvent, 'meta'> & { readonly metaWithoutHash: string }): string =>
  hash(
    'sha256',
    `{"data":${event.data},"id":${JSON.stringify(event.id)},"meta":${event.metaWithoutHash},"type":${JSON.stringify(event.type)}}`,
  )

/** Whether a stored event still has the hash it was written with: neither data nor metadata was changed. */
export const isIntact = ({ id, type, data, meta }: ProposedEvent): boolean => {
  const { hash: claimed, ...rest } = JSON.parse(meta) as { readonly hash?: unknown }
  const canonicalData = canonicalJson(JSON.parse(data) as object)
  return canonicalData === data && claimed === hashOf({ id, type, data, metaWithoutHash: canonicalJson(rest) })
}
