import { STATUS_CODES } from 'node:http'
import { type Refusal, refusals } from '../domain/refusal.ts'
import { StoreFault } from '../ports/faults.ts'
import type { ErrorFamily } from './endpoint.ts'

/** An error's answer before it becomes bytes. */
export type ErrorAnswer = {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
}

/** The OAuth errors that clients look for; `error=` must be the header's last item. */
export type OAuthError = 'invalid_token' | 'insufficient_scope' | 'invalid_request'

export const challenge = (error: OAuthError): Readonly<Record<string, string>> => ({
  'WWW-Authenticate': `Bearer realm="Rostra", error="${error}"`,
})

const none = {}
const phrase = (status: number) => STATUS_CODES[status] ?? 'Error'

const plain = (status: number, message = phrase(status), headers: ErrorAnswer['headers'] = none): ErrorAnswer => ({
  status,
  body: { message, error: status },
  headers,
})

const coded = (status: number, { code, field, extra }: Refusal, explanation: string): ErrorAnswer => ({
  status,
  body: { reason: code, explanation, message: phrase(status), ...(field !== null && { fields: [field] }), ...extra },
  headers: none,
})

/** A form's errors, each `[code, text, field]`; extra members (`redirect`, `ratelimit`) stand beside them. */
const form = ({ code, field, extra }: Refusal, text: string): ErrorAnswer => ({
  status: 200,
  body: { json: { errors: [[code, text, field]], ...extra } },
  headers: none,
})

const retrySoon: ErrorAnswer['headers'] = { 'Retry-After': '1' }

/** Refused for now only: it was too much, or too soon. */
export const isPutOff = ({ code, status }: Refusal): boolean => (status ?? refusals[code].status) === 429

/**
 * How a refusal is answered: what aborts is a plain status everywhere, what names its own status is answered with it and a reason; the
 * rest stands in `json.errors` with status 200 for forms, is passed over for silent endpoints (except that nobody is logged in), and is a
 * status with a reason elsewhere.
 */
export const answerRefusal = (family: ErrorFamily, refusal: Refusal): ErrorAnswer => {
  const known = refusals[refusal.code]
  const status = refusal.status ?? known.status
  const text = refusal.text ?? known.text
  if (known.abort) return plain(status, text, status === 503 ? retrySoon : none)
  if (refusal.status !== undefined) return coded(status, refusal, text)
  if (family === 'form' || (family === 'silent' && refusal.code === 'USER_REQUIRED')) return form(refusal, text)
  if (family === 'silent') return { status: 200, body: none, headers: none }
  return coded(status, refusal, text)
}

const faultStatus: Readonly<Record<StoreFault['kind'], number>> = {
  unavailable: 503,
  'unknown-outcome': 503,
  full: 503,
  damaged: 500,
  'too-large': 413,
  'changed-retry': 409,
  'in-use': 503,
}

/** How a fault is answered: with the id that stands in the log line, so that the two can be brought together. */
export const answerFault = (error: unknown, id: string): ErrorAnswer => {
  const status = error instanceof StoreFault ? faultStatus[error.kind] : 500
  const answer = plain(status, undefined, status === 503 ? retrySoon : none)
  return status < 500 ? answer : { ...answer, body: { ...answer.body, id } }
}
