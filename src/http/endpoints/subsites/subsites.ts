import { links } from '../../../../projections/links.ts'
import { stickies } from '../../../../projections/stickies.ts'
import type { SubsiteDocument } from '../../../../projections/subsites.ts'
import { SubsiteId } from '../../../domain/ids.ts'
import { STICKY_SLOTS } from '../../../domain/stickies.ts'
import { getOne } from '../../../ports/documents.ts'
import { membershipsOf, relationsOf } from '../../../queries/relations.ts'
import { subscriptionsOf } from '../../../queries/subscriptions.ts'
import { directories, directoryOf, inOrder, subsiteNamed, subsitesBeginning, subsitesById } from '../../../queries/subsites.ts'
import { type AnyEndpoint, type Context, section } from '../../contract/endpoint.ts'
import { described, flag, integer, oneOf, raw, refusing, withDefault } from '../../contract/params.ts'
import { refuse } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { listingShape, thingShape } from '../../contract/schemas/things.ts'
import { moderatorHere, notSuspended, otherwise, subsiteHere } from '../../needs/facts.ts'
import { renderAhead } from '../../present/markdown.ts'
import { linkPermalink } from '../../present/permalink.ts'
import { moderatedThing, subsiteSettings, subsiteSettingsShape, subsiteShape } from '../../present/subsite.ts'
import { subsiteList, subsiteThings, visible } from '../../things/subsites.ts'
import { mutedSubsites } from './mutes.ts'

const { get, post } = section('Subsites', { scope: 'read', login: 'anyone', errors: 'plain' })

const sticky = get('[/s/{sub}]/sticky', {
  aliases: ['[/s/{sub}]/about/sticky'],
  answers: { 302: noBody },
  summary: 'Redirects to a stickied link of the subsite.',
  notes: '404 if the slot is empty, or without a subsite in the path.',
  params: { num: described(refusing(withDefault(integer({ min: 1, max: STICKY_SLOTS }), 1), 'NOT_FOUND'), 'the slot') },
  needs: { subsite: subsiteHere() },
  handle: async ({ params, subsite, extension, documents }) => {
    const slots = (await getOne(documents, stickies, subsite.id))?.links ?? []
    const id = slots[params.num - 1]
    const link = id === undefined ? undefined : await getOne(documents, links, id)
    if (!link) return refuse('NOT_FOUND')
    const location = `${linkPermalink(subsite.name, link.id, link.title)}${extension ? `.${extension}` : ''}`
    return { kind: 'redirect', location }
  },
})

const about = get('/s/{sub}/about', {
  answers: { 200: thingShape('t4', subsiteShape) },
  summary: 'A subsite: its name, texts, type and number of subscribers.',
  cache: 'public',
  needs: { subsite: subsiteHere() },
  handle: async (context) => {
    const [body] = await subsiteThings(context, [context.subsite])
    return { kind: 'json', body }
  },
})

const aboutEdit = get('/s/{sub}/about/edit', {
  scope: 'modconfig',
  answers: { 200: subsiteSettingsShape },
  summary: 'The settings of a subsite, as `/api/site_admin` takes them.',
  notes: 'For moderators with `config`; 404 for everybody else.',
  params: { created: described(raw(), 'of no effect'), location: described(raw(), 'of no effect') },
  needs: { subsite: subsiteHere(), act: otherwise('NOT_FOUND', moderatorHere('config')), active: notSuspended },
  handle: ({ subsite }) => ({ kind: 'json', body: subsiteSettings(subsite) }),
})

const directory = get('/subs/{where}', {
  aliases: ['/subs', '/subreddits/{where}', '/subreddits'],
  values: { where: directories },
  listing: { max: 100 },
  rss: true,
  answers: { 200: listingShape(thingShape('t4', subsiteShape)) },
  summary: 'Lists of subsites.',
  cache: 'public',
  notes:
    '`popular`, `gold`, `default` and `notall` list the most subscribed first, `new` the newest. Subsites that you may not view are left out, and over-18 ones unless your preference `over_18` is on.',
  params: { where: withDefault(oneOf(...directories), 'popular' as const) },
  handle: async (context) => {
    const { params } = context
    const [source, { over_18 }] = await Promise.all([directoryOf(context, params.where), context.preferences()])
    return subsiteList(context, {
      source,
      order: [params.where],
      visible: (some) =>
        visible(
          context,
          some.filter(({ over18 }) => over_18 || !over18),
        ),
    })
  },
})

const ownLists = ['subscriber', 'contributor', 'moderator', 'muted'] as const

const moderatedThings = async ({ documents, clock, viewer, config }: Context<unknown, SignedIn>, items: readonly SubsiteDocument[]) => {
  const ids = items.map(({ id }) => id)
  const [memberships] = await Promise.all([
    membershipsOf(documents, viewer.account, ids, clock()),
    renderAhead(items.map(({ settings }) => settings.description)),
  ])
  return items.flatMap((subsite) => {
    const membership = memberships.get(subsite.id)
    return membership ? [moderatedThing(subsite, membership, config.publicUrl)] : []
  })
}

const mine = get('/subs/mine/{where}', {
  aliases: ['/subreddits/mine/{where}'],
  values: { where: ownLists },
  scope: 'mysubsites',
  login: 'user',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  answers: { 200: listingShape(thingShape('t4', subsiteShape)) },
  summary: 'The subsites you subscribe to, contribute to, moderate or muted.',
  notes:
    'Subscriptions are ordered by name, muted subsites by the latest mute, the others by the most subscribed. Subsites that you moderate have `mod_permissions`.',
  params: { where: oneOf(...ownLists) },
  handle: async (context) => {
    const { params, page, viewer, documents } = context
    const { where } = params
    const asked = page.before ?? page.after
    if (asked !== undefined && !SubsiteId.is(asked.toLowerCase()))
      return refuse('BAD_REQUEST', page.before === undefined ? 'after' : 'before')
    if (where === 'muted') return mutedSubsites(context)
    const held =
      where === 'subscriber' ? await subscriptionsOf(documents, viewer.account) : await relationsOf(documents, viewer.account, where)
    const own = await subsitesById(
      documents,
      held.map(({ subsite }) => subsite),
    )
    const source = inOrder([...own.values()], where === 'subscriber' ? 'name' : 'size')
    return subsiteList(context, {
      source,
      order: [where],
      visible: (some) => visible(context, some),
      ...(where === 'moderator' && { present: (items: readonly SubsiteDocument[]) => moderatedThings(context, items) }),
    })
  },
})

const MAX_FOUND_NAMES = 10

/** Printable ASCII of limited length; other texts match nothing. */
const searched = (query: string): string | undefined => {
  const bare = query.trim().replace(/^\/?[sr]\//i, '')
  return /^[\x20-\x7e]{1,50}$/.test(bare) ? bare : undefined
}

const searchNames = post('/api/search_site_names', {
  aliases: ['/api/search_reddit_names'],
  modhash: false,
  idempotency: false, // anybody may call it, and would fill the vault with records
  answers: { 200: shape.record({ names: shape.listOf(shape.text('tea')) }) },
  summary: 'Names of public subsites that begin with a text, the most subscribed first.',
  notes: 'At most ten. With `exact`, only the subsite of that name; 404 if there is none.',
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
      .slice(0, MAX_FOUND_NAMES)
      .filter(({ over18 }) => include_over_18 || !over18)
      .map(({ name }) => name)
    return { kind: 'json', body: { names } }
  },
})

export const directoryEndpoints: readonly AnyEndpoint[] = [about, aboutEdit, directory, mine, searchNames, sticky]
