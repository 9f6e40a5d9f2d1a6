import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { ValidateFunction } from 'ajv/dist/2020.js'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { splitTarget } from '../../src/http/contract/incoming.ts'
import { routesOf } from '../../src/http/contract/router.ts'
import { inSubsite, templateOf } from '../../src/http/openapi/addresses.ts'
import { FEED_MEDIA_TYPE } from '../../src/http/present/feed-entry.ts'
import type { DeclaredResponses } from './published-document.ts'
import { routeAt } from './routed.ts'

type Operation = DeclaredResponses['paths'][string][string]
type Compiled = { readonly declared: DeclaredResponses; readonly [name: string]: ValidateFunction | DeclaredResponses }

const fileAt = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** All that the validators follow from: the document, what compiles it, and the version of ajv. */
const sources = ['docs/openapi.json', 'test/support/published-document.ts', 'node_modules/ajv/package.json']
const digest = hash('sha256', Buffer.concat(sources.map((path) => readFileSync(fileAt(path)))))
const file = fileAt(`node_modules/.cache/responses/${digest}.cjs`)

// Every test file is a thread of its own, and would compile for a quarter of a second: the first one leaves its validators to the others.
if (!existsSync(file)) (await import('./published-document.ts')).compileResponses(file)
const compiled: Compiled = createRequire(import.meta.url)(file)
const { declared } = compiled

const memberOf = (value: unknown, name: string): unknown => (value as Readonly<Record<string, unknown>>)[name]

/** Returns the validator of the schema at a place in the document, of a response. */
export const validatorOf = (pointer: readonly string[]): ValidateFunction =>
  compiled[pointer.reduce(memberOf, declared) as unknown as string] as ValidateFunction

const pathOf = new Map(Object.keys(declared.paths).map((path) => [templateOf(path), path]))
/** The address in the document of a path as routes spell it; remembered, since the same ones are asked for again and again. */
const addresses = new Map<string, string | undefined>()
const addressOf = (spelled: string): string | undefined => {
  if (!addresses.has(spelled)) addresses.set(spelled, pathOf.get(templateOf(spelled)))
  return addresses.get(spelled)
}

const patterns = new Map<AnyEndpoint, ReturnType<typeof compiledPaths>>()

// closed values of a path are routes of their own, but one address of the document
const compiledPaths = (endpoint: AnyEndpoint) =>
  routesOf({ ...endpoint, values: {} }).map(({ path, site }) => {
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, '(?:[^/]+|\\{\\w+\\})')}$`)
    return { path, site, pattern }
  })

const patternsOf = (endpoint: AnyEndpoint) => {
  const found = patterns.get(endpoint) ?? compiledPaths(endpoint)
  patterns.set(endpoint, found)
  return found
}

/** The operation of the document for a request, or for the feed at `.rss`; undefined for an address that it does not have. */
const operationAt = (
  method: string,
  path: string,
  suffix: '' | '.rss',
): { readonly address: string; readonly operation: Operation } | undefined => {
  const { route, address: parts } = routeAt(method, path)
  if (!route) return undefined
  const { endpoint, path: inside } = route
  const fitting = patternsOf(endpoint).find(
    ({ pattern, site }) => (parts.site === undefined ? site !== 'always' : site !== 'never') && pattern.test(inside),
  )
  if (!fitting) return undefined
  const address = addressOf((parts.site === undefined ? fitting.path : inSubsite(fitting.path)) + suffix)
  const operation = address === undefined ? undefined : declared.paths[address]?.[method.toLowerCase()]
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

/** Matches answers whose members the OpenAPI Specification or JSON Schema names, not this interface. */
const OPEN =
  /^GET (\/openapi(-current)? 200 \/(info|servers|tags|paths|components)|\/history\/schemas\/\{type\}\/\{version\} 200 \/(properties|if|else))/

/**
 * Returns the first place in a valid body where the validator accepts a member that nobody declared; undefined where it refuses one in
 * every object. `tried`: places that need not be tried.
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

/** Returns the difference between a response and the OpenAPI document, if any. */
export const departureOf = (method: string, target: string, status: number, type: string | null, body: unknown): string | undefined => {
  const path = splitTarget(target)?.path
  const readMethod = method === 'HEAD' ? 'GET' : method
  const media = type?.split(';')[0] ?? ''
  const found = path === undefined ? undefined : operationAt(readMethod, path, media === FEED_MEDIA_TYPE ? '.rss' : '')
  if (!found || status === 304 || status === 405 || /[?&]jsonp=/.test(target)) return undefined
  // a browser gets its refusals as pages, and is led on after a form
  if (status === 303 || (media === 'text/html' && status >= 400)) return undefined
  const { address, operation } = found
  const documented = operation.responses[String(status)]
  const shared = documented?.$ref?.split('/').at(-1)
  const response = shared === undefined ? documented : declared.components.responses[shared]
  const where = `${readMethod} ${address} ${status}`
  if (!response) return `${where} is not documented`
  if (type === null || method === 'HEAD') return undefined
  if (response['x-other-media-types']?.includes(media)) return undefined
  if (response.content?.[media] === undefined) return `${where}: ${media} is not documented`
  if (media !== 'application/json') return undefined
  const place =
    shared === undefined ? ['paths', address, readMethod.toLowerCase(), 'responses', String(status)] : ['components', 'responses', shared]
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
