import { type AnyEndpoint, toEndpointName } from '../contract/endpoint.ts'
import { type Body, type IncomingRequest, splitTarget } from '../contract/incoming.ts'
import { foldLineEnds } from '../contract/line-ends.ts'
import type { Exchange } from '../contract/request-state.ts'
import { METHOD_FIELD, pageActs } from '../pages/acts.ts'
import { wantsPage } from '../wire/wants-page.ts'

const methodField = new RegExp(`^${METHOD_FIELD}=(POST|PUT|PATCH|DELETE)$`)

/**
 * Returns the request that a form of a page stands for. The address of the form names its method: `/api/v1/apps/abc?form_method=DELETE`.
 * Any other request is returned as it is.
 */
export const requestOfForm = (incoming: IncomingRequest): IncomingRequest => {
  if (incoming.method !== 'POST' || !incoming.target.includes(METHOD_FIELD) || !wantsPage(incoming)) return incoming
  const { path = '', search = '' } = splitTarget(incoming.target) ?? {}
  const parts = search.split('&')
  const method = parts.map((part) => methodField.exec(part)?.[1]).find((name) => name !== undefined)
  if (method === undefined) return incoming
  const others = parts.filter((part) => !methodField.test(part)).join('&')
  return { ...incoming, method, target: others === '' ? path : `${path}?${others}`, isPageAct: true }
}

/** Tells whether a form of a page may stand for a request to an endpoint. */
export const mayAct = (endpoint: AnyEndpoint): boolean => Object.hasOwn(pageActs, toEndpointName(endpoint))

/** Returns the fields with LF as the line end. Browsers send CRLF, so a text that its form shows unchanged would differ from the stored one. */
const withPlainLines = (body: Body): Body => {
  const fields = Object.entries(body.fields)
  if (!fields.some(([, value]) => value.includes('\r'))) return body
  const plain = fields.map(([name, value]) => [name, foldLineEnds(value)])
  return { ...body, fields: Object.assign(Object.create(null), Object.fromEntries(plain)) }
}

/** Returns the body of a form of a page as the endpoint takes it, also if the form stands for another request. */
export const bodyOfForm = ({ incoming, endpoint }: Exchange, body: Body): Body => {
  if (!wantsPage(incoming)) return body
  const plain = withPlainLines(body)
  const act = incoming.isPageAct && endpoint ? pageActs[toEndpointName(endpoint)] : undefined
  return act ? act(plain) : plain
}
