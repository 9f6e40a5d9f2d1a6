import { hash } from 'node:crypto'
import { sortNames } from '../contract/link-sorts.ts'
import { siteFiles } from '../present/site-files.ts'
import { escapeHtml, Html, html, renderIf, url } from '../wire/html.ts'
import { renderInSlices } from '../wire/time-slices.ts'
import type { AnyPage, Around, PageViewer } from './page.ts'
import { actButton, actForm, entrance, LONG_TEXTS, renderTyped, withDone } from './parts/forms.ts'
import { renderListedLink } from './parts/rows.ts'
import { banner, withFlairColours } from './parts/styled.ts'
import { time } from './parts/time.ts'

/** The parts of a page that the frame shows. */
export type Framed = {
  readonly title: string
  readonly main: Html
  readonly aside?: Html | undefined
  readonly tab?: string | undefined
  readonly description?: string | undefined
  readonly canonical?: string | undefined
  /** The address of the same as JSON. */
  readonly json?: string | undefined
  readonly feed?: string | undefined
  readonly robots?: 'none' | undefined
}

/** Nothing is inline, so that no script or style but those of this site ever runs. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'",
}

/** Returns the header of a page that shows a stylesheet before it is saved: it allows this text, and no other within the page. */
export const withPreviewed = (css: string): Readonly<Record<string, string>> => ({
  'Content-Security-Policy': String(pageHeaders['Content-Security-Policy']).replace(
    "style-src 'self'",
    `style-src 'self' 'sha256-${hash('sha256', css, 'base64')}'`,
  ),
})

/** Browsers judge where a form may lead by every redirect that follows it. */
export const leadingElsewhere: Readonly<Record<string, string>> = {
  'Content-Security-Policy': String(pageHeaders['Content-Security-Policy']).replace(" form-action 'self';", ''),
}

const listings = [...sortNames, 'comments']

const tab = (name: string, to: string, current: string | undefined, words = name): Html =>
  renderListedLink(to, words, name === current ? 'page' : undefined)

const tabs = ({ subsite, viewer, at }: Around, current: string | undefined): Html => {
  const base = at.sub === undefined ? (subsite ? `/s/${subsite.display_name}` : '') : `/s/${at.sub}`
  return html`<nav class="tabs" aria-label="Pages"><ul>${listings.map((name) => tab(name, `${base}/${name}`, current))}${renderIf(
    subsite,
    () =>
      html`${tab('wiki', `${base}/wiki`, current)}${tab('log', `${base}/about/log`, current, 'mod log')}${
        viewer && subsite?.user_is_moderator
          ? html`${tab('queue', `${base}/about/modqueue`, current)}${tab('mail', `${base}/about/message/inbox`, current, 'mod mail')}`
          : undefined
      }`,
  )}${
    subsite
      ? undefined
      : html`${tab('all', '/s/all', current)}${tab('subsites', '/subs/popular', current)}${viewer?.is_mod ? tab('log', '/about/log', current, 'mod log') : undefined}${viewer?.is_employee ? tab('admin', '/admin', current) : undefined}`
  }</ul></nav>`
}

const countLink = (words: string, number: number, to: string): Html =>
  html`<a class="count" href="${url(to)}">${words}${renderIf(number > 0, () => html` <b>${number}</b>`)}</a>`

const logOut = actButton(url('/logout?dest=/'), { class: 'quiet', content: 'log out' })

const accountLinks = (viewer: PageViewer, base: string): Html =>
  html`<a class="me" href="${url(`/user/${viewer.name}`)}">${viewer.name}</a>${
    viewer.is_mod ? countLink('queue', viewer.mod_queue_count, '/about/modqueue') : undefined
  }${countLink('inbox', viewer.inbox_count, '/message/inbox')}${logOut}<a class="button main" href="${url(`${base}/submit`)}">Submit</a>`

/** Tells a suspended account what it may do, and until when. */
const suspensionNote = ({ is_suspended, suspension_expiration_utc: end }: PageViewer): Html | undefined =>
  is_suspended
    ? html`<p class="copy">This account is suspended${renderIf(end, (until) => html` until ${time(until)}`)}: it reads, and edits and deletes what it wrote.</p>`
    : undefined

const header = (around: Around, current: string | undefined): Html => {
  const { subsite, viewer, at } = around
  const base = subsite ? `/s/${subsite.display_name}` : ''
  return html`<header class="head">
<div class="top"><a class="brand" href="/"><span aria-hidden="true">▟▙</span> Rostra</a>
<form class="search" action="${url(`${base}/search`)}" role="search"><input name="q" type="search" aria-label="Search" placeholder="${subsite ? `Search in ${subsite.display_name}` : 'Search'}"><button type="submit" class="sr">Search</button></form>
${at.copyOf ? undefined : html`<nav aria-label="Account">${viewer ? accountLinks(viewer, base) : html`<a href="${entrance('/login', at)}">Log in</a><a class="button main" href="${entrance('/register', at)}">Register</a>`}</nav>`}</div>
${renderIf(at.copyOf, (date) => html`<p class="copy">This is a copy to read, as of ${time(date.getTime() / 1000)}.</p>`)}
${renderIf(viewer, suspensionNote)}${banner(around)}${renderIf(subsite, ({ display_name, title }) => html`<p class="place"><a href="${url(base)}">${title || display_name}</a> <span>/s/${display_name}</span></p>`)}
${tabs(around, current)}
</header>`
}

const openGraph = ({ publicUrl }: Around['at'], { title, description, canonical }: Framed): Html =>
  html`<meta property="og:title" content="${title}">
<meta property="og:site_name" content="Rostra">
${renderIf(
  canonical,
  (path) => html`<meta property="og:url" content="${publicUrl}${path}">
<link rel="canonical" href="${url(publicUrl + path)}">
`,
)}${renderIf(
  description,
  (words) => html`<meta property="og:description" content="${words}">
<meta name="description" content="${words}">
`,
)}`

/** Renders a complete page. */
export const renderFrame = (around: Around, page: Framed): Html => {
  const { title, main, aside, json, feed, robots } = page
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Rostra</title>
<link rel="stylesheet" href="${url(around.styling?.pageSheet ?? siteFiles['rostra.css'].address)}">
<script src="${url(siteFiles['rostra.js'].address)}" type="module"></script>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
${renderIf(
  json,
  (address) => html`<link rel="alternate" type="application/json" href="${url(address)}">
`,
)}${renderIf(
  feed,
  (address) => html`<link rel="alternate" type="application/atom+xml" href="${url(address)}" title="${title}">
`,
)}${renderIf(
  robots,
  (words) => html`<meta name="robots" content="${words}">
`,
)}${openGraph(around.at, page)}</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
${header(around, page.tab)}
<div class="${aside ? 'columns with-aside' : 'columns'}">
<main id="main">${main}</main>
${renderIf(aside, (beside) => html`<aside aria-label="About">${beside}</aside>`)}
</div>
<footer class="foot"><p><a href="/docs/help">Help</a>${around.viewer?.is_mod ? html` · <a href="/docs/moderators">For moderators</a>` : undefined} · <a href="/docs">For programs</a>${renderIf(json, (address) => html` · <a href="${url(address)}">This page as JSON</a>`)}${renderIf(feed, (address) => html` · <a href="${url(address)}">Feed</a>`)} · <a href="/history">The whole history</a>${renderIf(around.viewer && !around.at.copyOf, () => html` · <a href="/prefs/options">Settings</a>${around.viewer?.is_employee ? html` · <a href="/admin">Admin</a>` : undefined} · ${logOut}`)}</p></footer>
${actForm(around)}
</body>
</html>`
}

const withExtension = (target: string, extension: string): string => {
  const [path = '/', query] = target.split('?', 2)
  return `${path.replace(/\/$/, '')}/.${extension}`.replace(/(.)\/\.(?=\w+$)/, '$1.') + (query === undefined ? '' : `?${query}`)
}

/**
 * Puts above a page what it does not show itself of a form that was refused: the reason, as after a vote that came too late, and texts
 * whose form is gone, as after a thread was locked.
 */
const withReason = (main: Html, { form }: Around): Html => {
  if (form === undefined || form.text === '') return main
  const { fields, text: reason } = form
  const isMissing = (text: string): boolean => !main.text.includes(escapeHtml(text))
  const lost = renderTyped(
    fields,
    LONG_TEXTS.filter((name) => isMissing(fields[name] ?? '')),
  )
  return html`${isMissing(reason) ? html`<p class="refused" role="alert">${reason}</p>` : undefined}${lost}${main}`
}

/** Returns the page of an endpoint, rendered from its answer. */
export const renderPage = async (page: AnyPage, shown: Around & { readonly body: unknown; readonly also: unknown }): Promise<string> => {
  const input = shown as never
  const { at } = shown
  const isRead = shown.form !== undefined || shown.styling?.isShown === true
  const main = isRead ? new Html(await renderInSlices(page.main(input))) : page.main(input)
  const around = isRead ? { ...shown, styling: withFlairColours(shown.styling, main.text) } : shown
  const frame = renderFrame(around, {
    title: page.title(input),
    main: shown.form === undefined ? withDone(main, shown) : withReason(main, shown),
    aside: page.aside?.(around as never),
    tab: page.tab?.(input),
    description: page.description?.(input),
    canonical: page.canonical?.(input) ?? at.path,
    json: withExtension(at.target, 'json'),
    feed: page.feed ? withExtension(at.target, 'rss') : undefined,
    robots: typeof page.robots === 'function' ? page.robots(input) : page.robots,
  })
  return renderInSlices(frame)
}
