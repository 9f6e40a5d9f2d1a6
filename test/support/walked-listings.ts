import { say } from './posting.ts'
import type { User } from './site.ts'

/** The world of one walk: a subsite, ten links in it to one address, all with the word `walked`, and their authors; two are by a passer. */
export type World = {
  readonly name: string
  readonly links: readonly { readonly id: string; readonly author: User }[]
  readonly passer: User
}

/** The acts of others between two pages. `which` picks a link by number. */
export const deeds = [
  'vote',
  'unvote',
  'submit',
  'remove',
  'approve',
  'delete',
  'read',
  'comment',
  'report',
  'save',
  'hide',
  'gild',
  'write',
  'erase',
] as const
export type ListingAct = { readonly kind: (typeof deeds)[number]; readonly which: number; readonly who: number }

/** A listing to walk through. */
type Walked = {
  readonly path: (world: World) => string
  /** The reader of the pages; by default nobody who is logged in. */
  readonly reader?: 'ann'
  /** Prepares the world before the walk. */
  readonly prepare?: (world: World) => Promise<unknown>
  /** Acts after which a link may have another place in the listing, or none: `erase` blanks the address and title of those by the passer. */
  readonly moves: readonly ListingAct['kind'][]
  /** The second one of pairs of listings. */
  readonly at?: string
}

const removals = ['remove', 'delete'] as const
const judged = [...removals, 'approve'] as const
const ranked = [...judged, 'vote', 'unvote'] as const
const forEachLink = async ({ links }: World, act: (id: string, n: number) => Promise<unknown>) => {
  for (const [n, { id }] of links.entries()) await act(id, n)
}

/** Ann moderates; the walker reads the listings; root is an admin; the others vote, report and write. */
type People = { readonly ann: User; readonly walker: User; readonly root: User; readonly voters: readonly User[] }

export const send = (sender: User, to = 'walker') => sender.post('/api/compose', { to, subject: 's', text: 't' })

/** Despite concurrent writes, a listing by time misses no item that stayed in it. */
export const walkedListings = ({ ann, walker, root, voters }: People): Readonly<Record<string, Walked>> => ({
  new: { path: ({ name }) => `/s/${name}/new`, moves: removals },
  'several, new': { path: ({ name }) => `/s/${name}+no_such_${name}/new`, moves: removals },
  hot: { path: ({ name }) => `/s/${name}/hot`, moves: ranked },
  top: { path: ({ name }) => `/s/${name}/top`, moves: ranked },
  'top of a day': { path: ({ name }) => `/s/${name}/top?t=day`, moves: ranked },
  insightful: { path: ({ name }) => `/s/${name}/insightful`, moves: ranked },
  fun: { path: ({ name }) => `/s/${name}/fun`, moves: ranked },
  duplicates: { path: ({ links }) => `/duplicates/${links[0]?.id.slice(3)}`, moves: [...judged, 'comment', 'erase'], at: '1.' },
  saved: {
    path: () => '/user/walker/saved',
    prepare: (world) => forEachLink(world, (id) => walker.post('/api/save', { id })),
    moves: ['delete', 'save'],
  },
  upvoted: {
    path: () => '/user/walker/upvoted',
    prepare: (world) => forEachLink(world, (id) => walker.post('/api/vote', { id, dir: 1 })),
    moves: ['delete'],
  },
  downvoted: {
    path: () => '/user/walker/downvoted',
    prepare: (world) => forEachLink(world, (id) => walker.post('/api/vote', { id, dir: -1 })),
    moves: ['delete'],
  },
  hidden: {
    path: () => '/user/walker/hidden',
    prepare: (world) => forEachLink(world, (id) => walker.post('/api/hide', { id })),
    moves: ['delete', 'hide'],
  },
  overview: { path: () => '/user/author_1/overview', moves: ['delete'] },
  submitted: { path: () => '/user/author_2/submitted', moves: ['delete'] },
  'submitted, top': { path: () => '/user/author_1/submitted?sort=top', moves: ['delete', 'vote', 'unvote'] },
  comments: {
    path: () => '/user/walker/comments',
    prepare: (world) =>
      forEachLink(world, (id, n) => (n < 6 ? walker.post('/api/comment', { thing_id: id, text: 'x' }) : Promise.resolve())),
    moves: [],
  },
  gilded: {
    path: () => '/user/author_1/gilded',
    prepare: (world) => forEachLink(world, (id) => root.post(`/api/v1/gold/gild/${id}`)),
    moves: ['delete', 'gild'],
  },
  inbox: {
    path: () => '/message/inbox',
    prepare: (world) => forEachLink(world, (_, n) => send(voters[n % 3] ?? ann)),
    moves: [],
  },
  unread: {
    path: () => '/message/unread',
    prepare: (world) => forEachLink(world, (_, n) => send(voters[n % 3] ?? ann)),
    moves: [],
  },
  sent: {
    path: () => '/message/sent',
    prepare: (world) => forEachLink(world, () => send(walker, 'ann')),
    moves: [],
  },
  'mod log': {
    path: ({ name }) => `/s/${name}/about/log`,
    reader: 'ann',
    prepare: (world) =>
      forEachLink(world, (id, n) =>
        n < 4 ? ann.post('/api/remove', { id }).then(() => ann.post('/api/approve', { id })) : Promise.resolve(),
      ),
    moves: [],
  },
  unmoderated: { path: ({ name }) => `/s/${name}/about/unmoderated`, reader: 'ann', moves: judged },
  reports: {
    path: ({ name }) => `/s/${name}/about/reports`,
    reader: 'ann',
    prepare: (world) =>
      forEachLink(world, (id, n) => (n < 6 ? (voters[n % 3] ?? ann).post('/api/report', { id, reason: 'x' }) : Promise.resolve())),
    moves: [...judged, 'report'],
  },
  edited: {
    path: ({ name }) => `/s/${name}/about/edited`,
    reader: 'ann',
    prepare: (world) =>
      forEachLink(world, async (id, n) =>
        n < 6 ? walker.post('/api/editusertext', { thing_id: await say(walker, id), text: 'y' }) : undefined,
      ),
    moves: [],
  },
  modqueue: {
    path: ({ name }) => `/s/${name}/about/modqueue`,
    reader: 'ann',
    prepare: (world) =>
      forEachLink(world, (id, n) => (n < 6 ? (voters[n % 3] ?? ann).post('/api/report', { id, reason: 'x' }) : Promise.resolve())),
    moves: [...judged, 'report'],
  },
  spam: {
    path: ({ name }) => `/s/${name}/about/spam`,
    reader: 'ann',
    prepare: (world) => forEachLink(world, (id, n) => (n < 6 ? ann.post('/api/remove', { id }) : Promise.resolve())),
    moves: judged,
  },
  'search, new': { path: ({ name }: World) => `/search?q=walked+subsite:${name}&sort=new`, moves: [...removals, 'erase'] as const },
  'search by relevance': {
    path: ({ name }: World) => `/s/${name}/search?q=walked+OR+odd&restrict_sr=true`,
    moves: [...ranked, 'erase'] as const,
  },
  'search by comments': {
    path: ({ name }: World) => `/search?q=walked+subsite:${name}&sort=comments`,
    moves: [...judged, 'comment', 'erase'] as const,
  },
})
