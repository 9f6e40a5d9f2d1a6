import { refusals } from '../refusals.ts'
import { cast } from './names.ts'
import {
  component,
  decimal,
  either,
  epoch,
  type Fields,
  html,
  integer,
  listOf,
  optional,
  orNull,
  type Part,
  record,
  type Schema,
  text,
  tuple,
} from './schema.ts'

/** How refusals are answered: `form` 200 with `json.errors`; `silent` 200 with `{}`; `plain` and `coded` a status. */
export type ErrorFamily = 'form' | 'silent' | 'plain' | 'coded'

export type Success = 200 | 201 | 202 | 204 | 302

/** A body that is no JSON, by its media types; none of them: no body at all. */
export class Media {
  readonly types: readonly string[]

  constructor(...types: readonly string[]) {
    this.types = types
  }
}

/** A JSON body, or one of other media types for clients that prefer those. */
export class JsonOrMedia extends Media {
  readonly json: Part

  constructor(json: Part, ...types: readonly string[]) {
    super(...types)
    this.json = json
  }
}

/** A body of lines, each of which is JSON; or the same in other media types. */
export class JsonLines extends Media {
  readonly line: Part

  constructor(line: Part, ...others: readonly string[]) {
    super('application/x-ndjson', ...others)
    this.line = line
  }
}

/** What an endpoint answers with one status: a JSON body, another kind of body, or none. */
export type Answer = Part | Media
/** With 400 and 503 where those have a shape of their own. */
export type Answers = Readonly<Partial<Record<Success | 400 | 503, Answer>>>

export const htmlPage = new Media('text/html')
export const plainText = new Media('text/plain')
export const noBody = new Media()

/** `{}` */
const emptyObject = component('Done', () => ({ ...record({}), description: 'Done; nothing to report.' }))

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

/** What some refusals say besides. */
const more: Fields = {
  ratelimit,
  captcha: optional(text('0a1b2c3d4e5f', 'Which captcha to solve next.')),
  decision: optional({
    ...record({
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
export const refused = component('Refusal', () => record({ message: text('Bad Request'), error: integer(400), ...reason, ...more }))

export const failed = component('Fault', () =>
  record({
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

/** A form's refusals. Without `data`, so that a client's types tell them from a success. */
const formErrors = component('FormErrors', () =>
  record({
    json: record({
      errors: formRefusals,
      ratelimit,
      captcha: optional(text('0a1b2c3d4e5f', 'Which captcha to solve next.')),
      redirect: optional(text(cast.linkPath, 'The link that is there already.')),
    }),
  }),
)

/** A form's refusals that say more. */
export const formErrorsWith = (data: Part) => record({ json: record({ errors: formRefusals, data }) })

/** A form's success. */
export const form = (data?: Part) =>
  record({ json: record({ errors: { ...listOf(formError), maxItems: 0, examples: [[]] }, ...(data && { data }) }) })

const nothingToSay: Readonly<Record<ErrorFamily, Part>> = {
  form: form(),
  silent: emptyObject,
  plain: emptyObject,
  coded: emptyObject,
}

/** The responses of an endpoint that succeed, with what its family of errors says with status 200. */
export const successesOf = ({ errors, answers }: { readonly errors: ErrorFamily; readonly answers?: Answers | undefined }): Answers => {
  const declared: Answers = answers ?? { 200: nothingToSay[errors] }
  const { 200: success } = declared
  if (errors === 'silent') return { ...declared, 200: success ?? emptyObject }
  if (errors !== 'form' || success instanceof Media) return declared
  return { ...declared, 200: success ? either(success, formErrors) : formErrors }
}
