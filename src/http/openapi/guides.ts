import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { Html, html, url } from '../wire/html.ts'
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

const navigationFor = (address: string): Html => {
  navigation ??= navigationOf(textOf(INDEX, EXAMPLE_ADDRESS), resolverOf(INDEX))
  return html`${navigation.map(
    ({ heading, links }) => html`<h2>${heading}</h2>
<ul>${links.map(({ text, target }) =>
      target === address
        ? html`<li><a href="${url(target)}" aria-current="page">${text}</a></li>`
        : html`<li><a href="${url(target)}">${text}</a></li>`,
    )}</ul>`,
  )}`
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
<details><summary><a href="#${heading.id}">${heading.text}</a> ${String(entries.length)}</summary>
<ul>${entries.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`)}</ul></details>`,
  )}</div>
<script src="/docs/filter.js" defer></script>`
}

const pageOf = (file: string, publicUrl: string): { readonly page: string; readonly hasScript: boolean } => {
  const { title, lead, body, contents } = guideText(textOf(file, publicUrl), resolverOf(file))
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

/** The longest time for which a browser shows a picture or a style sheet of an earlier version. */
const fileHeaders = { 'Cache-Control': 'public, max-age=3600' }

const made = new Map<string, DocsFile>()

const make = (name: string, publicUrl: string): DocsFile => {
  const file = name === '' ? INDEX : documents.get(name)
  if (file !== undefined) {
    const { page, hasScript } = pageOf(file, publicUrl)
    return { type: 'text/html; charset=UTF-8', body: page, headers: pageHeaders(hasScript) }
  }
  const type = types[extensionOf(name)] ?? 'application/octet-stream'
  return { type, body: readFileSync(new URL(files.get(name) ?? '', root)), headers: fileHeaders }
}

/** Returns a page or a file of the guides of a service, made once. The empty name is the index. */
export const guideFile = (name: string, publicUrl: string): DocsFile => {
  const key = `${publicUrl} ${name}`
  const known = made.get(key) ?? make(name, publicUrl)
  made.set(key, known)
  return known
}
