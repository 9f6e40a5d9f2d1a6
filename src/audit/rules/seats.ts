import type { Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import type { Ledger, LedgerEntry } from '../ledger.ts'
import { type Due, dueOf, system, toDueKey } from './due.ts'
import { drop, entry, putRow, readRow } from './rule.ts'

// Seats and invitations that accounts hold, and the ends of accounts, which end all of theirs. No event of the end needs to name them.

type Pair = { readonly subsite: string; readonly account: string }
type Hold = 'moderator' | 'moderator_invite'
/** `revision` is that of the event that made it. */
export type HoldRow = Pair & {
  readonly id: string
  readonly hold: Hold
  readonly revision: number
  readonly position: string
  /** The revision of the account's bans that the decision saw. */
  readonly bansSeen: number | 'none' | null
}
/** The deletion and the erasure of an account, with their consequences. */
type EndedHold = { readonly ends: readonly Due[] }

export const holdId = ({ subsite, account }: Pair, hold: Hold): string => `${account}.${subsite}.${hold}`

export const takeHold = (event: Envelope & { readonly data: Pair }, hold: Hold): LedgerEntry => {
  const { subsite, account } = event.data
  const { revision, position, meta } = event
  const bansSeen = meta.seen[`relation-${subsite}.${account}`] ?? null
  return putRow('audit_held', { id: holdId(event.data, hold), subsite, account, hold, revision, position, bansSeen })
}

export const givenUp = (pair: Pair, hold: Hold): LedgerEntry => drop('audit_held', holdId(pair, hold))

const back = { moderator: 'ModeratorRemoved', moderator_invite: 'ModeratorInvitationWithdrawn' } as const

/** Tells whether a right that an event ends because of a ban was given by a decision that knew the ban. */
export const givenDespite = (
  event: Envelope & Logged,
): { readonly entries: readonly LedgerEntry[]; readonly isSo: (ban: Due['cause']) => boolean } => {
  if (event.type !== back.moderator && event.type !== back.moderator_invite) return { entries: [], isSo: () => false }
  let hold: HoldRow | undefined
  const id = holdId(event.data, event.type === back.moderator ? 'moderator' : 'moderator_invite')
  return {
    entries: [
      readRow<HoldRow>('audit_held', id, (row) => {
        hold = row
      }),
    ],
    isSo: ({ type, revision, position }) =>
      (type === 'UserBanned' || type === 'BanChanged') &&
      hold !== undefined &&
      hold.position > position &&
      Number(hold.bansSeen ?? -1) >= revision,
  }
}

/** Looks whether an account has ended. */
export const isEnded = (account: string, see: (isOver: boolean) => void): LedgerEntry =>
  readRow<EndedHold>('audit_ended', account, (row) => see(row !== undefined))

export const expectAccountEnd = (cause: Logged<'AccountDeleted' | 'AccountErased'>): LedgerEntry =>
  entry<EndedHold>('audit_ended', cause.data.account, (row) => ({ ends: [...(row?.ends ?? []), dueOf(cause, 'seats')] }))

/** Returns the expected end of a seat or an invitation after the end of its account. */
export const expectHoldEnd = (event: Envelope & Logged): readonly LedgerEntry[] => {
  if (event.type !== 'ModeratorRemoved' && event.type !== 'ModeratorInvitationWithdrawn') return []
  const { account } = event.data
  const key = toDueKey(event) ?? ''
  const { causationId } = event.meta
  const how = event.type === 'ModeratorRemoved' ? { by: { account, as: 'moderator' } as const, data: { left: true } } : { by: system }
  let due: Due | undefined
  return [
    readRow<EndedHold>('audit_ended', account, (row) => {
      const end = row?.ends.find(({ cause }) => cause.id === causationId)
      due = end && { ...end, id: `${causationId} ${key}`, key, required: false, repeats: true, ...how }
    }),
    entry<Due>('audit_due', `${causationId} ${key}`, (open) => open ?? due),
  ]
}

const PAGE_ROWS = 1_000

/** Yields rights that ended accounts still hold, up to a position. */
export async function* heldByEnded(ledger: Ledger, reacted: string): AsyncGenerator<Due['cause'] & { readonly what: string }, void> {
  for (let after: string | undefined; ; ) {
    const page = await ledger.walk('audit_held', after, PAGE_ROWS)
    const rows = page.map(({ row }) => row as unknown as HoldRow)
    const ended = await ledger.rows('audit_ended', [...new Set(rows.map(({ account }) => account))])
    for (const { subsite, account, hold, position } of rows) {
      const { ends } = (ended.get(account) as EndedHold | undefined) ?? { ends: [] }
      const end = ends.find(({ cause }) => cause.position > position && cause.position <= reacted)
      if (end) yield { ...end.cause, what: `${back[hold]} ${subsite}.${account}` }
    }
    after = page.at(-1)?.id
    if (page.length < PAGE_ROWS) return
  }
}
