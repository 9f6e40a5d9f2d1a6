import { type Entry, short, shortened } from '../ledger.ts'
import { amend, amendKnown, drop, entry, type Note, put, type Rules, serialOf } from './rule.ts'

// Subsites, their subscribers, their sticky slots, and who took part in them.

type Settings = Readonly<Record<string, unknown>>
type SubsiteRow = { readonly settings: Settings; readonly subscribers: number }
type Subscription = { readonly since: number }
type Slots = { readonly id: string; readonly links: readonly string[] }

/** The settings that a subsite is found and listed by stand beside them once more. */
const listedBy = ({ title, public_description, type, allow_top, over_18 }: Settings) => ({
  title,
  public_description,
  type,
  allowTop: allow_top,
  over18: over_18,
})

const tookPart = (account: string, subsite: string, position: string): readonly Entry[] => [
  put('participation', { id: `${account}.${subsite}` }),
  entry<{ readonly position: string }>('audit_participation', `${account}.${subsite}`, (first) => first ?? { position }),
]

const subscribers = (subsite: string, note: Note, by: () => number): Entry =>
  amendKnown<SubsiteRow>('subsites', subsite, note, (row) => ({ ...row, subscribers: row.subscribers + by() }))

export const subsiteRules: Rules = {
  SubsiteCreated: ({ data: { subsite: id, name, creator, settings }, at }) => {
    const kept = shortened(settings) as Settings
    return [
      put('subsites', {
        ...{ id, seq: serialOf(id), name, lower: name.toLowerCase(), creator, created: at, settings: kept, subscribers: 0 },
        ...listedBy(kept),
      }),
    ]
  },
  SubsiteSettingChanged: ({ data: { subsite, setting, before, after } }, note) => [
    amendKnown<SubsiteRow>('subsites', subsite, note, (row) => {
      if (row.settings[setting] !== shortened(before)) note(`its previous value of ${setting} differs from what earlier events set`)
      const settings = { ...row.settings, [setting]: shortened(after) }
      return { ...row, settings, ...listedBy(settings) }
    }),
  ],
  Subscribed: ({ data: { account, subsite }, at, position }, note) => {
    let isNew = false
    const id = `${account}.${subsite}`
    return [
      entry<Subscription>('subscriptions', id, (there) => {
        isNew = there === undefined
        if (!isNew) note(`${account} was already subscribed to ${subsite}`)
        return { id, account, subsite, since: at }
      }),
      subscribers(subsite, note, () => (isNew ? 1 : 0)),
      ...tookPart(account, subsite, position),
    ]
  },
  Unsubscribed: ({ data: { account, subsite } }, note) => {
    let was = false
    return [
      entry<Subscription>('subscriptions', `${account}.${subsite}`, (there) => {
        was = there !== undefined
        if (!was) note(`${account} was not subscribed to ${subsite}`)
        return undefined
      }),
      subscribers(subsite, note, () => (was ? -1 : 0)),
    ]
  },
  LinkSubmitted: ({ data: { author, subsite }, position }) => tookPart(author, subsite, position),
  CommentPosted: ({ data: { author, subsite }, position }) => tookPart(author, subsite, position),
  MessageSent: ({ data: { author, subsite, modmail, fromSubsite }, position }) =>
    author === null || subsite === null || !modmail || fromSubsite ? [] : tookPart(author, subsite, position),
  LinkStickied: ({ data: { subsite, target, slot } }, note) => [
    entry<Slots>('stickies', subsite, (row) => {
      const links = [...(row?.links ?? [])]
      if (links.includes(target.id) || slot < 1 || slot > links.length + 1)
        note(`${target.id} cannot go into slot ${slot} beside ${links.length} others`)
      links.splice(slot - 1, 0, target.id)
      return { id: subsite, links }
    }),
    amendKnown('links', target.id, note, (link) => ({ ...link, slot })),
  ],
  LinkUnstickied: ({ data: { subsite, target, slot } }, note) => [
    amend<Slots>('stickies', subsite, (row) => {
      if (row.links[slot - 1] !== target.id) note(`${target.id} is not in slot ${slot}`)
      return { id: subsite, links: row.links.filter((link) => link !== target.id) }
    }),
    amendKnown('links', target.id, note, (link) => ({ ...link, slot: null })),
  ],
}

// How accounts stand in subsites, and what time will undo of it.

type Pair = { readonly subsite: string; readonly account: string }
type Way = 'moderator' | 'moderator_invite' | 'contributor' | 'banned'

const relationOf = ({ subsite, account }: Pair, type: Way): string => `${subsite}.${account}.${type}`

const relate = (pair: Pair, type: Way, since: number, more: object = {}): Entry =>
  put('relations', {
    id: relationOf(pair, type),
    subsite: pair.subsite,
    account: pair.account,
    type,
    since,
    ...{ note: '', permissions: '', until: null, ...more },
  })

const end = (pair: Pair, type: Way): Entry => drop('relations', relationOf(pair, type))

const endKnown = (pair: Pair, type: Way, note: Note): Entry =>
  entry('relations', relationOf(pair, type), (row) => {
    if (row === undefined) note(`${pair.account} was not a ${type} of ${pair.subsite}`)
    return undefined
  })

const seat = (pair: Pair, since: number, permissions: string): readonly Entry[] => [
  relate(pair, 'moderator', since, { permissions }),
  end(pair, 'moderator_invite'),
]

const timerOf = ({ subsite, account }: Pair): string => `ban.${subsite}.${account}`

const time = (cause: string, pair: Pair, until: number | null): Entry =>
  until === null
    ? drop('timers', timerOf(pair))
    : put('timers', { id: timerOf(pair), due: until, kind: 'ban', subsite: pair.subsite, account: pair.account, cause })

const unban = ({ data }: { readonly data: Pair }, note: Note): readonly Entry[] => [
  endKnown(data, 'banned', note),
  drop('timers', timerOf(data)),
]

export const relationRules: Rules = {
  ModeratorAdded: ({ data, at }) => seat(data, at, data.permissions),
  ModeratorInvitationAccepted: ({ data, at }) => seat(data, at, data.permissions),
  ModeratorInvited: ({ data, at }) => [relate(data, 'moderator_invite', at, { permissions: data.permissions })],
  ModeratorInvitationWithdrawn: ({ data }, note) => [endKnown(data, 'moderator_invite', note)],
  ModeratorPermissionsChanged: ({ data }, note) => [
    amendKnown<{ readonly permissions: string }>(
      'relations',
      relationOf(data, data.invitation ? 'moderator_invite' : 'moderator'),
      note,
      (row) => {
        if (row.permissions !== data.before) note(`it records the previous permissions as ${data.before}, not ${row.permissions}`)
        return { ...row, permissions: data.after }
      },
    ),
  ],
  ModeratorRemoved: ({ data }, note) => [endKnown(data, 'moderator', note)],
  UserBanned: ({ id, data, at }) => [
    relate(data, 'banned', at, { until: data.until, note: short(data.note ?? '') }),
    time(id, data, data.until),
  ],
  BanChanged: ({ id, data }, note) => [
    amendKnown('relations', relationOf(data, 'banned'), note, (row) => ({ ...row, until: data.until, note: short(data.note ?? '') })),
    time(id, data, data.until),
  ],
  BanNoteChanged: ({ data }, note) => [
    amendKnown('relations', relationOf(data, 'banned'), note, (row) => ({ ...row, note: short(data.note ?? '') })),
  ],
  UserUnbanned: unban,
  BanExpired: unban,
  ContributorAdded: ({ data, at }) => [relate(data, 'contributor', at)],
  ContributorRemoved: ({ data }, note) => [endKnown(data, 'contributor', note)],
}
