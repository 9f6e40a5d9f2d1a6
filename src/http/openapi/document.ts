import { scopes } from '../../auth/scopes.ts'
import { SERVICE_VERSION } from '../../operations/version.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import { errorCode } from '../contract/schemas/answers.ts'
import { writeSchema } from '../contract/schemas/schema.ts'
import { sections } from '../contract/sections.ts'
import { addressesOf, type Operation, templateOf } from './addresses.ts'
import { curlOf } from './curl-commands.ts'
import { rules } from './general-rules.ts'
import { bodyOf, parametersOf } from './request.ts'
import { type Components, responsesOf, sharedResponses } from './responses.ts'
import { headers, type Json, sharedParameters } from './shared-parts.ts'

const securityOf = ({ endpoints, feed }: Operation): readonly Json[] => {
  if (feed) return [{}, { feed: [] }]
  const scopesNeeded = [...new Set(endpoints.flatMap(({ scope }) => (typeof scope === 'string' && scope !== 'any' ? [scope] : [])))]
  const oauth = { oauth: scopesNeeded }
  const logins = endpoints.map(({ login }) => login)
  if (logins.includes('anyone')) return [{}, oauth, { session: [] }]
  if (logins.includes('token')) return [oauth]
  return logins.includes('session') ? [{ session: [] }] : [oauth, { session: [] }]
}

const callers: Readonly<Record<AnyEndpoint['login'], string>> = {
  anyone: 'Anyone may call it',
  user: 'For accounts',
  moderator: 'For moderators',
  token: 'For tokens of accounts only',
  session: 'For sessions only, not for tokens',
}

/** Returns the callers of an endpoint, in words. */
const callersOf = ({ login, scope, rss }: AnyEndpoint): string => {
  const needed =
    typeof scope === 'string' ? (scope === 'any' ? 'any scope' : `the scope \`${scope}\``) : 'scopes that depend on the parameters'
  const token = login === 'session' ? '' : `; a token needs ${needed}`
  return `${callers[login]}${token}.${rss ? ' With the suffix `.rss` it is an Atom feed.' : ''}`
}

const joinSentences = (...parts: readonly (string | undefined)[]): string => parts.filter((part) => part !== undefined).join(' ')

/** Returns the description. Endpoints at equivalent paths are described with the values that each answers. */
const descriptionOf = ({ endpoints, feed }: Operation): string => {
  if (feed) return 'Without a token; the parameters `user` and `feed` of a private feed show what an account sees.'
  const [one] = endpoints
  if (endpoints.length === 1 && one) return joinSentences(one.notes, callersOf(one))
  return endpoints
    .map((endpoint) => {
      const values = Object.values(endpoint.values ?? {})
        .flat()
        .map((value) => `\`${value}\``)
      return `${values.join(', ')}: ${joinSentences(endpoint.summary, endpoint.notes, callersOf(endpoint))}`
    })
    .join('\n\n')
}

const summaryOf = ({ endpoints, feed }: Operation): string =>
  `${endpoints.map(({ summary }) => summary).join(' Or: ')}${feed ? ' As an Atom feed.' : ''}`

/** Returns the id of an operation: `POST /api/v1/me/friends/{username}` is `postApiV1MeFriendsUsername`. */
const operationIdOf = (method: string, path: string): string =>
  method.toLowerCase() +
  path
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/** Returns the path of a declaration in the notation of the document, within a subsite if that may be left out. */
const shownPath = ({ path }: AnyEndpoint): string => path.replace('[/s/{sub}]', '/s/{sub}').replace(/\.json$/, '')

/** Returns the commands that docs/endpoints.md shows, for their operation. */
const samplesOf = ({ endpoints, method, path, feed, deprecated }: Operation): Json | undefined => {
  const sampled = endpoints.filter(
    (endpoint) => !endpoint.alsoMethods?.some((other) => other === method) && templateOf(shownPath(endpoint)) === templateOf(path),
  )
  if (sampled.length === 0 || feed || deprecated) return undefined
  return { 'x-codeSamples': sampled.map((endpoint) => ({ lang: 'Shell', label: 'curl', source: curlOf(endpoint) })) }
}

const operationOf = (address: Operation, components: Components, current: boolean): Json => {
  const body = bodyOf(address)
  return {
    operationId: operationIdOf(address.method, address.path),
    tags: [...new Set(address.endpoints.map(({ section }) => section))],
    summary: summaryOf(address),
    description: descriptionOf(address),
    ...(address.deprecated && { deprecated: true }),
    parameters: parametersOf(address),
    ...(body && { requestBody: body }),
    security: securityOf(address),
    responses: responsesOf(address, components),
    ...(current ? undefined : samplesOf(address)),
  }
}

const tokenUrl = '/api/v1/access_token'

const securitySchemes: Json = {
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
  feed: {
    type: 'apiKey',
    in: 'query',
    name: 'feed',
    description: 'Of a private feed, beside `user`, the name of its account; `/api/v1/me/feeds` has both.',
  },
}

/** `current` leaves out the older spellings of paths and the samples of commands, which generators of clients do not read. */
type Options = { readonly server?: string; readonly current?: boolean }

/** Returns the declarations as an OpenAPI 3.1 document. */
export const openApiOf = (endpoints: readonly AnyEndpoint[], { server = '/', current = false }: Options = {}): Json => {
  const paths: Record<string, Record<string, unknown>> = {}
  const components: Components = new Map()
  writeSchema(errorCode, components) // written even if only a header refers to it
  for (const address of addressesOf(endpoints).filter(({ deprecated }) => !current || !deprecated)) {
    const { path, method } = address
    paths[path] = { ...paths[path], [method.toLowerCase()]: operationOf(address, components, current) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Rostra',
      version: SERVICE_VERSION,
      contact: { name: 'The people who run this service' },
      license: { name: 'MIT', identifier: 'MIT' },
      description: `Link aggregation and discussion.\n\n${rules.map((rule) => `- ${rule}`).join('\n')}`,
    },
    servers: [{ url: server }],
    tags: Object.entries(sections).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes,
      parameters: sharedParameters(new Set(endpoints.flatMap(({ listing }) => listing?.max ?? []))),
      headers,
      responses: sharedResponses(components),
      schemas: Object.fromEntries(components),
    },
  }
}
