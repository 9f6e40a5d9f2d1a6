import { type Html, html, renderEach, renderIf, url } from '../../wire/html.ts'
import { linkList } from '../listings/links.ts'
import { type AnyPage, type Around, pageFor, type Wire } from '../page.ts'
import { mayModerate } from '../parts/subsites.ts'
import { renderText } from '../parts/text.ts'
import { time } from '../parts/time.ts'
import { encodePageName, views, wikiOf, wikiPageName } from './address.ts'
import { createForm, editForm } from './edit-form.ts'
import { reviser } from './revisions.ts'

/** Renders the text of a page, or the form that edits it. */
const content = (shown: Around, name: string, data: Wire<'WikiPage'>): Html => {
  const { query } = shown.at
  const mayEdit = data.may_revise && shown.viewer !== undefined && !query.has('v') && !query.has('at')
  if (mayEdit && query.has('edit')) return html`${editForm(shown, name, data)}`
  return html`${renderIf(data.diff, (diff) => html`<section class="card"><h2>What was changed</h2>${renderText(diff)}</section>`)}
<article class="card">${renderText(data.content_html) ?? html`<p class="empty">This page is empty.</p>`}</article>
<p class="meta">${data.diff === undefined ? renderIf(data.revision_date, (at) => html`Last changed ${time(at)} by ${reviser(data.revision_by)}`) : undefined}${
    mayEdit ? html` <a class="button" href="${url(`${wikiOf(shown)}/${encodePageName(name)}?edit=1`)}">Edit</a>` : undefined
  }</p>`
}

/** Says of which revision a text is. The answer names the author and date of the revision that it is compared with. */
const revisionNote = (shown: Around, name: string, data: Wire<'WikiPage'>): Html | undefined => {
  const { query } = shown.at
  if (!query.has('v') && !query.has('v2')) return undefined
  const words =
    data.diff === undefined
      ? html`The page as of one revision.`
      : html`What changed after the revision${renderIf(data.revision_date, (at) => html` of ${time(at)}`)} by ${reviser(data.revision_by)}, and the text since then.`
  return html`<p class="note">${words} <a href="${url(`${wikiOf(shown)}/${encodePageName(name)}`)}">The page as it is now</a></p>`
}

/** Tells whether the form that creates a page is shown: where the viewer may, as far as the subsite says, or came to do so. */
const mayCreate = (around: Around): boolean => {
  const { subsite, at } = around
  return subsite === undefined || subsite.wiki_enabled === true || mayModerate(around, 'wiki') || at.query.has('page')
}

export const wikiPages: readonly AnyPage[] = [
  pageFor('GET [/s/{sub}]/wiki/{page}', {
    title: ({ at }) => `${wikiPageName(at)} · wiki`,
    tab: () => 'wiki',
    main: (shown) => {
      const name = wikiPageName(shown.at)
      return html`<div class="bar"><h1 class="page">${name}</h1>${views(shown, name, 'read')}</div>
${revisionNote(shown, name, shown.body.data)}
${content(shown, name, shown.body.data)}`
    },
  }),
  pageFor('GET [/s/{sub}]/wiki/pages', {
    title: () => 'All pages · wiki',
    tab: () => 'wiki',
    main: (
      shown,
    ) => html`<div class="bar"><h1 class="page">All pages</h1><p class="meta"><a href="${url(`${wikiOf(shown)}/revisions`)}">Recent changes</a></p></div>
${shown.body.data.length === 0 ? html`<p class="empty">This wiki has no pages yet.</p>` : html`<ul class="links">${renderEach(shown.body.data, (name) => html`<li class="single"><a href="${url(`${wikiOf(shown)}/${encodePageName(name)}`)}">${name}</a></li>`)}</ul>`}
${createForm(shown, mayCreate(shown))}`,
  }),
  pageFor('GET [/s/{sub}]/wiki/discussions/{page}', {
    title: ({ at }) => `Discussions of ${wikiPageName(at, 'discussions/')} · wiki`,
    tab: () => 'wiki',
    robots: 'none',
    main: (shown) => {
      const name = wikiPageName(shown.at, 'discussions/')
      return html`<div class="bar"><h1 class="page">${name}</h1>${views(shown, name, 'discussions')}</div>
${linkList(shown.body, shown, 'Nobody has linked to this page.')}`
    },
  }),
]
