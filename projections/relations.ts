import { placesOf } from '../src/domain/account.ts'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import { Moderators } from '../src/domain/moderators.ts'
import { Relation } from '../src/domain/relation.ts'
import type { RelationType } from '../src/domain/relation-types.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, put, remove } from './engine/projection.ts'

/** A relation of an account to a subsite, one document for each relation. */
export type RelationDocument = Document & {
  readonly subsite: string
  readonly account: string
  readonly type: RelationType
  readonly since: number
  /** Of the event that made it, in its stream: moderators are in this order of seniority, since clocks of several processes differ. */
  readonly revision: number
  /** Of bans and mutes; empty otherwise. */
  readonly note: string
  /** Stored form, for moderators and invitations; empty otherwise. */
  readonly permissions: string
  /** Who wrote the note; null: nobody. */
  readonly noteBy: string | null
  /** When a ban or mute ends; null: never. */
  readonly until: number | null
}

export const relations = collection<RelationDocument>({
  name: 'relations',
  version: 4,
  indexes: [
    { fields: ['subsite', 'type', 'revision', 'id'] },
    { fields: ['subsite', 'type', '-since', '-id'] },
    { fields: ['account', 'type', '-since', '-id'] },
  ],
})

type Pair = { readonly subsite: string; readonly account: string }

export const relationId = ({ subsite, account }: Pair, type: RelationType): string => `${subsite}.${account}.${type}`

type RelationCreation = { readonly data: Pair; readonly at: number; readonly revision: number }

const standing = (
  { data: { subsite, account }, at, revision }: RelationCreation,
  type: RelationType,
  more: Partial<Pick<RelationDocument, 'note' | 'noteBy' | 'permissions' | 'until'>> = {},
): RelationDocument => ({
  id: relationId({ subsite, account }, type),
  subsite,
  account,
  type,
  since: at,
  revision,
  note: '',
  noteBy: null,
  permissions: '',
  until: null,
  ...more,
})

type NoteEvent = { readonly data: Pair & { readonly note?: string }; readonly by: { readonly account: string | null } }
type RestrictionEvent = NoteEvent & RelationCreation & { readonly data: { readonly until: number | null } }

const noteOf = ({ data: { note }, by }: NoteEvent) => (note === undefined ? { note: '', noteBy: null } : { note, noteBy: by.account })

const imposed = (type: RelationType) => (event: RestrictionEvent) => [
  put(standing(event, type, { until: event.data.until, ...noteOf(event) })),
]

const changed = (type: RelationType) => (event: RestrictionEvent) => [
  change<RelationDocument>(relationId(event.data, type), (ban) => ({ ...ban, until: event.data.until, ...noteOf(event) })),
]

const noted = (type: RelationType) => (event: NoteEvent) => [
  change<RelationDocument>(relationId(event.data, type), (relation) => ({ ...relation, ...noteOf(event) })),
]

const ended =
  (type: RelationType) =>
  ({ data }: { readonly data: Pair }) => [remove<RelationDocument>(relationId(data, type))]

const seated = (event: RelationCreation & { readonly data: { readonly permissions: string } }) => [
  put(standing(event, 'moderator', { permissions: event.data.permissions })),
  remove<RelationDocument>(relationId(event.data, 'moderator_invite')),
]

export const relationsProjection: Projection<RelationDocument> = {
  collection: relations,
  follows: [Moderators, Relation],
  on: {
    ModeratorAdded: seated,
    ModeratorInvited: (event) => [put(standing(event, 'moderator_invite', { permissions: event.data.permissions }))],
    ModeratorInvitationWithdrawn: ({ data }) => [remove(relationId(data, 'moderator_invite'))],
    ModeratorInvitationAccepted: seated,
    ModeratorPermissionsChanged: ({ data }) => [
      change(relationId(data, data.invitation ? 'moderator_invite' : 'moderator'), (relation) => ({
        ...relation,
        permissions: data.after,
      })),
    ],
    ModeratorRemoved: ({ data }) => [remove(relationId(data, 'moderator'))],
    UserBanned: imposed('banned'),
    BanChanged: changed('banned'),
    BanNoteChanged: noted('banned'),
    UserUnbanned: ended('banned'),
    BanExpired: ended('banned'),
    UserWikiBanned: imposed('wikibanned'),
    WikiBanChanged: changed('wikibanned'),
    WikiBanNoteChanged: noted('wikibanned'),
    UserWikiUnbanned: ended('wikibanned'),
    WikiBanExpired: ended('wikibanned'),
    UserMuted: imposed('muted'),
    MuteNoteChanged: noted('muted'),
    UserUnmuted: ended('muted'),
    MuteExpired: ended('muted'),
    ContributorAdded: (event) => [put(standing(event, 'contributor'))],
    ContributorRemoved: ended('contributor'),
    WikiContributorAdded: (event) => [put(standing(event, 'wikicontributor'))],
    WikiContributorRemoved: ended('wikicontributor'),
    AccountTextsErased: ({ data }) =>
      placesOf(data, 'note').map((id) =>
        change(id, (relation) => (relation.noteBy === data.account ? { ...relation, note: ERASED_PLACEHOLDER } : relation)),
      ),
  },
}
