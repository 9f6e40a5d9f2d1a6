import { readFileSync } from 'node:fs'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { splitTarget } from '../../src/http/contract/incoming.ts'
import { openRouter, routesOf } from '../../src/http/contract/router.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { inSubsite, templateOf } from '../../src/http/openapi/addresses.ts'
import { FEED_MEDIA_TYPE } from '../../src/http/present/feed-entry.ts'

type Content = Readonly<Record<string, { readonly schema: object }>>
type Response = { readonly content?: Content; readonly 'x-other-media-types'?: readonly string[]; readonly $ref?: string }
type Operation = { readonly responses: Readonly<Record<string, Response>> }
type Document = {
  readonly components: {
    readonly responses: Readonly<Record<string, Response>>
    readonly schemas: Readonly<Record<string, unknown>>
  }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** The published document, which is what the endpoints declare (test/docs/generated.test.ts). */
export const document: Document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))

/** Members that say nothing about responses; left out, since every test thread reads the document. */
const unused = new Set(['description', 'example', 'examples', 'parameters', 'requestBody', 'security', 'summary', 'tags'])

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false, validateSchema: false })
const known = new Set<string>()

/** The name of a shared schema, which is added when the first other one refers to it: few are asked for in one test thread. */
const shared = (reference: string): string => {
  const name = reference.replace(/^#\/components\/schemas\//, '')
  if (known.has(name)) return name
  known.add(name)
  ajv.addSchema(prepared(document.components.schemas[name]) as object, name)
  return name
}

/** A schema of the document as the validator takes it. */
const prepared = (value: unknown, isProperties = false): unknown => {
  if (Array.isArray(value)) return value.map((item) => prepared(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (isProperties) return [[key, prepared(member)]]
      if (key === '$ref') return [[key, shared(String(member))]]
      return unused.has(key) ? [] : [[key, prepared(member, key === 'properties')]]
    }),
  )
}

const memberOf = (value: unknown, name: string): unknown => (value as Readonly<Record<string, unknown>>)[name]

const validators = new Map<string, ValidateFunction>()

/** The validator of a schema at a place in the document. */
export const validatorOf = (pointer: readonly string[]): ValidateFunction => {
  const place = JSON.stringify(pointer)
  const found = validators.get(place) ?? ajv.compile(prepared(pointer.reduce(memberOf, document)) as object)
  validators.set(place, found)
  return found
}

const route = openRouter(endpoints)

const pathOf = new Map(Object.keys(document.paths).map((path) => [templateOf(path), path]))

/** The operation of the document for a request, or for the feed at `.rss`; undefined for an address that it does not have. */
const operationAt = (
  method: string,
  path: string,
  suffix: '' | '.rss',
): { readonly address: string; readonly operation: Operation } | undefined => {
  const match = route(method, path)
  if (match.kind !== 'route') return undefined
  const { endpoint, path: inside } = match.route
  // closed values of a path are routes of their own, but one address of the document
  const declared = routesOf({ ...endpoint, values: {} }).find(({ path: pattern, site }) => {
    if (match.site === undefined ? site === 'always' : site === 'never') return false
    return new RegExp(`^${pattern.replace(/\{\w+\}/g, '(?:[^/]+|\\{\\w+\\})')}$`).test(inside)
  })
  if (!declared) return undefined
  const address = pathOf.get(templateOf((match.site === undefined ? declared.path : inSubsite(declared.path)) + suffix))
  const operation = address === undefined ? undefined : document.paths[address]?.[method.toLowerCase()]
  return address === undefined || operation === undefined ? undefined : { address, operation }
}

const MADE_UP = 'made_up_member'
/** Objects of a response that are looked at, so that large pages cost little. */
const MAX_OBJECTS_TRIED = 5_000

/** The objects in a value with their places, at which every item of a list is the same place. */
function* objectsIn(value: unknown, place = ''): Generator<readonly [place: string, object: Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [place, value as Record<string, unknown>]
  for (const [key, member] of Object.entries(value)) yield* objectsIn(member, `${place}/${Array.isArray(value) ? '*' : key}`)
}

/** Whose members the OpenAPI Specification or JSON Schema names, not this interface. */
const OPEN =
  /^GET (\/openapi(-current)? 200 \/(info|servers|tags|paths|components)|\/history\/schemas\/\{type\}\/\{version\} 200 \/(properties|if|else))/

/**
 * The first place in a valid body where the validator accepts a member that nobody declared; undefined where it refuses one in every
 * object. `tried`: places that need not be tried.
 */
export const openPlace = (where: string, validate: ValidateFunction, body: unknown, tried = new Set<string>()): string | undefined => {
  let looked = 0
  for (const [place, object] of objectsIn(body)) {
    if (++looked > MAX_OBJECTS_TRIED) return undefined
    if (tried.has(place) || OPEN.test(`${where} ${place}`)) continue
    tried.add(place)
    object[MADE_UP] = true
    const isAccepted = validate(body)
    delete object[MADE_UP]
    if (isAccepted) return place
  }
  return undefined
}

const triedPlaces = new Map<ValidateFunction, Set<string>>()

/** How a response differs from the OpenAPI document; undefined where they agree. */
export const departureOf = (method: string, target: string, status: number, type: string | null, body: unknown): string | undefined => {
  const path = splitTarget(target)?.path
  const asked = method === 'HEAD' ? 'GET' : method
  const media = type?.split(';')[0] ?? ''
  const found = path === undefined ? undefined : operationAt(asked, path, media === FEED_MEDIA_TYPE ? '.rss' : '')
  if (!found || status === 304 || status === 405 || /[?&]jsonp=/.test(target)) return undefined
  const { address, operation } = found
  const documented = operation.responses[String(status)]
  const shared = documented?.$ref?.split('/').at(-1)
  const response = shared === undefined ? documented : document.components.responses[shared]
  const where = `${asked} ${address} ${status}`
  if (!response) return `${where} is not documented`
  if (type === null || method === 'HEAD') return undefined
  if (response['x-other-media-types']?.includes(media)) return undefined
  if (response.content?.[media] === undefined) return `${where}: ${media} is not documented`
  if (media !== 'application/json') return undefined
  const place =
    shared === undefined ? ['paths', address, asked.toLowerCase(), 'responses', String(status)] : ['components', 'responses', shared]
  const validate = validatorOf([...place, 'content', media, 'schema'])
  if (validate(body)) {
    const tried = triedPlaces.get(validate) ?? new Set<string>()
    triedPlaces.set(validate, tried)
    const open = openPlace(where, validate, body, tried)
    return open === undefined ? undefined : `${where}: a made-up member is accepted at ${open || 'the top'}`
  }
  const problems = (validate.errors ?? [])
    .slice(-6)
    .map(({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`)
  return `${where}: ${problems.join('; ')}`
}
