import { readFileSync } from 'node:fs'
import { html } from '../wire/html.ts'
import { type DocsFile, guideFile, guideFiles } from './guides.ts'

/** Files beside the page of the reference: those of Swagger UI's package, and the script that starts it. */
const interfaceFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js']

const types: Readonly<Record<string, string>> = { css: 'text/css; charset=UTF-8', js: 'text/javascript; charset=UTF-8' }

/**
 * The script of the page. Swagger UI's own filter searches tags only; this one searches the paths and summaries of operations. The document
 * names PUBLIC_URL, but the page may be open at another address of the same service (localhost instead of 127.0.0.1), and may only send
 * requests to its own address.
 */
const start = `const has = (operation, words) => {
  const text = (operation.get('path') + ' ' + operation.get('method') + ' ' + operation.getIn(['operation', 'summary'], '')).toLowerCase()
  return words.every((word) => text.includes(word))
}
const search = () => ({
  fn: {
    opsFilter: (sections, phrase) => {
      const words = phrase.toLowerCase().split(/\\s+/).filter(Boolean)
      return sections
        .map((section) => section.update('operations', (operations) => operations.filter((operation) => has(operation, words))))
        .filter((section) => section.get('operations').size > 0)
    },
  },
})
const dark = matchMedia('(prefers-color-scheme: dark)')
const colour = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', colour)
colour()
const here = (request) => {
  const { pathname, search } = new URL(request.url, location.origin)
  return Object.assign(request, { url: location.origin + pathname + search })
}
SwaggerUIBundle({
  url: '/openapi.json',
  requestInterceptor: here,
  dom_id: '#interface',
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  onComplete: () => document.getElementById('servers')?.setAttribute('aria-label', 'Server'),
  plugins: [search],
})
`

const packageUrl = import.meta.resolve('swagger-ui-dist/package.json')
const fromPackage = (name: string): string => readFileSync(new URL(name, packageUrl), 'utf8')
const read = new Map<string, string>([['start.js', start]])

/** Returns one of the files beside the page, read once. */
const interfaceFile = (name: string): DocsFile => {
  const body = read.get(name) ?? fromPackage(name)
  read.set(name, body)
  return { type: types[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain', body, headers: { 'Cache-Control': 'public, max-age=3600' } }
}

/** The OpenAPI document as an HTML page with search and try-out. It loads nothing from other hosts. */
const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Reference · Rostra</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/swagger-ui.css"><link rel="stylesheet" href="/docs/reference.css"></head><body><main><p class="wrapper"><a href="/docs">All guides</a>. As data: <a href="/openapi.json">openapi.json</a>, and <a href="/openapi-current.json">openapi-current.json</a> without the older spellings of paths.</p><div id="interface"></div>
<noscript>This page needs JavaScript; <a href="/docs/endpoints">the list of endpoints</a> and <a href="/openapi.json">openapi.json</a> say the same.</noscript></main>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>`.text

/** Allows only scripts and requests of this site. Swagger UI sets inline styles and has images in its style sheet. */
const headers: DocsFile['headers'] = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
}

/** The name of the page in its address. */
const REFERENCE = 'reference'

/** The names served below `/docs/`. */
export const docsFiles: readonly string[] = [REFERENCE, ...interfaceFiles, ...guideFiles]

/** Returns the page of the reference, a guide, or a file that one of them uses, with the public address of the service in its examples. */
export const docsFile = (name: string, publicUrl: string): DocsFile => {
  if (name === REFERENCE) return { type: 'text/html; charset=UTF-8', body: page, headers }
  return interfaceFiles.includes(name) ? interfaceFile(name) : guideFile(name, publicUrl)
}
