import type { SubsiteDocument } from '../../../../projections/subsites.ts'
import { SubsiteId } from '../../../domain/ids.ts'
import { membershipsOf, relationsOf } from '../../../queries/relations.ts'
import { subscriptionsOf } from '../../../queries/subscriptions.ts'
import { directories, directoryOf, inOrder, subsitesById } from '../../../queries/subsites.ts'
import { type AnyEndpoint, type Context, section } from '../../contract/endpoint.ts'
import { describeParam, oneOf, rawText, withDefault } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { listingShape, thingShape } from '../../contract/schemas/things.ts'
import { moderatorHere, notSuspended, subsiteHere, withRefusal } from '../../needs/facts.ts'
import { at, placeHere, subsiteThen } from '../../needs/past.ts'
import { renderAhead } from '../../present/markdown.ts'
import { presentModerated, subsiteSettings, subsiteSettingsShape, subsiteShape } from '../../present/subsite.ts'
import { pastSubsiteThing, subsiteList, subsiteThings, visible } from '../../things/kinds/subsite.ts'
import { mutedSubsites } from './mutes.ts'

const { get } = section('Subsites', { scope: 'read', login: 'anyone', errors: 'plain' })

const about = get('/s/{sub}/about', {
  answers: { 200: thingShape('t4', subsiteShape) },
  summary: 'A subsite: its name, texts, type and number of subscribers.',
  notes:
    'One that you moderate has `mod_permissions`. With `at`, as its own settings, rules and images made it then: `subscribers` is null, and an image that it no longer shows is left out.',
  cache: 'public',
  params: { at },
  uses: ['places', 'readEvent', 'readUntil'],
  needs: { subsite: subsiteHere(), place: placeHere, past: subsiteThen },
  handle: async (context) => {
    const { subsite, past } = context
    if (past) return { kind: 'json', body: await pastSubsiteThing(context, subsite, past), fleeting: true }
    const [body] = await subsiteThings(context, [subsite])
    return { kind: 'json', body }
  },
})

const aboutEdit = get('/s/{sub}/about/edit', {
  scope: 'modconfig',
  answers: { 200: subsiteSettingsShape },
  summary: 'The settings of a subsite, as `/api/site_admin` takes them.',
  notes: 'For moderators with `config`; 404 for everybody else.',
  params: { created: describeParam(rawText(), 'of no effect'), location: describeParam(rawText(), 'of no effect'), at },
  uses: ['places', 'readEvent', 'readUntil'],
  needs: {
    subsite: subsiteHere(),
    act: withRefusal('NOT_FOUND', moderatorHere('config')),
    active: notSuspended,
    place: placeHere,
    past: subsiteThen,
  },
  handle: ({ subsite, past }) => ({ kind: 'json', body: subsiteSettings(past ?? subsite), fleeting: past !== undefined }),
})

const directory = get('/subs/{where}', {
  otherPaths: ['/subs'],
  aliases: ['/subreddits/{where}', '/subreddits'],
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
      visible: (subsites) =>
        visible(
          context,
          subsites.filter(({ over18 }) => over_18 || !over18),
        ),
    })
  },
})

const ownLists = ['subscriber', 'contributor', 'moderator', 'muted'] as const

const presentModeratedSubsites = async (
  { documents, clock, viewer, config }: Context<unknown, SignedIn>,
  items: readonly SubsiteDocument[],
) => {
  const ids = items.map(({ id }) => id)
  const [memberships] = await Promise.all([
    membershipsOf(documents, viewer.account, ids, clock()),
    renderAhead(items.map(({ settings }) => settings.description)),
  ])
  return items.flatMap((subsite) => {
    const membership = memberships.get(subsite.id)
    return membership ? [presentModerated(subsite, membership, config.publicUrl)] : []
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
  notes: 'Subscriptions are ordered by name, muted subsites by the latest mute, the others by the most subscribed.',
  params: { where: oneOf(...ownLists) },
  handle: async (context) => {
    const { params, page, viewer, documents } = context
    const { where } = params
    const anchor = page.before ?? page.after
    if (anchor !== undefined && !SubsiteId.is(anchor.toLowerCase()))
      return refuseRule('BAD_REQUEST', page.before === undefined ? 'after' : 'before')
    if (where === 'muted') return mutedSubsites(context)
    const relations =
      where === 'subscriber' ? await subscriptionsOf(documents, viewer.account) : await relationsOf(documents, viewer.account, where)
    const subsitesOfAccount = await subsitesById(
      documents,
      relations.map(({ subsite }) => subsite),
    )
    const source = inOrder([...subsitesOfAccount.values()], where === 'subscriber' ? 'name' : 'size')
    return subsiteList(context, {
      source,
      order: [where],
      visible: (subsites) => visible(context, subsites),
      ...(where === 'moderator' && { present: (items: readonly SubsiteDocument[]) => presentModeratedSubsites(context, items) }),
    })
  },
})

export const directoryEndpoints: readonly AnyEndpoint[] = [about, aboutEdit, directory, mine]
