// Decision 102.

import type { Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import type { LedgerEntry } from '../ledger.ts'
import {
  aboutThing,
  acceptance,
  checkFounding,
  grants,
  type JudgedEvent,
  MAX_RACE_MS,
  MODERATORS_STREAM_PREFIX,
  type OnThing,
  ofEnd,
  ofPage,
  ofSeniority,
  seenRevisionOf,
  type Thing,
} from './authority-facts.ts'
import { type PermissionRequirement, type Right, rights } from './rights.ts'
import { isConsequence, type Note, readRow } from './rule.ts'
import { type AdminGrant, type ModeratorRights, readAdminGrant, readSeat, readSuspension, seatId, type TenureValues } from './tenures.ts'

// Judges the authority of each act, by the state that its decision saw. A consequence of another event is judged by its cause instead.

const nameOfRight = (needed: PermissionRequirement): string =>
  needed === 'any' ? 'a seat' : needed === 'all' ? 'all permissions' : `the permission ${[...needed].join(' and ')}`

export type AuthorityRules = {
  /**
   * Returns the entries that judge an event. `race` receives acts that were decided before their right ended and recorded after it, which
   * are no fault.
   */
  readonly of: (event: Envelope & Logged, note: Note, race: Note) => readonly LedgerEntry[]
  /** Judges acts of admins from here on: a version that records who is an admin has written the log. */
  readonly judgeAdmins: () => void
  /** Returns the number of acts whose right had ended when they were recorded. */
  readonly raced: () => number
  /** Returns the number of acts of admins from before any version recorded who is one. */
  readonly notJudged: () => number
}

/** The state of the log so far that its rules share. */
type LogSoFar = {
  /** True once an event shows that a version wrote the log which records who is an admin: every such act needs a grant from then on. */
  areAdminsRecorded: boolean
  raced: number
  notJudged: number
  /** The time when the last act was recorded. */
  lastRecordedAt: number
}

/** An act that is judged: its event and its actor, and where problems and races go. */
type Act = { readonly event: JudgedEvent; readonly actor: string; readonly note: Note; readonly race: Note; readonly log: LogSoFar }

type Requirement<Value> = {
  readonly may: (right: Value | null) => boolean
  /** The missing right, in words. */
  readonly lacks: string
  /** The stream that gives and takes the right. */
  readonly stream: string
  /** The time after the end of the right in which an act is a race. */
  readonly mayRaceFor?: number
}

/** Describes the state that a decision saw. */
const asOf = (event: JudgedEvent, stream: string): string => {
  const revision = seenRevisionOf(event, stream)
  return revision === undefined ? '' : `, as of ${revision === 'none' ? 'the beginning' : `revision ${revision}`} of ${stream}`
}

/** Judges an act by a right that may have ended since the decision. */
const judgeTenure = <Value>(
  { event, note, race, log }: Act,
  { whenDecided, whenRecorded, since }: TenureValues<Value>,
  { may, lacks, stream, mayRaceFor = MAX_RACE_MS }: Requirement<Value>,
): void => {
  const late = event.at - since
  if (!may(whenDecided)) note(`without authority: ${lacks}${asOf(event, stream)}`)
  else if (!may(whenRecorded) && late > mayRaceFor) note(`without authority: ${lacks}, for ${Math.round(late / 1000)} seconds`)
  else if (!may(whenRecorded)) {
    log.raced += 1
    race(`when it was recorded, but not yet when it was decided, ${lacks}`)
  }
}

const ADMINS = 'admins-site'

const isAdmin = (actor: string): Requirement<AdminGrant> => ({
  may: (right) => right !== null,
  lacks: `${actor} is not an admin`,
  stream: ADMINS,
  mayRaceFor: Number.POSITIVE_INFINITY, // one process's configuration may differ from the log for long
})

const judgeAdmin = (act: Act): readonly LedgerEntry[] => {
  const { event, actor, log } = act
  const adminsRevision = seenRevisionOf(event, ADMINS)
  log.areAdminsRecorded ||= adminsRevision !== undefined
  if (!log.areAdminsRecorded) {
    log.notJudged += 1
    return []
  }
  const isKnown = typeof adminsRevision === 'number'
  return [
    // a process that had not found its own admins in the log yet does not say which revision its decision saw
    readAdminGrant(actor, isKnown ? adminsRevision : undefined, (tenure) =>
      judgeTenure(act, isKnown || !tenure.ever ? tenure : { ...tenure, whenDecided: { isAdmin: true } }, isAdmin(actor)),
    ),
  ]
}

const judgeSuspension = (act: Act): LedgerEntry => {
  const { event, actor } = act
  const stream = `account-${actor}`
  const may = (suspension: { readonly until: number | null } | null) =>
    suspension === null || (suspension.until !== null && suspension.until <= event.at + MAX_RACE_MS)
  return readSuspension(actor, seenRevisionOf(event, stream), (tenure) => {
    const isRecent = seenRevisionOf(event, stream) === undefined && event.at - tenure.since < MAX_RACE_MS
    const whenDecided = isRecent ? null : tenure.whenDecided
    judgeTenure(act, { ...tenure, whenDecided }, { may, lacks: `${actor} is suspended`, stream })
  })
}

/** Returns the subsites whose moderators may have done it: the event's own, or else those that its decision looked at. */
const subsitesOf = ({ data, meta }: JudgedEvent): readonly string[] => {
  const { subsite } = data as { readonly subsite?: string | null }
  if (typeof subsite === 'string') return [subsite]
  return Object.keys(meta.seen).flatMap((stream) =>
    stream.startsWith(MODERATORS_STREAM_PREFIX) ? [stream.slice(MODERATORS_STREAM_PREFIX.length)] : [],
  )
}

const judgeModerator = (act: Act, needed: PermissionRequirement): readonly LedgerEntry[] => {
  if (needed === 'none') return []
  const { event, actor, note } = act
  const subsites = subsitesOf(event)
  if (subsites.length === 0) {
    note('without authority: it is of no subsite, and has no moderators')
    return []
  }
  let wasAdmin = false
  let place: string | null | undefined
  const { message } = event.data as OnThing
  const may = (rights: ModeratorRights | null) =>
    grants(rights, needed) || (wasAdmin && needed !== 'any' && needed !== 'all' && needed.includes('wiki') && grants(rights, ['wiki']))
  // an admin who moderates acts as a moderator, even if only the admin may
  const admin = readAdminGrant(actor, seenRevisionOf(event, ADMINS), ({ ever }) => {
    wasAdmin = ever
  })
  const mail =
    message === undefined
      ? []
      : [
          readRow<Thing>('messages', message, (row) => {
            place = row?.subsite
            if (subsites.length > 1 && !subsites.some((one) => one === place))
              note('without authority: its message is not mail of a subsite that it was decided by')
          }),
        ]
  const seats = subsites.map((subsite) => {
    const stream = `${MODERATORS_STREAM_PREFIX}${subsite}`
    return readSeat(seatId(subsite, actor), seenRevisionOf(event, stream), (tenure) => {
      if (subsites.length > 1 && subsite !== place) return
      if (message !== undefined && place !== undefined && place !== subsite)
        note(`without authority: its message is not mail of ${subsite}`)
      judgeTenure(act, tenure, { may, lacks: `${actor} does not hold ${nameOfRight(needed)} in ${subsite}`, stream })
    })
  })
  return [admin, ...mail, ...seats]
}

/** Judges mail that claims to be written by a moderator or an admin. */
const judgeDistinction = (act: Act): readonly LedgerEntry[] => {
  const { event, note } = act
  if (event.type !== 'MessageSent' || event.by.as !== 'user') return []
  if (event.data.distinguished === 'admin') return judgeAdmin(act)
  if (event.data.distinguished !== 'moderator') return []
  if (event.data.subsite !== null) return judgeModerator(act, 'any')
  note('without authority: only in mail of a subsite does anybody speak as its moderator')
  return []
}

/** Judges the folding of mail, which its writer, its reader and the moderators of its subsite may do. */
const judgeFolding = (act: Act, message: string): readonly LedgerEntry[] => {
  const { event, actor, note } = act
  const isOfSubsite = subsitesOf(event).length > 0
  let isOwn = false
  const own = readRow<Thing & { readonly to: string | null }>('messages', message, (row) => {
    isOwn = row?.author === actor || row?.to === actor
    if (!isOwn && !isOfSubsite) note(`without authority: ${message} is not mail of ${actor}`)
  })
  const unlessOwn = { ...act, note: (problem: string) => (isOwn ? undefined : note(problem)) }
  return [own, ...(isOfSubsite ? judgeModerator(unlessOwn, 'any') : [])]
}

const judgeUser = (act: Act, right: Right): readonly LedgerEntry[] => {
  const { event, actor, note } = act
  const { type, data } = event
  if (type === 'MessageCollapsed' || type === 'MessageUncollapsed') return judgeFolding(act, data.message)
  if (right.onceByUsers) return judgeModerator(act, right.moderator?.(data as never, false) ?? 'any')
  const owner = right.user?.(data as never)
  if (owner === undefined) note(`without authority: users do not record a ${type}`)
  else if (owner !== actor) note(`without authority: it is not an act of ${actor}`)
  if (type === 'ModeratorAdded' && data.founder && event.revision > 0) note('without authority: the subsite was founded before')
  return (type === 'ModeratorAdded' || type === 'ContributorAdded') && data.founder ? [checkFounding(data.subsite, data.account, note)] : []
}

const judgeActor = (act: Act, right: Right): readonly LedgerEntry[] => {
  const { event, actor, note } = act
  const { type, data, by } = event
  const only = right.actor?.(data as never) ?? actor
  if (only !== actor) note(`without authority: it is an act of ${only}, not of ${actor}`)
  if (by.as === 'user') return judgeUser(act, right)
  const standing = right.whileSuspended ? [] : [judgeSuspension(act)]
  if (by.as === 'admin') {
    if (!right.admin) note(`without authority: admins do not record a ${type}`)
    return [...standing, ...judgeAdmin(act)]
  }
  const { account } = data as { readonly account?: string }
  const needed = right.moderator?.(data as never, account === actor)
  if (needed === undefined) note(`without authority: moderators do not record a ${type}`)
  return [...standing, ...judgeModerator(act, needed ?? 'none'), ...ofSeniority(event, actor, note)]
}

/** Judges an event that no account caused and that is no consequence. */
const judgeService = ({ type, by }: JudgedEvent, right: Right, note: Note): void => {
  const isService = by.as === 'system' && by.account === null
  if (isService && right.service) return
  note(`without authority: ${isService ? 'the service itself does' : 'nobody may'} not record a ${type} of which nothing is the cause`)
}

export const authorityRules = (): AuthorityRules => {
  const log: LogSoFar = { areAdminsRecorded: false, raced: 0, notJudged: 0, lastRecordedAt: 0 }
  return {
    judgeAdmins: () => {
      log.areAdminsRecorded = true
    },
    raced: () => log.raced,
    notJudged: () => log.notJudged,
    of: (recorded, note, race) => {
      // an act is not recorded long before the one ahead of it in the log, whatever time it names
      const at = Math.max(recorded.at, log.lastRecordedAt - MAX_RACE_MS)
      const event = { ...recorded, at } as typeof recorded
      const { type, data, by } = event
      log.areAdminsRecorded ||= type === 'AdminGranted' || type === 'AdminRevoked'
      const about = aboutThing(event, note)
      if (isConsequence(event)) return about
      log.lastRecordedAt = recorded.at
      const right = rights[type] as Right
      if (by.as === 'system' || by.account === null) {
        judgeService(event, right, note)
        return [...about, ...ofEnd(event, note)]
      }
      const facts =
        type === 'ModeratorInvitationAccepted' ? [acceptance(data, note)] : type === 'WikiPageRevised' ? ofPage(event, note) : []
      const act = { event, actor: by.account, note, race, log }
      return [...about, ...facts, ...judgeActor(act, right), ...judgeDistinction(act)]
    },
  }
}
