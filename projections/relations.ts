import { placesOf } from '../src/domain/account.ts'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import { Moderators } from '../src/domain/moderators.ts'
import { Relation } from '../src/domain/relation.ts'
import type { RelationType } from '../src/domain/relation-types.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, putDocument, remove } from './engine/projection.ts'

/** A relation of an account to a subsite, one document for each relation. */
export type RelationDocument = Document & {
  readonly subsite: string
  readonly account: string
  readonly type: RelationType
  readonly since: number
  /**
   * The revision of the event that made it, in its stream. Moderators are in this order of seniority, since clocks of several processes
   * differ.
   */
  readonly revision: number
  /** The note of a ban or mute; empty otherwise. */
  readonly note: string
  /** The stored form, for moderators and invitations; empty otherwise. */
  readonly permissions: string
  /** The account that wrote the note, if any. */
  readonly noteBy: string | null
  /** The end of a ban or mute; null if there is none. */
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

type RelationEvent = { readonly data: Pair; readonly at: number; readonly revision: number }

const toRelation = (
  { data: { subsite, account }, at, revision }: RelationEvent,
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
type RestrictionEvent = NoteEvent & RelationEvent & { readonly data: { readonly until: number | null } }

const noteOf = ({ data: { note }, by }: NoteEvent) => (note === undefined ? { note: '', noteBy: null } : { note, noteBy: by.account })

const imposeRestriction = (type: RelationType) => (event: RestrictionEvent) => [
  putDocument(toRelation(event, type, { until: event.data.until, ...noteOf(event) })),
]

const changeRestriction = (type: RelationType) => (event: RestrictionEvent) => [
  change<RelationDocument>(relationId(event.data, type), (ban) => ({ ...ban, until: event.data.until, ...noteOf(event) })),
]

const changeNote = (type: RelationType) => (event: NoteEvent) => [
  change<RelationDocument>(relationId(event.data, type), (relation) => ({ ...relation, ...noteOf(event) })),
]

const endRelation =
  (type: RelationType) =>
  ({ data }: { readonly data: Pair }) => [remove<RelationDocument>(relationId(data, type))]

const seatModerator = (event: RelationEvent & { readonly data: { readonly permissions: string } }) => [
  putDocument(toRelation(event, 'moderator', { permissions: event.data.permissions })),
  remove<RelationDocument>(relationId(event.data, 'moderator_invite')),
]

export const relationsProjection: Projection<RelationDocument> = {
  collection: relations,
  follows: [Moderators, Relation],
  on: {
    ModeratorAdded: seatModerator,
    ModeratorInvited: (event) => [putDocument(toRelation(event, 'moderator_invite', { permissions: event.data.permissions }))],
    ModeratorInvitationWithdrawn: ({ data }) => [remove(relationId(data, 'moderator_invite'))],
    ModeratorInvitationAccepted: seatModerator,
    ModeratorPermissionsChanged: ({ data }) => [
      change(relationId(data, data.invitation ? 'moderator_invite' : 'moderator'), (relation) => ({
        ...relation,
        permissions: data.after,
      })),
    ],
    ModeratorRemoved: ({ data }) => [remove(relationId(data, 'moderator'))],
    UserBanned: imposeRestriction('banned'),
    BanChanged: changeRestriction('banned'),
    BanNoteChanged: changeNote('banned'),
    UserUnbanned: endRelation('banned'),
    BanExpired: endRelation('banned'),
    UserWikiBanned: imposeRestriction('wikibanned'),
    WikiBanChanged: changeRestriction('wikibanned'),
    WikiBanNoteChanged: changeNote('wikibanned'),
    UserWikiUnbanned: endRelation('wikibanned'),
    WikiBanExpired: endRelation('wikibanned'),
    UserMuted: imposeRestriction('muted'),
    MuteNoteChanged: changeNote('muted'),
    UserUnmuted: endRelation('muted'),
    MuteExpired: endRelation('muted'),
    ContributorAdded: (event) => [putDocument(toRelation(event, 'contributor'))],
    ContributorRemoved: endRelation('contributor'),
    WikiContributorAdded: (event) => [putDocument(toRelation(event, 'wikicontributor'))],
    WikiContributorRemoved: endRelation('wikicontributor'),
    AccountTextsErased: ({ data }) =>
      placesOf(data, 'note').map((id) =>
        change(id, (relation) => (relation.noteBy === data.account ? { ...relation, note: ERASED_PLACEHOLDER } : relation)),
      ),
  },
}
