import * as E from 'fp-ts/lib/Either.js'
import { isCrossSite, pathWithin } from '../contract/cross-site.ts'
import { cookieOf, type Fields, type IncomingRequest, type OutgoingResponse, parseForm, splitTarget } from '../contract/incoming.ts'
import type { Exchange } from '../contract/request-state.ts'
import { markDone, PREVIEW_FIELD } from '../pages/parts/forms.ts'
import { headerText } from './write-response.ts'

/** The cookie with the position of a browser's last write. */
const SEEN_COOKIE = 'rostra_seen'
/** The time after a write in which its author is shown nothing older. By then the read models have long shown it. */
const SEEN_SECONDS = 10

/** Returns the position that a browser must see; undefined for every other client. */
export const seenPosition = ({ headers: { cookie } }: IncomingRequest): string | undefined => {
  const position = typeof cookie === 'string' && cookie.includes(SEEN_COOKIE) ? cookieOf(cookie, SEEN_COOKIE) : undefined
  return position !== undefined && /^\d{20,40}$/.test(position) ? position : undefined
}

/** Returns the fields of a form, in its address and its body. The body takes precedence. */
export const readFormFields = async ({ target, readBody }: IncomingRequest): Promise<Fields> => {
  const query = parseForm(splitTarget(target)?.search ?? '')
  const body = await readBody()
  return { ...(E.isRight(query) && query.right), ...(E.isRight(body) && body.right.fields) }
}

/** Returns the path of the page that a form was on, as the browser says; undefined for a page of another site. */
const refererPath = ({ headers }: IncomingRequest, publicUrl: string): string | undefined => {
  const referer = URL.parse(String(headers.referer ?? ''))
  if (referer?.host !== headers.host && referer?.origin !== new URL(publicUrl).origin) return undefined
  return referer === null ? undefined : pathWithin(`${referer.pathname}${referer.search}`)
}

/**
 * Returns the path of the page that a form was on: as the form says, else as the browser says. The browser names the address of the act
 * after a refusal, since the page was shown again there.
 */
export const formPagePath = ({ incoming, publicUrl }: Pick<Exchange, 'incoming' | 'publicUrl'>, { form_page = '' }: Fields): string =>
  pathWithin(form_page) ?? refererPath(incoming, publicUrl) ?? '/'

/** Returns the thing that a form was about. The page scrolls back to it. */
const readFormThing = ({ id, thing_id }: Fields): string => {
  const thing = id ?? thing_id ?? ''
  return /^t[15]_[0-9a-z]{1,13}$/.test(thing) ? `#${thing}` : ''
}

type Made = { readonly kind?: string; readonly data: { readonly name: string; readonly permalink?: string } }
type Answered = { readonly json?: { readonly data?: { readonly url?: string; readonly things?: readonly Made[] } } }

/** Matches the subsite that a path begins with. */
const sitePart = /^\/[sr]\/\w+(?=\/)/

/**
 * The destinations after forms that create something, by the path that a form was posted to: the new page, and its place on the page that
 * the form names.
 */
const destinations: Readonly<
  Record<string, (answered: Answered, fields: Fields) => { readonly page: string | undefined; readonly place?: string | undefined }>
> = {
  '/api/submit': ({ json }) => ({ page: json?.data?.url }),
  '/api/comment': ({ json }) => {
    const thing = json?.data?.things?.[0]?.data
    const place = thing && `#${thing.name}`
    return { page: thing?.permalink && `${thing.permalink}?context=3${place}`, place }
  },
  '/api/wiki/edit': (_, { page = '', form_page = '' }) => ({
    page: /^[\w/ -]+$/.test(page) ? `${sitePart.exec(form_page)?.[0] ?? ''}/wiki/${page}` : undefined,
  }),
  '/api/site_admin': (_, { name, sr }) => ({ page: sr === undefined && name !== undefined ? `/s/${encodeURIComponent(name)}` : undefined }),
}

/** Returns the page of the thing that a form made, and its place on the page that it was made on. */
export const nextOf = (
  { incoming }: Exchange,
  { body }: OutgoingResponse,
  fields: Fields,
): { readonly page?: string; readonly place?: string } => {
  const next = destinations[(splitTarget(incoming.target)?.path ?? '').replace(sitePart, '')]?.(
    JSON.parse(String(body)) as Answered,
    fields,
  )
  const address = next?.page === undefined ? null : URL.parse(next.page, 'http://x')
  return {
    ...(address && { page: `${address.pathname}${address.search}${address.hash}` }),
    ...(next?.place !== undefined && { place: next.place }),
  }
}

/**
 * Redirects a browser after a form that succeeded: to `dest`, else to the thing it made, else back to the page of the form, else to the
 * front page. `cookies` are those that the endpoint sets.
 */
export const afterForm = (
  exchange: Exchange,
  fields: Fields,
  next: ReturnType<typeof nextOf> = {},
  cookies?: string | readonly string[],
): OutgoingResponse => {
  const { written } = exchange
  const { modhash } = exchange.identity.viewer
  const dest = pathWithin(fields.dest ?? '')
  const location =
    (dest === undefined ? next.page : `${modhash ? markDone(dest, modhash) : dest}${next.place ?? ''}`) ??
    `${formPagePath(exchange, fields)}${readFormThing(fields)}`
  const positionCookie = `${SEEN_COOKIE}=${written}; Path=/; Max-Age=${SEEN_SECONDS}; HttpOnly; SameSite=Lax`
  const all = [...(cookies === undefined ? [] : [cookies].flat()), ...(written === undefined ? [] : [positionCookie])]
  return { status: 303, headers: { Location: headerText(location), ...(all.length > 0 && { 'Set-Cookie': all }) }, body: '' }
}

/** Tells whether a page of another site posted a form. This check stands beside the modhash. */
export const isForeignForm = ({ incoming, publicUrl }: Exchange): boolean => isCrossSite(incoming.headers, publicUrl)

/** Returns the action of a form that asks what it would change, at the address of its page; undefined for any other request. */
export const previewIn = ({ method, target }: Pick<IncomingRequest, 'method' | 'target'>): string | undefined => {
  if (method !== 'POST' || !target.includes(PREVIEW_FIELD)) return undefined
  return new URLSearchParams(splitTarget(target)?.search).get(PREVIEW_FIELD) ?? undefined
}
