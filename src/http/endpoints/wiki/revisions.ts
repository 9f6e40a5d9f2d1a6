import * as E from 'fp-ts/lib/Either.js'
import type { WikiRevisionDocument } from '../../../../projections/wiki-revisions.ts'
import { ERASED_PLACEHOLDER } from '../../../domain/event.ts'
import { DAY, HOUR, MINUTE } from '../../../domain/time.ts'
import { mayViewPage, moderatesWiki } from '../../../domain/wiki-access.ts'
import { toggleWikiRevision, WikiRevision, type WikiRevisionEvent, wikiRevisionId } from '../../../domain/wiki-revision.ts'
import type { OrderedSource } from '../../../queries/ordered-source.ts'
import { pagesNamed, revisionNamed, revisionsOf, revisionsSince } from '../../../queries/wiki.ts'
import { type AnyEndpoint, type Context, type Need, type Param, section } from '../../contract/endpoint.ts'
import { describeParam, rawText } from '../../contract/params.ts'
import type { Viewer } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { listingShape } from '../../contract/schemas/things.ts'
import { andThen, decodeLate } from '../../needs/facts.ts'
import {
  type ExistingWikiPage,
  type InWiki,
  normalAddress,
  pageHere,
  pageName,
  pageSent,
  requireModeratedPage,
  revisionOf,
  type Wiki,
  wikiHere,
  writtenAt,
} from '../../needs/wiki.ts'
import { accountOrNameShape } from '../../present/account.ts'
import { epoch } from '../../present/thing.ts'
import { recordsNamed } from '../../things/kinds/all.ts'
import { list, type NamedAnchor } from '../../things/listing.ts'
import { revise, withinWikiQuota } from './write-revision.ts'

const { get, post } = section('Wiki', { scope: 'wikiread', login: 'anyone', errors: 'coded' })
/** The time for which changes are recent. */
const RECENT_REVISIONS_MS = 7 * DAY

/** Finds the anchor of a page of revisions. One of another wiki is ignored. */
const anchorIn =
  ({ documents }: Context, { subsite }: Wiki, { keyOf }: OrderedSource<WikiRevisionDocument>) =>
  async (name: string): Promise<NamedAnchor | undefined> => {
    const id = /^wikirevision_(.+)$/.exec(name)?.[1]
    const revision = id === undefined ? undefined : await revisionNamed(documents, id)
    return revision?.subsite === subsite ? { key: keyOf(revision), viewable: true } : undefined
  }

/** Returns the revisions that the viewer may see: those of visible pages, and hidden ones for wiki moderators. */
const visibleOf =
  ({ documents }: Context, { subsite, standing }: Wiki) =>
  async (revisions: readonly WikiRevisionDocument[]): Promise<readonly WikiRevisionDocument[]> => {
    const pages = await pagesNamed(
      documents,
      subsite,
      revisions.map(({ page }) => page),
    )
    return revisions.filter(({ page: name, hidden }) => {
      const page = pages.get(name)
      return page !== undefined && mayViewPage(page, standing) && (!hidden || moderatesWiki(standing))
    })
  }

const fields: shape.RecordTable<{ readonly revision: WikiRevisionDocument; readonly by: object | null }> = {
  id: [shape.text('1b4e28ba-2fa1-51d2-883f-0016d3cca427'), ({ revision }) => revision.id],
  page: [shape.text('index'), ({ revision }) => revision.page],
  timestamp: [shape.orNull(shape.epoch), ({ revision }) => epoch(revision.date)],
  author: [shape.orNull(accountOrNameShape), ({ by }) => by],
  // the reason of a deleted author is hidden with the name: the account may be erased next
  reason: [shape.orNull(shape.text('said more')), ({ revision, by }) => (by === null ? null : revision.reason)],
  revision_hidden: [shape.flag, ({ revision }) => revision.hidden],
}
const revisionListShape = listingShape(shape.tableShape('WikiRevision', fields))

const listOf = (context: Context, wiki: Wiki, name: string, source: OrderedSource<WikiRevisionDocument>) =>
  list({
    source,
    order: ['wiki', wiki.subsite, name],
    visible: visibleOf(context, wiki),
    nameOf: ({ id }) => `WikiRevision_${id}`,
    anchor: anchorIn(context, wiki, source),
    present: async (revisions) => {
      const authors = await recordsNamed(
        context,
        revisions.map(({ author }) => author),
      )
      return revisions.map((revision) =>
        shape.valuesOf(fields, { revision, by: (revision.author && authors.get(revision.author)) || null }),
      )
    },
  })

const recent = get('[/s/{sub}]/wiki/revisions', {
  listing: { max: 100 },
  answers: { 200: revisionListShape },
  summary: 'The changes of the wiki in the last seven days, newest first.',
  cache: 'public',
  needs: { wiki: wikiHere },
  handle: (context) =>
    listOf(context, context.wiki, '', revisionsSince(context.documents, context.wiki.subsite, context.clock() - RECENT_REVISIONS_MS)),
})

const ofPage = get('[/s/{sub}]/wiki/revisions/{page}', {
  listing: { max: 100 },
  answers: { 200: revisionListShape, 302: noBody },
  summary: 'The revisions of a page, newest first.',
  notes: 'Hidden revisions are listed only for moderators of the wiki.',
  cache: 'public',
  params: { page: pageSent() },
  needs: { wiki: wikiHere, pageFound: pageHere, address: normalAddress },
  handle: (context) => {
    const { wiki, pageFound: page } = context
    return listOf(context, wiki, page.page, revisionsOf(context, wiki.subsite, page.page))
  },
})

/** The id of a revision. Missing is 400, unknown 404. */
const revisionId = (): Param<string> => ({
  ...describeParam(rawText(), 'id of a revision'),
  required: true,
  decode: (text = '', name) => (text === '' ? E.left({ code: 'INVALID_REVISION', field: name, status: 400 }) : E.right(text)),
})

const revisionMeant: Need<WikiRevisionDocument, unknown, Viewer, InWiki & { readonly pageFound: ExistingWikiPage }> = andThen(
  decodeLate(revisionId()),
  (id, context) => revisionOf(context, context.wiki, context.pageFound.page, id),
)

const ofRevision = {
  scope: 'modwiki',
  login: 'user',
  params: { page: pageName() },
  needs: { wiki: wikiHere, pageFound: requireModeratedPage, revision: revisionMeant },
} as const

const hide = post('[/s/{sub}]/api/wiki/hide', {
  ...ofRevision,
  answers: { 200: shape.recordSchema({ status: shape.flag }) },
  accountQuota: 'settings',
  summary: 'Hide a revision of a page from everybody except moderators of the wiki, or show it again.',
  notes: 'Each call reverses the previous one; `status`: whether the revision is now hidden. The text of the page does not change.',
  handle: async (context) => {
    const { revision, run } = context
    const { subsite, page, id } = revision
    const named = { subsite, page, revision: id }
    const outcome = await run<WikiRevision, WikiRevisionEvent>(WikiRevision, wikiRevisionId(named), toggleWikiRevision(named))
    if (E.isLeft(outcome)) return outcome
    const status = outcome.right.events.some(({ type }) => type === 'WikiRevisionHidden')
    return { kind: 'json', body: { status } } as const
  },
})

const ages = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const

const inWords = (ms: number): string => {
  const [unit, length] = ages.find(([, each]) => ms >= each) ?? ['second', 1000]
  const count = Math.max(1, Math.floor(ms / length))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const revert = post('[/s/{sub}]/api/wiki/revert', {
  ...ofRevision,
  summary: 'Revert a page to the text of an older revision, as a new revision.',
  notes: 'Later edits are overwritten. If the text is unchanged, there is no new revision and no entry in the moderation log.',
  uses: ['blobs', 'readEvent'],
  handle: async (context) => {
    const { wiki, pageFound: page, revision, command } = context
    const { text } = await writtenAt(context, page.page, revision)
    if (text === ERASED_PLACEHOLDER)
      return E.left({ code: 'INVALID_REVISION', field: 'revision', text: 'the text of that revision was erased' } as const)
    const reason = `reverted back ${inWords(command.at - revision.date)}`
    const reverting = { wiki, page: page.page, mine: text, base: undefined, reason, reverts: revision.id }
    const outcome = await withinWikiQuota(context, page.page, () => revise(context, reverting))
    if (E.isLeft(outcome))
      return outcome.left.code === 'SPECIAL_ERRORS' ? E.left({ ...outcome.left, code: 'INVALID_CSS' } as const) : outcome
    return undefined
  },
})

export const wikiHistory: readonly AnyEndpoint[] = [recent, ofPage, hide, revert]
