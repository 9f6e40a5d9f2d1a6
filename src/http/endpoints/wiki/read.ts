import * as E from 'fp-ts/lib/Either.js'
import { ERASED_PLACEHOLDER } from '../../../domain/event.ts'
import { mayRevise, mayViewPage } from '../../../domain/wiki-access.ts'
import { isSource, settingShownBy } from '../../../domain/wiki-page-name.ts'
import type { Place } from '../../../history/places.ts'
import { pagesOf, revisionAsOf } from '../../../queries/wiki.ts'
import { type AnyEndpoint, type Need, section, type Uses } from '../../contract/endpoint.ts'
import { describeParam, optional, rawText } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { thingShape } from '../../contract/schemas/things.ts'
import { at, placeAt } from '../../needs/past.ts'
import {
  type ExistingWikiPage,
  type InWiki,
  loadWikiFacts,
  normalAddress,
  type PageText,
  pageHere,
  pageSent,
  revisionOf,
  wikiHere,
  writtenAt,
} from '../../needs/wiki.ts'
import { accountOrNameShape } from '../../present/account.ts'
import { bodyHtml, pageHtml, renderAhead, sourceHtml } from '../../present/markdown.ts'
import { epoch } from '../../present/thing.ts'
import { recordsNamed } from '../../things/kinds/all.ts'
import { compareTexts } from './merge.ts'

const { get } = section('Wiki', { scope: 'wikiread', login: 'anyone', errors: 'coded' })

/** Returns a page as HTML. */
const htmlOf = async (page: string, text: string): Promise<string> => {
  if (isSource(page)) return sourceHtml(text)
  if (settingShownBy(page) === undefined) return pageHtml(text)
  await renderAhead([text])
  return bodyHtml(text)
}

type PageView = {
  /** The text shown, and its revision. */
  readonly text: string
  readonly revision: string
  /** The revision whose author and date are shown. */
  readonly written: PageText
  readonly diff?: string
}

const fields: shape.RecordTable<PageView & { readonly html: string; readonly author: object | null; readonly mayRevise: boolean }> = {
  content_md: [shape.text('# Water'), ({ text }) => text],
  content_html: [shape.html('Water'), ({ html }) => html],
  revision_id: [
    shape.text('1b4e28ba-2fa1-51d2-883f-0016d3cca427', 'Whose text it is: the `previous` of an edit.'),
    ({ revision }) => revision,
  ],
  revision_by: [shape.orNull(accountOrNameShape), ({ author }) => author],
  revision_date: [shape.orNull(shape.epoch), ({ written }) => epoch(written.at)],
  may_revise: [shape.flag, ({ mayRevise }) => mayRevise],
  diff: [shape.optional({ ...shape.html(), description: 'What `v2` changes of `v`, as a table.' }), ({ diff }) => diff],
}

type RevisionParams = { readonly v: string | undefined; readonly v2: string | undefined }

/** The page now, as of a revision, or compared between two revisions. */
type Looking = InWiki & Uses<'readEvent'> & { readonly pageFound: ExistingWikiPage; readonly place: Place | undefined }

const loadView: Need<PageView, RevisionParams, Viewer, Looking> = async (context) => {
  const { wiki, pageFound: page } = context
  const { v, v2 } = context.params
  const { place } = context
  const textOf = async (id: string) => {
    const revision = await revisionOf(context, wiki, page.page, id)
    return E.isLeft(revision) ? revision : E.right(await writtenAt(context, page.page, revision.right))
  }
  if (place) {
    if (v !== undefined || v2 !== undefined) return E.left({ code: 'BAD_REQUEST', field: 'at', text: 'with `v` or `v2` it says nothing' })
    const then = await revisionAsOf(context.documents, wiki.subsite, page.page, place.position)
    return then
      ? E.map((one: PageText) => ({ text: one.text, revision: then.id, written: one }))(await textOf(then.id))
      : refuseRule('PAGE_NOT_FOUND')
  }
  const written = v === undefined ? E.right(await writtenAt(context, page.page, page.current)) : await textOf(v)
  if (E.isLeft(written) || v2 === undefined)
    return E.map((one: PageText) => ({ text: one.text, revision: v ?? page.current.id, written: one }))(written)
  const later = await textOf(v2)
  if (E.isLeft(later)) return later
  for (const [field, one] of [
    ['v', written.right],
    ['v2', later.right],
  ] as const)
    if (one.text === ERASED_PLACEHOLDER)
      return E.left({ code: 'INVALID_REVISION', field, text: 'the text of that revision was erased' } as const)
  const diff = await compareTexts(written.right.text, later.right.text, 'viewer')
  return E.map((html: string) => ({ text: later.right.text, revision: v2, written: written.right, diff: html }))(diff)
}

const read = get('[/s/{sub}]/wiki/{page}', {
  otherPaths: ['[/s/{sub}]/wiki'],
  aliases: ['[/s/{sub}]/w/{page}', '[/s/{sub}]/help/{page}', '[/s/{sub}]/w', '[/s/{sub}]/help'],
  answers: { 200: thingShape('wikipage', shape.tableShape('WikiPage', fields)), 302: noBody },
  summary: 'A page of the wiki: current, as of a revision, or compared between two revisions.',
  notes:
    'With `at`, the page as it was then, in whatever revision that is. With `v`: the page as of that revision. With `v` and `v2`: the text of `v2`, the author and date of `v`, and `diff`, an HTML table of what `v2` changed. A name that is not in its normal form redirects to it. 404 `PAGE_NOT_CREATED`: you may create it.',
  cache: 'public',
  params: {
    page: pageSent(),
    v: describeParam(optional(rawText()), 'id of a revision'),
    v2: describeParam(optional(rawText()), 'id of another revision, compared with `v`, or with the current one'),
    at,
  },
  uses: ['places', 'readEvent'],
  needs: { wiki: wikiHere, pageFound: pageHere, address: normalAddress, place: placeAt, shown: loadView },
  handle: async (context) => {
    const { wiki, pageFound: page, place, shown } = context
    const { text, written } = shown
    const [html, authors, facts] = await Promise.all([
      htmlOf(page.page, text),
      recordsNamed(context, [written.by]),
      loadWikiFacts(context, wiki),
    ])
    const author = (written.by && authors.get(written.by)) || null
    const data = shape.valuesOf(fields, { ...shown, html, author, mayRevise: mayRevise(page, facts) })
    return { kind: 'json', body: { kind: 'wikipage', data }, fleeting: place !== undefined }
  },
})

const pages = get('[/s/{sub}]/wiki/pages', {
  answers: {
    200: thingShape(
      'wikipagelisting',
      shape.component('WikiPageNames', () => shape.listOf(shape.text('index'))),
    ),
  },
  summary: 'The names of the pages of the wiki, in alphabetical order.',
  notes: 'Lists the pages marked as listed that you may view. A wiki has at most 2,000 pages.',
  cache: 'public',
  needs: { wiki: wikiHere },
  handle: async ({ wiki: { subsite, standing }, documents }) => {
    const all = await pagesOf(documents, subsite)
    const names = all.filter((page) => page.listed && page.current !== null && mayViewPage(page, standing)).map(({ page }) => page)
    return { kind: 'json', body: { kind: 'wikipagelisting', data: names } }
  },
})

export const wikiReads: readonly AnyEndpoint[] = [read, pages]
