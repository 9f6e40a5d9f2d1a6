import { v5, validate } from 'uuid'
import type { Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import type { RecordedEvent } from '../../ports/event-store.ts'
import type { LedgerEntry } from '../ledger.ts'
import { entry, type Note } from './rule.ts'
import { readAdminGrant } from './tenures.ts'

// Checks the log by itself: streams without gaps, ids not repeated, no comment on a link that its author saw locked.

type Tip = { readonly revision: number; readonly event: string }

/** Checks that an event directly follows the one before it in its stream. */
export const noteStreamPlace = ({ stream, revision, id }: RecordedEvent, note: Note): LedgerEntry =>
  entry<Tip>('audit_tips', stream, (before) => {
    if (revision === 0 && before) note('its stream had already begun')
    if (revision > 0 && before?.revision !== revision - 1) note(`it follows ${before ? `revision ${before.revision}` : 'nothing'}`)
    if (before?.event === id) note('it has the id of the event before it')
    return { revision, event: id }
  })

/**
 * Checks that the id of an event follows from its command and its place, so that a repeated append is recognized. Places are not repeated,
 * and so neither are ids.
 */
export const problemOfId = ({ id, stream, revision, meta: { commandId } }: Envelope): string | undefined =>
  validate(commandId) && id === v5(`${stream}@${revision}`, commandId)
    ? undefined
    : 'its id does not follow from its stream, its revision and its command'

/**
 * The most locks and unlocks of a link that are kept, the newest ones. A comment decided before the oldest of them is assumed to be a race.
 */
const MAX_KEPT_LOCKS = 100

type Locks = { readonly changes: readonly { readonly revision: number; readonly locked: boolean }[] }

const lockChange = ({ type, data, revision }: Logged<'LinkLocked' | 'LinkUnlocked'>): LedgerEntry =>
  entry<Locks>('audit_locks', data.target.id, (row) => ({
    changes: [...(row?.changes ?? []), { revision, locked: type === 'LinkLocked' }].slice(-MAX_KEPT_LOCKS),
  }))

export type LockRules = {
  readonly of: (event: Envelope & Logged, note: Note) => readonly LedgerEntry[]
  /**
   * Returns the number of comments that were decided before a lock, or before the moderators changed, and recorded after it. These are
   * races, not faults.
   */
  readonly raced: () => number
}

/** `admins` are lower-cased names. Before the log names the admins, only the configuration does. */
export const lockRules = (admins: readonly string[]): LockRules => {
  const adminAccounts = new Set<string>()
  let raced = 0

  const comment = (event: Logged<'CommentPosted'>, note: Note): readonly LedgerEntry[] => {
    const { link, subsite, author } = event.data
    const moderators = `moderators-${subsite}`
    const decidedOn = event.meta.seen[moderators]
    let haveChanged = false
    let isModerator = false
    let isAdmin = adminAccounts.has(author)
    return [
      readAdminGrant(author, undefined, ({ ever }) => {
        isAdmin ||= ever // one process's configuration may differ from the log
      }),
      entry<Tip>('audit_tips', moderators, (tip) => {
        haveChanged = decidedOn !== undefined && decidedOn !== (tip?.revision ?? 'none')
        return tip
      }),
      entry<{ readonly permissions: string }>('relations', `${subsite}.${author}.moderator`, (row) => {
        isModerator = row !== undefined && ['+all', '+posts'].some((permission) => row.permissions.split(',').includes(permission))
        return row
      }),
      entry<Locks>('audit_locks', link, (row) => {
        const mayAlways = event.by.as !== 'user' || isModerator || isAdmin
        if (row === undefined || mayAlways) return row
        const isLocked = row.changes.at(-1)?.locked === true
        const linkRevision = event.meta.seen[`link-${link}`]
        const lockedThen =
          typeof linkRevision === 'number' && row.changes.findLast(({ revision }) => revision <= linkRevision)?.locked === true
        if (lockedThen && haveChanged)
          raced += 1 // the author may have been a moderator then
        else if (lockedThen) note(`a comment on ${link}, which was locked at the revision ${linkRevision} it was decided on`)
        else if (isLocked && linkRevision === undefined)
          note(`a comment on the locked ${link} that does not record the revision it was decided on`)
        else if (isLocked) raced += 1
        return row
      }),
    ]
  }

  return {
    raced: () => raced,
    of: (event, note) => {
      if (event.type === 'LinkLocked' || event.type === 'LinkUnlocked') return [lockChange(event)]
      if (event.type === 'AccountRegistered' && admins.includes(event.data.name.toLowerCase())) adminAccounts.add(event.data.account)
      return event.type === 'CommentPosted' ? comment(event, note) : []
    },
  }
}
