import * as E from 'fp-ts/lib/Either.js'
import { type AnyEndpoint, toEndpointName } from '../contract/endpoint.ts'
import { answerRefusal, type ErrorAnswer } from '../contract/error-responses.ts'
import { isRead, type OutgoingResponse } from '../contract/incoming.ts'
import type { Exchange } from '../contract/request-state.ts'
import { htmlPage } from '../contract/schemas/answers.ts'
import { pageActs } from '../pages/acts.ts'
import { allPages, formAnswers, shownAgain } from '../pages/all.ts'
import { errorPage } from '../pages/error-page.ts'
import { isAgentDecisive, wantsPage } from '../wire/wants-page.ts'
import { openFormPages } from './form-pages.ts'
import { isForeignForm, previewIn } from './form-posts.ts'
import { stopWith } from './gates.ts'
import { bodyOf, isOwnPage, openPageWriting, type PageParts } from './page-writing.ts'
import type { Ask } from './routes.ts'
import { isSeveral } from './several.ts'
import type { Step } from './steps.ts'
import type { EndpointResult } from './write-response.ts'

/** The middlewares that turn an answer into a page, and the page of a fault. */
export type PageStep = {
  /** Shows the answer to a browser as a page. */
  readonly showPages: Step
  /** Answers forms that no endpoint takes by itself. Refuses those of other sites. */
  readonly answerForms: Step
  /** Tells whether a response must not be shared: its format rests on a header field that caches do not tell apart. */
  readonly isUnshared: (exchange: Exchange) => boolean
  /** Returns the page of a fault; undefined for a request that is answered with data. */
  readonly ofFault: (exchange: Exchange, fault: ErrorAnswer) => OutgoingResponse | undefined
}

/** Throws if a page or a form belongs to no endpoint. */
const checkNames = (endpoints: readonly AnyEndpoint[]): void => {
  const named = new Set(endpoints.map(toEndpointName))
  const needed = [...allPages.map(({ of }) => of), ...Object.keys(pageActs), ...formAnswers.map(({ of }) => of), ...shownAgain]
  const unknown = needed.filter((name) => !named.has(name))
  if (unknown.length > 0) throw new Error(`pages or forms of ${unknown.join(', ')}, which are no endpoints`)
}

/** Opens the steps between the answer to a request and its response to a browser: the answer as a page, and forms that go on to one. */
export const openPages = (parts: PageParts, endpoints: readonly AnyEndpoint[], answer: Ask): PageStep => {
  const { config } = parts
  if (config.pages) checkNames(endpoints)
  const writing = openPageWriting(parts, answer)
  const { pageOf, bare, pageOfBody, htmlOf, problemPage, ownPage } = writing
  const { ofForm, several } = openFormPages(writing, answer)
  const isWanted = ({ incoming }: Exchange): boolean => config.pages && wantsPage(incoming)
  const ifWanted =
    (step: Step): Step =>
    (ctx, next) =>
      isWanted(ctx.state.exchange) ? step(ctx, next) : next()

  /** Tells whether a request is for a page, even if it is refused. */
  const isForPeople = (endpoint: AnyEndpoint | undefined): boolean =>
    endpoint === undefined || pageOf(endpoint) !== undefined || endpoint.answers?.[200] === htmlPage

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

  return {
    showPages: ifWanted(async ({ state }, next) => {
      await next()
      const { exchange, answered } = state
      const { incoming } = exchange
      // these have made their page themselves
      if ((isSeveral(incoming) || previewIn(incoming) !== undefined) && E.isRight(answered)) return
      state.answered = await (isRead(incoming.method) ? ofRead : ofForm)(exchange, answered)
    }),
    answerForms: ifWanted(async ({ state }, next) => {
      const { exchange } = state
      const isForeign = !isRead(exchange.incoming.method) && isForeignForm(exchange)
      const answered = isForeign ? stopWith({ code: 'FORBIDDEN', field: null }) : await several(exchange)
      if (answered === undefined) return next()
      state.answered = answered
    }),
    isUnshared: ({ incoming }) => config.pages && isAgentDecisive(incoming),
    ofFault: (exchange, { status, body, headers }) => {
      const { endpoint, incoming } = exchange
      if (!isWanted(exchange) || (isRead(incoming.method) && !isForPeople(endpoint))) return undefined
      const { reason, explanation } = body as { readonly reason: string; readonly explanation: string }
      return htmlOf(status, errorPage(bare(exchange), { status, reason, explanation, request: exchange.id }), { ...headers })
    },
  }
}
