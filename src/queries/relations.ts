import { type RelationDocument, relationId, relations } from '../../projections/relations.ts'
import { subscriptionId, subscriptions } from '../../projections/subscriptions.ts'
import { MAX_SEATS_PER_EVENT } from '../domain/account.ts'
import type { AccountId, SubsiteId } from '../domain/ids.ts'
import type { Permissions } from '../domain/moderators.ts'
import type { RelationType } from '../domain/relation-types.ts'
import { type DocumentStore, getOne } from '../ports/documents.ts'
import { countBy, listingIndex } from '../ports/indexed.ts'
import { readAll } from './read-all.ts'

const BY_SENIORITY = listingIndex(relations, ['subsite', 'type'], ['revision', 'id'])
/** Finds the relationships of one type with a subsite, newest first. */
export const RELATIONS_OF_SUBSITE = listingIndex(relations, ['subsite', 'type'], ['-since', '-id'])
const OF_ACCOUNT = listingIndex(relations, ['account', 'type'], ['-since', '-id'])

/** Returns the moderators of a subsite, most senior first. */
export const moderatorsOf = (documents: DocumentStore, subsite: SubsiteId): Promise<readonly RelationDocument[]> =>
  readAll(documents, BY_SENIORITY, { subsite, type: 'moderator' })

export const relationOf = (
  documents: DocumentStore,
  subsite: SubsiteId,
  account: AccountId,
  type: RelationType,
): Promise<RelationDocument | undefined> => getOne(documents, relations, relationId({ subsite, account }, type))

/** Returns an account's relationships of one type with some subsites. */
export const relationsAmong = (
  documents: DocumentStore,
  account: AccountId,
  type: RelationType,
  subsites: readonly SubsiteId[],
): Promise<ReadonlyMap<SubsiteId, RelationDocument>> =>
  documents.getPairs(relations, { one: `${account}.${type}`, idOf: (subsite) => relationId({ subsite, account }, type) }, subsites)

/** Returns all relationships of one type that an account has (say, all it moderates), newest first. */
export const relationsOf = (documents: DocumentStore, account: AccountId, type: RelationType): Promise<readonly RelationDocument[]> =>
  readAll(documents, OF_ACCOUNT, { account, type })

/** Returns all its relationships of some types, by one read. */
export const relationsOfTypes = (
  documents: DocumentStore,
  account: AccountId,
  types: readonly RelationType[],
): Promise<readonly RelationDocument[]> => readAll(documents, OF_ACCOUNT, { account, type: { in: types } })

/** Returns the subsites that an account moderates, or is invited to. */
export const seatsOf = async (documents: DocumentStore, account: AccountId): Promise<readonly SubsiteId[]> => {
  const seats = await Promise.all([relationsOf(documents, account, 'moderator'), relationsOf(documents, account, 'moderator_invite')])
  return seats
    .flat()
    .map(({ subsite }) => subsite)
    .slice(0, MAX_SEATS_PER_EVENT)
}

/** Tells whether an account moderates anything. */
export const moderatesAnything = async (documents: DocumentStore, account: AccountId): Promise<boolean> =>
  (await countBy(documents, OF_ACCOUNT, { account, type: 'moderator' }, 1)) > 0

/** The relationships of an account with a subsite, from documents. */
export type Membership = {
  readonly banned: boolean
  readonly muted: boolean
  readonly contributor: boolean
  /** Undefined if the account is no moderator. */
  readonly permissions: Permissions | undefined
  readonly subscriber: boolean
}

const types = ['banned', 'muted', 'contributor', 'moderator'] as const satisfies readonly RelationType[]

const binds = (restriction: RelationDocument | undefined, now: number): boolean =>
  restriction !== undefined && (restriction.until === null || restriction.until > now)

/** Returns an account's relationships with each of many subsites. An expired ban or mute is left out. */
export const membershipsOf = async (
  documents: DocumentStore,
  account: AccountId,
  subsites: readonly SubsiteId[],
  now: number,
): Promise<ReadonlyMap<SubsiteId, Membership>> => {
  const [held, subscribed] = await Promise.all([
    documents.getMany(
      relations,
      subsites.flatMap((subsite) => types.map((type) => relationId({ subsite, account }, type))),
    ),
    documents.getMany(
      subscriptions,
      subsites.map((subsite) => subscriptionId(account, subsite)),
    ),
  ])
  return new Map(
    subsites.map((subsite) => {
      const as = (type: RelationType) => held.get(relationId({ subsite, account }, type))
      return [
        subsite,
        {
          banned: binds(as('banned'), now),
          muted: binds(as('muted'), now),
          contributor: as('contributor') !== undefined,
          permissions: as('moderator')?.permissions,
          subscriber: subscribed.has(subscriptionId(account, subsite)),
        },
      ]
    }),
  )
}
