import { refusals } from '../domain/refusal.ts'
import type { AnyEndpoint, Param, Success } from './endpoint.ts'
import { routesOf } from './router.ts'
import { scopes } from './scopes.ts'

type Json = Readonly<Record<string, unknown>>

/** Where a declared path leads, in words that both the documentation and OpenAPI use: `[/s/{sub}]` is one path with and one without. */
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

type Parameter = Json & { readonly name: string }

const listing = (max: number): readonly Parameter[] => [
  { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: max, default: 25 } },
  { name: 'after', in: 'query', description: 'Anchor: the page starts after it.', schema: { type: 'string' } },
  { name: 'before', in: 'query', description: 'Anchor: the page ends before it.', schema: { type: 'string' } },
  { name: 'count', in: 'query', description: 'Items already seen.', schema: { type: 'integer', minimum: 0, default: 0 } },
  { name: 'show', in: 'query', description: '`all`: nothing is filtered.', schema: { type: 'string' } },
  { name: 'sr_detail', in: 'query', schema: { type: 'boolean', default: false } },
]

const isRead = ({ method }: AnyEndpoint) => method === 'GET'

const parametersOf = (endpoint: AnyEndpoint, path: string): readonly Json[] => {
  const inPath = new Set(variablesOf(path))
  const pathParameters = [...inPath].map((name) => {
    const param = endpoint.params[name]
    const values = endpoint.values?.[name]
    const schema = values ? { type: 'string', enum: values } : (param?.schema ?? { type: 'string' })
    return { name, in: 'path', required: true, ...(param?.description && { description: param.description }), schema }
  })
  const queryParameters = isRead(endpoint)
    ? Object.entries(endpoint.params)
        .filter(([name]) => !inPath.has(name))
        .map(([name, param]) => ({ name, in: 'query', required: param.required, ...described(param) }))
    : []
  // An endpoint may give one of the listing protocol's parameters a meaning of its own.
  const ofListing = endpoint.listing ? listing(endpoint.listing.max).filter(({ name }) => !(name in endpoint.params)) : []
  return [...pathParameters, ...queryParameters, ...ofListing]
}

const bodyOf = (endpoint: AnyEndpoint, path: string): Json | undefined => {
  if (isRead(endpoint)) return undefined
  const inPath = new Set(variablesOf(path))
  const json = endpoint.jsonBody && endpoint.params[endpoint.jsonBody]
  if (json) return { required: json.required, content: { 'application/json': { schema: json.schema } } }
  const fields = Object.entries(endpoint.params).filter(([name]) => !inPath.has(name))
  if (fields.length === 0) return undefined
  const properties = Object.fromEntries(
    fields.map(([name, { schema, description }]) => [name, { ...schema, ...(description !== '' && { description }) }]),
  )
  const required = fields.filter(([, param]) => param.required).map(([name]) => name)
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }) }
  return { required: required.length > 0, content: { 'application/x-www-form-urlencoded': { schema } } }
}

/** The scopes in words: `any`, a name, or what depends on the parameters. */
export const scopeOf = ({ scope }: AnyEndpoint): string => (typeof scope === 'string' ? scope : 'depends on the parameters')

const securityOf = ({ scope, login }: AnyEndpoint): readonly Json[] => {
  const oauth = { oauth: typeof scope === 'string' && scope !== 'any' ? [scope] : [] }
  if (login === 'token') return [oauth]
  return login === 'anyone' ? [{}, oauth, { session: [] }] : [oauth, { session: [] }]
}

const success: Readonly<Record<Success, string>> = {
  200: 'Done.',
  201: 'Made.',
  202: 'It follows, whatever happens to the service.',
  204: 'Done, and nothing to say.',
  302: 'Goes on at the address in `Location`.',
}

const answersOf = ({ errors, login, method, answers = [200] }: AnyEndpoint): Json => ({
  ...Object.fromEntries(answers.map((status) => [String(status), { description: success[status] }])),
  ...(errors === 'form' && { '200': { description: 'Done, or refused with `json.errors`.' } }),
  ...(errors === 'silent' && { '200': { description: 'Done, or nobody is logged in, as `json.errors` says.' } }),
  '400': { description: errors === 'form' ? 'The request cannot be read.' : 'The request cannot be read, or a parameter makes no sense.' },
  '401': { description: login === 'token' ? 'No valid bearer token.' : 'The bearer token is not valid.' },
  '403': { description: 'Not allowed.' },
  '404': { description: 'There is no such thing.' },
  ...(method !== 'GET' && {
    '409': { description: 'It is so already, or something else stands in the way.' },
    '413': { description: 'The body is too large.' },
    '422': { description: 'The `Idempotency-Key` was used for another request.' },
  }),
  '429': { description: 'Too many requests.' },
  '503': { description: 'Not now, or the outcome is unknown: the same request again, under the same `Idempotency-Key`, is safe.' },
})

const operationOf = (endpoint: AnyEndpoint, path: string): Json => {
  const body = bodyOf(endpoint, path)
  return {
    tags: [endpoint.section],
    summary: endpoint.summary,
    ...(endpoint.notes !== undefined && { description: endpoint.notes }),
    parameters: parametersOf(endpoint, path),
    ...(body && { requestBody: body }),
    security: securityOf(endpoint),
    responses: answersOf(endpoint),
  }
}

/** The declarations as an OpenAPI 3.1 document. */
export const openApiOf = (endpoints: readonly AnyEndpoint[], server = '/'): Json => {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints)
    for (const path of addressesOf(endpoint)) {
      paths[path] ??= {}
      for (const method of [endpoint.method, ...(endpoint.alsoMethods ?? [])])
        paths[path][method.toLowerCase()] ??= operationOf(endpoint, path)
    }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rostra',
      version: '1',
      description:
        'Link aggregation and discussion. Votes must be cast by humans. Every answer names a log position in `X-Log-Position`; every read accepts `min_position`. Text in JSON has `&`, `<` and `>` as entities unless `raw_json=1`.',
    },
    servers: [{ url: server }],
    tags: [...new Set(endpoints.map(({ section }) => section))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        oauth: {
          type: 'oauth2',
          flows: { authorizationCode: { authorizationUrl: '/api/v1/authorize', tokenUrl: '/api/v1/access_token', scopes } },
        },
        session: { type: 'apiKey', in: 'cookie', name: 'rostra_session', description: 'With the modhash in `X-Modhash` for every write.' },
      },
      schemas: { ErrorCode: { type: 'string', enum: Object.keys(refusals) } },
    },
  }
}
