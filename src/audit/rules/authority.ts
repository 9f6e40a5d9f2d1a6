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

type Verdicts = { readonly note: Note; readonly race: Note }

type Judgement<Value> = {
  readonly may: (right: Value | null) => boolean
  /** The missing right, in words. */
  readonly lacks: string
  readonly stream: string
  /** The time after the end of the right in which an act is a race. */
  readonly mayRaceFor?: number
}

/** Describes the state that a decision saw. */
const asOf = (event: JudgedEvent, stream: string): string => {
  const revision = seenRevisionOf(event, stream)
  return revision === undefined ? '' : `, as of ${revision === 'none' ? 'the beginning' : `revision ${revision}`} of ${stream}`
}

const ADMINS = 'admins-site'

/** Returns the subsites whose moderators may have done it: the event's own, or else those that its decision looked at. */
const subsitesOf = ({ data, meta }: JudgedEvent): readonly string[] => {
  const { subsite } = data as { readonly subsite?: string | null }
  if (typeof subsite === 'string') return [subsite]
  return Object.keys(meta.seen).flatMap((stream) =>
    stream.startsWith(MODERATORS_STREAM_PREFIX) ? [stream.slice(MODERATORS_STREAM_PREFIX.length)] : [],
  )
}

const isAdmin = (actor: string): Judgement<AdminGrant> => ({
  may: (right) => right !== null,
  lacks: `${actor} is not an admin`,
  stream: ADMINS,
  mayRaceFor: Number.POSITIVE_INFINITY, // one process's configuration may differ from the log for long
})

export const authorityRules = (): AuthorityRules => {
  /** True once an event shows that a version wrote the log which records who is an admin: every such act needs a grant from then on. */
  let areAdminsRecorded = false
  let raced = 0
  let notJudged = 0
  /** The time when the last act was recorded. */
  let before = 0

  /** Judges an act by a right that may have ended since the decision. `stream` is the one that gives and takes the right. */
  const judge = <Value>(
    event: JudgedEvent,
    { whenDecided, whenRecorded, since }: TenureValues<Value>,
    { may, lacks, stream, mayRaceFor = MAX_RACE_MS }: Judgement<Value>,
    { note, race }: Verdicts,
  ): void => {
    const late = event.at - since
    if (!may(whenDecided)) note(`without authority: ${lacks}${asOf(event, stream)}`)
    else if (!may(whenRecorded) && late > mayRaceFor) note(`without authority: ${lacks}, for ${Math.round(late / 1000)} seconds`)
    else if (!may(whenRecorded)) {
      raced += 1
      race(`when it was recorded, but not yet when it was decided, ${lacks}`)
    }
  }

  const asModerator = (event: JudgedEvent, actor: string, needed: PermissionRequirement, verdicts: Verdicts): readonly LedgerEntry[] => {
    if (needed === 'none') return []
    const subsites = subsitesOf(event)
    if (subsites.length === 0) {
      verdicts.note('without authority: it is of no subsite, and has no moderators')
      return []
    }
    let wasAdmin = false
    let place: string | null | undefined
    const { message } = event.data as OnThing
    return [
      // an admin who moderates acts as a moderator, even if only the admin may
      readAdminGrant(actor, seenRevisionOf(event, ADMINS), ({ ever }) => {
        wasAdmin = ever
      }),
      ...(message === undefined
        ? []
        : [
            readRow<Thing>('messages', message, (row) => {
              place = row?.subsite
              if (subsites.length > 1 && !subsites.some((one) => one === place))
                verdicts.note('without authority: its message is not mail of a subsite that it was decided by')
            }),
          ]),
      ...subsites.map((subsite) => {
        const stream = `${MODERATORS_STREAM_PREFIX}${subsite}`
        const may = (rights: ModeratorRights | null) =>
          grants(rights, needed) ||
          (wasAdmin && needed !== 'any' && needed !== 'all' && needed.includes('wiki') && grants(rights, ['wiki']))
        return readSeat(seatId(subsite, actor), seenRevisionOf(event, stream), (tenure) => {
          if (subsites.length > 1 && subsite !== place) return
          if (message !== undefined && place !== undefined && place !== subsite)
            verdicts.note(`without authority: its message is not mail of ${subsite}`)
          judge(event, tenure, { may, lacks: `${actor} does not hold ${nameOfRight(needed)} in ${subsite}`, stream }, verdicts)
        })
      }),
    ]
  }

  const asAdmin = (event: JudgedEvent, actor: string, verdicts: Verdicts): readonly LedgerEntry[] => {
    const adminsRevision = seenRevisionOf(event, ADMINS)
    areAdminsRecorded ||= adminsRevision !== undefined
    if (!areAdminsRecorded) {
      notJudged += 1
      return []
    }
    const isKnown = typeof adminsRevision === 'number'
    return [
      // a process that had not found its own admins in the log yet does not say which revision its decision saw
      readAdminGrant(actor, isKnown ? adminsRevision : undefined, (tenure) =>
        judge(event, isKnown || !tenure.ever ? tenure : { ...tenure, whenDecided: { isAdmin: true } }, isAdmin(actor), verdicts),
      ),
    ]
  }

  const notSuspended = (event: JudgedEvent, actor: string, verdicts: Verdicts): LedgerEntry => {
    const stream = `account-${actor}`
    const may = (suspension: { readonly until: number | null } | null) =>
      suspension === null || (suspension.until !== null && suspension.until <= event.at + MAX_RACE_MS)
    return readSuspension(actor, seenRevisionOf(event, stream), (tenure) => {
      const isRecent = seenRevisionOf(event, stream) === undefined && event.at - tenure.since < MAX_RACE_MS
      const whenDecided = isRecent ? null : tenure.whenDecided
      judge(event, { ...tenure, whenDecided }, { may, lacks: `${actor} is suspended`, stream }, verdicts)
    })
  }

  /** Judges mail that claims to be written by a moderator or an admin. */
  const ofDistinction = (event: JudgedEvent, actor: string, verdicts: Verdicts): readonly LedgerEntry[] => {
    if (event.type !== 'MessageSent' || event.by.as !== 'user') return []
    if (event.data.distinguished === 'admin') return asAdmin(event, actor, verdicts)
    if (event.data.distinguished !== 'moderator') return []
    if (event.data.subsite !== null) return asModerator(event, actor, 'any', verdicts)
    verdicts.note('without authority: only in mail of a subsite does anybody speak as its moderator')
    return []
  }

  const asUser = (event: JudgedEvent, actor: string, right: Right, verdicts: Verdicts): readonly LedgerEntry[] => {
    const { type, data } = event
    const owner = right.user?.(data as never)
    if (type === 'MessageCollapsed' || type === 'MessageUncollapsed') {
      let isOwn = false
      const unless = { ...verdicts, note: (problem: string) => (isOwn ? undefined : verdicts.note(problem)) }
      return [
        readRow<Thing & { readonly to: string | null }>('messages', data.message, (row) => {
          isOwn = row?.author === actor || row?.to === actor
          if (!isOwn && subsitesOf(event).length === 0) verdicts.note(`without authority: ${data.message} is not mail of ${actor}`)
        }),
        ...(subsitesOf(event).length === 0 ? [] : asModerator(event, actor, 'any', unless)),
      ]
    }
    if (right.onceByUsers) return asModerator(event, actor, right.moderator?.(data as never, false) ?? 'any', verdicts)
    if (owner === undefined) verdicts.note(`without authority: users do not record a ${type}`)
    else if (owner !== actor) verdicts.note(`without authority: it is not an act of ${actor}`)
    if (type === 'ModeratorAdded' && data.founder && event.revision > 0) verdicts.note('without authority: the subsite was founded before')
    return (type === 'ModeratorAdded' || type === 'ContributorAdded') && data.founder
      ? [checkFounding(data.subsite, data.account, verdicts.note)]
      : []
  }

  const byActor = (event: JudgedEvent, actor: string, right: Right, verdicts: Verdicts): readonly LedgerEntry[] => {
    const { type, data, by } = event
    const only = right.actor?.(data as never) ?? actor
    if (only !== actor) verdicts.note(`without authority: it is an act of ${only}, not of ${actor}`)
    if (by.as === 'user') return asUser(event, actor, right, verdicts)
    const standing = right.whileSuspended ? [] : [notSuspended(event, actor, verdicts)]
    if (by.as === 'admin') {
      if (!right.admin) verdicts.note(`without authority: admins do not record a ${type}`)
      return [...standing, ...asAdmin(event, actor, verdicts)]
    }
    const { account } = data as { readonly account?: string }
    const needed = right.moderator?.(data as never, account === actor)
    if (needed === undefined) verdicts.note(`without authority: moderators do not record a ${type}`)
    return [...standing, ...asModerator(event, actor, needed ?? 'none', verdicts), ...ofSeniority(event, actor, verdicts.note)]
  }

  return {
    judgeAdmins: () => {
      areAdminsRecorded = true
    },
    raced: () => raced,
    notJudged: () => notJudged,
    of: (recorded, note, race) => {
      // an act is not recorded long before the one ahead of it in the log, whatever time it names
      const at = Math.max(recorded.at, before - MAX_RACE_MS)
      const event = { ...recorded, at } as typeof recorded
      const { type, data, by } = event
      areAdminsRecorded ||= type === 'AdminGranted' || type === 'AdminRevoked'
      const verdicts = { note, race }
      const about = aboutThing(event, note)
      if (isConsequence(event)) return about
      before = recorded.at
      const right = rights[type] as Right
      if (by.as === 'system' || by.account === null) {
        const isService = by.as === 'system' && by.account === null
        if (!isService || !right.service)
          note(
            `without authority: ${isService ? 'the service itself does' : 'nobody may'} not record a ${type} of which nothing is the cause`,
          )
        return [...about, ...ofEnd(event, note)]
      }
      const facts =
        type === 'ModeratorInvitationAccepted' ? [acceptance(data, note)] : type === 'WikiPageRevised' ? ofPage(event, note) : []
      return [...about, ...facts, ...byActor(event, by.account, right, verdicts), ...ofDistinction(event, by.account, verdicts)]
    },
  }
}
