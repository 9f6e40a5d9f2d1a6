import type { Actor, Envelope } from '../../domain/event.ts'
import type { Logged } from '../../domain/events.ts'
import { type Entry, shortened } from '../ledger.ts'
import { type Due, due, dueAfter, dueOf } from './due.ts'
import { entry, put, type Rules } from './rule.ts'

// What follows from which event, as of that event.

const asUser = (account: string): Actor => ({ account, as: 'user' })
const system: Actor = { account: null, as: 'system' }

/** Types of subsite in which contributors are not who is let in. */
const closed: ReadonlySet<string> = new Set(['employees_only', 'gold_only'])

type Told = Logged<
  | 'ModeratorInvited'
  | 'ModeratorInvitationAccepted'
  | 'ModeratorAdded'
  | 'ModeratorRemoved'
  | 'ContributorAdded'
  | 'UserBanned'
  | 'BanChanged'
>

/** A message in the name of the subsite to the account concerned. */
const tells = (cause: Told, says: readonly string[] = []): Due => {
  const { account, subsite } = cause.data
  const data = { author: cause.by.account, to: account, subsite, fromSubsite: true, modmail: true, parent: null }
  const distinguished = cause.by.as === 'admin' ? 'admin' : 'moderator'
  return dueOf(cause, `MessageSent ${account}`, { data: { ...data, distinguished }, says, excusedBy: [] })
}

const tellsModerators = (cause: Told, author: string | null): Entry => {
  const data = { author, to: null, subsite: cause.data.subsite, fromSubsite: false, modmail: true, parent: null }
  const distinguished = author === null ? null : 'moderator'
  return due(cause, 'MessageSent moderators', { data: { ...data, distinguished }, excusedBy: [] })
}

const send = (what: Due): Entry => put('audit_due', what)

const HOUR = 3_600_000

type LastBan = { readonly revision: number }

/**
 * Only who took part there before is told; an invitation that is pending is withdrawn; time ends a ban by itself. What was decided
 * before the ban and recorded after it may be taken back because of it.
 */
const banned = (cause: Logged<'UserBanned' | 'BanChanged'>): readonly Entry[] => {
  const { subsite, account, until, days, message = '' } = cause.data
  const pair = `${subsite}.${account}`
  const [first = ''] = message.split('\n')
  const notice = tells(cause, [...(days === null ? [] : [`${days} day`]), first.slice(0, 60)])
  const ends = ['BanExpired', 'UserUnbanned', 'UserBanned', 'BanChanged'].map((type) => `${type} ${pair}`)
  const withdrawn = dueOf(cause, `ModeratorInvitationWithdrawn ${pair}`, { excusedBy: answers(pair), repeats: true })
  return [
    entry<LastBan>('audit_bans', pair, () => ({ revision: cause.revision })),
    ...dueAfter(['audit_participation', `${account}.${subsite}`], (took) => (took ? notice : undefined), notice.id),
    ...dueAfter(
      ['relations', `${pair}.moderator_invite`],
      (invitation) => ({ ...withdrawn, required: invitation !== undefined && cause.type === 'UserBanned' }),
      withdrawn.id,
    ),
    due(cause, `ModeratorRemoved ${pair}`, { by: system, data: { left: false }, required: false, repeats: true }),
    ...(until === null || cause.by.account === null
      ? []
      : [
          due(cause, `BanExpired ${pair}`, {
            ...{ by: system, at: until, correlationId: cause.id, data: { bannedBy: cause.by.account } },
            ...{ excusedBy: ends, notBefore: until + HOUR },
          }),
        ]),
  ]
}

const unbanned = ({ data: { subsite, account } }: Logged<'UserUnbanned' | 'BanExpired'>): readonly Entry[] => [
  entry('audit_bans', `${subsite}.${account}`, () => undefined),
]

/** What ends that an invitation waits. */
const answers = (pair: string): readonly string[] =>
  ['ModeratorInvitationWithdrawn', 'ModeratorInvitationAccepted', 'ModeratorAdded'].map((type) => `${type} ${pair}`)

/** What is given to somebody who was banned between the decision and this is taken back. */
const givenTo = (
  cause: Logged<'ModeratorInvited' | 'ModeratorInvitationAccepted' | 'ModeratorAdded'>,
  back: string,
  excusedBy: readonly string[],
): readonly Entry[] => {
  const pair = `${cause.data.subsite}.${cause.data.account}`
  const seen = cause.meta.seen[`relation-${pair}`]
  const what = dueOf(cause, `${back} ${pair}`, { excusedBy })
  const isUnseen = (ban: LastBan | undefined) => ban !== undefined && seen !== undefined && (seen === 'none' || ban.revision > seen)
  return dueAfter<LastBan>(['audit_bans', pair], (ban) => (isUnseen(ban) ? what : undefined), what.id)
}

const seatGiven = (cause: Logged<'ModeratorInvitationAccepted' | 'ModeratorAdded'>): readonly Entry[] =>
  givenTo(cause, 'ModeratorRemoved', [`ModeratorRemoved ${cause.data.subsite}.${cause.data.account}`])

type Slot = { readonly slot: number | null; readonly removed: object | null; readonly deleted: boolean }

/** A link that goes leaves its slot, if it has one. */
const leaves = (cause: Envelope & Logged, link: string, subsite: string, reason: 'removed' | 'deleted'): readonly Entry[] => {
  const key = `LinkUnstickied ${link}`
  const by = reason === 'removed' ? cause.by : system
  const what = dueOf(cause, key, { by, data: { subsite, reason }, repeats: true })
  return dueAfter<Slot>(['links', link], (row) => ({ ...what, required: typeof row?.slot === 'number' }), what.id)
}

export const opening: Rules = {
  UsernameClaimed: (claim) => {
    const { account, name } = claim.data
    return [due(claim, `AccountRegistered ${account}`, { by: asUser(account), data: { account, name } })]
  },
  SubsiteNameClaimed: (claim) => {
    const { subsite, name, creator, settings } = claim.data
    const by = asUser(creator)
    const pair = `${subsite}.${creator}`
    return [
      due(claim, `SubsiteCreated ${subsite}`, { by, data: { name, creator, settings: shortened(settings) } }),
      due(claim, `ModeratorAdded ${pair}`, { by, data: { permissions: '+all', founder: true } }),
      ...(closed.has(settings.type) ? [] : [due(claim, `ContributorAdded ${pair}`, { by, data: { founder: true } })]),
      due(claim, `Subscribed ${pair}`, { by }),
    ]
  },
  InboxCleared: (cause) => {
    const { account, things } = cause.data
    return things.flatMap((thing) => {
      const marks = [`InboxEntryRead ${account}.${thing}`, `InboxEntryUnread ${account}.${thing}`]
      const what = dueOf(cause, `InboxEntryRead ${account}.${thing}`, { by: asUser(account), excusedBy: marks })
      return dueAfter<{ readonly new: boolean }>(
        ['inbox', `${account}.${thing}`],
        (row) => ({ ...what, required: row?.new === true }),
        what.id,
      )
    })
  },
  LinkRemoved: (cause) => leaves(cause, cause.data.target.id, cause.data.subsite, 'removed'),
  LinkDeleted: (cause) => leaves(cause, cause.data.link, cause.data.subsite, 'deleted'),
  // The removal may have come between the decision and this: then the link leaves again, because of the removal.
  LinkStickied: (cause) => {
    const { target } = cause.data
    const what = dueOf(cause, `LinkUnstickied ${target.id}`)
    const isTold = cause.meta.seen[`link-${target.id}`] !== undefined
    let gone = false
    return [
      ...dueAfter<Slot>(
        ['links', target.id],
        (row) => {
          gone = row !== undefined && (row.removed !== null || row.deleted)
          return gone && isTold ? what : undefined
        },
        what.id,
      ),
      entry('audit_slots', target.id, () => ({ position: cause.position, gone })),
    ]
  },
  ModeratorInvited: (cause) => [
    send(tells(cause)),
    tellsModerators(cause, null),
    ...givenTo(cause, 'ModeratorInvitationWithdrawn', answers(`${cause.data.subsite}.${cause.data.account}`)),
  ],
  ModeratorInvitationAccepted: (cause) => [tellsModerators(cause, cause.data.account), ...seatGiven(cause)],
  ModeratorAdded: (cause) => {
    const data = { author: cause.by.account, to: cause.data.account, subsite: null, fromSubsite: false, modmail: false, parent: null }
    const key = `MessageSent ${cause.data.account}`
    if (cause.data.founder) return []
    return [due(cause, key, { data: { ...data, distinguished: 'admin' }, excusedBy: [] }), ...seatGiven(cause)]
  },
  ModeratorRemoved: (cause) => (cause.data.left ? [] : [send(tells(cause))]),
  ContributorAdded: (cause) => (cause.data.founder ? [] : [send(tells(cause))]),
  UserBanned: banned,
  BanChanged: banned,
  UserUnbanned: unbanned,
  BanExpired: unbanned,
}
