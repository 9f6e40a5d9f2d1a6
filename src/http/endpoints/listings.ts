import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { type LinkDocument, links } from '../../../projections/links.ts'
import { stickies } from '../../../projections/stickies.ts'
import { kindOf } from '../../domain/ids.ts'
import type { Refusal } from '../../domain/refusal.ts'
import type { Anchor, DocumentStore } from '../../ports/documents.ts'
import { ledBy, orderOf, rankedLinks, type Scope, type Sort, type Span, sinceOf, spans, withOwnFiltered } from '../../queries/links.ts'
import { type Reading, reading } from '../../queries/reading.ts'
import type { Source } from '../../queries/walk.ts'
import { type AnyEndpoint, type Context, endpoint } from '../endpoint.ts'
import { cookieOf } from '../incoming.ts'
import { list } from '../listing.ts'
import { pageHeaders, welcomePage } from '../pages.ts'
import { described, isTrue, lenient, oneOf } from '../params.ts'
import { prefersHtml } from '../representation.ts'
import { linkListingShape } from '../schemas/things.ts'
import { listedHere } from '../scope.ts'
import { presentThings } from '../things.ts'

/** An anchor is a link that exists, whatever became of it; one in a subsite that the viewer may not see is refused. */
const linkAnchor =
  (documents: DocumentStore, read: Reading, keyOf: (link: LinkDocument) => Anchor | undefined) =>
  async (name: string): Promise<Either<Refusal, Anchor | undefined>> => {
    if (kindOf(name) !== 'link') return E.right(undefined)
    const link = (await documents.getMany(links, [name])).get(name)
    if (!link) return E.right(undefined)
    await read.places([link.subsite])
    return read.mayView(link.subsite) ? E.right(keyOf(link)) : E.left({ code: 'FORBIDDEN', field: null })
  }

/** Somebody without an account may see what is for adults, as a cookie says. */
const isAdult = ({ viewer: { via }, headers: { cookie } }: Context): boolean =>
  via === 'anonymous' && typeof cookie === 'string' && cookieOf(cookie, 'over18') === '1'

type Filters = {
  readonly scope: Scope
  readonly since: number | undefined
  /** Of everybody's subsites: without those that keep out of it. */
  readonly general: boolean
  readonly showHidden: boolean
  readonly withoutOver18: boolean
}

/** Which of some links a listing shows to its reader, in their order. */
const shownIn = (read: Reading, { scope, since, general, showHidden, withoutOver18 }: Filters) => {
  const except = new Set(scope.kind === 'all' ? scope.except : [])
  return async (found: readonly LinkDocument[]): Promise<readonly LinkDocument[]> => {
    await read.places(found.map(({ subsite }) => subsite))
    const shelves = showHidden ? new Map<string, never>() : await read.shelved(found.map(({ id }) => id))
    return found.filter((link) => {
      const subsite = read.subsite(link.subsite)
      if (!subsite || !read.mayView(link.subsite) || link.deleted || except.has(link.subsite)) return false
      if (link.removed && !(link.removed.auto && link.author === read.reader.account)) return false
      if (since !== undefined && link.created < since) return false
      if (general && !subsite.allowTop) return false
      if (withoutOver18 && (link.over18 || subsite.over18)) return false
      return !shelves.get(link.id)?.hidden
    })
  }
}

const stickiedIn = async (documents: DocumentStore, subsite: string): Promise<readonly LinkDocument[]> => {
  const ids = (await documents.getMany(stickies, [subsite])).get(subsite)?.links ?? []
  if (ids.length === 0) return []
  const stickied = await documents.getMany(links, ids)
  return ids.flatMap((id) => stickied.get(id) ?? [])
}

/** The links of a scope, as its viewer sees them. */
const linksIn = async (context: Context, scope: Scope, sort: Sort, span: Span) => {
  const { documents, viewer, site, page, query } = context
  const read = reading(context, viewer)
  // friends are read like a diary, whatever the sort
  const by = scope.kind === 'authors' ? 'new' : sort
  const since = sinceOf(by, span, read.now)
  const obeysOver18 = isTrue(query.obey_over18 ?? '')
  const ranked = own(
    documents,
    scope,
    viewer.account,
    by,
    rankedLinks(documents, scope, by, since === undefined ? undefined : { since, now: read.now }),
  )
  // the stickied links lead the hot page of their subsite, under keys that mean something only there
  const led = by === 'hot' && site.kind === 'subsite' ? site.subsite.id : undefined
  const source = led === undefined ? ranked : ledBy(await stickiedIn(documents, led), ranked)
  return list({
    source,
    order: led === undefined ? orderOf[by] : [`hot in ${led}`],
    visible: shownIn(read, {
      scope,
      since,
      general: scope.kind === 'all' && by !== 'new',
      showHidden: page.showAll,
      withoutOver18: obeysOver18 && !isAdult(context),
    }),
    nameOf: ({ id }) => id,
    anchor: linkAnchor(documents, read, source.keyOf),
    present: (items) => presentThings(context, read, items, { detailed: page.srDetail }),
    // what comes of a cookie is nobody else's
    fleeting: obeysOver18,
  })
}

const own = (documents: DocumentStore, scope: Scope, account: string | undefined, sort: Sort, ranked: Source<LinkDocument>) => {
  if (account === undefined || scope.kind === 'authors') return ranked
  const places = scope.kind === 'subsites' ? new Set(scope.ids) : undefined
  return withOwnFiltered(documents, account, ranked, sort, ({ subsite }) => places?.has(subsite) ?? true)
}

const common = {
  method: 'GET',
  scope: 'read',
  login: 'anyone',
  errors: 'coded',
  listing: { max: 100 },
  rss: true,
  section: 'Listings of links and comments',
  needs: { scope: listedHere },
  cache: 'personal',
} as const

const sites =
  'Without a subsite: the front page. `/s/all`, `/s/a+b`, `/s/subscribed`, `/s/mod`, `/s/contrib` and `/s/friends` stand for several.'

const hot = endpoint({
  ...common,
  path: '[/s/{sub}]/hot',
  aliases: ['/s/{sub}'],
  answers: { 200: linkListingShape },
  summary: 'Links by a mixture of votes and youth; the stickied ones of a subsite lead.',
  notes: sites,
  params: {},
  handle: (context) => linksIn(context, context.scope, 'hot', 'all'),
})

const home = endpoint({
  ...common,
  path: '/',
  section: 'Additions',
  answers: { 200: linkListingShape },
  summary: 'The front page, as `/hot` lists it; for browsers a page with links to what there is.',
  params: {},
  handle: (context) =>
    context.extension === undefined && prefersHtml(context.headers.accept)
      ? { kind: 'text', type: 'text/html; charset=UTF-8', body: welcomePage, headers: pageHeaders }
      : linksIn(context, context.scope, 'hot', 'all'),
})

const newest = endpoint({
  ...common,
  path: '[/s/{sub}]/new',
  answers: { 200: linkListingShape },
  summary: 'Links, newest first.',
  notes: sites,
  params: {},
  handle: (context) => linksIn(context, context.scope, 'new', 'all'),
})

const ranking = endpoint({
  ...common,
  path: '[/s/{sub}]/{sort}',
  values: { sort: ['top', 'insightful', 'fun'] },
  answers: { 200: linkListingShape },
  summary: 'Links by score, by insightful or by funny votes.',
  notes: sites,
  params: {
    sort: oneOf('top', 'insightful', 'fun'),
    t: described(lenient(oneOf(...spans), 'all' as const), 'created within this time'),
  },
  handle: (context) => linksIn(context, context.scope, context.params.sort, context.params.t),
})

export const listingEndpoints: readonly AnyEndpoint[] = [hot, home, newest, ranking]
