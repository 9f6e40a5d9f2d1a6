import * as E from 'fp-ts/lib/Either.js'
import { type RelationDocument, relationId } from '../../../../projections/relations.ts'
import type { SubsiteDocument } from '../../../../projections/subsites.ts'
import type { AccountId, SubsiteId } from '../../../domain/ids.ts'
import type { RelationType } from '../../../domain/relation-types.ts'
import type { Place } from '../../../history/places.ts'
import type { DocumentStore } from '../../../ports/documents.ts'
import { accountNamed, accountsById, type Names, namesOf } from '../../../queries/accounts.ts'
import { moderatorsAsOf } from '../../../queries/as-of.ts'
import { inMemorySource, listBy, type OrderedSource } from '../../../queries/ordered-source.ts'
import { moderatorsOf, RELATIONS_OF_SUBSITE, relationOf, relationsOf } from '../../../queries/relations.ts'
import { subsiteNamed } from '../../../queries/subsites.ts'
import { type AnyEndpoint, type Context, type Need, section, type Uses } from '../../contract/endpoint.ts'
import { subsiteName } from '../../contract/name-params.ts'
import { describeParam, oneOf, optional, rawText } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { listingShape } from '../../contract/schemas/things.ts'
import { notSuspended } from '../../needs/facts.ts'
import { at, lookBack, placeHere } from '../../needs/past.ts'
import {
  bannedRowShape,
  contributorRowShape,
  moderatorRow,
  moderatorRowShape,
  userList,
  userListShape,
} from '../../present/relationship.ts'
import { capacityIn } from '../../things/access.ts'
import { list, type NamedAnchor } from '../../things/listing.ts'
import { relationLists } from '../../things/relations.ts'

type List = (typeof relationLists)[number]
const names = relationLists.map(({ path }) => path)
const listAt = new Map<string, List>(relationLists.map((list) => [list.path, list]))

/** Returns the subsite of the path, or all that the viewer moderates. */
const subsiteOrModerated = async ({ documents, site, viewer: { account } }: Context): Promise<E.Either<Refusal, readonly SubsiteId[]>> => {
  if (site.kind === 'subsite') return E.right([site.subsite.id])
  if (site.kind !== 'home') return refuseRule('NOT_FOUND')
  const moderated = account === undefined ? [] : await relationsOf(documents, account, 'moderator')
  return moderated.length === 0 ? refuseRule('FORBIDDEN') : E.right(moderated.map(({ subsite }) => subsite))
}

type MemberFilter = AccountId | undefined | 'all'

/** Returns the relations of accounts that are not deleted. */
const leaveOutDeleted = async (documents: DocumentStore, relations: readonly RelationDocument[]): Promise<readonly RelationDocument[]> => {
  const known = await accountsById(
    documents,
    relations.map(({ account }) => account),
  )
  return relations.filter(({ account }) => known.get(account)?.deleted === false)
}

/** Lists the moderators of a subsite as of a log position. */
const pastModerators = async (context: Context & Uses<'readUntil'>, place: Place, subsite: SubsiteId, user: MemberFilter) => {
  const { documents } = context
  const seats = await lookBack(context, place, (back) => moderatorsAsOf(back, subsite))
  if (E.isLeft(seats)) return seats
  const shown = (await leaveOutDeleted(documents, seats.right)).filter(({ account }) => user === 'all' || account === user)
  return { kind: 'json', body: userList(await rowsOf(documents, shown, moderatorRow)), fleeting: true } as const
}

/**
 * Lists moderators, most senior first. Several subsites follow one another, since each has its own seniority; each account is listed once.
 */
const moderators = async (documents: DocumentStore, subsites: readonly SubsiteId[], user: MemberFilter) => {
  const senior = (await Promise.all(subsites.map((subsite) => moderatorsOf(documents, subsite)))).flat()
  const listedAccounts = new Set<AccountId>()
  const once = senior.filter(({ account }) => !listedAccounts.has(account) && listedAccounts.add(account))
  const shown = (await leaveOutDeleted(documents, once)).filter(({ account }) => user === 'all' || account === user)
  return { kind: 'json', body: userList(await rowsOf(documents, shown, moderatorRow)) } as const
}

type RenderMember = (relation: RelationDocument, names: Names) => object

const rowsOf = async (documents: DocumentStore, relations: readonly RelationDocument[], row: RenderMember): Promise<readonly object[]> => {
  const names = await namesOf(
    documents,
    relations.map(({ account }) => account),
  )
  return relations.map((relation) => row(relation, names))
}

/**
 * Tells whether the viewer may see a list. It is for the subsite's moderators. All viewers of a subsite that is not public see its
 * contributors, except in types that admit others.
 */
const maySee = async (context: Context, { id, type }: SubsiteDocument, list: List) => {
  if (list.type === 'contributor' && (type === 'employees_only' || type === 'gold_only')) return false
  if (list.type === 'contributor' && type !== 'public') return true
  return (await capacityIn(context, id, list.reads)) !== undefined
}

/**
 * The listed accounts: the moderators of some subsites, or the accounts with a relation to one. Suspended accounts read contributors only.
 */
type Listable = { readonly moderated: readonly SubsiteId[] } | { readonly subsite: SubsiteId; readonly list: List }

const requireListable: Need<Listable, { readonly where: string }, Viewer> = async (context, name) => {
  const { where } = context.params
  if (where === 'moderators') return E.map((moderated: readonly SubsiteId[]) => ({ moderated }))(await subsiteOrModerated(context))
  const { site } = context
  if (site.kind !== 'subsite') return refuseRule('NOT_FOUND')
  const list = listAt.get(where)
  if (!list || !(await maySee(context, site.subsite, list))) return refuseRule('FORBIDDEN')
  const standing = list.type === 'contributor' ? E.right(true) : await notSuspended(context, name)
  return E.map(() => ({ subsite: site.subsite.id, list }))(standing)
}

/** Returns the place to look back at, for the list of moderators alone: the other lists are not made of one stream. */
const placeOfModerators: Need<
  Place | undefined,
  Parameters<typeof placeHere>[0]['params'],
  Viewer,
  Uses<'places' | 'readEvent'> & { readonly listed: Listable }
> = (context, name) =>
  context.params.at !== undefined && 'list' in context.listed
    ? E.left({ code: 'BAD_REQUEST', field: 'at', text: 'only the list of moderators can be looked back at' })
    : placeHere(context, name)

const membersOf = async (
  documents: DocumentStore,
  subsite: SubsiteId,
  type: RelationType,
  wanted: MemberFilter,
): Promise<OrderedSource<RelationDocument>> => {
  if (wanted === 'all') return listBy(documents, RELATIONS_OF_SUBSITE, { subsite, type })
  const one = wanted === undefined ? undefined : await relationOf(documents, subsite, wanted, type)
  return inMemorySource(one ? [one] : [], RELATIONS_OF_SUBSITE.order)
}

/** Returns the names of items. A name contains the item's key, so it stays an anchor after the relation has ended. */
const anchorNames = (subsite: SubsiteId, { type, mark }: { readonly type: RelationType; readonly mark: string }) => ({
  nameOf: ({ account, since }: RelationDocument) => `${mark}_${since.toString(36)}_${account.slice(3)}`,
  anchor: async (name: string): Promise<NamedAnchor | undefined> => {
    const [, since, id] = /^r[a-z]{1,2}_([0-9a-z]{1,10})_([0-9a-z]{1,11})$/.exec(name) ?? []
    if (since === undefined || id === undefined) return undefined
    return { key: [Number.parseInt(since, 36), relationId({ subsite, account: `t2_${id}` }, type)], viewable: true }
  },
})

const members = section('Subsites').get('[/s/{sub}]/about/{where}', {
  values: { where: ['moderators', ...names] },
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  listing: { max: 100 },
  rss: true,
  answers: { 200: shape.union(userListShape(moderatorRowShape), listingShape(shape.union(bannedRowShape, contributorRowShape))) },
  summary:
    'The moderators, approved submitters, banned and muted accounts of a subsite, and the contributors and banned accounts of its wiki.',
  notes:
    'Moderators are one list, most senior first, public; without a subsite in the path, those of all subsites that you moderate, one subsite after the other. The others are listings, newest first: contributors of a public subsite and bans for moderators with `access`, mutes for those with `access` and `mail`, wiki lists for those with `wiki`. Deleted accounts are left out.',
  cache: 'public',
  params: {
    where: oneOf('moderators', ...names),
    user: describeParam(optional(rawText()), 'only this user'),
    at: describeParam(at, `of moderators: ${at.description}`),
  },
  uses: ['places', 'readEvent', 'readUntil'],
  needs: { listed: requireListable, place: placeOfModerators },
  handle: async (context) => {
    const { params, listed, place, documents, clock } = context
    const { where, user } = params
    const account = user === undefined ? 'all' : (await accountNamed(documents, user.trim()))?.id
    if ('moderated' in listed && place) return pastModerators(context, place, listed.moderated[0] ?? '', account)
    if ('moderated' in listed) return moderators(documents, listed.moderated, account)
    const { subsite } = listed
    const { type, row } = listed.list
    const now = clock()
    return list({
      source: await membersOf(documents, subsite, type, account),
      order: [where],
      ...anchorNames(subsite, listed.list),
      visible: (relations) =>
        leaveOutDeleted(
          documents,
          relations.filter(({ until }) => until === null || until > now),
        ),
      present: (items) => rowsOf(documents, items, (relation, names) => row(relation, names, now)),
    })
  },
})

/** Returns the subsite of a name, for moderators who may withdraw an invitation there. */
const requireModerated: Need<SubsiteDocument, { readonly subsite: string }, Viewer> = async (context) => {
  const subsite = await subsiteNamed(context.documents, context.params.subsite)
  if (!subsite) return refuseRule('NOT_FOUND', 'subsite')
  return (await capacityIn(context, subsite.id, 'access')) === undefined ? refuseRule('FORBIDDEN') : E.right(subsite)
}

const invited = section('Subsites').get('/api/v1/{subsite}/moderators_invited', {
  scope: 'read',
  login: 'user',
  errors: 'plain',
  listing: { max: 100 },
  answers: { 200: listingShape(moderatorRowShape) },
  summary: 'The accounts that are invited to moderate a subsite and have not accepted yet, newest first.',
  notes: 'For moderators with `access`. Deleted accounts are left out.',
  params: {
    subsite: describeParam(subsiteName(), 'its name'),
    username: describeParam(optional(rawText()), 'only this user'),
  },
  needs: { moderated: requireModerated, active: notSuspended },
  handle: async ({ params: { username }, moderated, documents }) => {
    const type = 'moderator_invite'
    const account = username === undefined ? 'all' : (await accountNamed(documents, username.trim()))?.id
    return list({
      source: await membersOf(documents, moderated.id, type, account),
      order: [type],
      ...anchorNames(moderated.id, { type, mark: 'ri' }),
      visible: (relations) => leaveOutDeleted(documents, relations),
      present: (items) => rowsOf(documents, items, moderatorRow),
    })
  },
})

export const memberEndpoints: readonly AnyEndpoint[] = [members, invited]
