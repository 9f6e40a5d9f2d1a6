import { readFileSync } from 'node:fs'
import { html } from '../wire/html.ts'

/** Files served beside the page, by name: those of Swagger UI's package, and the script that starts it. */
export const docsFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'start.js'] as const

const types: Readonly<Record<string, string>> = { css: 'text/css; charset=UTF-8', js: 'text/javascript; charset=UTF-8' }

/** Swagger UI's own filter searches tags only; this one searches the paths and summaries of operations. */
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

/** The OpenAPI document as an HTML page with search and try-out; loads nothing from other hosts. */
export const docsPage: string = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Rostra: the interface</title>
<link rel="stylesheet" href="/docs/swagger-ui.css"></head><body><div id="interface"></div>
<noscript>This page needs JavaScript; <a href="/openapi.json">openapi.json</a> says the same.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body></html>`.text

/** Only scripts and requests of this site are allowed. Swagger UI sets inline styles and has images in its style sheet. */
export const docsHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
}
