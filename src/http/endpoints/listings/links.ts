// Decision 22.

import { type LinkDocument, links } from '../../../../projections/links.ts'
import { stickies } from '../../../../projections/stickies.ts'
import { type LinkSort, linkOrders, linkSorts } from '../../../domain/link-sorts.ts'
import { type Span, spans } from '../../../domain/time-windows.ts'
import { type DocumentStore, getOne } from '../../../ports/documents.ts'
import { type ListedLinks, listRankedLinks, putFirst, sinceOf, withOwnFiltered } from '../../../queries/links.ts'
import type { OrderedSource } from '../../../queries/ordered-source.ts'
import { openReading } from '../../../queries/reading.ts'
import { type AnyEndpoint, type Context, section } from '../../contract/endpoint.ts'
import { describeParam, oneOf, replaceInvalid } from '../../contract/params.ts'
import { JsonOrMedia } from '../../contract/schemas/answers.ts'
import { selectListedLinks } from '../../needs/listed-links.ts'
import { pageHeaders, welcomePage } from '../../present/html-pages.ts'
import { linkListingShape } from '../../present/link.ts'
import { selectShownLinks } from '../../things/link-filters.ts'
import { isWithoutOver18, obeysOver18 } from '../../things/over18.ts'
import { linkList } from '../../things/shown-things.ts'
import { prefersHtml } from '../../wire/wants-page.ts'

const { get } = section('Listings of links and comments', { scope: 'read', login: 'anyone', errors: 'coded' })

const readStickied = async (documents: DocumentStore, subsite: string): Promise<readonly LinkDocument[]> => {
  const ids = (await getOne(documents, stickies, subsite))?.links ?? []
  if (ids.length === 0) return []
  const stickied = await documents.getMany(links, ids)
  return ids.flatMap((id) => stickied.get(id) ?? [])
}

/** Returns the links of a listing, as its viewer sees them. */
const linksIn = async (context: Context, listed: ListedLinks, sort: LinkSort, span: Span) => {
  const { documents, viewer, site, page, preferences } = context
  const read = openReading(context, viewer)
  // links of friends are always newest first
  const by = listed.kind === 'authors' ? 'new' : sort
  const since = sinceOf(by, span, read.now)
  const isGeneral = listed.kind === 'all' && by !== 'new'
  const audiences = await read.audiences(isGeneral)
  const ranked = addOwnLinks(
    documents,
    listed,
    viewer.account,
    { sort: by, audiences },
    listRankedLinks(documents, listed, by, audiences, since === undefined ? undefined : { since, now: read.now }),
  )
  // stickied links come first on the hot page of their subsite, with keys that are valid only there
  const stickied = site.kind === 'subsite' ? await readStickied(documents, site.subsite.id) : []
  const topOf = by === 'hot' && site.kind === 'subsite' ? site.subsite.id : undefined
  const source = topOf === undefined ? ranked : putFirst(stickied, ranked)
  return linkList(context, read, {
    source,
    order: topOf === undefined ? linkOrders[by] : [`hot in ${topOf}`],
    visible: selectShownLinks(read, {
      listed,
      since,
      general: isGeneral,
      showAll: page.showAll,
      withoutOver18: await isWithoutOver18(context),
      withoutMuted: listed.kind === 'all' && !page.showAll,
      preferences: await preferences(),
      stickied: new Set(stickied.map(({ id }) => id)),
    }),
    // a response that depends on a cookie is not shared
    fleeting: obeysOver18(context),
  })
}

const addOwnLinks = (
  documents: DocumentStore,
  listed: ListedLinks,
  account: string | undefined,
  by: Parameters<typeof withOwnFiltered>[3],
  ranked: OrderedSource<LinkDocument>,
) => {
  if (account === undefined || listed.kind === 'authors') return ranked
  const places = listed.kind === 'subsites' ? new Set(listed.ids) : undefined
  return withOwnFiltered(documents, account, ranked, by, ({ subsite }) => places?.has(subsite) ?? true)
}

const common = {
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  needs: { listed: selectListedLinks },
  cache: 'personal',
} as const

const sites =
  'Without a subsite: the front page. `/s/all`, `/s/a+b`, `/s/subscribed`, `/s/mod`, `/s/contrib` and `/s/friends` list several subsites.'

const hot = get('[/s/{sub}]/hot', {
  ...common,
  otherPaths: ['/s/{sub}'],
  answers: { 200: linkListingShape },
  summary: 'Links by votes and age; stickied links of a subsite come first.',
  notes: sites,
  handle: (context) => linksIn(context, context.listed, 'hot', 'all'),
})

const home = section('Listings of links and comments').get('/', {
  ...common,
  answers: { 200: new JsonOrMedia(linkListingShape, 'text/html') },
  summary: 'The front page, the same as `/hot`; browsers get a start page with links.',
  handle: (context) =>
    !context.config.pages && context.extension === undefined && prefersHtml(context.headers.accept)
      ? { kind: 'text', type: 'text/html; charset=UTF-8', body: welcomePage, headers: pageHeaders }
      : linksIn(context, context.listed, 'hot', 'all'),
})

const newest = get('[/s/{sub}]/new', {
  ...common,
  answers: { 200: linkListingShape },
  summary: 'Links, newest first.',
  notes: sites,
  handle: (context) => linksIn(context, context.listed, 'new', 'all'),
})

/** The sorts that have no endpoint of their own. */
const otherSorts = linkSorts.filter((sort) => sort !== 'hot' && sort !== 'new')

const ranking = get('[/s/{sub}]/{sort}', {
  ...common,
  values: { sort: otherSorts },
  answers: { 200: linkListingShape },
  summary: 'Links by score, by insightful or by funny votes.',
  notes: sites,
  params: {
    sort: oneOf(...otherSorts),
    t: describeParam(replaceInvalid(oneOf(...spans), 'all' as const), 'created within this time'),
  },
  handle: (context) => linksIn(context, context.listed, context.params.sort, context.params.t),
})

export const linkListingEndpoints: readonly AnyEndpoint[] = [hot, home, newest, ranking]
