import * as E from 'fp-ts/lib/Either.js'
import { type Fields, type IncomingRequest, type OutgoingResponse, splitTarget } from '../contract/incoming.ts'
import { type Exchange, exchangeOf } from '../contract/request-state.ts'
import { actToChosen } from '../pages/moderation/queue-acts.ts'
import { readFormFields } from './form-posts.ts'
import { type EndpointResult, respond } from './write-response.ts'

const queue = /\/about\/(?:modqueue|reports|spam|unmoderated|edited)\/?$/
const picked = /^pick\.(t[15]_[0-9a-z]{1,13})$/

/** The most things of one form: as many as a page of a queue has. */
const MAX_PICKED = 100

/** Tells whether a form of a queue was posted, which decides about several things. */
export const isSeveral = ({ method, target }: IncomingRequest): boolean => method === 'POST' && queue.test(splitTarget(target)?.path ?? '')

/** The outcome of a form that decides about several things: the number of decisions, and the refusals of the others, by their fullnames. */
export type SeveralOutcome = { readonly fields: Fields; readonly done: number; readonly refused: ReadonlyMap<string, string> }

/** Returns the words of a refusal; undefined if the act was done. */
const reasonOf = ({ status, headers, body }: OutgoingResponse): string | undefined => {
  const problem = body === undefined || body === '' ? {} : JSON.parse(String(body))
  if (status >= 400) return problem.explanation ?? problem.reason ?? `refused (${status})`
  return problem.json?.errors?.[0]?.[1] ?? headers['X-Reason']
}

/** Copies the sender's identity, format and quota from an inner request to the request of the form. */
const adopt = (exchange: Exchange, { identity, writing, quota }: Exchange): void => {
  exchange.identity = identity
  exchange.writing = writing
  exchange.quota = quota
}

/** Finds out who sent a form that no endpoint takes, by asking for its page, and counts the request. */
export const identify = async (exchange: Exchange, answer: (exchange: Exchange) => Promise<EndpointResult>): Promise<void> => {
  const { incoming, id, publicUrl } = exchange
  const inner = exchangeOf({ ...incoming, method: 'GET', headers: { ...incoming.headers, accept: 'application/json' } }, id, publicUrl)
  await answer(inner)
  adopt(exchange, inner)
}

/**
 * Does an act to each of the chosen things, one after the other. Each is a request of its own, with the session, the modhash and the
 * expected position of the form. So each passes the same gates and is judged by itself.
 */
export const decideSeveral = async (
  exchange: Exchange,
  answer: (exchange: Exchange) => Promise<EndpointResult>,
): Promise<SeveralOutcome> => {
  const { incoming, id, publicUrl } = exchange
  const fields = await readFormFields(incoming)
  const act = actToChosen(fields.act ?? '')
  const names = Object.keys(fields).flatMap((name) => picked.exec(name)?.[1] ?? [])
  const { uh = '', expected_position = '' } = fields
  const refused = new Map<string, string>()
  let count = 0
  const chosen = act === undefined ? [] : names.slice(0, MAX_PICKED)
  if (chosen.length === 0) await identify(exchange, answer)
  for (const name of chosen) {
    const target = `${act?.path}${new URLSearchParams({ id: name, ...(expected_position && { expected_position }) })}`
    const headers = { ...incoming.headers, accept: 'application/json' }
    const body = E.right({ fields: { uh }, text: undefined })
    const inner = exchangeOf({ ...incoming, target, headers, readBody: async () => body }, id, publicUrl)
    const reason = reasonOf(respond(inner, await answer(inner)))
    adopt(exchange, inner)
    if (inner.written !== undefined) exchange.written = inner.written
    if (reason === undefined) count += 1
    else refused.set(name, reason)
  }
  return { fields, done: count, refused }
}
