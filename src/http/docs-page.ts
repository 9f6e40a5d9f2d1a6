import { readFileSync } from 'node:fs'
import { html } from './html.ts'

/** Files of the page beside itself, by name: Swagger UI from its package, and what starts it. */
export const docsFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'] as const

const types: Readonly<Record<string, string>> = { css: 'text/css; charset=UTF-8', js: 'text/javascript; charset=UTF-8' }

/** Its own search looks at sections only; here a word finds every operation that has it in its address or its summary. */
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
SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#interface',
  deepLinking: true,
  docExpansion: 'list',
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
  plugins: [search],
})
`

const packageUrl = import.meta.resolve('swagger-ui-dist/package.json')
const fromPackage = (name: string): string => readFileSync(new URL(name, packageUrl), 'utf8')
const read = new Map<string, string>([['start.js', start]])

/** One of the files beside the page, read once. */
export const docsFile = (name: string): { readonly type: string; readonly body: string } => {
  const body = read.get(name) ?? fromPackage(name)
  read.set(name, body)
  return { type: types[name.slice(name.lastIndexOf('.') + 1)] ?? 'text/plain', body }
}

/** The OpenAPI document for people: search, try it, nothing from other hosts. */
export const docsPage: string = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Rostra: the interface</title>
<link rel="stylesheet" href="/docs/swagger-ui.css"></head><body><div id="interface"></div>
<noscript>This page needs JavaScript; <a href="/openapi.json">openapi.json</a> says the same.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>`.text

/** Scripts and requests of this site only; Swagger UI sets styles inline and has its pictures in its style sheet. */
export const docsHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
}
