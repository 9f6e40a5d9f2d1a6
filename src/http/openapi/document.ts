import { scopes } from '../../auth/scopes.ts'
import type { AnyEndpoint, Param } from '../contract/endpoint.ts'
import { listingParameters } from '../contract/listing-params.ts'
import { refusals } from '../contract/refusals.ts'
import { routesOf } from '../contract/router.ts'
import { type Answers, failed, JsonLines, JsonOrMedia, Media, refused, successesOf } from '../contract/schemas/answers.ts'
import { exampleOf, type Part, written } from '../contract/schemas/schema.ts'
import { sections } from '../contract/sections.ts'
import { FEED_MEDIA_TYPE } from '../present/feed-entry.ts'
import { rules } from './general-rules.ts'
import { headers, parameters, responseHeaders } from './shared-parts.ts'

type Json = Readonly<Record<string, unknown>>

/** A declared path in the notation shared by the documentation and OpenAPI: `[/s/{sub}]` is two paths, with and without it. */
const addressesOf = (endpoint: AnyEndpoint): readonly string[] => {
  const paths = routesOf({ ...endpoint, values: {} }).flatMap(({ path, site }) => [
    ...(site === 'always' ? [] : [path]),
    ...(site === 'never' ? [] : [`/s/{sub}${path}`]),
  ])
  return [...new Set(paths)]
}

const variablesOf = (path: string): readonly string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

const described = ({ description, schema }: Param<unknown>): Json => ({
  ...(description !== '' && { description }),
  schema,
})

const isRead = ({ method }: AnyEndpoint) => method === 'GET'

const parametersOf = (endpoint: AnyEndpoint, path: string): readonly Json[] => {
  const inPath = new Set(variablesOf(path))
  const pathParameters = [...inPath].map((name) => {
    const param = endpoint.params[name] ?? Object.values(endpoint.params).find(({ aliases }) => aliases.includes(name))
    const values = endpoint.values?.[name]
    const schema = values ? { type: 'string', enum: values } : (param?.schema ?? { type: 'string' })
    return { name, in: 'path', required: true, ...(param?.description && { description: param.description }), schema }
  })
  const queryParameters = isRead(endpoint)
    ? Object.entries(endpoint.params)
        .filter(([name, { aliases }]) => ![name, ...aliases].some((one) => inPath.has(one)))
        .map(([name, param]) => ({ name, in: 'query', required: param.required, ...described(param) }))
    : []
  // An endpoint may give one of the listing protocol's parameters a meaning of its own.
  const ofListing = endpoint.listing ? listingParameters(endpoint.listing.max).filter(({ name }) => !(name in endpoint.params)) : []
  const shared = [
    'raw_json',
    ...(isRead(endpoint) ? ['min_position'] : []),
    ...(endpoint.method === 'POST' && endpoint.idempotency !== false ? ['idempotencyKey'] : []),
  ].map((name) => ({ $ref: `#/components/parameters/${name}` }))
  return [...pathParameters, ...queryParameters, ...ofListing, ...shared]
}

const bodyOf = (endpoint: AnyEndpoint, path: string): Json | undefined => {
  if (isRead(endpoint)) return undefined
  const inPath = new Set(variablesOf(path))
  const json = endpoint.jsonBody && endpoint.params[endpoint.jsonBody]
  if (json) return { required: json.required, content: { 'application/json': { schema: json.schema } } }
  const fields = Object.entries(endpoint.params).filter(([name, { aliases }]) => ![name, ...aliases].some((one) => inPath.has(one)))
  const { upload } = endpoint
  if (fields.length === 0 && !upload) return undefined
  const file = upload && { [upload.field]: { type: 'string', format: 'binary', description: `at most ${upload.most} bytes` } }
  const properties = {
    ...file,
    ...Object.fromEntries(
      fields.map(([name, { schema, description }]) => [name, { ...schema, ...(description !== '' && { description }) }]),
    ),
  }
  const required = [...(upload ? [upload.field] : []), ...fields.filter(([, param]) => param.required).map(([name]) => name)]
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }) }
  const media = upload ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  return { required: required.length > 0, content: { [media]: { schema } } }
}

/** The scopes as text: `any`, a name, or that they depend on the parameters. */
export const scopeOf = ({ scope }: AnyEndpoint): string => (typeof scope === 'string' ? scope : 'depends on the parameters')

const securityOf = ({ scope, login }: AnyEndpoint): readonly Json[] => {
  const oauth = { oauth: typeof scope === 'string' && scope !== 'any' ? [scope] : [] }
  if (login === 'token') return [oauth]
  if (login === 'session') return [{ session: [] }]
  return login === 'anyone' ? [{}, oauth, { session: [] }] : [oauth, { session: [] }]
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

/** The non-success responses by name: status and description. */
const problems: Readonly<Record<string, readonly [status: number, description: string]>> = {
  BadRequest: [400, 'The request is malformed, or a parameter is not valid.'],
  Unauthorized: [401, 'The bearer token is missing or not valid.'],
  Forbidden: [403, 'Not allowed.'],
  NotFound: [404, 'Not found.'],
  Conflict: [409, 'Already so, or in conflict with the current state.'],
  LengthRequired: [411, 'The request has no `Content-Length`.'],
  TooLarge: [413, 'The body, or a list in it, is too large.'],
  UnsupportedMediaType: [415, 'The body is compressed, or of an unsupported type.'],
  KeyReused: [422, 'The `Idempotency-Key` was used for another request.'],
  TooManyRequests: [429, 'Too many requests.'],
  Fault: [500, 'A fault of the service; its `id` stands in the log.'],
  Unavailable: [503, 'Not now, or the outcome is unknown: the same request again, under the same `Idempotency-Key`, is safe.'],
}

const ofWrites: ReadonlySet<string> = new Set(['Conflict', 'LengthRequired', 'TooLarge', 'UnsupportedMediaType', 'KeyReused'])

const problemsOf = ({ method, idempotency }: AnyEndpoint): readonly (readonly [string, Json])[] =>
  Object.entries(problems)
    .filter(([name]) => (method !== 'GET' || !ofWrites.has(name)) && (name !== 'KeyReused' || (method === 'POST' && idempotency !== false)))
    .map(([name, [status]]) => [String(status), { $ref: `#/components/responses/${name}` }])

type Components = Map<string, unknown>

const mediaOf = (answer: Part, components: Components): Json => ({
  'application/json': { schema: written(answer, components), example: exampleOf(answer) },
})

/** The schema is that of each line. */
const linesOf = ({ line, types }: JsonLines, components: Components): Json =>
  Object.fromEntries(types.map((type) => [type, { schema: written(line, components), example: exampleOf(line) }]))

const answersOf = (endpoint: AnyEndpoint, components: Components): Json => {
  const successes = Object.entries(successesOf(endpoint)).map(([status, answer]) => {
    const json = answer instanceof JsonOrMedia ? answer.json : answer instanceof Media ? undefined : answer
    const types = [...(answer instanceof Media ? answer.types : []), ...(json && endpoint.rss && status === '200' ? [FEED_MEDIA_TYPE] : [])]
    const content = {
      ...(json && mediaOf(json, components)),
      ...Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }])),
      ...(answer instanceof JsonLines && linesOf(answer, components)),
    }
    return [
      status,
      {
        description: success[Number(status) as keyof Answers],
        headers: responseHeaders(Number(status), endpoint.errors === 'silent' && status === '200' ? ['X-Reason', 'Retry-After'] : []),
        ...(Object.keys(content).length > 0 && { content }),
      },
    ]
  })
  return Object.fromEntries([...problemsOf(endpoint), ...successes])
}

const problemResponses = (components: Components): Json =>
  Object.fromEntries(
    Object.entries(problems).map(([name, [status, description]]) => [
      name,
      {
        description,
        headers: responseHeaders(status),
        content: { 'application/json': { schema: written(status < 500 ? refused : failed, components) } },
      },
    ]),
  )

/** `POST /api/v1/me/friends/{username}` is `postApiV1MeFriendsUsername`. */
const operationIdOf = (method: string, path: string): string =>
  method.toLowerCase() +
  path
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

const operationOf = (endpoint: AnyEndpoint, method: string, path: string, components: Components): Json => {
  const body = bodyOf(endpoint, path)
  return {
    operationId: operationIdOf(method, path),
    tags: [endpoint.section],
    summary: endpoint.summary,
    ...(endpoint.notes !== undefined && { description: endpoint.notes }),
    parameters: parametersOf(endpoint, path),
    ...(body && { requestBody: body }),
    security: securityOf(endpoint),
    responses: {
      ...(path.startsWith('/s/{sub}') && isRead(endpoint) && { 302: { $ref: '#/components/responses/RandomSubsite' } }),
      ...answersOf(endpoint, components),
    },
  }
}

const tokenUrl = '/api/v1/access_token'

/** The declarations as an OpenAPI 3.1 document. */
export const openApiOf = (endpoints: readonly AnyEndpoint[], server = '/'): Json => {
  const paths: Record<string, Record<string, unknown>> = {}
  const components: Components = new Map([['ErrorCode', { type: 'string', enum: Object.keys(refusals) }]])
  for (const endpoint of endpoints)
    for (const path of addressesOf(endpoint)) {
      paths[path] ??= {}
      for (const method of [endpoint.method, ...(endpoint.alsoMethods ?? [])])
        paths[path][method.toLowerCase()] ??= operationOf({ ...endpoint, method }, method, path, components)
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rostra',
      version: '1',
      license: { name: 'MIT', identifier: 'MIT' },
      description: `Link aggregation and discussion.\n\n${rules.map((rule) => `- ${rule}`).join('\n')}`,
    },
    servers: [{ url: server }],
    tags: Object.entries(sections).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        oauth: {
          type: 'oauth2',
          flows: {
            authorizationCode: { authorizationUrl: '/api/v1/authorize', tokenUrl, refreshUrl: tokenUrl, scopes },
            implicit: { authorizationUrl: '/api/v1/authorize', scopes },
            password: { tokenUrl, refreshUrl: tokenUrl, scopes },
            clientCredentials: { tokenUrl, scopes },
          },
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'rostra_session',
          description: 'Every write also needs the modhash in `X-Modhash`.',
        },
      },
      parameters,
      headers,
      responses: {
        ...problemResponses(components),
        RandomSubsite: {
          description:
            'The same path in a random subsite, where `sub` is `random`, `randnsfw` (an over-18 one) or `myrandom` (one that you subscribe to).',
          headers: responseHeaders(302),
        },
      },
      schemas: Object.fromEntries(components),
    },
  }
}
