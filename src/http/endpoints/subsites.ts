import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { links } from '../../../projections/links.ts'
import { stickies } from '../../../projections/stickies.ts'
import { type SubsiteDocument, subsites } from '../../../projections/subsites.ts'
import { refuse } from '../../domain/decision.ts'
import { kindOf } from '../../domain/ids.ts'
import type { Refusal } from '../../domain/refusal.ts'
import type { Anchor } from '../../ports/documents.ts'
import { membershipsOf, relationsOf } from '../../queries/relations.ts'
import { subscriptionsOf } from '../../queries/subscriptions.ts'
import { directories, directoryOf, inOrder, subsiteNamed, subsitesBeginning, subsitesById } from '../../queries/subsites.ts'
import type { Source } from '../../queries/walk.ts'
import { mayView } from '../access.ts'
import { type AnyEndpoint, type Context, endpoint, type SignedIn } from '../endpoint.ts'
import { list, type Presenter } from '../listing.ts'
import { moderatorHere, otherwise, subsiteHere } from '../needs.ts'
import { described, flag, integer, oneOf, raw, refusing, withDefault } from '../params.ts'
import { renderAhead } from '../present/markdown.ts'
import { linkPermalink } from '../present/permalink.ts'
import { moderatedThing, subsiteSettings } from '../present/subsite.ts'
import { noBody } from '../schemas/answers.ts'
import * as shape from '../schemas/schema.ts'
import { subsiteSettingsShape, subsiteShape } from '../schemas/subsites.ts'
import { listingShape, thingShape } from '../schemas/things.ts'
import { subsiteThings, visible } from '../viewed.ts'
import { siteAdmin } from './site-admin.ts'
import { subscribeTo } from './subscribe.ts'

const section = 'Subsites'

const sticky = endpoint({
  method: 'GET',
  path: '[/s/{sub}]/sticky',
  aliases: ['[/s/{sub}]/about/sticky'],
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  section,
  answers: { 302: noBody },
  summary: 'Redirects to a stickied link of the subsite.',
  notes: '404 when nothing is in that slot, and without a subsite in the path.',
  params: { num: described(refusing(withDefault(integer({ min: 1, max: 2 }), 1), 'NOT_FOUND'), 'the slot') },
  needs: { subsite: subsiteHere() },
  handle: async ({ params, subsite, extension, documents }) => {
    const slots = (await documents.getMany(stickies, [subsite.id])).get(subsite.id)?.links ?? []
    const id = slots[params.num - 1]
    const link = id === undefined ? undefined : (await documents.getMany(links, [id])).get(id)
    if (!link) return refuse('NOT_FOUND')
    const location = `${linkPermalink(subsite.name, link.id, link.title)}${extension ? `.${extension}` : ''}`
    return { kind: 'redirect', location }
  },
})

const about = endpoint({
  method: 'GET',
  path: '/s/{sub}/about',
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  section,
  answers: { 200: thingShape('t4', subsiteShape) },
  summary: 'A subsite: its name, texts, type and number of subscribers.',
  cache: 'public',
  params: {},
  needs: { subsite: subsiteHere() },
  handle: async (context) => {
    const [body] = await subsiteThings(context, [context.subsite])
    return { kind: 'json', body }
  },
})

const aboutEdit = endpoint({
  method: 'GET',
  path: '/s/{sub}/about/edit',
  scope: 'modconfig',
  login: 'anyone',
  errors: 'plain',
  section,
  answers: { 200: thingShape('subsite_settings', subsiteSettingsShape) },
  summary: 'The settings of a subsite, as `/api/site_admin` takes them.',
  notes: 'For moderators with `config`; 404 for everybody else.',
  params: {},
  needs: { subsite: subsiteHere(), act: otherwise('NOT_FOUND', moderatorHere('config')) },
  handle: ({ subsite }) => ({ kind: 'json', body: subsiteSettings(subsite) }),
})

/** A page of subsites; an anchor is a subsite that exists, at its current place unless it was served at another; one that may not be viewed is refused. */
const subsitesOf = (
  context: Context,
  order: string,
  source: Source<SubsiteDocument>,
  isListed: (subsite: SubsiteDocument) => boolean,
  present: Presenter<SubsiteDocument> = (items) => subsiteThings(context, items),
) =>
  list({
    source,
    order: [order],
    nameOf: ({ id }) => id,
    anchor: async (name): Promise<Either<Refusal, Anchor | undefined>> => {
      const subsite = kindOf(name) === 'subsite' ? (await context.documents.getMany(subsites, [name])).get(name) : undefined
      if (!subsite) return E.right(undefined)
      return (await mayView(context, subsite)) ? E.right(source.keyOf(subsite)) : refuse('FORBIDDEN')
    },
    visible: (some) => visible(context, some.filter(isListed)),
    present,
  })

const directory = endpoint({
  method: 'GET',
  path: '/subs/{where}',
  aliases: ['/subs', '/subreddits/{where}', '/subreddits'],
  values: { where: directories },
  scope: 'read',
  login: 'anyone',
  errors: 'plain',
  listing: { max: 100 },
  rss: true,
  section,
  answers: { 200: listingShape(thingShape('t4', subsiteShape)) },
  summary: 'Lists of subsites.',
  cache: 'public',
  notes:
    '`popular`, `gold`, `default` and `notall` have the most subscribed first, `new` the newest. Over-18 subsites and those that the caller may not view are left out.',
  params: { where: withDefault(oneOf(...directories), 'popular' as const) },
  handle: async (context) => {
    const { params, documents, config } = context
    const source = await directoryOf(documents, params.where, config.defaultSubsites)
    return subsitesOf(context, params.where, source, ({ over18 }) => !over18)
  },
})

const ownLists = ['subscriber', 'contributor', 'moderator'] as const

const moderatedThings = async ({ documents, clock, viewer }: Context<unknown, SignedIn>, items: readonly SubsiteDocument[]) => {
  const ids = items.map(({ id }) => id)
  const [memberships] = await Promise.all([
    membershipsOf(documents, viewer.account, ids, clock()),
    renderAhead(items.map(({ settings }) => settings.description)),
  ])
  return items.flatMap((subsite) => {
    const membership = memberships.get(subsite.id)
    return membership ? [moderatedThing(subsite, membership)] : []
  })
}

const mine = endpoint({
  method: 'GET',
  path: '/subs/mine/{where}',
  aliases: ['/subreddits/mine/{where}'],
  values: { where: ownLists },
  scope: 'mysubsites',
  login: 'user',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  section,
  answers: { 200: listingShape(thingShape('t4', subsiteShape)) },
  summary: 'The subsites you subscribe to, contribute to or moderate.',
  notes: 'Subscriptions by name, the others the most subscribed first. Those you moderate carry `mod_permissions`.',
  params: { where: oneOf(...ownLists) },
  handle: async (context) => {
    const { params, page, viewer, documents } = context
    const { where } = params
    const asked = page.before ?? page.after
    if (asked !== undefined && kindOf(asked.toLowerCase()) !== 'subsite') return refuse('BAD_REQUEST')
    const held =
      where === 'subscriber' ? await subscriptionsOf(documents, viewer.account) : await relationsOf(documents, viewer.account, where)
    const own = await subsitesById(
      documents,
      held.map(({ subsite }) => subsite),
    )
    const source = inOrder([...own.values()], where === 'subscriber' ? 'name' : 'size')
    const present = where === 'moderator' ? (items: readonly SubsiteDocument[]) => moderatedThings(context, items) : undefined
    return subsitesOf(context, where, source, () => true, present)
  },
})

const MOST_NAMES = 10

/** Printable ASCII, not too long; otherwise there is nothing to look for. */
const searched = (query: string): string | undefined => {
  const bare = query.trim().replace(/^\/?[sr]\//i, '')
  return /^[\x20-\x7e]{1,50}$/.test(bare) ? bare : undefined
}

const searchNames = endpoint({
  method: 'POST',
  path: '/api/search_site_names',
  aliases: ['/api/search_reddit_names'],
  scope: 'read',
  login: 'anyone',
  modhash: false,
  errors: 'plain',
  section,
  answers: { 200: shape.record({ names: shape.listOf(shape.text('tea')) }) },
  summary: 'Names of public subsites that begin with a text, the most subscribed first.',
  notes: 'At most ten. With `exact`, the one subsite of that name, 404 when there is none.',
  params: {
    query: described(raw(), 'up to 50 printable characters'),
    exact: flag(),
    include_over_18: flag(true),
  },
  handle: async ({ params: { query, exact, include_over_18 }, documents }) => {
    const text = searched(query)
    if (exact) {
      const subsite = text === undefined ? undefined : await subsiteNamed(documents, text)
      return subsite ? { kind: 'json', body: { names: [subsite.name] } } : refuse('NOT_FOUND')
    }
    const beginning = text === undefined ? [] : await subsitesBeginning(documents, text)
    const names = beginning
      .filter(({ type }) => type === 'public')
      .sort((a, b) => b.subscribers - a.subscribers || b.seq - a.seq)
      .slice(0, MOST_NAMES)
      .filter(({ over18 }) => include_over_18 || !over18)
      .map(({ name }) => name)
    return { kind: 'json', body: { names } }
  },
})

export const subsiteEndpoints: readonly AnyEndpoint[] = [about, aboutEdit, directory, mine, searchNames, siteAdmin, sticky, subscribeTo]
