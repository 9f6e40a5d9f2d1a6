import { type AnyEndpoint, toEndpointName } from '../contract/endpoint.ts'
import { answerRefusal } from '../contract/error-responses.ts'
import type { RefusalCode } from '../contract/refusals.ts'
import {
  type AnswerSchema,
  type Answers,
  faultShape,
  JsonLines,
  JsonOrMedia,
  Media,
  refusalShape,
  successesOf,
} from '../contract/schemas/answers.ts'
import { cast } from '../contract/schemas/names.ts'
import { alternativesOf, exampleOf, type SchemaOrComponent, union, writeSchema } from '../contract/schemas/schema.ts'
import { allPages, formAnswers, shownAgain } from '../pages/all.ts'
import { FEED_MEDIA_TYPE } from '../present/feed-entry.ts'
import type { Operation } from './addresses.ts'
import { type Json, responseHeaders } from './shared-parts.ts'

export type Components = Map<string, unknown>

/** The endpoints that browsers get a page of. */
const pageNames: ReadonlySet<string> = new Set<string>([...[...allPages, ...formAnswers].map(({ of }) => of), ...shownAgain])

/** Adds a page to the answer of an endpoint that browsers get a page of. */
const withPage = (answer: AnswerSchema): AnswerSchema => {
  if (answer instanceof JsonOrMedia) return new JsonOrMedia(answer.json, ...answer.types, 'text/html')
  if (answer instanceof JsonLines) return new JsonLines(answer.line, ...answer.types.slice(1), 'text/html')
  return answer instanceof Media ? answer : new JsonOrMedia(answer, 'text/html')
}

const success: Readonly<Record<keyof Answers, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted; completed asynchronously.',
  204: 'Done; no body.',
  302: 'Found at the address in `Location`.',
  400: 'The request is malformed, or a parameter is not valid.',
  503: 'Not ready.',
}

/** The non-success responses by name: status, description and what the example is refused with. */
const problems: Readonly<Record<string, readonly [status: number, description: string, code: RefusalCode, field?: string]>> = {
  BadRequest: [400, 'The request is malformed, or a parameter is not valid.', 'BAD_REQUEST', 'id'],
  Unauthorized: [401, 'The bearer token is missing or not valid.', 'UNAUTHORIZED'],
  Forbidden: [403, 'Not allowed.', 'FORBIDDEN'],
  NotFound: [404, 'Not found.', 'NOT_FOUND'],
  Conflict: [409, 'Already so, or in conflict with the current state.', 'CONFLICT'],
  LengthRequired: [411, 'The request has no `Content-Length`.', 'LENGTH_REQUIRED'],
  TooLarge: [413, 'The body, or a list in it, is too large.', 'TOO_LARGE'],
  UnsupportedMediaType: [415, 'The body is compressed, or of an unsupported type.', 'UNSUPPORTED_ENCODING'],
  KeyReused: [422, 'The `Idempotency-Key` was used for another request.', 'UNPROCESSABLE'],
  TooManyRequests: [429, 'Too many requests.', 'TOO_MANY_REQUESTS'],
  Fault: [500, 'A fault of the service; its `id` stands in the log.', 'FAULT'],
  Unavailable: [
    503,
    'Not now, or the outcome is unknown: the same request again, under the same `Idempotency-Key`, is safe.',
    'UNAVAILABLE',
  ],
}

const ofWrites: ReadonlySet<string> = new Set(['Conflict', 'LengthRequired', 'TooLarge', 'UnsupportedMediaType', 'KeyReused'])

const reference = (name: string): Json => ({ $ref: `#/components/responses/${name}` })

const problemsOf = ({ endpoints }: Operation): readonly (readonly [string, Json])[] => {
  const writes = endpoints.some(({ method }) => method !== 'GET')
  const keyed = endpoints.some(({ method, idempotency }) => method === 'POST' && idempotency !== false)
  return Object.entries(problems)
    .filter(([name]) => (writes || !ofWrites.has(name)) && (keyed || name !== 'KeyReused'))
    .map(([name, [status]]) => [String(status), reference(name)])
}

/** Joins several bodies in JSON to one that is any of them: `anyOf`, which generators of clients turn into a union. */
const joinAnswers = (one: AnswerSchema, other: AnswerSchema): AnswerSchema => {
  if (one instanceof Media || other instanceof Media) throw new Error('only JSON bodies of equivalent paths can be joined')
  const [first = one, ...others] = new Set([one, other].flatMap(alternativesOf))
  return others.length === 0 ? first : union(first, ...others)
}

const successes = (endpoints: readonly AnyEndpoint[]): Answers => {
  const all: Partial<Record<keyof Answers, AnswerSchema>> = {}
  for (const endpoint of endpoints)
    for (const [key, answer] of Object.entries(successesOf(endpoint))) {
      const status = Number(key) as keyof Answers
      const known = all[status]
      all[status] = known === undefined ? answer : joinAnswers(known, answer)
    }
  return all
}

const jsonOf = (answer: SchemaOrComponent, components: Components): Json => ({
  schema: writeSchema(answer, components),
  example: exampleOf(answer),
})

const contentOf = (answer: AnswerSchema, components: Components): Json => {
  if (!(answer instanceof Media)) return { 'application/json': jsonOf(answer, components) }
  // with several types a typed client would have to cast to the one it got
  if (answer instanceof JsonOrMedia) return { 'application/json': jsonOf(answer.json, components) }
  // the schema describes each line
  return Object.fromEntries(
    answer.types.map((type) => [
      type,
      answer instanceof JsonLines && type !== 'text/html' ? jsonOf(answer.line, components) : { schema: { type: 'string' } },
    ]),
  )
}

/** Describes a response, with the types that it has besides JSON. */
const describeResponse = (status: keyof Answers, answer: AnswerSchema): Json => ({
  description: `${success[status]}${answer instanceof JsonOrMedia ? ` For clients whose \`Accept\` prefers that: ${answer.types.join(', ')}.` : ''}`,
  ...(answer instanceof JsonOrMedia && { 'x-other-media-types': answer.types }),
})

export const responsesOf = (address: Operation, components: Components): Json => {
  const { endpoints, feed, path } = address
  const families = new Set(endpoints.map(({ errors }) => errors))
  const ofDone = [
    ...(families.has('silent') ? ['X-Reason'] : []),
    ...(families.has('silent') || families.has('form') ? ['Retry-After'] : []),
  ]
  const hasPage = endpoints.some((endpoint) => pageNames.has(toEndpointName(endpoint)))
  const responses = Object.entries(successes(endpoints)).map(([status, json]) => {
    const answer = hasPage && (status === '200' || status === '201') ? withPage(json) : json
    const content = contentOf(answer, components)
    return [
      status,
      {
        ...describeResponse(Number(status) as keyof Answers, answer),
        headers: responseHeaders(Number(status), status === '200' ? ofDone : []),
        ...(Object.keys(content).length > 0 && { content }),
      },
    ]
  })
  return {
    ...(path.startsWith('/s/{sub}') && endpoints.some(({ method }) => method === 'GET') && { 302: reference('RandomSubsite') }),
    ...Object.fromEntries([...problemsOf(address), ...(feed ? responses.filter(([status]) => status !== '200') : responses)]),
    ...(feed && { 200: reference('Feed') }),
  }
}

/** Returns the responses that many operations share. */
export const sharedResponses = (components: Components): Json => ({
  ...Object.fromEntries(
    Object.entries(problems).map(([name, [status, description, code, field = null]]) => {
      const schema = writeSchema(status < 500 ? refusalShape : faultShape, components)
      const example = answerRefusal('plain', { code, field, extra: status === 429 ? { ratelimit: 60 } : {} }, cast.service).body
      return [name, { description, headers: responseHeaders(status), content: { 'application/json': { schema, example } } }]
    }),
  ),
  RandomSubsite: {
    description:
      'The same path in a random subsite, where `sub` is `random`, `randnsfw` (an over-18 one) or `myrandom` (one that you subscribe to).',
    headers: responseHeaders(302),
  },
  Feed: {
    description: 'The page as an Atom feed.',
    headers: responseHeaders(200),
    content: { [FEED_MEDIA_TYPE]: { schema: { type: 'string' } } },
  },
})
