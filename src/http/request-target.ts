import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { AnyEndpoint } from './endpoint.ts'
import { type Exchange, noteEncoding } from './exchange.ts'
import { type Stop, stopped } from './gates.ts'
import { type Fields, isRead, type Outgoing, parseForm, splitTarget } from './incoming.ts'
import { preflight } from './respond.ts'
import { openRouter, type Routed } from './router.ts'

/** What the target of a request says: its endpoint, and the query as sent. */
export type Target = { readonly routed: Routed; readonly query: Fields }

/** The name of a function that may be called with the response. */
const callbackName = /^[\w$."'[\]]{1,200}$/

/** Finds the endpoint of a request, and how its response is to be written. The request that browsers make before another is answered here. */
export const openTargets = (endpoints: readonly AnyEndpoint[]) => {
  const route = openRouter(endpoints)

  return (exchange: Exchange): Either<Stop, Target | Outgoing> => {
    const { method, target } = exchange.incoming
    const split = splitTarget(target)
    if (!split) return stopped({ code: 'BAD_REQUEST', field: null, text: 'the path is not percent-encoded UTF-8' })
    const query = parseForm(split.search)
    if (E.isLeft(query)) return stopped(query.left)
    noteEncoding(exchange, query.right)
    const match = route(method, split.path)
    if (match.kind === 'unknown') return stopped({ code: 'NOT_FOUND', field: null })
    if (match.kind === 'method') {
      if (method === 'OPTIONS') return E.right(preflight(match.allow))
      return stopped({ code: 'METHOD_NOT_ALLOWED', field: null }, { Allow: match.allow.join(', ') })
    }
    const { endpoint } = match.route
    if (match.extension === 'rss' && !endpoint.rss) return stopped({ code: 'NOT_FOUND', field: null })
    exchange.endpoint = endpoint
    const callback = isRead(method) ? query.right.jsonp || undefined : undefined
    if (callback === undefined) return E.right({ routed: match, query: query.right })
    if (!callbackName.test(callback)) return stopped({ code: 'BAD_JSONP_CALLBACK', field: 'jsonp', status: 400 })
    exchange.writing = { ...exchange.writing, callback, encoding: 'entities' }
    return E.right({ routed: match, query: query.right })
  }
}
