import * as E from 'fp-ts/lib/Either.js'
import { ownBytes } from '../../ports/own-bytes.ts'
import { pathWithin } from '../contract/cross-site.ts'
import { type AnyEndpoint, toEndpointName } from '../contract/endpoint.ts'
import { answerRefusal, type ErrorAnswer } from '../contract/error-responses.ts'
import type { FramedContent, Reply } from '../contract/handler-response.ts'
import { type Fields, isRead, type OutgoingResponse, splitTarget } from '../contract/incoming.ts'
import type { Common, ReadParts } from '../contract/parts.ts'
import { refusals } from '../contract/refusals.ts'
import { type Exchange, exchangeOf } from '../contract/request-state.ts'
import { htmlPage } from '../contract/schemas/answers.ts'
import { type ActMethod, actAddress, pageActs } from '../pages/acts.ts'
import { allPages, formAnswers, shownAgain } from '../pages/all.ts'
import { errorPage } from '../pages/error-page.ts'
import { leadingElsewhere, pageHeaders, renderFrame, renderPage, withPreviewed } from '../pages/frame.ts'
import type { AnyPage, Around, At, Body, FormAnswer, PageViewer, RefusedForm, Styling } from '../pages/page.ts'
import { AGAIN_FIELD } from '../pages/parts/forms.ts'
import { html } from '../wire/html.ts'
import { renderInSlices } from '../wire/time-slices.ts'
import { isAgentDecisive, wantsPage } from '../wire/wants-page.ts'
import { afterForm, isForeignForm, nextOf, previewIn, readFormFields, refererPath } from './form-posts.ts'
import { quotaGate, stopWith } from './gates.ts'
import { decideSeveral, identify, isSeveral } from './several.ts'
import { type EndpointResult, respond, writtenText } from './write-response.ts'

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

type PageParts = Pick<Common, 'config' | 'freshness'> & Pick<ReadParts, 'clock'>

/** The steps that turn an answer, or a fault, into a page. */
export type PageStep = {
  /** Tells whether the request is answered with a page, if its endpoint has one. */
  readonly wanted: (exchange: Exchange) => boolean
  /** Answers a form that no endpoint takes by itself: one that decides about several things. */
  readonly several: (exchange: Exchange) => Promise<EndpointResult> | undefined
  /** Returns the refusal of a form of another site, before anything is done. */
  readonly refusal: (exchange: Exchange) => EndpointResult | undefined
  /** Tells whether its refusals and faults are pages, too. */
  readonly has: (exchange: Exchange) => boolean
  /** Tells whether a response must not be shared: its format rests on a header field that caches do not tell apart. */
  readonly isUnshared: (exchange: Exchange) => boolean
  readonly of: (exchange: Exchange, answered: EndpointResult) => Promise<EndpointResult>
  readonly ofFault: (exchange: Exchange, fault: ErrorAnswer) => OutgoingResponse
}

/** Tells whether the sender is above the quota of requests. Such a page must cost next to nothing. */
const isOverQuota = ({ quota }: Exchange): boolean => quota?.exceeded === true

const overQuota = (exchange: Exchange): EndpointResult | undefined => {
  const stop = exchange.quota && quotaGate(exchange, exchange.quota)
  return stop && E.left(stop)
}

type OwnPage = Extract<Reply, { readonly kind: 'text' }> & { readonly framed: FramedContent }

const isOwnPage = (reply: Reply | OutgoingResponse): reply is OwnPage =>
  'kind' in reply && reply.kind === 'text' && reply.framed !== undefined

/** Returns the JSON of an answer as clients with `raw_json=1` get it; undefined if it is refused or has none. */
const bodyOf = async (exchange: Exchange, answered: EndpointResult): Promise<unknown> => {
  if (E.isLeft(answered) || !('kind' in answered.right)) return undefined
  const { kind } = answered.right
  if (kind !== 'json' && kind !== 'listing' && kind !== 'form') return undefined
  const { status, text } = await writtenText(answered.right, {
    encoding: 'unicode',
    callback: undefined,
    modhash: exchange.writing.modhash,
  })
  return status === 200 ? JSON.parse(text) : undefined
}

/** Opens the steps between the answer to a request and its response to a browser: the answer as a page, and forms that go on to one. */
export const openPages = (
  { config, freshness, clock }: PageParts,
  endpoints: readonly AnyEndpoint[],
  answer: (exchange: Exchange) => Promise<EndpointResult>,
): PageStep => {
  const byName = new Map<string, AnyPage>(allPages.map((page) => [page.of, page]))
  const named = new Set(endpoints.map(toEndpointName))
  const wanted = [...byName.keys(), ...Object.keys(pageActs), ...formAnswers.map(({ of }) => of), ...shownAgain]
  const unknown = config.pages ? wanted.filter((name) => !named.has(name)) : []
  if (unknown.length > 0) throw new Error(`pages or forms of ${unknown.join(', ')}, which are no endpoints`)
  const pageOf = (endpoint: AnyEndpoint | undefined): AnyPage | undefined => endpoint && byName.get(toEndpointName(endpoint))

  /** Tells whether a request is for a page, even if it is refused. */
  const isForPeople = (endpoint: AnyEndpoint | undefined): boolean =>
    endpoint === undefined || pageOf(endpoint) !== undefined || endpoint.answers?.[200] === htmlPage

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

  const atOf = ({ incoming, publicUrl, read }: Exchange): At => {
    const shown = isRead(incoming.method) ? incoming.target : (refererPath(incoming, publicUrl) ?? '/')
    const { path = '/', search = '' } = splitTarget(incoming.target) ?? {}
    const position = read ?? freshness.position()
    const copyOf = config.readOnlyAs === undefined ? undefined : new Date(clock())
    return {
      target: incoming.target,
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
    const own = (await bodyAt(exchange, '/api/me.json')) as Body<'GET /api/me.json'> | undefined
    return own && 'kind' in own ? { ...own.data, modhash } : undefined
  }

  const subsiteOf = async (exchange: Exchange, name: string | undefined): Promise<Around['subsite']> => {
    const record = name === undefined ? undefined : await bodyAt(exchange, `/s/${name}/about`)
    return (record as Body<'GET /s/{sub}/about'> | undefined)?.data
  }

  /** Returns the stylesheet of a subsite. `style` of the address goes before the preference of the viewer. */
  const stylingOf = async (exchange: Exchange, { query }: At, name: string | undefined): Promise<Styling | undefined> => {
    if (name === undefined) return undefined
    const { answered } = await ask(exchange, `/s/${name}/stylesheet`)
    if (E.isLeft(answered) || !('kind' in answered.right) || answered.right.kind !== 'redirect') return undefined
    const { location: address } = answered.right
    const asked = query.get('style')
    if (asked !== null || exchange.identity.viewer.account === undefined) return { address, isShown: asked !== 'off' }
    const preferred = (await bodyAt(exchange, '/api/v1/me/prefs?fields=show_stylesheets')) as
      | { readonly show_stylesheets?: boolean }
      | undefined
    return { address, isShown: preferred?.show_stylesheets !== false }
  }

  const around = async (exchange: Exchange, at: At, form: RefusedForm | undefined, named = subsiteIn(at.path)): Promise<Around> => {
    const [viewer, subsite, styling] = await Promise.all([viewerOf(exchange), subsiteOf(exchange, named), stylingOf(exchange, at, named)])
    return { viewer, subsite, styling, at, form }
  }

  /** Returns the frame of a page that asks for nothing: after a fault, and above the quota. */
  const bare = (exchange: Exchange): Around => ({
    viewer: undefined,
    subsite: undefined,
    styling: undefined,
    form: undefined,
    at: atOf(exchange),
  })

  const pageOfBody = async (exchange: Exchange, page: AnyPage, body: unknown, form?: RefusedForm): Promise<string> => {
    const at = atOf(exchange)
    const surroundings = await around(exchange, at, form, page.subsiteOf?.(body as never) ?? subsiteIn(at.path))
    const asked = Object.entries(page.also?.(body as never, at) ?? {})
    const also = Object.fromEntries(
      await Promise.all(asked.map(async ([name, address]) => [name, await bodyAt(exchange, address?.target)] as const)),
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
    const surroundings = isOverQuota(exchange) ? bare(exchange) : { ...bare(exchange), viewer: await viewerOf(exchange), form }
    return htmlOf(status, errorPage(surroundings, { status, reason, explanation, request: exchange.id }), error.headers)
  }

  /** Returns a page that its endpoint makes itself. */
  const ownPage = async (exchange: Exchange, { status = 200, headers, framed: content }: OwnPage): Promise<EndpointResult> => {
    const { title, main, leadsElsewhere } = content
    const frame = renderFrame(await around(exchange, atOf(exchange), undefined), {
      title,
      main: html`<section class="card own">${main}</section>`,
      robots: 'none',
    })
    const outgoing = htmlOf(status, frame.text, { ...headers })
    return E.right({ ...outgoing, headers: { ...outgoing.headers, ...(leadsElsewhere && leadingElsewhere) } })
  }

  /** Returns the page of an answer that nobody can ask for again. */
  const pageOnce = async (
    exchange: Exchange,
    { title, main }: FormAnswer<never>,
    { status, body }: OutgoingResponse,
  ): Promise<OutgoingResponse> => {
    const made = JSON.parse(String(body)) as never
    const surroundings = await around(exchange, atOf(exchange), undefined)
    const frame = renderFrame(surroundings, { title, main: main(made, surroundings), robots: 'none' })
    return htmlOf(status, await renderInSlices(frame), { 'Cache-Control': 'no-store' })
  }

  /** Returns the page of a read, or that of its refusal. */
  const ofRead = async (exchange: Exchange, answered: EndpointResult): Promise<EndpointResult> => {
    const page = pageOf(exchange.endpoint)
    if (E.isLeft(answered)) {
      if (!isForPeople(exchange.endpoint)) return answered
      const { refusal, headers } = answered.left
      const error = answerRefusal('plain', refusal, exchange.publicUrl)
      const outgoing = { status: error.status, headers: { ...error.headers, ...headers }, body: JSON.stringify(error.body) }
      return E.right(await problemPage(exchange, outgoing, error.status))
    }
    if (isOwnPage(answered.right)) return ownPage(exchange, answered.right)
    if (!page) return answered
    const body = await bodyOf(exchange, answered)
    if (body === undefined) return answered
    const text = await pageOfBody(exchange, page, body)
    return E.right(htmlOf(200, text))
  }

  /** Returns the reason why a form was refused, from a form's errors or a plain refusal. */
  const refusedForm = (
    exchange: Exchange,
    outgoing: OutgoingResponse,
    fields: Fields,
  ): (RefusedForm & { readonly status: number }) | undefined => {
    const body = outgoing.body === undefined || outgoing.body === '' ? {} : JSON.parse(String(outgoing.body))
    const [ofUpload] = body.errors ?? []
    const [code, text, field] = body.json?.errors?.[0] ?? [
      body.reason ?? outgoing.headers['X-Reason'] ?? ofUpload,
      body.explanation ?? body.errors_values?.[0],
      body.fields?.[0] ?? null,
    ]
    const isError = body.json?.errors?.length || ofUpload !== undefined || outgoing.headers['X-Reason'] !== undefined
    if (code === undefined || (outgoing.status < 400 && !isError)) return undefined
    const known = refusals[code as keyof typeof refusals]
    const status = outgoing.status >= 400 ? outgoing.status : (known?.status ?? 400)
    const { target, method, isPageAct } = exchange.incoming
    const path = splitTarget(target)?.path ?? ''
    const action = isPageAct ? actAddress(path, method as ActMethod) : path
    const instead: string | undefined = body.json?.redirect
    const reason = text ?? known?.text ?? code
    return { action, fields, code, text: reason, field, instead, more: body.json ?? body, status: status >= 400 ? status : 400 }
  }

  /** Returns the page of a refused form, with the typed texts. */
  const formAgain = async (exchange: Exchange, form: RefusedForm): Promise<string | undefined> => {
    const target = form.fields.form_page
    if (isOverQuota(exchange) || target === undefined || !/^\/(?![/\\])[^\\\s]*$/.test(target)) return undefined
    const { inner, answered } = await ask(exchange, target)
    const page = pageOf(inner.endpoint)
    const body = page && (await bodyOf(inner, answered))
    return page && body !== undefined ? pageOfBody(inner, page, body, form) : undefined
  }

  /** Answers a form that a browser posted: on to the next page, or back to its own with the reason. */
  const ofForm = async (exchange: Exchange, answered: EndpointResult): Promise<EndpointResult> => {
    if (E.isRight(answered) && isOwnPage(answered.right)) return ownPage(exchange, answered.right)
    if (E.isRight(answered) && 'kind' in answered.right && ['redirect', 'text', 'parts', 'stream'].includes(answered.right.kind))
      return answered
    // the texts of the answer become markup here
    exchange.writing = { ...exchange.writing, encoding: 'unicode' }
    const outgoing = respond(exchange, answered)
    const fields = await readFormFields(exchange.incoming)
    const refused = refusedForm(exchange, outgoing, fields)
    // a button for another captcha shows the form with the typed texts and a new captcha
    if (!refused && fields.form_action !== undefined) {
      const form = { action: fields.form_action, fields, code: '', text: '', field: null }
      const again = await formAgain(exchange, form)
      if (again !== undefined) return E.right(htmlOf(200, again))
    }
    if (!refused && fields[AGAIN_FIELD] !== undefined && exchange.endpoint && shownAgain.includes(toEndpointName(exchange.endpoint))) {
      const { data } = JSON.parse(String(outgoing.body)).json as { readonly data?: { readonly css?: string } }
      const action = splitTarget(exchange.incoming.target)?.path ?? ''
      const again = await formAgain(exchange, { action, fields, code: '', text: '', field: null, more: { data } })
      const policy = data?.css === undefined ? {} : withPreviewed(data.css)
      const { headers, ...shown } = htmlOf(200, again ?? '')
      if (again !== undefined) return E.right({ ...shown, headers: { ...headers, ...policy, 'Cache-Control': 'no-store' } })
    }
    const once = refused ? undefined : formAnswers.find(({ of }) => exchange.endpoint && of === toEndpointName(exchange.endpoint))
    if (once) return E.right(await pageOnce(exchange, once, outgoing))
    if (!refused) return E.right(afterForm(exchange, fields, nextOf(exchange, outgoing, fields), outgoing.headers['Set-Cookie']))
    const again = await formAgain(exchange, refused)
    if (again !== undefined) return E.right(htmlOf(refused.status, again, outgoing.headers))
    const body = JSON.stringify({ reason: refused.code, explanation: refused.text })
    return E.right(await problemPage(exchange, { ...outgoing, body }, refused.status, refused))
  }

  /** Shows the page of a form with what it would change. Nothing is done. */
  const ofPreview = async (exchange: Exchange, action: string): Promise<EndpointResult> => {
    await identify(exchange, answer)
    const exceeded = overQuota(exchange)
    if (exceeded) return exceeded
    const fields = await readFormFields(exchange.incoming)
    const again = await formAgain(exchange, { action, fields, code: '', text: '', field: null })
    return again === undefined ? stopWith({ code: 'NOT_FOUND', field: null }) : E.right(htmlOf(200, again, { 'Cache-Control': 'no-store' }))
  }

  /** Answers a form that decided about several things: back to its page, with the failures and their reasons. */
  const ofSeveral = async (exchange: Exchange): Promise<EndpointResult> => {
    const { fields, done, refused } = await decideSeveral(exchange, answer)
    const chosen = done + refused.size
    const exceeded = done === 0 ? overQuota(exchange) : undefined
    if (exceeded) return exceeded
    if (chosen > 0 && refused.size === 0) return E.right(afterForm(exchange, fields))
    const text = chosen === 0 ? 'Nothing was chosen.' : `${done} of ${chosen} done. The others were left as they are; each says why.`
    const outcomes = Object.fromEntries([...refused].map(([name, reason]) => [`outcome.${name}`, reason]))
    const action = splitTarget(exchange.incoming.target)?.path ?? ''
    const form = { action, fields: { ...fields, ...outcomes }, code: 'CONFLICT', text, field: null }
    const status = chosen === 0 ? 400 : 409
    const again = await formAgain(exchange, form)
    if (again !== undefined) return E.right(htmlOf(status, again))
    const reasons = [...new Set(refused.values())].join(' ')
    const body = JSON.stringify({ reason: form.code, explanation: `${text} ${reasons}`.trim() })
    return E.right(await problemPage(exchange, { status, headers: {}, body }, status))
  }

  return {
    several: (exchange) => {
      const previewed = previewIn(exchange.incoming)
      if (previewed !== undefined) return ofPreview(exchange, previewed)
      return isSeveral(exchange.incoming) ? ofSeveral(exchange) : undefined
    },
    wanted: ({ incoming }) => config.pages && wantsPage(incoming),
    refusal: (exchange) =>
      !isRead(exchange.incoming.method) && isForeignForm(exchange) ? stopWith({ code: 'FORBIDDEN', field: null }) : undefined,
    isUnshared: ({ incoming }) => config.pages && isAgentDecisive(incoming),
    of: async (exchange, answered) => {
      if ((isSeveral(exchange.incoming) || previewIn(exchange.incoming) !== undefined) && E.isRight(answered)) return answered
      return (isRead(exchange.incoming.method) ? ofRead : ofForm)(exchange, answered)
    },
    has: ({ endpoint, incoming }) => !isRead(incoming.method) || isForPeople(endpoint),
    ofFault: (exchange, { status, body, headers }) => {
      const { reason, explanation } = body as { readonly reason: string; readonly explanation: string }
      return htmlOf(status, errorPage(bare(exchange), { status, reason, explanation, request: exchange.id }), { ...headers })
    },
  }
}
