import { type RefusalCode, refusals } from '../domain/refusal.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { type Html, html } from './html.ts'
import { scopeOf } from './openapi.ts'

const humans =
  'Votes must be cast by humans: one person deciding, one vote. Programs that decide how to vote, or that amplify the votes of people, are not allowed.'

/** What holds for every request, in the words of the documentation page and of docs/endpoints.md. */
export const rules: readonly string[] = [
  humans,
  'Log in with OAuth 2 (`Authorization: bearer TOKEN`, from `/api/v1/access_token`), or with a session cookie from `/api/login`; with a cookie every write also needs the modhash, in `X-Modhash` or `uh`.',
  'Every answer names a log position in `X-Log-Position`: after a write that of its last event, otherwise how far the read models are. Every read accepts `min_position`: it waits up to a second until the read models are there, and says `X-Stale: true` when they were not.',
  'A POST may carry an `Idempotency-Key`: repeated with the same body it gets the first answer for a day, also after a crash (only a refusal that asks to wait is not kept); with another body it is 422. It means nothing where the answer is a secret: sessions, apps, tokens.',
  'Listings take `limit`, `after`, `before`, `count`, `show` and `sr_detail`; `after` and `before` of an answer lead on, null at the ends.',
  'In JSON `&`, `<` and `>` are HTML entities unless `raw_json=1`.',
  'Parameters come from the body, then the query, then the path. Unknown ones are ignored. Booleans: `0`, `off` and what begins with f or n is false.',
  'Forms (`+json`) answer 200 with `{"json":{"errors":[[code, text, field]]}}`; the others with a status and `{"message","error"}` or `{"reason","explanation","message","fields"}`.',
  'Each caller may send 1200 requests in 600 seconds; `X-Ratelimit-Used`, `-Remaining` and `-Reset` say where one stands.',
]

/** Backquoted words as code. */
const inline = (text: string): readonly Html[] =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))

/** The marks of the specification's table. */
export const marksOf = ({ json, listing, rss, modhash, method, login }: AnyEndpoint): readonly string[] => [
  ...(login === 'anyone' ? [] : [login === 'token' ? 'token' : 'login']),
  ...((modhash ?? method !== 'GET') ? ['modhash'] : []),
  ...(json ? ['+json'] : []),
  ...(listing ? [`listing (at most ${listing.max})`] : []),
  ...(rss ? ['rss'] : []),
]

const one = (endpoint: AnyEndpoint): Html => html`
<section><h3><code>${endpoint.method} ${endpoint.path}</code></h3>
<p>${inline(endpoint.summary)} ${endpoint.notes === undefined ? undefined : inline(endpoint.notes)}</p>
<p class="marks">scope ${scopeOf(endpoint)}${marksOf(endpoint).map((mark) => html` · ${mark}`)}</p>
${
  Object.keys(endpoint.params).length === 0
    ? undefined
    : html`<ul>${Object.entries(endpoint.params).map(
        ([name, { required, description, schema }]) =>
          html`<li><code>${name}</code>${required ? '' : ' (optional)'} ${inline(description)} <small>${JSON.stringify(schema)}</small></li>`,
      )}</ul>`
}</section>`

/** The documentation as a page for people: the same declarations as the OpenAPI document. */
export const docsPage = (endpoints: readonly AnyEndpoint[]): string => {
  const sections = [...new Set(endpoints.map(({ section }) => section))]
  const codes = Object.keys(refusals) as readonly RefusalCode[]
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Rostra: the interface</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 56rem; margin: 2rem auto; padding: 0 1rem; color: #222; background: #fdfdfb; }
section { border-top: 1px solid #ddd; } h3 { margin-bottom: 0; } .marks, small { color: #666; }</style></head><body>
<h1>Rostra: the interface</h1>
<p>The same as data: <a href="/openapi.json">openapi.json</a>.</p>
<ul>${rules.map((rule) => html`<li>${inline(rule)}</li>`)}</ul>
<p>${sections.map((section) => html`<a href="#${section}">${section}</a> `)}<a href="#errors">Errors</a></p>
${sections.map(
  (section) => html`<h2 id="${section}">${section}</h2>${endpoints.filter((endpoint) => endpoint.section === section).map(one)}`,
)}
<h2 id="errors">Errors</h2>
<ul>${codes.map((code) => html`<li><code>${code}</code> ${String(refusals[code].status)}: ${refusals[code].text}</li>`)}</ul>
</body></html>`.text
}
