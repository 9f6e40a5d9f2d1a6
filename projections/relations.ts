import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, put, remove } from './engine/projection.ts'

export type RelationType = 'moderator' | 'moderator_invite' | 'contributor' | 'banned'

/** How an account stands in a subsite, one document for each way. */
export type RelationDocument = Document & {
  readonly subsite: string
  readonly account: string
  readonly type: RelationType
  readonly since: number
  /** Of a ban; empty otherwise. */
  readonly note: string
  /** Stored form, for moderators and invitations; empty otherwise. */
  readonly permissions: string
  /** When a ban ends; null: never. */
  readonly until: number | null
}

export const relations = collection<RelationDocument>({
  name: 'relations',
  version: 1,
  indexes: [
    { fields: ['subsite', 'type', 'since', 'id'] },
    { fields: ['subsite', 'type', '-since', '-id'] },
    { fields: ['account', 'type', '-since', '-id'] },
  ],
})

type Pair = { readonly subsite: string; readonly account: string }

export const relationId = ({ subsite, account }: Pair, type: RelationType): string => `${subsite}.${account}.${type}`

const standing = (
  pair: Pair,
  type: RelationType,
  since: number,
  more: Partial<Pick<RelationDocument, 'note' | 'permissions' | 'until'>> = {},
): RelationDocument => ({
  id: relationId(pair, type),
  subsite: pair.subsite,
  account: pair.account,
  type,
  since,
  note: '',
  permissions: '',
  until: null,
  ...more,
})

export const relationsProjection: Projection<RelationDocument> = {
  collection: relations,
  on: {
    ModeratorAdded: ({ data, at }) => [
      put(standing(data, 'moderator', at, { permissions: data.permissions })),
      remove(relationId(data, 'moderator_invite')),
    ],
    ModeratorInvited: ({ data, at }) => [put(standing(data, 'moderator_invite', at, { permissions: data.permissions }))],
    ModeratorInvitationWithdrawn: ({ data }) => [remove(relationId(data, 'moderator_invite'))],
    ModeratorInvitationAccepted: ({ data, at }) => [
      put(standing(data, 'moderator', at, { permissions: data.permissions })),
      remove(relationId(data, 'moderator_invite')),
    ],
    ModeratorPermissionsChanged: ({ data }) => [
      change(relationId(data, data.invitation ? 'moderator_invite' : 'moderator'), (relation) => ({
        ...relation,
        permissions: data.after,
      })),
    ],
    ModeratorRemoved: ({ data }) => [remove(relationId(data, 'moderator'))],
    UserBanned: ({ data, at }) => [put(standing(data, 'banned', at, { until: data.until, note: data.note ?? '' }))],
    BanChanged: ({ data }) => [change(relationId(data, 'banned'), (ban) => ({ ...ban, until: data.until, note: data.note ?? '' }))],
    BanNoteChanged: ({ data }) => [change(relationId(data, 'banned'), (ban) => ({ ...ban, note: data.note ?? '' }))],
    UserUnbanned: ({ data }) => [remove(relationId(data, 'banned'))],
    BanExpired: ({ data }) => [remove(relationId(data, 'banned'))],
    ContributorAdded: ({ data, at }) => [put(standing(data, 'contributor', at))],
    ContributorRemoved: ({ data }) => [remove(relationId(data, 'contributor'))],
  },
}
