import type { Envelope } from '../../domain/event.ts'
import type { EventName, EventNamed, Logged } from '../../domain/events.ts'
import type { LedgerEntry } from '../ledger.ts'
import type { PermissionRequirement } from './rights.ts'
import { type Note, readRow } from './rule.ts'
import { type ModeratorRights, readAdminGrant, readSeat, seatId } from './tenures.ts'

// The statements of an act about its target, which decide who may do it, and its other conditions.

/** The time between the end of a right and an act that was decided before it. Commands take less, and clocks differ by less. */
export const MAX_RACE_MS = 600_000

export type JudgedEvent = Envelope & Logged

export const MODERATORS_STREAM_PREFIX = 'moderators-'

export const seenRevisionOf = ({ meta: { seen } }: JudgedEvent, stream: string) => seen[stream]

export const grants = (rights: ModeratorRights | null, needed: PermissionRequirement): boolean => {
  if (rights === null || needed === 'any') return rights !== null
  const { permissions } = rights
  if (permissions === '+all') return true
  return needed !== 'all' && needed !== 'none' && needed.every((one) => permissions.split(',').includes(`+${one}`))
}

export type Thing = { readonly subsite: string | null; readonly author: string | null }
export type OnThing = {
  readonly target?: { readonly id: string; readonly author: string }
  readonly link?: string
  readonly comment?: string
  readonly message?: string
  readonly thing?: string
  readonly author?: string
  readonly subsite?: string | null
}

const books: Readonly<Record<string, string>> = { t1: 'comments', t5: 'links', t6: 'messages' }
/** Events whose targets do not exist before them, or are judged where they are counted. */
const apart: ReadonlySet<string> = new Set(['LinkSubmitted', 'MessageSent', 'VoteCast'])

/** Matches streams of accounts, whose events change nothing of the thing. */
const mayPrecede = /^(report|inbox|shelf)-/

/** Checks that the thing exists, and has the subsite and the author that the event names. Both decide who may act on it. */
export const aboutThing = ({ type, data, stream }: JudgedEvent, note: Note): readonly LedgerEntry[] => {
  const { target, comment, message, thing, link, author, subsite } = data as OnThing
  if (apart.has(type)) return []
  const isNew = type === 'CommentPosted'
  const id = target?.id ?? (isNew ? link : (message ?? comment ?? thing ?? link))
  const book = books[id?.slice(0, 2) ?? '']
  if (id === undefined || book === undefined) return []
  const by = isNew ? undefined : (target?.author ?? author)
  return [
    readRow<Thing>(book, id, (row) => {
      if (row === undefined && !mayPrecede.test(stream)) note(`it refers to ${id}, which no earlier event created`)
      if (row && subsite !== undefined && row.subsite !== subsite)
        note(`it names ${subsite} as the subsite of ${id}, which is ${row.subsite}`)
      if (row && by !== undefined && row.author !== by) note(`it names ${by} as the author of ${id}, who is ${row.author}`)
    }),
  ]
}

type Relation = { readonly permissions: string; readonly revision: number }
const relation = (subsite: string, account: string, type: string, see: (row: Relation | undefined) => void): LedgerEntry =>
  readRow<Relation>('relations', `${subsite}.${account}.${type}`, see)

/**
 * Checks seniority: moderators act on others of no higher seniority, which is the order of their stream, and never change their own
 * permissions.
 */
export const ofSeniority = (event: JudgedEvent, actor: string, note: Note): readonly LedgerEntry[] => {
  const { type, data } = event
  if (type !== 'ModeratorRemoved' && type !== 'ModeratorPermissionsChanged') return []
  if (type === 'ModeratorRemoved' ? data.left : data.invitation) return []
  const { subsite, account } = data
  if (type === 'ModeratorPermissionsChanged' && account === actor) note('without authority: nobody changes their own permissions')
  let since = 0
  return [
    relation(subsite, actor, 'moderator', (row) => {
      since = row?.revision ?? 0
    }),
    relation(subsite, account, 'moderator', (row) => {
      if (row && since > row.revision) note(`without authority: ${account} has moderated ${subsite} for longer than ${actor}`)
    }),
  ]
}

export const acceptance = ({ subsite, account, permissions }: EventNamed<'ModeratorInvitationAccepted'>['data'], note: Note): LedgerEntry =>
  relation(subsite, account, 'moderator_invite', (row) => {
    if (row === undefined) note(`without authority: ${account} was not invited to moderate ${subsite}`)
    else if (row.permissions !== permissions) note(`without authority: the invitation gives the permissions ${row.permissions}`)
  })

/** Checks that the seat and the approval that come with a new subsite are those of its creator. */
export const checkFounding = (subsite: string, founder: string, note: Note): LedgerEntry =>
  readRow<{ readonly creator: string }>('subsites', subsite, (row) => {
    if (row?.creator !== founder) note(`without authority: ${founder} did not found ${subsite}`)
  })

const timed: { readonly [Name in EventName]?: string } = { BanExpired: 'banned', WikiBanExpired: 'wikibanned', MuteExpired: 'muted' }

/**
 * Checks that an effect with an end is over by then. The service says so before an act that follows on it, or as a consequence at that
 * time.
 */
export const ofEnd = ({ type, data, at }: JudgedEvent, note: Note): readonly LedgerEntry[] => {
  const judge = (until: number | null | undefined) => {
    if (until === null || (until !== undefined && until > at + MAX_RACE_MS))
      note(`without authority: it lasts until ${until ?? 'it is lifted'}`)
  }
  if (type === 'AccountSuspensionExpired')
    return [readRow<{ readonly suspendedUntil: number | null }>('accounts', data.account, (row) => judge(row?.suspendedUntil))]
  const kind = timed[type]
  if (kind === undefined) return []
  const { subsite, account } = data as EventNamed<'BanExpired'>['data']
  return [readRow<{ readonly until: number | null }>('relations', `${subsite}.${account}.${kind}`, (row) => judge(row?.until))]
}

type WikiPageRights = { readonly permlevel: number; readonly editors: readonly string[] }
const AUTOMODERATOR = 'config/automoderator'
const isRestricted = (page: string): boolean => /^(config|special|rostra)(\/|$)/.test(page)

/**
 * Checks edits of pages that not everybody may edit: those for moderators, those for other editors, and those that configure the subsite.
 */
export const ofPage = (event: JudgedEvent & Logged<'WikiPageRevised'>, note: Note): readonly LedgerEntry[] => {
  const { subsite, page, author } = event.data
  const isUser = event.by.as === 'user'
  const isSpecial = page === AUTOMODERATOR
  let isEditor = false
  let wasAdmin = false
  return [
    readRow<WikiPageRights>('wiki_pages', `${subsite}.${page}`, (row) => {
      isEditor = row?.editors.includes(author) ?? false
      const isClosed = isRestricted(page) || row?.permlevel === 2 || (row?.permlevel === 1 && !isEditor)
      if (isUser && !isSpecial && isClosed) note(`without authority: users may not edit ${page}`)
    }),
    // an admin who moderates acts as a moderator
    readAdminGrant(author, undefined, ({ ever }) => {
      wasAdmin = ever
    }),
    // earlier versions recorded these as acts of users
    readSeat(seatId(subsite, author), seenRevisionOf(event, `${MODERATORS_STREAM_PREFIX}${subsite}`), ({ whenDecided }) => {
      const may = isEditor || wasAdmin || grants(whenDecided, ['config'])
      if (isSpecial && event.by.as !== 'admin' && !may) note(`without authority: ${author} may not edit ${page} of ${subsite}`)
    }),
  ]
}
