import { html, renderIf, url } from '../wire/html.ts'
import { renderFrame } from './frame.ts'
import type { Around } from './page.ts'
import { entrance, LONG_TEXTS, renderTyped } from './parts/forms.ts'

/** The members of every refusal and every fault. */
export type Problem = { readonly status: number; readonly reason: string; readonly explanation: string; readonly request: string }

const titles: Readonly<Record<number, string>> = {
  400: 'This request cannot be understood',
  401: 'You have to log in',
  403: 'This is not allowed',
  404: 'Not found',
  409: 'This conflicts with the present state',
  429: 'Too many requests',
}

const titleOf = (status: number): string => titles[status] ?? (status >= 500 ? 'The service cannot do this right now' : 'This was refused')

/** Returns the address of the form that creates a wiki page, filled in with the name of a path. */
const creationOf = (path: string): string =>
  path.replace(/\/(?:wiki|w|help)(?:\/(.*))?$/, (_, page: string | undefined) => `/wiki/pages?page=${page || 'index'}#new`)

/** Returns the page of a refusal or a fault: it says what the JSON says, and asks the stores nothing. */
export const errorPage = (around: Around, { status, reason, explanation, request }: Problem): string => {
  const { viewer, at, form } = around
  return renderFrame(around, {
    title: titleOf(status),
    robots: 'none',
    main: html`<section class="card problem"><h1 class="page">${titleOf(status)}</h1>
<p>${explanation}</p>
${renderIf((status === 401 || reason === 'USER_REQUIRED') && !viewer && !at.copyOf, () => html`<p><a class="button main" href="${entrance('/login', at)}">Log in</a> <a class="button" href="${entrance('/register', at)}">Register</a></p>`)}
${renderIf(reason === 'PAGE_NOT_CREATED' && viewer && !at.copyOf, () => html`<p><a class="button main" href="${url(creationOf(at.path))}">Create it</a></p>`)}
${renderIf(reason === 'FORBIDDEN' && viewer && /^\/u(?:ser)?\//.test(at.path), () => html`<p>The pages of an account that you block are not shown to you. <a href="/prefs/blocked">The accounts that you block</a></p>`)}
${renderIf(form, ({ fields }) => html`${renderTyped(fields, ['title', ...LONG_TEXTS])}`)}
<p class="meta">${status} <a href="${url(`/docs/errors#${reason}`)}"><code>${reason}</code></a> · request ${request}</p></section>`,
  }).text
}
