import { isDeepStrictEqual } from 'node:util'
import type { Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import { type Entry, type Ledger, type Row, short, shortened } from '../ledger.ts'
import { opening } from './causes.ts'
import { type Due, keyOf } from './due.ts'
import { entry, type Note } from './rule.ts'
import { endOfHeld, givenDespite, heldByEnded } from './seats.ts'

// Every cause has its consequences, and every consequence its cause.

/** How an event differs from the expected consequence of its cause. */
const differences = (event: Envelope & Logged, { by, at, correlationId, data, says }: Due): readonly string[] => {
  const found: [string, unknown, unknown][] = [
    ['by', event.by, by],
    ['at', event.at, at],
    ['correlationId', event.meta.correlationId, correlationId],
  ]
  const actual = event.data as Row
  for (const [field, expected] of Object.entries(data)) found.push([field, shortened(actual[field]), shortened(expected)])
  const body = typeof actual.body === 'string' ? actual.body : ''
  const unsaid = body === '[erased]' ? [] : says.filter((words) => !body.includes(words) && words !== '[erased]')
  return [
    ...found
      .filter(([, is, expected]) => !isDeepStrictEqual(is, expected))
      .map(([field, is, expected]) => `its ${field} is ${JSON.stringify(is)} instead of ${JSON.stringify(expected)}`),
    ...unsaid.map((words) => `its text does not say ${JSON.stringify(short(words))}`),
  ]
}

type SlotTaken = { readonly position: string; readonly gone: boolean }

/** Why an event wrongly concerns something later than its cause, given the cause's position. */
type TooLate = (cause: string) => string | undefined

/** A link or comment loses the slot it had, or got from a decision that had not seen its removal; an entry marked unread later stays so. */
const latenessOf = (event: Envelope & Logged): { readonly entries: readonly Entry[]; readonly tooLate: TooLate } => {
  if (event.type === 'LinkUnstickied' || event.type === 'CommentUnstickied') {
    let slot: SlotTaken | undefined
    const taken = entry<SlotTaken>('audit_slots', event.data.target.id, (row) => {
      slot = row
      return undefined
    })
    const tooLate: TooLate = (cause) => (slot && slot.position > cause && !slot.gone ? 'it was stickied only later' : undefined)
    return { entries: [taken], tooLate }
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

/** An event that follows from another closes the entry that the other opened. */
const closing = (event: Envelope & Logged, key: string | undefined, note: Note): readonly Entry[] => {
  const { causationId, commandId } = event.meta
  const { entries, tooLate } = latenessOf(event)
  const despite = givenDespite(event)
  if (causationId === commandId) return entries
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
      if (despite.isSo(open.cause)) note(`${from}, but what it ends was given by a decision that knew the ban`)
      for (const difference of differences(event, open)) note(`${from}, but ${difference}`)
      return { ...open, followed: true }
    }),
  ]
}

/** What follows from an event, and what it follows from. */
export const consequencesOf = (event: Envelope & Logged, note: Note): readonly Entry[] => {
  const key = keyOf(event)
  const happened = key === undefined || event.type === 'MessageSent' ? [] : [entry('audit_acts', key, () => ({ position: event.position }))]
  const opened = opening.flatMap(
    (table) => (table[event.type] as ((event: Logged, note: Note) => readonly Entry[]) | undefined)?.(event, note) ?? [],
  )
  return [...endOfHeld(event), ...closing(event, key, note), ...happened, ...opened]
}

export type MissingConsequence = Due['cause'] & { readonly what: string }

type AuditMoment = {
  /** Up to where reactions have processed the log. */
  readonly reacted: string
  /** Milliseconds since 1970: when the last event was recorded. */
  readonly at: number
}

const PAGE_ROWS = 1_000

/** Consequences that are overdue. */
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
