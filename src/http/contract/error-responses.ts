import { STATUS_CODES } from 'node:http'
import { StoreFault } from '../../ports/faults.ts'
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

export const challenge = (error: OAuthError): Readonly<Record<string, string>> => ({
  'WWW-Authenticate': `Bearer realm="Rostra", error="${error}"`,
})

const phrase = (status: number) => STATUS_CODES[status] ?? 'Error'

/** What every refusal says beside its status: a machine code, a sentence and, where a parameter is to blame, its name. */
const reasonOf = ({ code, field }: Refusal, explanation: string) => ({
  reason: code,
  explanation,
  ...(field !== null && { fields: [field] }),
})

const plain = (status: number, refusal: Refusal, headers: ErrorAnswer['headers'] = {}): ErrorAnswer => {
  const { text, explanation = text, ofField = explanation } = refusals[refusal.code]
  const body = {
    message: refusal.text ?? text,
    error: status,
    ...reasonOf(refusal, refusal.text ?? (refusal.field === null ? explanation : ofField)),
  }
  return { status, body, headers }
}

const coded = (status: number, refusal: Refusal, explanation: string): ErrorAnswer => ({
  status,
  body: { ...reasonOf(refusal, explanation), message: phrase(status), ...refusal.extra },
  headers: retryAfter(refusal),
})

/** A form's errors, each `[code, text, field]`; extra members (`redirect`, `ratelimit`) stand beside them. */
const form = ({ code, field, extra }: Refusal, text: string): ErrorAnswer => ({
  status: 200,
  body: { json: { errors: [[code, text, field]], ...extra } },
  headers: {},
})

/** The `Retry-After` of a refusal that is temporary. */
export const retryAfter = ({ code, extra }: Refusal): ErrorAnswer['headers'] => {
  const seconds = typeof extra?.ratelimit === 'number' ? extra.ratelimit : refusals[code].retryAfter
  return seconds === undefined ? {} : { 'Retry-After': String(Math.ceil(seconds)) }
}

/** These show what others wrote, which is not stored for repeated requests. */
const quoting: ReadonlySet<RefusalCode> = new Set(['ALREADY_SUB', 'EDIT_CONFLICT'])

/** A refusal that is decided anew if the request is repeated: overload, a limit, or one that shows what others wrote. */
export const isPutOff = ({ code, status }: Refusal): boolean => quoting.has(code) || (status ?? refusals[code].status) === 429

/**
 * How a refusal is returned: aborting refusals are a plain status everywhere, and one with its own status has that. The others are in
 * `json.errors` with status 200 for forms, `{}` with status 200 and the code in `X-Reason` for silent endpoints, and a status elsewhere.
 * All with a status have `reason`, `explanation` and `fields`.
 */
export const answerRefusal = (family: ErrorFamily, refusal: Refusal): ErrorAnswer => {
  const known = refusals[refusal.code]
  const status = refusal.status ?? known.status
  const text = refusal.text ?? known.text
  if (known.abort) return plain(status, refusal, retryAfter(refusal))
  if (refusal.status !== undefined) return coded(status, refusal, text)
  if (family === 'form') return form(refusal, text)
  if (family === 'silent') return { status: 200, body: {}, headers: { 'X-Reason': refusal.code, ...retryAfter(refusal) } }
  return coded(status, refusal, text)
}

const faultRefusal: Readonly<Record<StoreFault['kind'], RefusalCode | undefined>> = {
  unavailable: 'UNAVAILABLE',
  'unknown-outcome': 'OUTCOME_UNKNOWN',
  full: 'UNAVAILABLE',
  damaged: undefined,
  'too-large': 'TOO_LARGE',
  'changed-retry': 'CONFLICT',
  'in-use': 'UNAVAILABLE',
}

/** The response to a fault: it contains the id of the log line. What its own caller caused is refused as such. */
export const answerFault = (error: unknown, id: string): ErrorAnswer => {
  if (error instanceof TooManyAtOnce) return answerRefusal('plain', { code: overloadCode['too-many'], field: null })
  const code = error instanceof StoreFault ? faultRefusal[error.kind] : undefined
  if (code === undefined) return { status: 500, body: { message: phrase(500), error: 500, id }, headers: {} }
  const answer = answerRefusal('plain', { code, field: null })
  return answer.status < 500 ? answer : { ...answer, body: { ...answer.body, message: phrase(answer.status), id } }
}
