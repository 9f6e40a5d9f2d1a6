import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import {
  type Actor,
  type AnyEvent,
  type EventDefinition,
  type Meta,
  positionAtMost,
  type SeenRevisions,
  schemaOf,
} from '../domain/event.ts'
import { type EventName, eventDefinitions, type Logged, type Stored } from '../domain/events.ts'
import { isRecord, type Json } from '../domain/json.ts'
import { boundedBy } from '../ports/cache-bounds.ts'
import { assertStorable, canonicalJson, inOrder } from '../ports/canonical-json.ts'
import type { AppendedEvent, ProposedEvent, RecordedEvent, StoredEvent } from '../ports/event-store.ts'
import { type AccountKey, DamagedKey, type Keyring } from './keys.ts'
import { fitsCommitment, mapSealed, openText, sealText, subjectsOf } from './sealed-text.ts'

/** A decided event with everything that is added to it before it is written. */
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

type AppendedPlace = Pick<AppendedEvent, 'stream' | 'revision' | 'positionAtMost'>

/** Converts events to the domain's form. Events that were just appended have no position of their own afterwards either. */
export type OpenEvents = {
  (recorded: readonly RecordedEvent[], misfit?: (recorded: RecordedEvent) => void): Promise<readonly Logged[]>
  (stored: readonly StoredEvent[]): Promise<readonly Stored[]>
}

/** Converts domain events to stored ones and back. Both are deterministic: the same input gives the same bytes. */
export type Codec = {
  /** Returns the stored form: texts sealed under keys that are durable by then, canonical JSON, with a hash. */
  readonly seal: (stamped: readonly StampedEvent[]) => Promise<readonly ProposedEvent[]>
  /**
   * Returns an event that was sealed here as it was appended. It is opened without being decrypted, as long as the keys are those it was
   * sealed under.
   */
  readonly toAppended: (proposed: ProposedEvent, place: AppendedPlace) => AppendedEvent
  /**
   * Returns the domain's form: today's schema, with texts opened. Throws `UnreadableEvent` for an event that cannot be read, now or later;
   * any other error is not caused by the events and may be temporary. Texts are compared with their commitments only if `misfit` is given,
   * which is called for each event with one that differs.
   */
  readonly open: OpenEvents
}

/** Thrown for an event in the log that this version does not know or that is damaged. Going on without it would be wrong. */
export class UnreadableEvent extends Error {
  readonly position: string
  readonly why: string

  constructor(event: StoredEvent, why: string, options?: ErrorOptions) {
    const { type, stream, revision } = event
    const position = positionAtMost(event)
    super(`cannot read ${type} at revision ${revision} of ${stream} (position ${position}): ${why}`, options)
    this.name = 'UnreadableEvent'
    this.position = position
    this.why = why
  }
}

export type StoredMeta = Meta & { readonly at: number; readonly by: Actor; readonly hash: string }
type Definitions = ReadonlyMap<string, EventDefinition>
type ParsedEvent = {
  readonly recorded: StoredEvent
  readonly definition: EventDefinition
  readonly data: Json
  readonly meta: StoredMeta
}
/** The content of an event that was sealed in this process, with its texts open and their keys. */
type SealedHere = Pick<ParsedEvent, 'definition' | 'data' | 'meta'> & { readonly keyOf: ReadonlyMap<string, AccountKey> }

/** The events that make texts of an account unreadable. */
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

const parse = (definitions: Definitions, recorded: StoredEvent): ParsedEvent => {
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
  if (!isTime(meta.at)) throw new UnreadableEvent(recorded, `its time, ${meta.at}, is not a valid date`)
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

/** Returns the data of an event in today's schema, with its texts still sealed, and its metadata. */
export const sealedEvent = (recorded: RecordedEvent, definitions: Definitions = eventDefinitions): Omit<ParsedEvent, 'recorded'> =>
  parse(definitions, recorded)

const openEvent = (event: StoredEvent, data: Json, stored: StoredMeta): Stored => {
  const { id, type, stream, revision } = event
  const { at, by, commandId, correlationId, causationId, schema, seen } = stored
  const meta = { commandId, correlationId, causationId, schema, seen }
  const bound = 'position' in event ? { position: event.position } : { positionAtMost: event.positionAtMost }
  return { type, data, id, stream, revision, ...bound, at, by, meta } as Stored
}

const openParsed = (
  { recorded, definition, data: sealed, meta }: ParsedEvent,
  keyOf: (account: string) => AccountKey | undefined,
  misfit?: (recorded: StoredEvent) => void,
): Stored => {
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
  return openEvent(recorded, data, meta)
}

const listWanted = ({ definition, data, meta }: Pick<ParsedEvent, 'definition' | 'data' | 'meta'>): readonly string[] =>
  definition.sealedPaths.length === 0 ? [] : subjectsOf(definition, data, meta.by)

type OpenedHere = (event: StoredEvent) => SealedHere | undefined

/** Opens events but seals none. Without a key a text reads as erased. */
export const eventOpener = (
  keys: Pick<Keyring, 'fetch' | 'forget'>,
  definitions: Definitions = eventDefinitions,
  sealedHere: OpenedHere = () => undefined,
): Codec['open'] => {
  const keysFor = async (parsed: readonly ParsedEvent[], wanted: ReadonlySet<string>) => {
    try {
      return await keys.fetch(wanted)
    } catch (fault) {
      const blamed = fault instanceof DamagedKey && parsed.find((event) => listWanted(event).includes(fault.account))
      if (blamed) throw new UnreadableEvent(blamed.recorded, fault.message, { cause: fault })
      throw fault
    }
  }

  const open = async (recorded: readonly StoredEvent[], misfit?: (recorded: RecordedEvent) => void): Promise<readonly Stored[]> => {
    const here = misfit ? [] : recorded.map(sealedHere)
    const parsed = recorded.map((event, i) => ({ ...(here[i] ?? parse(definitions, event)), recorded: event }))
    // a key in memory must not be used after the event that destroys it
    for (const { recorded: event, data } of parsed) if (isErasure(event)) keys.forget(String(data.account))
    const accountsToOpen = new Set(parsed.flatMap(listWanted))
    const keyOf = accountsToOpen.size === 0 ? new Map<string, AccountKey>() : await keysFor(parsed, accountsToOpen)
    return parsed.map((event, i) => {
      const known = here[i]
      if (known === undefined) return openParsed(event, (account) => keyOf.get(account), misfit as (event: StoredEvent) => void)
      if (listWanted(known).every((account) => known.keyOf.get(account) === keyOf.get(account)))
        return openEvent(event.recorded, known.data, known.meta)
      return openParsed(parse(definitions, event.recorded), (account) => keyOf.get(account))
    })
  }
  return open as OpenEvents
}

/** The bytes of the objects of an event that was sealed here, beside its texts. */
const SEALED_BYTES = 3_000

/** Opens events without keys: every text reads as erased. */
export const openWithoutKeys = eventOpener({ fetch: async () => new Map(), forget: () => {} })

/** Returns the codec of the log. Upcasts see data whose text is still sealed: they can move it but not read it. */
export const codec = (keys: Keyring, definitions: Definitions = eventDefinitions): Codec => {
  const definitionOf = ({ type, data }: AnyEvent) => {
    const definition = definitions.get(type)
    if (definition === undefined) throw new Error(`${type} is not declared in events.ts`)
    if (!definition.codec.is(data)) throw new Error(`${type} has data that does not match its declaration`)
    return definition
  }
  /** Events that were sealed here and that somebody still holds, by the proposed and then by the appended event. */
  const sealedHere = new WeakMap<ProposedEvent, SealedHere>()
  /** The last of them, by id: reactions read each from the log soon after its append. */
  const sealedLately = new LRUCache<string, ProposedEvent>(
    boundedBy('sealedEvents', ({ data, meta }) => SEALED_BYTES + 3 * (data.length + meta.length)),
  )

  /** Returns the content of an event that was sealed here, if it has not been changed since. */
  const recallSealed = (event: StoredEvent): SealedHere | undefined => {
    const known = sealedHere.get(event)
    if (known) return known
    const proposed = sealedLately.get(event.id)
    if (proposed === undefined || proposed.type !== event.type || proposed.data !== event.data || proposed.meta !== event.meta)
      return undefined
    return sealedHere.get(proposed)
  }

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
      const sealed = sealText(key, place, text)
      isOpen &&= sealed.text === text
      return sealed.sealed
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
    const ownText = isOpen ? (sealed === plain ? ordered : inOrder(plain)) : undefined
    if (ownText && orderedStamp) {
      sealedHere.set(proposed, { definition, data: ownText as Json, meta: { ...(orderedStamp as typeof stamp), hash }, keyOf })
      sealedLately.set(id, proposed)
    }
    return proposed
  }

  return {
    seal: async (stamped) => {
      const defined = stamped.map((one) => ({ one, definition: definitionOf(one.event) }))
      const subjects = defined.flatMap(({ one, definition }) => subjectsOf(definition, one.event.data as Json, one.by))
      const keyOf = subjects.length === 0 ? new Map() : await keys.ensure(subjects)
      return defined.map(({ one, definition }) => sealOne(one, definition, keyOf))
    },
    toAppended: (proposed, place) => {
      const appended = { ...proposed, ...place }
      const here = sealedHere.get(proposed)
      if (here) sealedHere.set(appended, here)
      return appended
    },
    open: eventOpener(keys, definitions, recallSealed),
  }
}

/** Returns the hash of an event as it is stored: SHA-256 over the canonical JSON of id, type, sealed data and metadata without the hash. */
const hashOf = (event: Omit<ProposedEvent, 'meta'> & { readonly metaWithoutHash: string }): string =>
  hash(
    'sha256',
    `{"data":${event.data},"id":${JSON.stringify(event.id)},"meta":${event.metaWithoutHash},"type":${JSON.stringify(event.type)}}`,
  )

/** Tells whether a stored event still has the hash it was written with: neither data nor metadata was changed. */
export const isIntact = ({ id, type, data, meta }: ProposedEvent): boolean => {
  const { hash: claimed, ...rest } = JSON.parse(meta) as { readonly hash?: unknown }
  const canonicalData = canonicalJson(JSON.parse(data) as object)
  return canonicalData === data && claimed === hashOf({ id, type, data, metaWithoutHash: canonicalJson(rest) })
}
