import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { Html, html, renderIf, url } from '../wire/html.ts'
import { type Contents, type Navigation, navigationOf, type Resolve, renderDocument } from './guide-markdown.ts'
import { searchParts, splitAtHeadings } from './guide-search.ts'

const root = new URL('../../../docs/', import.meta.url)
const folder = 'guide'
const INDEX = `${folder}/README.md`

/** Documents beside the folder of the guides that are served with them. */
const beside = ['clients.md', 'configuration.md', 'endpoints.md', 'operations.md', 'preferences.md', 'verifying.md']

const pageNameOf = (file: string): string => posix.basename(file, '.md')

/** The served documents by their names in addresses. */
const documents: ReadonlyMap<string, string> = new Map(
  [
    ...readdirSync(new URL(`${folder}/`, root))
      .filter((name) => name.endsWith('.md'))
      .map((name) => posix.join(folder, name)),
    ...beside,
  ]
    .filter((file) => file !== INDEX)
    .map((file) => [pageNameOf(file), file]),
)

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=UTF-8',
  js: 'text/javascript; charset=UTF-8',
  mjs: 'text/javascript; charset=UTF-8',
  py: 'text/plain; charset=UTF-8',
  png: 'image/png',
  svg: 'image/svg+xml',
}
const extensionOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1)

/** Files that are served as they are, by their names in addresses: pictures, the style sheet, the script, and the adapters for other libraries. */
const files: ReadonlyMap<string, string> = new Map(
  [folder, 'adapters'].flatMap((place) =>
    readdirSync(new URL(`${place}/`, root))
      .filter((name) => extensionOf(name) in types)
      .map((name) => [name, posix.join(place, name)] as const),
  ),
)

/** The names served below `/docs/`: the pages, and the files that they show or name. */
export const guideFiles: readonly string[] = [...documents.keys(), ...files.keys()]

const addressOf = (file: string): string | undefined => {
  if (file === INDEX) return '/docs'
  if (file === 'openapi.json') return '/openapi.json'
  const name = posix.basename(file)
  if (files.get(name) === file) return `/docs/${name}`
  return documents.get(pageNameOf(file)) === file ? `/docs/${pageNameOf(file)}` : undefined
}

const resolverOf =
  (file: string): Resolve =>
  (target) => {
    if (/^(https?:|#)/.test(target)) return target
    const [path = '', place] = target.split('#')
    const address = addressOf(posix.join(posix.dirname(file), path))
    return address && (place === undefined ? address : `${address}#${place}`)
  }

/** Matches the paragraphs of a document that only contributors to this project need. */
const forContributors = /^(?:Made by `npm run generate`|Declared in\s\[)(?:.+\n)+\n/gm

/** The address in the examples. A page shows the public address of the service in its place. */
const EXAMPLE_ADDRESS = 'http://127.0.0.1:8080'
/** Documents for operators mean a service on the machine that they sit at. */
const forOperators = ['guide/operators.md', 'configuration.md', 'operations.md']

const textOf = (file: string, publicUrl: string): string => {
  const text = readFileSync(new URL(file, root), 'utf8').replace(forContributors, '')
  return forOperators.includes(file) ? text : text.replaceAll(EXAMPLE_ADDRESS, () => publicUrl)
}

let navigation: Navigation | undefined
const navigationOfAll = (): Navigation => {
  navigation ??= navigationOf(textOf(INDEX, EXAMPLE_ADDRESS), resolverOf(INDEX))
  return navigation
}

const navigationFor = (address: string): Html =>
  html`${navigationOfAll().map(
    ({ heading, links }) => html`<h2>${heading}</h2>
<ul>${links.map(({ text, target }) =>
      target === address
        ? html`<li><a href="${url(target)}" aria-current="page">${text}</a></li>`
        : html`<li><a href="${url(target)}">${text}</a></li>`,
    )}</ul>`,
  )}`

/** Returns the links to the pages before and after one, in the order of the navigation. */
const turnsFor = (address: string): Html | undefined => {
  const links = navigationOfAll().flatMap((part) => part.links)
  const at = links.findIndex(({ target }) => target === address)
  if (at < 0 && address !== '/docs') return undefined
  const [before, after] = [at === 0 ? { text: 'Guides', target: '/docs' } : links[at - 1], links[at + 1]]
  return html`<nav class="turn" aria-label="Previous and next page">${renderIf(before, ({ text, target }) => html`<a href="${url(target)}" rel="prev">← ${text}</a>`)}${renderIf(after, ({ text, target }) => html`<a href="${url(target)}" rel="next">${text} →</a>`)}</nav>`
}

/** Pages with more entries are read by looking for one. */
const MAX_ENTRIES_WITHOUT_CONTENTS = 30

/**
 * Returns the contents of a long page, with a field that filters it if scripts run. Without scripts, the browser's search finds each entry.
 */
const contentsFor = (contents: Contents): Html | undefined => {
  const sections = contents.filter(({ entries }) => entries.length > 0)
  if (sections.flatMap(({ entries }) => entries).length <= MAX_ENTRIES_WITHOUT_CONTENTS) return undefined
  return html`<div class="contents" data-filter="Find by words of the name or the first sentence">${sections.map(
    ({ heading, entries }) => html`
<details><summary>${heading.text} ${String(entries.length)}</summary>
<p><a href="#${heading.id}">From the beginning: ${heading.text}</a></p>
<ul>${entries.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></details>`,
  )}</div>
<script src="/docs/filter.js" defer></script>`
}

/** Pages with fewer headings need no list of them. */
const MIN_HEADINGS = 3

const placesOn = (contents: Contents): Html | undefined =>
  contents.length < MIN_HEADINGS
    ? undefined
    : html`<nav class="places" aria-label="On this page"><details open><summary>On this page</summary><ul>${contents.map(
        ({ heading }) => html`<li><a href="#${heading.id}">${heading.text}</a></li>`,
      )}</ul></details></nav>`

type Framed = {
  readonly title: string
  readonly main: Html
  readonly address?: string
  readonly asked?: string
}

const frame = ({ title, main, address = '', asked = '' }: Framed): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title} · Rostra</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="stylesheet" href="/docs/guide.css"></head>
<body><header><a href="/docs">Rostra</a> <a href="/">The site</a> <a href="/docs/reference">Reference</a> <a href="/docs/errors">Errors</a> <a href="/openapi.json">OpenAPI</a> <a href="/openapi-current.json">OpenAPI without older spellings</a>
<form action="/docs" role="search"><input name="q" type="search" value="${asked}" aria-label="Search the guides" placeholder="Search the guides"> <button type="submit">Search</button></form></header>
<div class="columns"><nav class="all" aria-label="Guides">${navigationFor(address)}</nav>
<main>${main}${renderIf(address, turnsFor)}</main></div></body></html>`.text

const renderGuide = (file: string, publicUrl: string): { readonly page: string; readonly hasScript: boolean } => {
  const { title, lead, body, contents } = renderDocument(textOf(file, publicUrl), resolverOf(file))
  const list = contentsFor(contents)
  const hasExamples = body.includes('<pre')
  const main = html`${new Html(lead)}${list ?? placesOn(contents)}${new Html(body)}${hasExamples ? html`<script src="/docs/copy.js" defer></script>` : undefined}`
  const page = frame({ title, main, address: addressOf(file) ?? '' })
  return { page, hasScript: hasExamples || list !== undefined }
}

export type DocsFile = { readonly type: string; readonly body: string | Buffer; readonly headers: Readonly<Record<string, string>> }

/** Style sheet and pictures are files of this site, and so is the script of the pages that have one. */
const pageHeaders = (hasScript: boolean) => ({
  'Content-Security-Policy': `default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'${hasScript ? "; script-src 'self'" : ''}`,
})

/** The longest time for which a browser shows a picture or a style sheet of an earlier version. */
const fileHeaders = { 'Cache-Control': 'public, max-age=3600' }

const filesMade = new Map<string, DocsFile>()

const make = (name: string, publicUrl: string): DocsFile => {
  const file = name === '' ? INDEX : documents.get(name)
  if (file !== undefined) {
    const { page, hasScript } = renderGuide(file, publicUrl)
    return { type: 'text/html; charset=UTF-8', body: page, headers: pageHeaders(hasScript) }
  }
  const type = types[extensionOf(name)] ?? 'application/octet-stream'
  return { type, body: readFileSync(new URL(files.get(name) ?? '', root)), headers: fileHeaders }
}

/** Returns a page or a file of the guides of a service, made once. The empty name is the index. */
export const guideFile = (name: string, publicUrl: string): DocsFile => {
  const key = `${publicUrl} ${name}`
  const known = filesMade.get(key) ?? make(name, publicUrl)
  filesMade.set(key, known)
  return known
}

/** The parts of all guides, by the address in their examples. */
const partsByAddress = new Map<string, ReturnType<typeof splitAtHeadings>>()

const partsWith = (publicUrl: string): ReturnType<typeof splitAtHeadings> => {
  const known =
    partsByAddress.get(publicUrl) ??
    [INDEX, ...documents.values()].flatMap((file) => splitAtHeadings(addressOf(file) ?? '/docs', textOf(file, publicUrl)))
  partsByAddress.set(publicUrl, known)
  return known
}

/** Returns the page of a search in the guides of a service. */
export const guideSearch = (question: string, publicUrl: string): DocsFile => {
  const { hits, total } = searchParts(partsWith(publicUrl), question)
  const notes =
    total === 0
      ? 'Nothing matches.'
      : `${total} ${total === 1 ? 'place' : 'places'}${total > hits.length ? `, the first ${hits.length}` : ''}`
  const main = html`<h1>Search the guides</h1><p>${notes}</p>
<ol class="hits">${hits.map(
    ({ page, title, heading, id, snippet }) =>
      html`<li><a href="${url(`${page}#${id}`)}">${heading}</a>${heading === title ? undefined : html` <small>${title}</small>`}<p>${snippet}</p></li>`,
  )}</ol>`
  const headers = { ...pageHeaders(false), 'X-Robots-Tag': 'noindex' }
  return { type: 'text/html; charset=UTF-8', body: frame({ title: `${question}: search`, main, asked: question }), headers }
}
