import type { Logged } from '../domain/events.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../ports/event-store.ts'
import { StoreFault } from '../ports/faults.ts'
import type { EventFinding, Finding } from './finding.ts'
import { type Entry, type LedgerRow, openLedger, type Posting } from './ledger.ts'
import { audienceRules } from './rules/audiences.ts'
import { authorityRules } from './rules/authority.ts'
import { BLOBS_TABLE, type BlobUse, blobRules } from './rules/blobs.ts'
import { consequencesOf, missingConsequences } from './rules/consequences.ts'
import { erasedThingRules } from './rules/erased-things.ts'
import { erasureRules } from './rules/erasures.ts'
import { flairRules } from './rules/flair.ts'
import { formerRules } from './rules/former.ts'
import { formerRowRules } from './rules/former-rows.ts'
import { goldRules } from './rules/gold.ts'
import { lockRules, placeOf, problemOfId } from './rules/log.ts'
import { mailCapacityRules } from './rules/mail-capacities.ts'
import { modLogRules, problemOfAuthority } from './rules/mod-log.ts'
import { mailRules, multiRules, preferenceRules, shelfRules } from './rules/personal.ts'
import { queueRules } from './rules/queues.ts'
import { relationRules } from './rules/relations.ts'
import type { Note, Rules } from './rules/rule.ts'
import { siteLogRules } from './rules/site-log.ts'
import { snapshotRules } from './rules/snapshots.ts'
import { problemOfStream } from './rules/streams.ts'
import { subsiteRules } from './rules/subsites.ts'
import { tenureRules } from './rules/tenures.ts'
import { textPlaceRules } from './rules/text-places.ts'
import { thingEventRules } from './rules/thing-events.ts'
import { thingRules } from './rules/things.ts'
import { timerRules } from './rules/timers.ts'
import { trafficRules } from './rules/traffic.ts'
import { wikiRules } from './rules/wiki.ts'

const tables: readonly Rules[] = [
  formerRowRules, // before the rules that change what they look at
  thingRules,
  trafficRules,
  subsiteRules,
  relationRules,
  formerRules,
  timerRules,
  textPlaceRules,
  thingEventRules,
  erasureRules,
  flairRules,
  mailCapacityRules, // before the read model of what they judge
  mailRules,
  shelfRules,
  preferenceRules,
  multiRules,
  modLogRules,
  siteLogRules,
  queueRules,
  snapshotRules,
  wikiRules,
  audienceRules,
  goldRules,
  blobRules,
  tenureRules,
]

export type RecountPorts = {
  readonly events: Pick<EventStore, 'readAll' | 'head'>
  /** Decodes and unseals; throws when one of the events cannot be read. `misfit` is told of events whose texts are not what was committed to. */
  readonly open: (recorded: readonly RecordedEvent[], misfit?: (recorded: RecordedEvent) => void) => Promise<readonly Logged[]>
  /** Whether a stored event has the hash of when it was written; throws if that cannot be determined. */
  readonly isIntact: (recorded: RecordedEvent) => boolean
  /** Positions count the events from 1 on, so that a gap is an event that has gone. */
  readonly isDense: boolean
  /** Lower-cased names. */
  readonly admins: readonly string[]
  /** Where the log ended before any of it was read. */
  readonly begun: Position
}

export type Recount = {
  /** Count on to a position of the log, and tell what is wrong with the events on the way. */
  readonly advance: (target: Position) => AsyncGenerator<Finding, void>
  readonly position: () => Position
  /** The documents of a collection as the events make them, and those that they removed, after an id up to another; to the end without the latter. */
  readonly documents: (collection: string, after: string | undefined, upTo: string | undefined) => AsyncGenerator<LedgerRow, void>
  /** What should have followed from events up to a position, those that wait for another try apart, and did not. */
  readonly missing: (reacted: Position, waiting: ReadonlySet<string>) => AsyncGenerator<Finding, void>
  /** Which images and stylesheets subsites show. */
  readonly shown: () => AsyncGenerator<BlobUse, void>
  readonly events: () => number
  /** Events that follow from others. */
  readonly consequences: () => number
  readonly raced: () => number
  /** Acts whose right had ended when they were recorded, but not when they were decided. */
  readonly racedAuthority: () => number
  /** Acts of admins from before the log said who is one. */
  readonly notJudged: () => number
}

/** What the recount tells on the way. */
export type RecountProgress = {
  /** How far it is. */
  readonly reached?: (position: Position) => void
  /** An event that is no fault, only a race. */
  readonly race?: (race: EventFinding) => void
}

const PAGE_ROWS = 1_000
const ROWS_PER_CALL = 1_000

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** `scratch` is an empty store for this audit alone. */
export const openRecount = async (
  { events: log, open, isIntact, isDense, admins, begun }: RecountPorts,
  scratch: DocumentStore,
  { reached = () => {}, race = () => {} }: RecountProgress = {},
): Promise<Recount> => {
  const ledger = await openLedger(scratch)
  const locks = lockRules(admins)
  const authority = authorityRules()
  const erasedThings = erasedThingRules(begun)
  let position = LOG_START
  let counted = 0
  let consequences = 0
  let at = 0

  const checkHash = (recorded: RecordedEvent, note: Note): void => {
    try {
      if (!isIntact(recorded)) note('it differs from what was hashed when it was written')
    } catch (error) {
      note(`its hash cannot be checked: ${messageOf(error)}`)
    }
  }

  const checkGap = (recorded: RecordedEvent, before: Position, note: Note): void => {
    const lost = Number(recorded.position) - Number(before) - 1
    if (isDense && lost > 0) note(`${lost === 1 ? 'an event is' : `${lost} events are`} missing right before it`)
  }

  const meaningOf = (event: Logged, note: Note, onRace: Note): readonly Entry[] => {
    for (const problem of [problemOfStream(event), problemOfId(event), problemOfAuthority(event)]) if (problem !== undefined) note(problem)
    const entries = [
      ...authority.of(event, note, onRace),
      ...locks.of(event, note),
      ...erasedThings(event, note),
      ...consequencesOf(event, note),
    ]
    for (const rules of tables) {
      const rule = rules[event.type] as ((event: Logged, note: Note) => readonly Entry[]) | undefined
      if (rule) entries.push(...rule(event, note))
    }
    return entries
  }

  /** Each of the events, or why it cannot be read. */
  const openEach = async (
    recorded: readonly RecordedEvent[],
    misfit: (recorded: RecordedEvent) => void,
  ): Promise<readonly (Logged | string)[]> => {
    try {
      return await open(recorded, misfit)
    } catch (error) {
      if (error instanceof StoreFault) throw error
      if (recorded.length === 1) return [messageOf(error)]
      const each: (Logged | string)[] = []
      for (const one of recorded) each.push(...(await openEach([one], misfit)))
      return each
    }
  }

  const count = async (recorded: readonly RecordedEvent[]): Promise<readonly Finding[]> => {
    const findings: Finding[] = []
    const postings: Posting[] = []
    const misfits = new Set<Position>()
    const opened = await openEach(recorded, ({ position: place }) => misfits.add(place))
    recorded.forEach((one, i) => {
      const { position: place, stream, revision, id } = one
      const note: Note = (problem) => findings.push({ kind: 'event', position: place, stream, revision, id, problem })
      const onRace: Note = (problem) => race({ kind: 'event', position: place, stream, revision, id, problem })
      const failed = (error: unknown) => note(`it cannot be counted: ${messageOf(error)}`)
      checkGap(one, position, note)
      checkHash(one, note)
      if (misfits.has(place)) note('a text in it is not the one that was committed to')
      const event = opened[i]
      const entries = [placeOf(one, note)]
      if (typeof event === 'object') {
        at = event.at
        if (event.meta.causationId !== event.meta.commandId) consequences += 1
        try {
          entries.push(...meaningOf(event, note, onRace))
        } catch (error) {
          failed(error)
        }
      } else note(event ?? 'it cannot be read')
      postings.push({ position: place, entries, failed })
      position = place
    })
    await ledger.post(postings)
    counted += recorded.length
    reached(position)
    return findings
  }

  const rowsOf = async function* (book: string, after?: string): AsyncGenerator<LedgerRow, void> {
    for (let from = after; ; ) {
      const page = await ledger.walk(book, from, ROWS_PER_CALL)
      yield* page
      from = page.at(-1)?.id
      if (page.length < ROWS_PER_CALL) return
    }
  }

  return {
    position: () => position,
    events: () => counted,
    consequences: () => consequences,
    raced: locks.raced,
    racedAuthority: authority.raced,
    notJudged: authority.notJudged,
    advance: async function* (target) {
      while (position < target) {
        const page = await log.readAll(position, PAGE_ROWS)
        yield* await count(page.filter(({ position: place }) => place <= target))
        if (page.length === 0 || (page.at(-1)?.position ?? target) >= target) return
      }
    },
    documents: async function* (collection, after, upTo) {
      const end = upTo === undefined ? undefined : Buffer.from(upTo)
      for await (const kept of rowsOf(collection, after)) {
        if (end && Buffer.compare(Buffer.from(kept.id), end) > 0) return
        yield kept
      }
    },
    shown: async function* () {
      for await (const { row } of rowsOf(BLOBS_TABLE)) if (row) yield row as unknown as BlobUse
    },
    missing: async function* (reacted, waiting) {
      for await (const { what, stream, revision, position: place, id, type } of missingConsequences(ledger, { reacted, at })) {
        if (waiting.has(id)) continue
        yield { kind: 'event', position: place, stream, revision, id, problem: `${type} without its consequence: ${what}` }
      }
    },
  }
}
