// Decision 13.

import type { Scope } from '../../auth/scopes.ts'
import { StoreFault } from '../../ports/faults.ts'
import { STATUS_CODES } from '../../ports/node-http.ts'
import { documentationUrl } from './documentation-url.ts'
import { overloadCode, TooManyAtOnce } from './overload.ts'
import { type Refusal, type RefusalCode, refusals } from './refusals.ts'
import type { ErrorFamily } from './schemas/answers.ts'

/** A refusal as status, body and header fields, not yet serialized. */
export type ErrorAnswer = {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string>>
}

/** The OAuth errors that clients look for; `error=` must be the header's last item. */
export type OAuthError = 'invalid_token' | 'insufficient_scope' | 'invalid_request'

export const challenge = (error: OAuthError, scopes: readonly Scope[] = []): Readonly<Record<string, string>> => ({
  'WWW-Authenticate': `Bearer realm="Rostra", ${scopes.length > 0 ? `scope="${scopes.join(' ')}", ` : ''}error="${error}"`,
})

const phrase = (status: number) => STATUS_CODES[status] ?? 'Error'

/** Returns the body of a refusal with a status: its words, a machine code, a sentence and, if a parameter is to blame, its name. */
const bodyOf = ({ code, field, extra }: Refusal, status: number, message: string, explanation: string, publicUrl: string) => ({
  message,
  error: status,
  reason: code,
  explanation,
  documentation_url: documentationUrl(publicUrl, code),
  ...(field !== null && { fields: [field] }),
  ...extra,
})

const answerPlain = (status: number, refusal: Refusal, publicUrl: string): ErrorAnswer => {
  const { text, explanation = text, ofField = explanation } = refusals[refusal.code]
  const sentence = refusal.text ?? (refusal.field === null ? explanation : ofField)
  return { status, body: bodyOf(refusal, status, refusal.text ?? text, sentence, publicUrl), headers: retryAfter(refusal) }
}

const answerCoded = (status: number, refusal: Refusal, explanation: string, publicUrl: string): ErrorAnswer => ({
  status,
  body: bodyOf(refusal, status, phrase(status), explanation, publicUrl),
  headers: retryAfter(refusal),
})

/** Returns a form's errors, each `[code, text, field]`. Extra members (`redirect`, `ratelimit`) stand beside them. */
const form = (refusal: Refusal, text: string): ErrorAnswer => ({
  status: 200,
  body: { json: { errors: [[refusal.code, text, refusal.field]], ...refusal.extra } },
  headers: retryAfter(refusal),
})

/** Returns the `Retry-After` of a refusal that is temporary. */
export const retryAfter = ({ code, extra }: Refusal): ErrorAnswer['headers'] => {
  const seconds = typeof extra?.ratelimit === 'number' ? extra.ratelimit : refusals[code].retryAfter
  return seconds === undefined ? {} : { 'Retry-After': String(Math.ceil(seconds)) }
}

/** Refusals that show texts of others, which are not stored for repeated requests. */
const quoting: ReadonlySet<RefusalCode> = new Set(['ALREADY_SUB', 'EDIT_CONFLICT', 'DECIDED_MEANWHILE'])

/** Tells whether a refusal is decided anew if the request is repeated: overload, a limit, or one that shows texts of others. */
export const isPutOff = ({ code, status }: Refusal): boolean => quoting.has(code) || (status ?? refusals[code].status) === 429

/**
 * Answers a refusal. Aborting refusals are a plain status everywhere, and a refusal with its own status has that. The others are in
 * `json.errors` with status 200 for forms, `{}` with status 200 and the code in `X-Reason` for silent endpoints, and a status elsewhere.
 * Silent endpoints, too, say in `json.errors` that a login is required: a client that reads only the body must not take it for a success.
 * All answers with a status have the same members.
 */
export const answerRefusal = (family: ErrorFamily, refusal: Refusal, publicUrl: string): ErrorAnswer => {
  const known = refusals[refusal.code]
  const status = refusal.status ?? known.status
  const text = refusal.text ?? known.text
  if (known.abort) return answerPlain(status, refusal, publicUrl)
  if (refusal.status !== undefined) return answerCoded(status, refusal, text, publicUrl)
  if (family === 'form') return form(refusal, text)
  if (family === 'silent') {
    const { body, headers } = form(refusal, text)
    return { status: 200, body: refusal.code === 'USER_REQUIRED' ? body : {}, headers: { 'X-Reason': refusal.code, ...headers } }
  }
  return answerCoded(status, refusal, text, publicUrl)
}

const faultRefusal: Readonly<Record<StoreFault['kind'], RefusalCode>> = {
  unavailable: 'UNAVAILABLE',
  'unknown-outcome': 'OUTCOME_UNKNOWN',
  full: 'UNAVAILABLE',
  corrupt: 'FAULT',
  damaged: 'FAULT',
  'too-large': 'TOO_LARGE',
  'changed-retry': 'CONFLICT',
  'in-use': 'UNAVAILABLE',
}

/** Answers a fault with the id of its log line. A fault that its own caller caused is refused as such. */
export const answerFault = (error: unknown, id: string, publicUrl: string): ErrorAnswer => {
  if (error instanceof TooManyAtOnce) return answerRefusal('plain', { code: overloadCode['too-many'], field: null }, publicUrl)
  const answer = answerRefusal('plain', { code: error instanceof StoreFault ? faultRefusal[error.kind] : 'FAULT', field: null }, publicUrl)
  return answer.status < 500 ? answer : { ...answer, body: { ...answer.body, message: phrase(answer.status), id } }
}
