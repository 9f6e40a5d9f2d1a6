import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { linkList } from '../listings/links.ts'
import { type Around, type At, type Page, pageFor, type Wire } from '../page.ts'
import { author, choices, pager } from '../parts/rows.ts'
import { renderedText } from '../parts/text.ts'
import { time } from '../parts/time.ts'

/** The wiki of the page's subsite, or that of the site. */
const wikiOf = ({ at }: Pick<Around, 'at'>): string => `${at.sub === undefined ? '' : `/s/${at.sub}`}/wiki`

/** The name of a wiki page, after a path of its wiki. */
const nameIn = ({ path }: At, after = ''): string =>
  decodeURIComponent(/^(?:\/[sr]\/[^/]+)?\/(?:wiki|w|help)(\/.*)?$/.exec(path)?.[1]?.slice(1 + after.length) || 'index').replace(/\/$/, '')

const encoded = (name: string): string => name.split('/').map(encodeURIComponent).join('/')

const views = (shown: Around, name: string, current: string): Html => {
  const wiki = wikiOf(shown)
  return choices(
    'About this page',
    [
      { value: 'read', to: `${wiki}/${encoded(name)}` },
      { value: 'revisions', to: `${wiki}/revisions/${encoded(name)}` },
      { value: 'discussions', to: `${wiki}/discussions/${encoded(name)}` },
      { value: 'all pages', to: `${wiki}/pages` },
    ],
    current,
  )
}

type Reviser = Wire<'WikiRevision'>['author']
const reviser = (account: Reviser): Html => author(account?.data.name ?? null)

const revision = (one: Wire<'WikiRevision'>, around: Around): Html =>
  html`<li class="single"><p><a href="${url(`${wikiOf(around)}/${encoded(one.page)}?v=${one.id}`)}">${one.page}</a> ${
    one.revision_hidden ? html`<span class="badge">hidden</span> ` : undefined
  }<span class="meta">by ${reviser(one.author)} ${renderIf(one.timestamp, (at) => time(at))} <a href="${url(`${wikiOf(around)}/${encoded(one.page)}?v=${one.id}&v2=`)}">compare with today</a></span></p>${renderIf(one.reason, (reason) => html`<p class="meta">${reason}</p>`)}</li>`

const revisions = (all: readonly Wire<'WikiRevision'>[], around: Around): Html =>
  all.length === 0
    ? html`<p class="empty">Nothing has been changed.</p>`
    : html`<ol class="links">${all.map((one) => revision(one, around))}</ol>`

export const wikiPages: readonly Page[] = [
  pageFor('GET [/s/{sub}]/wiki/{page}', {
    title: ({ at }) => `${nameIn(at)} · wiki`,
    tab: () => 'wiki',
    main: (shown) => {
      const { data } = shown.body
      const name = nameIn(shown.at)
      return html`<div class="bar"><h1 class="page">${name}</h1>${views(shown, name, 'read')}</div>
${renderIf(shown.at.query.get('v'), () => html`<p class="note">An earlier revision. <a href="${url(`${wikiOf(shown)}/${encoded(name)}`)}">The page of today</a></p>`)}
${renderIf(data.diff, (diff) => renderedText(diff))}
<article class="card">${renderedText(data.content_html) ?? html`<p class="empty">This page is empty.</p>`}</article>
<p class="meta">${renderIf(data.revision_date, (at) => html`Last changed ${time(at)} by ${reviser(data.revision_by)}`)}</p>`
    },
  }),
  pageFor('GET [/s/{sub}]/wiki/pages', {
    title: () => 'All pages · wiki',
    tab: () => 'wiki',
    main: (
      shown,
    ) => html`<div class="bar"><h1 class="page">All pages</h1><p class="meta"><a href="${url(`${wikiOf(shown)}/revisions`)}">Recent changes</a></p></div>
${shown.body.data.length === 0 ? html`<p class="empty">This wiki has no pages yet.</p>` : html`<ul class="links">${shown.body.data.map((name) => html`<li class="single"><a href="${url(`${wikiOf(shown)}/${encoded(name)}`)}">${name}</a></li>`)}</ul>`}`,
  }),
  pageFor('GET [/s/{sub}]/wiki/revisions', {
    title: () => 'Recent changes · wiki',
    tab: () => 'wiki',
    robots: 'none',
    main: (
      shown,
    ) => html`<div class="bar"><h1 class="page">Recent changes</h1><p class="meta"><a href="${url(`${wikiOf(shown)}/pages`)}">All pages</a></p></div>
${revisions(shown.body.data.children, shown)}${pager(shown.body.data, shown)}`,
  }),
  pageFor('GET [/s/{sub}]/wiki/revisions/{page}', {
    title: ({ at }) => `Revisions of ${nameIn(at, 'revisions/')} · wiki`,
    tab: () => 'wiki',
    robots: 'none',
    main: (shown) => {
      const name = nameIn(shown.at, 'revisions/')
      return html`<div class="bar"><h1 class="page">${name}</h1>${views(shown, name, 'revisions')}</div>
${revisions(shown.body.data.children, shown)}${pager(shown.body.data, shown)}`
    },
  }),
  pageFor('GET [/s/{sub}]/wiki/discussions/{page}', {
    title: ({ at }) => `Discussions of ${nameIn(at, 'discussions/')} · wiki`,
    tab: () => 'wiki',
    robots: 'none',
    main: (shown) => {
      const name = nameIn(shown.at, 'discussions/')
      return html`<div class="bar"><h1 class="page">${name}</h1>${views(shown, name, 'discussions')}</div>
${linkList(shown.body, shown, 'Nobody has linked to this page.')}`
    },
  }),
]
