// Decision 83.

import { links } from '../../../../projections/links.ts'
import type { SubsiteDocument } from '../../../../projections/subsites.ts'
import { bareSubsite, mayBeSubsiteName } from '../../../domain/names.ts'
import { isLongerThan, limits } from '../../../domain/text-limits.ts'
import { allWords } from '../../../ports/documents.ts'
import { searchOrders } from '../../../queries/link-search.ts'
import { recommendSubsites } from '../../../queries/recommendations.ts'
import { soughtSubsites, subsitesById, subsitesNamed } from '../../../queries/subsites.ts'
import { type AnyEndpoint, type Context, section } from '../../contract/endpoint.ts'
import { describeParam, flag, oneOf, rawText, replaceInvalid, searchText } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { listingShape, thingShape } from '../../contract/schemas/things.ts'
import { subsiteShape } from '../../present/subsite.ts'
import { subsiteList, visible } from '../../things/kinds/subsite.ts'
import { readsOver18 } from '../../things/over18.ts'

const { get } = section('Subsites', { scope: 'read', login: 'anyone', errors: 'plain' })

/** Returns the searched words. `/s/name` searches for the name. */
const wordsOf = (q: string): string => (/^\s*\/?[sr]\/[A-Za-z0-9_]+\/?\s*$/i.test(q) ? bareSubsite(q) : q.trim())

const search = get('/subsites/search', {
  aliases: ['/subreddits/search'],
  listing: { max: 100 },
  rss: true,
  answers: { 200: listingShape(thingShape('t4', subsiteShape), { facets: shape.recordSchema({}) }) },
  summary: 'Search subsites by name, title and description.',
  notes:
    'Subsites that everybody may view are also found by sidebar and header title. A subsite that you may not view is found by name, title and public description, and only these are shown. Both sorts list the most subscribed first.',
  params: {
    q: describeParam(searchText(), 'words, all of them required, at most 64; `/s/name` for a name'),
    sort: describeParam(replaceInvalid(oneOf('relevance', 'activity'), 'relevance' as const), 'both are by activity'),
    obey_over18: describeParam(flag(), 'leave out over-18 subsites, unless your preference `over_18` or the cookie `over18` allows them'),
  },
  handle: async (context) => {
    const { documents, params } = context
    const words = wordsOf(params.q)
    const withoutOver18 = params.obey_over18 && !(await readsOver18(context))
    const source = soughtSubsites(documents, words)
    return subsiteList(context, {
      source,
      order: [`subsites sought ${words.toLowerCase()}`],
      visible: (subsites) => subsites.filter(({ id, over18 }) => (context.viewer.within?.has(id) ?? true) && !(withoutOver18 && over18)),
      extra: async () => ({ facets: {} }),
      fleeting: params.obey_over18,
    })
  },
})

/** Returns the subsites that public responses may name. */
const shownTo = async (context: Context, subsites: readonly SubsiteDocument[], isOver18: boolean): Promise<readonly SubsiteDocument[]> =>
  (await visible(context, subsites)).filter(({ over18 }) => isOver18 || !over18)

const listOfNames = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/[\s,+]+/)
      .map((name) => bareSubsite(name).toLowerCase())
      .filter(mayBeSubsiteName),
  ),
]

/** The most subsites in one request and in one response. */
const MAX_NAMED_SUBSITES = 20
const MAX_RECOMMENDED_SUBSITES = 10

const recommend = get('/api/recommend/sr/{srnames}', {
  answers: { 200: shape.listOf(shape.recordSchema({ sr_name: shape.text('coffee') })) },
  summary: 'Recommended subsites: those that share subscribers with the subsites named.',
  notes:
    'At most ten, each with at least two shared subscribers. Only the newest fifty subscriptions of an account count. Private subsites and those not shown in `/s/all` are never recommended; over-18 subsites only if one of those named is over-18.',
  params: {
    srnames: describeParam(rawText(), 'names, separated by commas; unknown ones are passed over'),
    omit: describeParam(rawText(), 'names that are not to be answered, separated by commas'),
  },
  handle: async (context) => {
    const { params, documents } = context
    const names = listOfNames(params.srnames).slice(0, MAX_NAMED_SUBSITES)
    if (names.length === 0) return refuseRule('BAD_SR_NAME', 'srnames')
    const known = await visible(context, await subsitesNamed(documents, names))
    const omitted = new Set(listOfNames(params.omit))
    const ids = await recommendSubsites(
      documents,
      known.map(({ id }) => id),
    )
    const found = await subsitesById(documents, ids)
    const candidates = ids
      .flatMap((id) => found.get(id) ?? [])
      .filter(({ lower, type, allowTop }) => !omitted.has(lower) && allowTop && type !== 'private' && type !== 'employees_only')
    const shown = await shownTo(
      context,
      candidates,
      known.some(({ over18 }) => over18),
    )
    return { kind: 'json', body: shown.slice(0, MAX_RECOMMENDED_SUBSITES).map(({ name }) => ({ sr_name: name })) }
  },
})

/** Words that occur in nearly every text. */
const commonWords: ReadonlySet<string> = new Set(
  (
    'the be to of and a in that have i it for not on with he as you do at this but his by from they we say her she or an will my one all ' +
    'would there their what so up out if about who get which go me when make can like time no just him know take people into year your good ' +
    'some could them see other than then now look only come its over think also back after use two how our work first well way even new want ' +
    'because any these give day most us'
  ).split(' '),
)

/** The links read to find the subsites of a topic. */
const MAX_LINKS_READ = 200
const MAX_SUBSITES_BY_TOPIC = 20

const byTopic = get('/api/subsites_by_topic', {
  aliases: ['/api/subreddits_by_topic'],
  answers: { 200: shape.listOf(shape.recordSchema({ name: shape.text('tea') })) },
  summary: 'Subsites with links about a topic.',
  notes:
    'At most twenty, those with the most and hottest matching links first; none for a query of one character or of a very common word.',
  params: { query: describeParam(rawText(), `2 to ${limits.nameQuery} characters`) },
  handle: async (context) => {
    const { params, documents, config } = context
    const query = params.query.trim()
    if (query.length < 2 || isLongerThan(limits.nameQuery, query) || commonWords.has(query.toLowerCase())) return { kind: 'json', body: [] }
    const page = { limit: MAX_LINKS_READ }
    const about = await documents.search(links, { terms: allWords(query), where: {}, order: searchOrders.hot, page })
    const weights = new Map<string, number>()
    for (const [rank, { subsite, removed, deleted }] of about.entries())
      if (!removed && !deleted) weights.set(subsite, (weights.get(subsite) ?? 0) + 1 / (1 + rank / 20))
    const found = await subsitesById(documents, [...weights.keys()])
    const known = [...found.values()]
      .filter(({ lower, type }) => type !== 'archived' && !config.defaultSubsites.includes(lower))
      .sort((a, b) => (weights.get(b.id) ?? 0) - (weights.get(a.id) ?? 0) || a.seq - b.seq)
    const shown = await shownTo(context, known, await readsOver18(context))
    return { kind: 'json', body: shown.slice(0, MAX_SUBSITES_BY_TOPIC).map(({ name }) => ({ name })) }
  },
})

export const subsiteSearchEndpoints: readonly AnyEndpoint[] = [search, recommend, byTopic]
