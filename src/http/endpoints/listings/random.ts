// Decision 65.

import type { LinkDocument } from '../../../../projections/links.ts'
import { voteId, votes } from '../../../../projections/votes.ts'
import { type ListedLinks, listRankedLinks } from '../../../queries/links.ts'
import { shuffle } from '../../../queries/random-order.ts'
import { openReading, type Reading } from '../../../queries/reading.ts'
import { type Context, section } from '../../contract/endpoint.ts'
import type { Site } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import { selectListedLinks } from '../../needs/listed-links.ts'
import { linkPermalink } from '../../present/permalink.ts'
import { selectShownLinks } from '../../things/link-filters.ts'

/** Links to choose from. */
const MAX_DRAWABLE_LINKS = 250
/** The number of links that are checked together until one is new to the viewer. */
const LINKS_PER_DRAW = 25

/** Returns the links among some that the viewer has not voted insightful, saved or recently visited. */
const unknownTo = async ({ documents, viewer: { account } }: Context, read: Reading, links: readonly LinkDocument[]) => {
  if (account === undefined) return links
  const ids = links.map(({ id }) => id)
  const shelves = await read.shelvesOf(ids)
  const visited = await read.visitedLinks()
  const voted = await documents.getMany(
    votes,
    ids.map((id) => voteId(account, id)),
  )
  return links.filter(({ id }) => !visited.has(id) && !shelves.get(id)?.saved && !voted.get(voteId(account, id))?.insightful)
}

/**
 * Returns a uniformly random one of the first links in hot or new, visible to the viewer and in a listed subsite; one that is new to the
 * viewer, if there is any.
 */
const drawLink = async (context: Context, read: Reading, listed: ListedLinks): Promise<LinkDocument | undefined> => {
  const sort = listed.kind === 'authors' || Math.random() < 0.5 ? 'new' : 'hot'
  const common = { since: undefined, general: true, showAll: false, withoutOver18: false, withoutMuted: true, stickied: new Set<string>() }
  const filters = { ...common, listed, preferences: await context.preferences() }
  const shown = selectShownLinks(read, filters)
  const pool = shuffle(
    await listRankedLinks(context.documents, listed, sort, await read.audiences(listed.kind === 'all')).find({ limit: MAX_DRAWABLE_LINKS }),
  )
  let known: LinkDocument | undefined
  for (let first = 0; first < pool.length; first += LINKS_PER_DRAW) {
    const candidates = await shown(pool.slice(first, first + LINKS_PER_DRAW))
    const [one] = await unknownTo(context, read, candidates)
    if (one) return one
    known ??= candidates[0]
  }
  return known
}

const joinNames = (subsites: readonly { readonly name: string }[], by: string) => subsites.map(({ name }) => name).join(by)
const addressWithout = (name: string, except: readonly { readonly name: string }[]) =>
  `/s/${[name, ...except.map((one) => one.name)].join('-')}/`

/** Returns the address of the listing for the site part of a path. */
const rootOf = (site: Site): string => {
  switch (site.kind) {
    case 'home':
      return '/'
    case 'front':
      return '/s/subscribed/'
    case 'subsite':
      return `/s/${site.subsite.name}/`
    case 'several':
      return `/s/${joinNames(site.subsites, '+')}/`
    case 'all':
      return addressWithout('all', site.except)
    case 'moderated':
      return addressWithout('mod', site.except)
    case 'contributed':
      return '/s/contrib/'
    case 'friends':
      return '/s/friends/'
  }
}

export const random = section('Listings of links and comments').get('[/s/{sub}]/random', {
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  answers: { 302: noBody },
  summary: 'Redirects to a random link.',
  notes:
    'Chosen from the first 250 links in hot or new, without those that the viewer hid; one that the viewer has not voted insightful, saved or recently visited, if there is any. Without a link, redirects to the listing itself.',
  needs: { listed: selectListedLinks },
  handle: async (context) => {
    const read = openReading(context, context.viewer)
    const link = await drawLink(context, read, context.listed)
    const address = link ? linkPermalink(read.subsite(link.subsite)?.name ?? '', link.id, link.title) : rootOf(context.site)
    return { kind: 'redirect', location: `${context.config.publicUrl}${address}${context.extension ? `.${context.extension}` : ''}` }
  },
})
