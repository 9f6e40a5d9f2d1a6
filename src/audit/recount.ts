// Decision 131.

import type { Projection } from '../../projections/engine/projection.ts'
import type { Logged } from '../domain/events.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { type EventStore, LOG_START, type Position, type RecordedEvent } from '../ports/event-store.ts'
import { messageOf, StoreFault } from '../ports/faults.ts'
import type { EventFinding, Finding } from './finding.ts'
import { openFold } from './fold.ts'
import { isRuleBook, type LedgerEntry, type LedgerRow, openLedger, type Posting } from './ledger.ts'
import { audienceRules } from './rules/audiences.ts'
import { authorityRules } from './rules/authority.ts'
import { BLOBS_BOOK, type BlobUse, blobRules } from './rules/blobs.ts'
import { consequencesOf, missingConsequences } from './rules/consequences.ts'
import { erasureRules } from './rules/erasures.ts'
import { figuresBook, hasFigures } from './rules/figures.ts'
import { formerRules } from './rules/former.ts'
import { formerRowRules } from './rules/former-rows.ts'
import { goldRules } from './rules/gold.ts'
import { inboxRules } from './rules/inboxes.ts'
import { lockRules, noteStreamPlace, problemOfId } from './rules/log.ts'
import { mailCapacityRules } from './rules/mail-capacities.ts'
import { problemOfModeration } from './rules/moderation.ts'
import { isConsequence, type LedgerRules, type Note } from './rules/rule.ts'
import { slotRules } from './rules/slots.ts'
import { problemOfStream } from './rules/streams.ts'
import { subscriberRules } from './rules/subscribers.ts'
import { tenureRules } from './rules/tenures.ts'
import { trafficRules } from './rules/traffic.ts'
import { voteRules } from './rules/votes.ts'

/** Rules that compare events with earlier ones, and formulas of figures. */
const tables: readonly LedgerRules[] = [
  formerRowRules,
  formerRules,
  mailCapacityRules,
  audienceRules,
  blobRules,
  tenureRules,
  voteRules,
  trafficRules,
  subscriberRules,
  slotRules,
  inboxRules,
  goldRules,
]

export type RecountPorts = {
  readonly events: Pick<EventStore, 'readAll' | 'head'>
  /**
   * Decodes and unseals events. Throws if one of them cannot be read. `misfit` is called for events whose texts differ from their
   * commitments.
   */
  readonly open: (recorded: readonly RecordedEvent[], misfit?: (recorded: RecordedEvent) => void) => Promise<readonly Logged[]>
  /** Tells whether a stored event has the hash of when it was written. Throws if that cannot be determined. */
  readonly isIntact: (recorded: RecordedEvent) => boolean
  /** Tells whether a text in a stored event has a commitment. Versions that write such texts record who is an admin. */
  readonly isCommitted: (recorded: RecordedEvent) => boolean
  /** True if positions count the events from 1 on, so that a gap is a missing event. */
  readonly isDense: boolean
  /** Lower-cased names. */
  readonly admins: readonly string[]
  /** The end of the log before any of it was read. */
  readonly begun: Position
  /** The projections whose read models are recounted. */
  readonly projections: readonly Projection[]
  /**
   * In a copy of an earlier state, the last event of that state. After it are deletions from the rest of the log, at other places than
   * there.
   */
  readonly copiedUntil: Position | undefined
}

export type Recount = {
  /** Counts on to a position of the log, and yields the problems of the events on the way. */
  readonly advance: (target: Position) => AsyncGenerator<Finding, void>
  readonly position: () => Position
  /**
   * Yields the documents of a collection as the events make them, and those that they removed, after an id up to another, or to the end.
   */
  readonly documents: (collection: string, after: string | undefined, upTo: string | undefined) => AsyncGenerator<LedgerRow, void>
  /** Yields the figures that formulas give for documents of a collection, in the same range. */
  readonly figures: (collection: string, after: string | undefined, upTo: string | undefined) => AsyncGenerator<LedgerRow, void>
  /** Tells whether texts may have been erased after a position, so that the log reads otherwise than the read models at that position. */
  readonly isErasing: (since: Position) => boolean
  /** Yields the missing consequences of events up to a position, except of events that wait for another try. */
  readonly missing: (reacted: Position, waiting: ReadonlySet<string>) => AsyncGenerator<Finding, void>
  /** Yields the images and stylesheets that subsites show. */
  readonly shown: () => AsyncGenerator<BlobUse, void>
  readonly events: () => number
  /** Returns the number of events that follow from others. */
  readonly consequences: () => number
  readonly raced: () => number
  /** Returns the number of acts whose right had ended when they were recorded, but not when they were decided. */
  readonly racedAuthority: () => number
  /** Returns the number of acts of admins from before any version recorded who is one. */
  readonly notJudged: () => number
}

/** Reports the progress of the recount. */
export type RecountProgress = {
  /** Called with the position that was reached. */
  readonly reached?: (position: Position) => void
  /** Called for an event that is no fault, only a race. */
  readonly race?: (race: EventFinding) => void
}

const PAGE_ROWS = 1_000
const ROWS_PER_CALL = 500

/** Opens a recount. `scratch` is an empty store for this audit alone. */
export const openRecount = async (
  { events: log, open, isIntact, isCommitted, isDense, admins, begun, projections, copiedUntil }: RecountPorts,
  scratch: DocumentStore,
  { reached = () => {}, race = () => {} }: RecountProgress = {},
): Promise<Recount> => {
  const ledger = await openLedger(scratch)
  const locks = lockRules(admins)
  const authority = authorityRules()
  const erasures = erasureRules(begun)
  const fold = openFold(projections)
  let position = LOG_START
  let counted = 0
  let consequences = 0
  let at = 0
  let hasCommitments = false

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

  const rulesOf = (event: Logged, note: Note, onRace: Note): readonly LedgerEntry[] => {
    for (const problem of [problemOfStream(event), problemOfId(event), problemOfModeration(event)]) if (problem !== undefined) note(problem)
    const entries = [...authority.of(event, note, onRace), ...locks.of(event, note), ...consequencesOf(event, note)]
    for (const rules of tables) {
      const rule = rules[event.type] as ((event: Logged, note: Note) => readonly LedgerEntry[]) | undefined
      if (rule) entries.push(...rule(event, note))
    }
    return entries
  }

  /** Returns the entries of an event. The rules come first: they look at the documents as they were before the event. */
  const entriesOf = (event: Logged, note: Note, onRace: Note): readonly LedgerEntry[] => {
    const isRepeated = copiedUntil !== undefined && event.position > copiedUntil
    return [...erasures.of(event, note), ...(isRepeated ? [] : rulesOf(event, note, onRace)), ...fold.entriesOf(event, note)]
  }

  /** Returns each of the events, or the reason why it cannot be read. */
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
      const noteFailure = (error: unknown, entry?: LedgerEntry) =>
        note(
          `it cannot be ${entry && !isRuleBook(entry.book) ? `projected into ${entry.book} ${entry.id}` : 'counted'}: ${messageOf(error)}`,
        )
      checkGap(one, position, note)
      checkHash(one, note)
      if (misfits.has(place)) note('a text in it is not the one that was committed to')
      const event = opened[i]
      const entries = [noteStreamPlace(one, note)]
      if (typeof event === 'object') {
        at = event.at
        hasCommitments ||= isCommitted(one)
        if (hasCommitments) authority.judgeAdmins()
        if (isConsequence(event)) consequences += 1
        try {
          entries.push(...entriesOf(event, note, onRace))
        } catch (error) {
          noteFailure(error)
        }
      } else {
        fold.stop(stream)
        note(event ?? 'it cannot be read')
      }
      postings.push({ position: place, entries, onFailure: noteFailure })
      position = place
    })
    await ledger.post(postings)
    counted += recorded.length
    reached(position)
    return findings
  }

  const rowsOf = async function* (book: string, after?: string, upTo?: string): AsyncGenerator<LedgerRow, void> {
    const end = upTo === undefined ? undefined : Buffer.from(upTo)
    for (let from = after; ; ) {
      const page = await ledger.walk(book, from, ROWS_PER_CALL)
      for (const row of page) {
        if (end && Buffer.compare(Buffer.from(row.id), end) > 0) return
        yield row
        if (row.id === upTo) return
      }
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
    documents: rowsOf,
    figures: async function* (collection, after, upTo) {
      if (hasFigures(collection)) yield* rowsOf(figuresBook(collection), after, upTo)
    },
    isErasing: erasures.isErasing,
    shown: async function* () {
      for await (const { row } of rowsOf(BLOBS_BOOK)) if (row) yield row as unknown as BlobUse
    },
    missing: async function* (reacted, waiting) {
      for await (const { what, stream, revision, position: place, id, type } of missingConsequences(ledger, { reacted, at })) {
        if (waiting.has(id)) continue
        yield { kind: 'event', position: place, stream, revision, id, problem: `${type} without its consequence: ${what}` }
      }
    },
  }
}
