import { accountNamed, isSuspendedForGood, preferencesOf } from '../../queries/accounts.ts'
import { blockedAmong } from '../../queries/contacts.ts'
import { sorts, spans } from '../../queries/links.ts'
import { type AnyEndpoint, type Context, section } from '../endpoint.ts'
import { among, described, lenient, oneOf, raw, withDefault } from '../params.ts'
import { refuse } from '../refusals.ts'
import type { Reply } from '../reply.ts'
import { noBody } from '../schemas/answers.ts'
import { thingListingShape } from '../schemas/things.ts'
import { gilded, hidden, posted, saved, voted } from '../user-listings.ts'

const places = ['overview', 'submitted', 'comments', 'upvoted', 'downvoted', 'hidden', 'saved', 'gilded'] as const
type Place = (typeof places)[number]
/** Former addresses of pages. */
const former: Readonly<Record<string, Place>> = { '/user/{username}/liked': 'upvoted', '/user/{username}/disliked': 'downvoted' }

/** Redirects to the current address, with the same suffix and query. */
const moved = ({ extension, query }: Context, username: string, where: Place): Reply => {
  const search = new URLSearchParams(query).toString()
  const suffix = `${extension ? `.${extension}` : ''}${search && `?${search}`}`
  return { kind: 'redirect', location: `/user/${encodeURIComponent(username)}/${where}${suffix}` }
}

/** Listings for their owner and admins only. */
const secret: ReadonlySet<string> = new Set(['hidden', 'saved'])
/** The same, unless the owner's preferences make them public. */
const votesOf: ReadonlySet<string> = new Set(['upvoted', 'downvoted'])

const userPage = section('Users').get('/user/{username}/{where}', {
  values: { where: places },
  aliases: ['/user/{username}', '/u/{username}', '/u/{username}/{where}', ...Object.keys(former)],
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
    username: described(raw(), 'whose'),
    where: withDefault(oneOf(...places), 'overview' as const),
    sort: described(lenient(oneOf(...sorts), 'new' as const), 'of what was posted'),
    t: described(lenient(oneOf(...spans), 'all' as const), 'created within this time, for top, insightful and fun'),
    category: described(raw(), 'of saved things, for their owner'),
    sr: described(raw(), 'name of a subsite: of saved things, for their owner'),
    show: described(among(raw(), 'all', 'given'), '`given`, with `gilded`: what the owner gilded'),
  },
  handle: async (context) => {
    const { params, viewer, path, documents } = context
    const { sort, t, show } = params
    const where = former[path] ?? params.where
    const username = params.username.toLowerCase() === 'me' ? viewer.name : params.username
    if (username === undefined) return refuse('USER_REQUIRED')
    if (path.startsWith('/u/') || username !== params.username || where !== params.where) return moved(context, username, where)
    const account = await accountNamed(documents, username)
    if (!account) return refuse('NOT_FOUND')
    const owner = account.id
    const own = viewer.admin || viewer.account === owner
    if (!own && isSuspendedForGood(account)) return refuse('FORBIDDEN')
    if (!own && (secret.has(where) || (where === 'gilded' && show === 'given'))) return refuse('FORBIDDEN')
    if (viewer.account !== undefined && !own && (await blockedAmong(documents, viewer.account, [owner])).size > 0)
      return refuse('FORBIDDEN')
    if (!own && votesOf.has(where) && !(await preferencesOf(documents, owner)).public_votes) return refuse('FORBIDDEN')
    switch (where) {
      case 'overview':
        return posted(context, owner, 'both', sort, t)
      case 'submitted':
        return posted(context, owner, 'links', sort, t)
      case 'comments':
        return posted(context, owner, 'comments', sort, t)
      case 'upvoted':
        return voted(context, owner, 'insightful')
      case 'downvoted':
        return voted(context, owner, 'funny')
      case 'hidden':
        return hidden(context, owner)
      case 'saved':
        return viewer.account === owner ? saved(context, owner, params.category, params.sr) : saved(context, owner, '', '')
      case 'gilded':
        return gilded(context, owner, show === 'given' ? 'given' : 'received')
    }
  },
})

export const userPageEndpoints: readonly AnyEndpoint[] = [userPage]
