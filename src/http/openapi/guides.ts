import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { Html, html } from '../wire/html.ts'
import { type Contents, guideText, type Navigation, navigationOf, type Resolve } from './guide-markdown.ts'

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

/** What is served below `/docs/`: the pages, and what they show or name. */
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

/** What a document says to those who change this project only. */
const forContributors = /^(?:Made by `npm run docs`|Declared in \[).*\n\n/gm

const textOf = (file: string): string => readFileSync(new URL(file, root), 'utf8').replace(forContributors, '')

let navigation: Navigation | undefined

const navigationFor = (address: string): Html => {
  navigation ??= navigationOf(textOf(INDEX), resolverOf(INDEX))
  return html`${navigation.map(
    ({ heading, links }) => html`<h2>${heading}</h2>
<ul>${links.map(
      ({ text, target }) =>
        html`<li><a href="${target}"${target === address ? new Html(' aria-current="page"') : undefined}>${text}</a></li>`,
    )}</ul>`,
  )}`
}

/** Pages with more entries are read by looking for one. */
const MAX_ENTRIES_WITHOUT_CONTENTS = 30

/** The contents of a long page, with a field that filters it where scripts run; without them the search of the browser finds each entry. */
const contentsFor = (contents: Contents): Html | undefined => {
  const sections = contents.filter(({ entries }) => entries.length > 0)
  if (sections.flatMap(({ entries }) => entries).length <= MAX_ENTRIES_WITHOUT_CONTENTS) return undefined
  return html`<div class="contents" data-filter="Find by words of the name or the first sentence">${sections.map(
    ({ heading, entries }) => html`
<details><summary><a href="#${heading.id}">${heading.text}</a> ${String(entries.length)}</summary>
<ul>${entries.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></details>`,
  )}</div>
<script src="/docs/filter.js" defer></script>`
}

const pageOf = (file: string): { readonly page: string; readonly hasScript: boolean } => {
  const { title, lead, body, contents } = guideText(textOf(file), resolverOf(file))
  const list = contentsFor(contents)
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${title} · Rostra</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml"><link rel="stylesheet" href="/docs/guide.css"></head>
<body><header><a href="/docs">Rostra</a> <a href="/docs/reference">Reference</a> <a href="/docs/errors">Errors</a> <a href="/openapi.json">OpenAPI</a> <a href="/openapi-current.json">OpenAPI without older spellings</a></header>
<div class="columns"><nav aria-label="Guides">${navigationFor(addressOf(file) ?? '')}</nav>
<main>${new Html(lead)}${list}${new Html(body)}</main></div></body></html>`.text
  return { page, hasScript: list !== undefined }
}

export type DocsFile = { readonly type: string; readonly body: string | Buffer; readonly headers: Readonly<Record<string, string>> }

/** Style sheet and pictures are files of this site, and so is the script of the pages that have one. */
const pageHeaders = (hasScript: boolean) => ({
  'Content-Security-Policy': `default-src 'none'; style-src 'self'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'${hasScript ? "; script-src 'self'" : ''}`,
})

/** The longest that a browser shows a picture or a style sheet of an earlier version. */
const fileHeaders = { 'Cache-Control': 'public, max-age=3600' }

const made = new Map<string, DocsFile>()

const make = (name: string): DocsFile => {
  const file = name === '' ? INDEX : documents.get(name)
  if (file !== undefined) {
    const { page, hasScript } = pageOf(file)
    return { type: 'text/html; charset=UTF-8', body: page, headers: pageHeaders(hasScript) }
  }
  const type = types[extensionOf(name)] ?? 'application/octet-stream'
  return { type, body: readFileSync(new URL(files.get(name) ?? '', root)), headers: fileHeaders }
}

/** A page or a file of the guides, made once; the empty name is the index. */
export const guideFile = (name: string): DocsFile => {
  const known = made.get(name) ?? make(name)
  made.set(name, known)
  return known
}
