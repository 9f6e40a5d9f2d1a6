import * as E from 'fp-ts/lib/Either.js'
import { ownBytes } from '../../ports/own-bytes.ts'
import { pathWithin } from '../contract/cross-site.ts'
import { type AnyEndpoint, toEndpointName } from '../contract/endpoint.ts'
import type { FramedContent, Reply } from '../contract/handler-response.ts'
import { type Fields, isRead, type OutgoingResponse, splitTarget } from '../contract/incoming.ts'
import type { Common, ReadParts } from '../contract/parts.ts'
import { type Exchange, exchangeOf } from '../contract/request-state.ts'
import { allPages } from '../pages/all.ts'
import { errorPage } from '../pages/error-page.ts'
import { leadingElsewhere, pageHeaders, renderFrame, renderPage } from '../pages/frame.ts'
import type { AnyPage, Around, At, Body, PageViewer, RefusedForm, Styling } from '../pages/page.ts'
import { html } from '../wire/html.ts'
import { formPagePath } from './form-posts.ts'
import type { Ask } from './routes.ts'
import { type EndpointResult, readReply } from './write-response.ts'

const HTML_TYPE = 'text/html; charset=UTF-8'

/** Matches a subsite's own name, among the other site parts of a path. */
const subsiteName = /^\/[sr]\/([A-Za-z0-9]\w{1,20})(?=[/?]|$)/
const general: ReadonlySet<string> = new Set(['all', 'mod', 'friends', 'contrib', 'subscribed', 'random', 'randnsfw', 'myrandom'])

const subsiteIn = (path: string): string | undefined => {
  const name = subsiteName.exec(path)?.[1]
  return name === undefined || general.has(name.toLowerCase()) ? undefined : name
}

/** Returns the address to come back to after logging in, which is never a form for that. */
const wayBack = (target: string): string => {
  const [path, query] = target.split('?', 2)
  if (path !== '/login' && path !== '/register') return target
  const dest = pathWithin(new URLSearchParams(query).get('dest') ?? '')
  return dest === undefined ? '/' : wayBack(dest)
}

export type PageParts = Pick<Common, 'config' | 'freshness'> & Pick<ReadParts, 'clock'>

/** Tells whether the sender is above the quota of requests. Such a page must cost next to nothing. */
export const isOverQuota = ({ quota }: Exchange): boolean => quota?.exceeded === true

type OwnPage = Extract<Reply, { readonly kind: 'text' }> & { readonly framed: FramedContent }

export const isOwnPage = (reply: Reply | OutgoingResponse): reply is OwnPage =>
  'kind' in reply && reply.kind === 'text' && reply.framed !== undefined

/** Returns lines of JSON as a list. Each part has whole lines. */
const linesOf = async (parts: AsyncIterable<string>): Promise<readonly unknown[]> => {
  const lines: unknown[] = []
  for await (const part of parts) for (const line of part.split('\n')) if (line !== '') lines.push(JSON.parse(line))
  return lines
}

/** Returns the JSON of an answer as clients with `raw_json=1` get it, lines as a list; undefined if it is refused or has none. */
export const bodyOf = async (exchange: Exchange, answered: EndpointResult): Promise<unknown> => {
  if (E.isLeft(answered) || !('kind' in answered.right)) return undefined
  const { kind } = answered.right
  if (kind === 'parts' && answered.right.type.startsWith('application/x-ndjson')) return linesOf(answered.right.parts)
  if (kind !== 'json' && kind !== 'listing' && kind !== 'form') return undefined
  const { status, body } = await readReply(answered.right, exchange.writing.modhash)
  return status === 200 ? body : undefined
}

/** Opens what pages are made with: the answers of other addresses for the same viewer, the frame, and the pages of problems. */
export const openPageWriting = ({ config, freshness, clock }: PageParts, answer: Ask) => {
  const byName = new Map<string, AnyPage>(allPages.map((page) => [page.of, page]))
  const pageOf = (endpoint: AnyEndpoint | undefined): AnyPage | undefined => endpoint && byName.get(toEndpointName(endpoint))

  /** Asks another address for the same viewer. */
  const ask = async (exchange: Exchange, target: string): Promise<{ readonly inner: Exchange; readonly answered: EndpointResult }> => {
    const { id, publicUrl } = exchange
    const { isPageAct: _act, ...incoming } = exchange.incoming
    const { 'content-type': _type, 'content-length': _length, ...headers } = incoming.headers
    const inner = exchangeOf(
      { ...incoming, method: 'GET', target, headers: { ...headers, accept: 'application/json' } },
      id,
      publicUrl,
      exchange,
    )
    inner.writing = exchange.writing
    return { inner, answered: await answer(inner) }
  }

  const bodyAt = async (exchange: Exchange, target: string | undefined): Promise<unknown> => {
    if (target === undefined) return undefined
    const { inner, answered } = await ask(exchange, target)
    return bodyOf(inner, answered)
  }

  /** Returns the address of the page that is shown: after a form, of the page that the form was on. */
  const atOf = (exchange: Exchange, fields: Fields = {}): At => {
    const { incoming, publicUrl, read } = exchange
    const shown = isRead(incoming.method) ? incoming.target : formPagePath(exchange, fields)
    const { path = '/', search = '' } = splitTarget(shown) ?? {}
    const position = read ?? freshness.position()
    const copyOf = config.readOnlyAs === undefined ? undefined : new Date(clock())
    return {
      target: shown,
      path,
      query: new URLSearchParams(search),
      sub: /^\/[sr]\/([^/]+)/.exec(path)?.[1],
      publicUrl,
      back: wayBack(shown),
      position,
      copyOf,
    }
  }

  const viewerOf = async (exchange: Exchange): Promise<PageViewer | undefined> => {
    const { via, account, modhash } = exchange.identity.viewer
    if (via !== 'session' || account === undefined || modhash === null) return undefined
    const accountBody = (await bodyAt(exchange, '/api/me.json')) as Body<'GET /api/me.json'> | undefined
    return accountBody && 'kind' in accountBody ? { ...accountBody.data, modhash } : undefined
  }

  const subsiteOf = async (exchange: Exchange, name: string | undefined): Promise<Around['subsite']> => {
    const record = name === undefined ? undefined : await bodyAt(exchange, `/s/${name}/about`)
    return (record as Body<'GET /s/{sub}/about'> | undefined)?.data
  }

  /** Returns the stylesheet of a subsite. `style` of the address goes before the preference of the viewer. */
  const readStyling = async (exchange: Exchange, { query }: At, name: string | undefined): Promise<Styling | undefined> => {
    if (name === undefined) return undefined
    const { answered } = await ask(exchange, `/s/${name}/stylesheet`)
    if (E.isLeft(answered) || !('kind' in answered.right) || answered.right.kind !== 'redirect') return undefined
    const { location: address } = answered.right
    const choice = query.get('style')
    if (choice !== null || exchange.identity.viewer.account === undefined) return { address, isShown: choice !== 'off' }
    const preferred = (await bodyAt(exchange, '/api/v1/me/prefs?fields=show_stylesheets')) as
      | { readonly show_stylesheets?: boolean }
      | undefined
    return { address, isShown: preferred?.show_stylesheets !== false }
  }

  const readAround = async (exchange: Exchange, at: At, form: RefusedForm | undefined, named = subsiteIn(at.path)): Promise<Around> => {
    const [viewer, subsite, styling] = await Promise.all([viewerOf(exchange), subsiteOf(exchange, named), readStyling(exchange, at, named)])
    return { viewer, subsite, styling, at, form }
  }

  /** Returns the frame of a page that asks for nothing: after a fault, and above the quota. */
  const bare = (exchange: Exchange, form?: RefusedForm): Around => ({
    viewer: undefined,
    subsite: undefined,
    styling: undefined,
    form,
    at: atOf(exchange, form?.fields),
  })

  const pageOfBody = async (exchange: Exchange, page: AnyPage, body: unknown, form?: RefusedForm): Promise<string> => {
    const at = atOf(exchange)
    const surroundings = await readAround(exchange, at, form, page.subsiteOf?.(body as never) ?? subsiteIn(at.path))
    const alsoAddresses = Object.entries(page.also?.(body as never, at) ?? {})
    const also = Object.fromEntries(
      await Promise.all(alsoAddresses.map(async ([name, address]) => [name, await bodyAt(exchange, address?.target)] as const)),
    )
    return renderPage(page, { ...surroundings, body, also })
  }

  const htmlOf = (status: number, body: string, headers: OutgoingResponse['headers'] = {}): OutgoingResponse => {
    const unshared = status === 200 ? {} : { 'Cache-Control': 'no-store' }
    return { status, headers: { ...headers, 'Content-Type': HTML_TYPE, ...pageHeaders, ...unshared }, body: ownBytes(body) }
  }

  const problemPage = async (
    exchange: Exchange,
    error: OutgoingResponse,
    status: number,
    form?: RefusedForm,
  ): Promise<OutgoingResponse> => {
    const { reason = '', explanation = '' } = JSON.parse(String(error.body)) as Partial<Record<'reason' | 'explanation', string>>
    const surroundings = isOverQuota(exchange) ? bare(exchange, form) : { ...bare(exchange, form), viewer: await viewerOf(exchange) }
    return htmlOf(status, errorPage(surroundings, { status, reason, explanation, request: exchange.id }), error.headers)
  }

  /** Returns a page that its endpoint makes itself. */
  const ownPage = async (exchange: Exchange, { status = 200, headers, framed: content }: OwnPage): Promise<EndpointResult> => {
    const { title, main, leadsElsewhere } = content
    const frame = renderFrame(await readAround(exchange, atOf(exchange), undefined), {
      title,
      main: html`<section class="card own">${main}</section>`,
      robots: 'none',
    })
    const outgoing = htmlOf(status, frame.text, { ...headers })
    return E.right({ ...outgoing, headers: { ...outgoing.headers, ...(leadsElsewhere && leadingElsewhere) } })
  }

  return { pageOf, ask, around: readAround, atOf, bare, pageOfBody, htmlOf, problemPage, ownPage }
}

export type PageWriting = ReturnType<typeof openPageWriting>
