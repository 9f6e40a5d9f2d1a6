import { isDeepStrictEqual } from 'node:util'
import type { Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import { toPrintable } from '../finding.ts'
import type { BookRow, Ledger, LedgerEntry } from '../ledger.ts'
import { allCauses } from './causes.ts'
import { type Due, toDueKey } from './due.ts'
import { entry, isConsequence, type Note } from './rule.ts'
import { expectHoldEnd, givenDespite, heldByEnded } from './seats.ts'
import { toShortTexts } from './short.ts'

// Checks that every cause has its consequences, and every consequence its cause.

const toText = (field: string, value: unknown): string => JSON.stringify(toPrintable(value, field)) ?? 'nothing'

/** Lists the differences between an event and the expected consequence of its cause. */
const differences = (event: Envelope & Logged, { by, at, correlationId, data, says }: Due): readonly string[] => {
  const found: [string, unknown, unknown][] = [
    ['by', event.by, by],
    ['at', event.at, at],
    ['correlationId', event.meta.correlationId, correlationId],
  ]
  const actual = event.data as BookRow
  for (const [field, expected] of Object.entries(data)) found.push([field, toShortTexts(actual[field]), toShortTexts(expected)])
  const body = typeof actual.body === 'string' ? actual.body : ''
  const unsaid = body === '[erased]' ? [] : says.filter((words) => !body.includes(words) && words !== '[erased]')
  return [
    ...found
      .filter(([, actual, expected]) => !isDeepStrictEqual(actual, expected))
      .map(([field, actual, expected]) => `its ${field} is ${toText(field, actual)} instead of ${toText(field, expected)}`),
    ...unsaid.map(() => 'its text does not say what its cause says'),
  ]
}

type SlotTaken = { readonly position: string; readonly gone: boolean }

/** Returns the reason why an event wrongly concerns something later than its cause, given the cause's position. */
type TooLate = (cause: string) => string | undefined

/**
 * Returns the check that a consequence is not too late. A link or comment loses the slot it had, or got from a decision that had not seen
 * its removal. An entry marked unread later stays so.
 */
const latenessOf = (event: Envelope & Logged): { readonly entries: readonly LedgerEntry[]; readonly tooLate: TooLate } => {
  if (event.type === 'LinkUnstickied' || event.type === 'CommentUnstickied') {
    let slot: SlotTaken | undefined
    const slotEntry = entry<SlotTaken>('audit_slots', event.data.target.id, (row) => {
      slot = row
      return undefined
    })
    const tooLate: TooLate = (cause) => (slot && slot.position > cause && !slot.gone ? 'it was stickied only later' : undefined)
    return { entries: [slotEntry], tooLate }
  }
  if (event.type === 'InboxEntryRead') {
    const { account, thing } = event.data
    let unread = ''
    const marked = entry<{ readonly position: string }>('audit_acts', `InboxEntryUnread ${account}.${thing}`, (row) => {
      unread = row?.position ?? ''
      return row
    })
    return { entries: [marked], tooLate: (cause) => (unread > cause ? 'it was marked as unread only later' : undefined) }
  }
  return { entries: [], tooLate: () => undefined }
}

/** Closes the entry of a cause when its consequence comes. */
const closeDue = (event: Envelope & Logged, key: string | undefined, note: Note): readonly LedgerEntry[] => {
  const { causationId } = event.meta
  const { entries, tooLate } = latenessOf(event)
  const despite = givenDespite(event)
  if (!isConsequence(event)) return entries
  return [
    ...entries,
    ...despite.entries,
    entry<Due>('audit_due', `${causationId} ${key}`, (open) => {
      if (open === undefined) {
        note(`it names ${causationId} as its cause, which has no such consequence`)
        return undefined
      }
      const from = `it follows from ${open.cause.type} ${causationId}`
      const late = tooLate(open.cause.position)
      if (open.followed && !open.repeats) note(`${from} a second time`)
      if (late !== undefined) note(`${from}, but ${late}`)
      if (despite.isSo(open.cause)) note(`${from}, but the right that it ends was given after the ban, by somebody who had seen it`)
      for (const difference of differences(event, open)) note(`${from}, but ${difference}`)
      return { ...open, followed: true }
    }),
  ]
}

/** Returns the entries of an event's consequences, and of its cause. */
export const consequencesOf = (event: Envelope & Logged, note: Note): readonly LedgerEntry[] => {
  const key = toDueKey(event)
  const happened = key === undefined || event.type === 'MessageSent' ? [] : [entry('audit_acts', key, () => ({ position: event.position }))]
  const opened = allCauses.flatMap(
    (table) => (table[event.type] as ((event: Logged, note: Note) => readonly LedgerEntry[]) | undefined)?.(event, note) ?? [],
  )
  return [...expectHoldEnd(event), ...closeDue(event, key, note), ...happened, ...opened]
}

export type MissingConsequence = Due['cause'] & { readonly what: string }

type AuditMoment = {
  /** The position up to which reactions have processed the log. */
  readonly reacted: string
  /** The time when the last event was recorded, in milliseconds since 1970. */
  readonly at: number
}

const PAGE_ROWS = 1_000

/** Yields consequences that are overdue. */
export async function* missingConsequences(ledger: Ledger, { reacted, at }: AuditMoment): AsyncGenerator<MissingConsequence, void> {
  for (let after: string | undefined; ; ) {
    const page = await ledger.walk('audit_due', after, PAGE_ROWS)
    const open = page
      .map(({ row }) => row as unknown as Due)
      .filter(({ required, followed, cause, notBefore }) => required && !followed && cause.position <= reacted && notBefore < at)
    const acts = await ledger.rows('audit_acts', [...new Set(open.flatMap(({ excusedBy }) => excusedBy))])
    for (const { cause, key, excusedBy } of open) {
      const isExcused = excusedBy.some((act) => String(acts.get(act)?.position ?? '') > cause.position)
      if (!isExcused) yield { ...cause, what: key }
    }
    after = page.at(-1)?.id
    if (page.length < PAGE_ROWS) break
  }
  yield* heldByEnded(ledger, reacted)
}
