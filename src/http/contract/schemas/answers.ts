import { refusals } from '../refusals.ts'
import { cast } from './names.ts'
import {
  component,
  decimal,
  epoch,
  type Fields,
  html,
  integer,
  listOf,
  optional,
  orNull,
  recordSchema,
  type Schema,
  type SchemaOrComponent,
  text,
  tuple,
  union,
} from './schema.ts'

/** The callers of an endpoint; `Gate` in endpoint.ts says what each refuses. */
export type Login = 'anyone' | 'user' | 'moderator' | 'session' | 'token'

/**
 * The family of answers to refusals: `form` 200 with `json.errors`; `silent` 200 with `{}`, and with `json.errors` for callers without an
 * account; `plain` and `coded` a status.
 */
export type ErrorFamily = 'form' | 'silent' | 'plain' | 'coded'

export type Success = 200 | 201 | 202 | 204 | 302

/** A body that is no JSON, by its media types. With none of them there is no body at all. */
export class Media {
  readonly types: readonly string[]

  constructor(...types: readonly string[]) {
    this.types = types
  }
}

/** A JSON body, or one of other media types for clients that prefer those. */
export class JsonOrMedia extends Media {
  readonly json: SchemaOrComponent

  constructor(json: SchemaOrComponent, ...types: readonly string[]) {
    super(...types)
    this.json = json
  }
}

/** A body of lines, each of which is JSON; or the same lines in other media types. */
export class JsonLines extends Media {
  readonly line: SchemaOrComponent

  constructor(line: SchemaOrComponent, ...others: readonly string[]) {
    super('application/x-ndjson', ...others)
    this.line = line
  }
}

/** The answer of an endpoint with one status: a JSON body, another kind of body, or none. */
export type AnswerSchema = SchemaOrComponent | Media
/** The answers by status, including 400 and 503 if those have a shape of their own. */
export type Answers = Readonly<Partial<Record<Success | 400 | 503, AnswerSchema>>>

export const htmlPage = new Media('text/html')
export const plainText = new Media('text/plain')
export const noBody = new Media()

/** `{}` */
const emptyObject = component('Done', () => ({ ...recordSchema({}), description: 'Done; nothing to report.' }))

const documentation_url = text('https://rostra.example/docs/errors#BAD_REQUEST', 'Where the code is explained.')

/** The codes of all refusals. */
export const errorCode = component('ErrorCode', () => ({
  type: 'string',
  enum: Object.keys(refusals),
  description: 'Why something was refused, as a machine code.',
}))

const reason: Fields = {
  reason: errorCode,
  explanation: text('The request is malformed.'),
  documentation_url,
  fields: optional({ ...listOf(text('id')), description: 'The parameter at fault.', minItems: 1, maxItems: 1 }),
}

const ratelimit = optional({ ...decimal(600), description: 'Seconds to wait.' })

/** Further members that some refusals have. */
const more: Fields = {
  ratelimit,
  captcha: optional(text('0a1b2c3d4e5f', 'Which captcha to solve next.')),
  decision: optional({
    ...recordSchema({
      action: text('removelink'),
      by: orNull(text('ann')),
      created_utc: epoch,
      position: text('00000000000000000042'),
    }),
    description:
      'What was decided about the thing meanwhile, as the moderation log names it, or `removemessage` and `approvemessage`; `by` is null where the service did.',
  }),
  max_length: optional(integer(262_144)),
  max_separators: optional(integer(3)),
  special_errors: optional({ ...listOf(text('line 2: this is no CSS')), description: 'The problems of a wiki page.' }),
  newcontent: optional(text('soft water', 'The wiki page as others have changed it.')),
  newrevision: optional(orNull(text('1b4e28ba-2fa1-51d2-883f-0016d3cca427'))),
  diffcontent: optional(orNull(html())),
}

/** Every refusal with a 4xx status. */
export const refusalShape = component('Refusal', () =>
  recordSchema({ message: text('Bad Request'), error: integer(400), ...reason, ...more }),
)

export const faultShape = component('Fault', () =>
  recordSchema({
    message: text('Service Unavailable'),
    error: integer(503),
    id: optional(text('1a2b3c4d-1f', 'Stands in the log line of the fault; absent where nothing failed and it is only too much now.')),
    reason: errorCode,
    explanation: text('the service cannot do this right now'),
    documentation_url,
    ratelimit,
  }),
)

/** One refusal of a form. */
const formError = component('FormError', () => ({
  ...tuple(errorCode, text('that link has already been submitted'), orNull(text('url'))),
  items: { type: ['string', 'null'] },
  description: 'The code, the text for people, and the parameter at fault or null.',
  examples: [['ALREADY_SUB', 'that link has already been submitted', 'url']],
}))

const formRefusals: Schema = { ...listOf(formError), minItems: 1 }

/** A form's refusals. They lack `data`, so that a client's types tell them from a success. */
const formErrors = component('FormErrors', () =>
  recordSchema({
    json: recordSchema({
      errors: formRefusals,
      ratelimit,
      captcha: optional(text('0a1b2c3d4e5f', 'Which captcha to solve next.')),
      redirect: optional(text(cast.linkPath, 'The link that is there already.')),
    }),
  }),
)

/** Returns the schema of a form's refusals with further data. */
export const formErrorsWith = (data: SchemaOrComponent) => recordSchema({ json: recordSchema({ errors: formRefusals, data }) })

/** Returns the schema of a form's success. */
export const form = (data?: SchemaOrComponent) =>
  recordSchema({ json: recordSchema({ errors: { ...listOf(formError), maxItems: 0, examples: [[]] }, ...(data && { data }) }) })

const nothingToSay: Readonly<Record<ErrorFamily, SchemaOrComponent>> = {
  form: form(),
  silent: emptyObject,
  plain: emptyObject,
  coded: emptyObject,
}

/** The answer of silent endpoints to callers without an account. */
const loginRequired = component('LoginRequired', () => ({
  ...recordSchema({ json: recordSchema({ errors: { ...listOf(formError), minItems: 1, maxItems: 1 } }) }),
  examples: [{ json: { errors: [['USER_REQUIRED', refusals.USER_REQUIRED.text, null]] } }],
}))

type Gated = { readonly login: Login; readonly errors: ErrorFamily; readonly answers?: Answers | undefined }

/** Returns the successful responses of an endpoint, with the answers of its error family that have status 200. */
export const successesOf = ({ login, errors, answers }: Gated): Answers => {
  const declared: Answers = answers ?? { 200: nothingToSay[errors] }
  const { 200: success } = declared
  if (success instanceof Media) return declared
  if (errors === 'silent') {
    const others = login === 'user' ? [loginRequired] : []
    // an endpoint with another success has no 200 of its own
    const [first, ...more] = [...(success ? [success] : answers ? [] : [emptyObject]), ...others]
    return first === undefined ? declared : { ...declared, 200: more[0] === undefined ? first : union(first, more[0]) }
  }
  if (errors !== 'form') return declared
  return { ...declared, 200: success ? union(success, formErrors) : formErrors }
}
