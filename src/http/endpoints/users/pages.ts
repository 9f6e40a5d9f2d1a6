import * as E from 'fp-ts/lib/Either.js'
import type { AccountId } from '../../../domain/ids.ts'
import { type ThingSort, thingSorts } from '../../../domain/link-sorts.ts'
import { type Span, spans } from '../../../domain/time-windows.ts'
import { accountNamed, isSuspendedForGood, preferencesOf } from '../../../queries/accounts.ts'
import { isBlocked } from '../../../queries/blocked-accounts.ts'
import { type Context, type HandlerOutcome, type Need, section } from '../../contract/endpoint.ts'
import { describeParam, documentChoices, oneOf, rawText, replaceInvalid, withDefault } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import { userMeant } from '../../needs/facts.ts'
import { thingListingShape } from '../../present/comment.ts'
import { listGilded, listHidden, listPosted, listSaved, listVoted } from '../../things/user-listings.ts'

const places = ['overview', 'submitted', 'comments', 'upvoted', 'downvoted', 'hidden', 'saved', 'gilded'] as const
type UserPage = (typeof places)[number]
/** Former addresses of pages. */
const former: Readonly<Record<string, UserPage>> = { '/user/{username}/liked': 'upvoted', '/user/{username}/disliked': 'downvoted' }

type UserPageParams = {
  readonly username: string
  readonly where: UserPage
  readonly sort: ThingSort
  readonly t: Span
  readonly category: string
  readonly sr: string
  readonly show: string
}

/** Redirects `me` and former addresses to the present address of a page, with the same suffix and query. */
const presentAddress: Need<true, UserPageParams, Viewer, { readonly username: string }> = ({
  params,
  username,
  path,
  extension,
  query,
}) => {
  const where = former[path] ?? params.where
  if (!path.startsWith('/u/') && username === params.username && where === params.where) return E.right(true)
  const search = new URLSearchParams(query).toString()
  const suffix = `${extension ? `.${extension}` : ''}${search && `?${search}`}`
  return E.left({ kind: 'redirect', location: `/user/${encodeURIComponent(username)}/${where}${suffix}` })
}

/** Listings for their owner and admins only. */
const secret: ReadonlySet<string> = new Set(['hidden', 'saved'])
/** Listings for their owner and admins, unless the owner's preferences make them public. */
const votesOf: ReadonlySet<string> = new Set(['upvoted', 'downvoted'])

/** Returns the owner of the page, if the viewer may see the page. */
const ownerShown: Need<AccountId, UserPageParams, Viewer> = async ({ params, viewer, documents }) => {
  const { where, show } = params
  const account = await accountNamed(documents, params.username)
  if (!account) return refuseRule('NOT_FOUND', 'username')
  const owner = account.id
  if (viewer.admin || viewer.account === owner) return E.right(owner)
  if (isSuspendedForGood(account)) return refuseRule('FORBIDDEN')
  if (secret.has(where) || (where === 'gilded' && show === 'given')) return refuseRule('FORBIDDEN')
  if (await isBlocked(documents, viewer.account, owner)) return refuseRule('FORBIDDEN')
  return votesOf.has(where) && !(await preferencesOf(documents, owner)).public_votes ? refuseRule('FORBIDDEN') : E.right(owner)
}

const listings: Readonly<
  Record<UserPage, (context: Context<UserPageParams>, owner: AccountId) => HandlerOutcome | Promise<HandlerOutcome>>
> = {
  overview: (context, owner) => listPosted(context, owner, 'both', context.params.sort, context.params.t),
  submitted: (context, owner) => listPosted(context, owner, 'links', context.params.sort, context.params.t),
  comments: (context, owner) => listPosted(context, owner, 'comments', context.params.sort, context.params.t),
  upvoted: (context, owner) => listVoted(context, owner, 'insightful'),
  downvoted: (context, owner) => listVoted(context, owner, 'funny'),
  hidden: listHidden,
  saved: (context, owner) => {
    const { category, sr } = context.viewer.account === owner ? context.params : { category: '', sr: '' }
    return listSaved(context, owner, category, sr)
  },
  gilded: (context, owner) => listGilded(context, owner, context.params.show === 'given' ? 'given' : 'received'),
}

export const userPage = section('Users').get('/user/{username}/{where}', {
  values: { where: places },
  otherPaths: ['/user/{username}'],
  aliases: ['/u/{username}', '/u/{username}/{where}', ...Object.keys(former)],
  scope: 'history',
  login: 'anyone',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  answers: { 200: thingListingShape, 302: noBody },
  summary: 'The things that an account posted, voted on, saved, hid or gilded.',
  notes:
    '`upvoted`, `downvoted`, `hidden` and `saved` are for their owner; the first two are public if the owner’s preference `public_votes` is on. Pages of an account that you block are 403. `gilded` is public, the latest first; with `show=given` it lists what the account gilded, for its owner. `me` stands for you. `/u/…`, `liked` and `disliked` redirect to the addresses here.',
  params: {
    username: describeParam(rawText(), 'whose'),
    where: withDefault(oneOf(...places), 'overview' as const),
    sort: describeParam(replaceInvalid(oneOf(...thingSorts), 'new' as const), 'of what was posted'),
    t: describeParam(replaceInvalid(oneOf(...spans), 'all' as const), 'created within this time, for top, insightful and fun'),
    category: describeParam(rawText(), 'of saved things, for their owner'),
    sr: describeParam(rawText(), 'name of a subsite: of saved things, for their owner'),
    show: describeParam(documentChoices(rawText(), 'all', 'given'), '`given`, with `gilded`: what the owner gilded'),
  },
  needs: { username: userMeant, address: presentAddress, owner: ownerShown },
  handle: (context) => listings[context.params.where](context, context.owner),
})
