import type { AnyEndpoint, Param } from '../contract/endpoint.ts'
import { listingParameters } from '../contract/listing-params.ts'
import { exampleOf } from '../contract/schemas/schema.ts'
import { type Operation, variablesOf } from './addresses.ts'
import { exampleOfForm } from './examples.ts'
import { type Json, pagingName } from './shared-parts.ts'

const isRead = ({ method }: AnyEndpoint) => method === 'GET'

const describeSchema = ({ description, schema }: Param<unknown>): Json => ({ ...(description !== '' && { description }), schema })

const reference = (name: string): Json => ({ $ref: `#/components/parameters/${name}` })

/** Maps the variables of an address's path to the names that an endpoint gives them: the address may have the names of another endpoint. */
const namesIn = ({ path }: Operation, { params, values = {} }: AnyEndpoint) => {
  const inPath = variablesOf(path)
  const isDeclared = (name: string) =>
    name === 'sub' || name in params || name in values || Object.values(params).some(({ aliases }) => aliases.includes(name))
  return (name: string): string => (isDeclared(name) ? name : (Object.keys(values).find((other) => !inPath.includes(other)) ?? name))
}

const pathParameter = (address: Operation, variable: string): Json => {
  const meant = address.endpoints.map((endpoint) => {
    const name = namesIn(address, endpoint)(variable)
    const param = endpoint.params[name] ?? Object.values(endpoint.params).find(({ aliases }) => aliases.includes(name))
    return { values: endpoint.values?.[name], param }
  })
  const closed = meant.flatMap(({ values }) => values ?? [])
  const [{ param } = { param: undefined }] = meant
  const schema = closed.length > 0 ? { type: 'string', enum: closed } : (param?.schema ?? { type: 'string' })
  return { name: variable, in: 'path', required: true, ...(param?.description && { description: param.description }), schema }
}

/** Returns the parameters that are not in the path. */
const othersOf = (address: Operation, endpoint: AnyEndpoint): readonly (readonly [string, Param<unknown>])[] => {
  const nameOf = namesIn(address, endpoint)
  const inPath = new Set(variablesOf(address.path).map(nameOf))
  return Object.entries(endpoint.params).filter(([name, { aliases }]) => ![name, ...aliases].some((one) => inPath.has(one)))
}

const queryParameters = (address: Operation): readonly Json[] => {
  const { endpoints } = address
  const schemas = new Map<string, Json>()
  for (const endpoint of endpoints.filter(isRead))
    for (const [name, param] of othersOf(address, endpoint))
      if (!schemas.has(name))
        schemas.set(name, {
          name,
          in: 'query',
          required: endpoints.every(({ params }) => params[name]?.required),
          ...describeSchema(param),
        })
  return [...schemas.values()]
}

/** Returns the parameters of the listing protocol, unless an endpoint gives one of them a meaning of its own. */
const pagingOf = ({ endpoints }: Operation): readonly Json[] => {
  const max = Math.max(...endpoints.map(({ listing }) => listing?.max ?? 0))
  const declared = new Set(endpoints.flatMap(({ params }) => Object.keys(params)))
  return max === 0 ? [] : listingParameters(max).flatMap(({ name }) => (declared.has(name) ? [] : [reference(pagingName(name, max))]))
}

export const parametersOf = (address: Operation): readonly Json[] => {
  const { endpoints, path, feed } = address
  return [
    ...variablesOf(path).map((name) => pathParameter(address, name)),
    ...queryParameters(address),
    ...pagingOf(address),
    ...[
      ...(feed ? [] : ['raw_json']),
      ...(endpoints.some(isRead) ? ['min_position'] : []),
      ...(endpoints.some(({ method, idempotency }) => method === 'POST' && idempotency !== false) ? ['idempotencyKey'] : []),
    ].map(reference),
  ]
}

/** Returns the body of a write, which has one endpoint. */
export const bodyOf = (address: Operation): Json | undefined => {
  const [endpoint] = address.endpoints
  if (!endpoint || isRead(endpoint)) return undefined
  const json = endpoint.jsonBody && endpoint.params[endpoint.jsonBody]
  if (json) return { required: json.required, content: { 'application/json': { schema: json.schema, example: exampleOf(json.schema) } } }
  const fields = othersOf(address, endpoint)
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
  return { required: required.length > 0, content: { [media]: { schema, example: exampleOfForm(fields, endpoint) } } }
}
