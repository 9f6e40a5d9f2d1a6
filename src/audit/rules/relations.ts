import type { RelationType } from '../../domain/relation-types.ts'
import { type Entry, short } from '../ledger.ts'
import { amendKnown, drop, entry, type Note, put, type Rules } from './rule.ts'

// The relationships of accounts with subsites.

type Pair = { readonly subsite: string; readonly account: string }

const relationOf = ({ subsite, account }: Pair, type: RelationType): string => `${subsite}.${account}.${type}`

type RelationCreation = { readonly data: Pair; readonly at: number; readonly revision: number }

const relate = ({ data, at, revision }: RelationCreation, type: RelationType, more: object = {}): Entry =>
  put('relations', {
    id: relationOf(data, type),
    subsite: data.subsite,
    account: data.account,
    type,
    since: at,
    revision,
    note: '',
    noteBy: null,
    permissions: '',
    until: null,
    ...more,
  })

const end = (pair: Pair, type: RelationType): Entry => drop('relations', relationOf(pair, type))

const endKnown = (pair: Pair, type: RelationType, note: Note): Entry =>
  entry('relations', relationOf(pair, type), (row) => {
    if (row === undefined) note(`${pair.account} was not a ${type} of ${pair.subsite}`)
    return undefined
  })

const seat = (event: RelationCreation & { readonly data: { readonly permissions: string } }): readonly Entry[] => [
  relate(event, 'moderator', { permissions: event.data.permissions }),
  end(event.data, 'moderator_invite'),
]

type NoteChange = { readonly data: Pair & { readonly note?: string }; readonly by: { readonly account: string | null } }
type RestrictionEvent = NoteChange & RelationCreation & { readonly data: { readonly until: number | null } }

const annotation = ({ data: { note }, by: { account } }: NoteChange) => ({
  note: short(note ?? ''),
  noteBy: note === undefined ? null : account,
})

const restrict =
  (type: RelationType) =>
  (event: RestrictionEvent): readonly Entry[] => [relate(event, type, { until: event.data.until, ...annotation(event) })]

const reschedule =
  (type: RelationType) =>
  (event: RestrictionEvent, note: Note): readonly Entry[] => [
    amendKnown('relations', relationOf(event.data, type), note, (row) => ({ ...row, until: event.data.until, ...annotation(event) })),
  ]

const renote =
  (type: RelationType) =>
  (event: NoteChange, note: Note): readonly Entry[] => [
    amendKnown('relations', relationOf(event.data, type), note, (row) => ({ ...row, ...annotation(event) })),
  ]

const over =
  (type: RelationType) =>
  ({ data }: { readonly data: Pair }, note: Note): readonly Entry[] => [endKnown(data, type, note)]

export const relationRules: Rules = {
  ModeratorAdded: seat,
  ModeratorInvitationAccepted: seat,
  ModeratorInvited: (event) => [relate(event, 'moderator_invite', { permissions: event.data.permissions })],
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
  UserBanned: restrict('banned'),
  BanChanged: reschedule('banned'),
  BanNoteChanged: renote('banned'),
  UserUnbanned: over('banned'),
  BanExpired: over('banned'),
  UserWikiBanned: restrict('wikibanned'),
  WikiBanChanged: reschedule('wikibanned'),
  WikiBanNoteChanged: renote('wikibanned'),
  UserWikiUnbanned: over('wikibanned'),
  WikiBanExpired: over('wikibanned'),
  UserMuted: restrict('muted'),
  MuteNoteChanged: renote('muted'),
  UserUnmuted: over('muted'),
  MuteExpired: over('muted'),
  WikiContributorAdded: (event) => [relate(event, 'wikicontributor')],
  WikiContributorRemoved: over('wikicontributor'),
  ContributorAdded: (event) => [relate(event, 'contributor')],
  ContributorRemoved: over('contributor'),
}
