import * as E from 'fp-ts/lib/Either.js'
import { DAY } from '../../domain/time.ts'
import { type AnyEndpoint, section } from '../contract/endpoint.ts'
import { describeParam, oneOf, rawText, searchText } from '../contract/params.ts'
import { refuseRule } from '../contract/refusals.ts'
import { htmlPage, Media, plainText } from '../contract/schemas/answers.ts'
import * as shape from '../contract/schemas/schema.ts'
import { docsFile, docsFiles } from '../openapi/docs-page.ts'
import { openApiOf } from '../openapi/document.ts'
import { guideFile, guideSearch } from '../openapi/guides.ts'
import { siteFile } from '../present/site-files.ts'

const { get } = section('Service', { scope: 'any', login: 'anyone', errors: 'plain' })

const live = get('/health/live', {
  quota: false,
  answers: { 200: shape.recordSchema({ status: shape.constant('live') }) },
  summary: 'Liveness: answers while the process runs.',
  handle: () => ({ kind: 'json', body: { status: 'live' } }),
})

const healthShape = shape.component('Health', () =>
  shape.recordSchema({
    ready: shape.flag,
    log: shape.choice('reachable', 'unreachable'),
    lag: {
      anyOf: [shape.integer(0), shape.nullSchema],
      description: 'Milliseconds that the oldest event not yet in the read models has waited.',
    },
    shards: shape.optional(shape.listOf(shape.integer(0))),
    proved: {
      ...shape.orNull(shape.recordSchema({ at: shape.epoch, events: shape.integer(0), entries: shape.integer(0) })),
      description:
        'The last proof that the whole log is the one that was signed, at the start and each night: when it ended, and how many events and entries of moderation logs signed heads cover. Null where this process has not finished one; one process at a time proves the log.',
    },
    problems: shape.listOf(shape.text('the read models are 6.0 s behind')),
    warnings: shape.listOf(shape.text('ADMINS differs from that of another process, which recorded other admins in the log')),
  }),
)

const ready = get('/health/ready', {
  uses: ['health'],
  quota: false,
  answers: { 200: healthShape, 503: healthShape },
  summary: 'Readiness: 200 if the log answers and the read models are at most five seconds behind it, else 503 with the reason.',
  handle: async ({ health }) => {
    const body = await health()
    return { kind: 'json', status: body.ready ? 200 : 503, body }
  },
})

const metrics = get('/metrics', {
  uses: ['metrics'],
  quota: false,
  answers: { 200: plainText },
  summary: 'Metrics in the Prometheus text format.',
  handle: async ({ metrics }) => ({ kind: 'text', type: metrics.contentType, body: await metrics.text() }),
})

/** Returns an OpenAPI document as text, made once for each address of a service: making it takes longer than other requests should wait. */
const openApiText = (endpoints: () => readonly AnyEndpoint[], current: boolean): ((publicUrl: string) => string) => {
  const documents = new Map<string, string>()
  return (publicUrl) => {
    const text = documents.get(publicUrl) ?? JSON.stringify(openApiOf(endpoints(), { server: publicUrl, current }))
    documents.set(publicUrl, text)
    return text
  }
}

/** An OpenAPI document, whose own parts the OpenAPI Specification describes. */
const documentShape = shape.recordSchema({
  openapi: shape.text('3.1.0'),
  info: shape.mapOf(shape.anything),
  servers: shape.listOf(shape.mapOf(shape.anything)),
  tags: shape.listOf(shape.mapOf(shape.anything)),
  paths: shape.mapOf(shape.anything),
  components: shape.mapOf(shape.anything),
})

const document = (path: string, text: (publicUrl: string) => string, summary: string): AnyEndpoint =>
  get(path, {
    answers: { 200: documentShape },
    summary,
    handle: ({ config }) => ({ kind: 'text', type: 'application/json; charset=UTF-8', body: text(config.publicUrl) }),
  })

const PLAIN = 'text/plain; charset=UTF-8'

const robots = `User-agent: *
${[
  '/api/',
  '/search',
  '/s/*/search',
  '/login',
  '/register',
  '/submit',
  '/s/*/submit',
  '/report',
  '/message/',
  '/prefs/',
  '/admin',
  '/history/',
  '/*.json',
  '/*?*sort=',
]
  .map((path) => `Disallow: ${path}`)
  .join('\n')}
`

/** The days for which the contact is declared valid. Later requests get a later date. */
const SECURITY_DAYS = 90

const securityText = (contact: string, publicUrl: string, now: number): string =>
  [
    `Contact: ${contact}`,
    `Expires: ${new Date((Math.floor(now / DAY) + SECURITY_DAYS) * DAY).toISOString()}`,
    'Preferred-Languages: en',
    `Canonical: ${publicUrl}/.well-known/security.txt`,
    '',
  ].join('\n')

/** The endpoints of a process that serves no site. */
export const operationEndpoints: readonly AnyEndpoint[] = [live, ready, metrics]

/** Returns the endpoints of the service itself. `endpoints` is a function because it includes these. */
export const serviceEndpoints = (endpoints: () => readonly AnyEndpoint[]): readonly AnyEndpoint[] => [
  ...operationEndpoints,
  document('/openapi.json', openApiText(endpoints, false), 'This interface as an OpenAPI 3.1 document.'),
  document(
    '/openapi-current.json',
    openApiText(endpoints, true),
    'The same without the older spellings of paths: smaller, for new clients.',
  ),
  get('/docs', {
    answers: { 200: htmlPage },
    summary: 'The guides and the reference of this interface, as HTML pages, and a search in them.',
    params: { q: describeParam(searchText(), 'Words to look for in the guides.') },
    handle: ({ config, params }) => ({
      kind: 'text',
      ...(params.q.trim() === '' ? guideFile('', config.publicUrl) : guideSearch(params.q, config.publicUrl)),
    }),
  }),
  get('/docs/{file}', {
    values: { file: docsFiles },
    answers: { 200: new Media('text/html', 'text/plain', 'text/css', 'text/javascript', 'image/png', 'image/svg+xml') },
    summary: 'One of those pages, or a style sheet, script or picture of them, or an adapter for a library.',
    params: { file: oneOf(...docsFiles) },
    handle: ({ params, config }) => ({ kind: 'text', ...docsFile(params.file, config.publicUrl) }),
  }),
  get('/robots.txt', {
    quota: false,
    answers: { 200: plainText },
    summary: 'What robots may read of this site: its pages, except searches, forms and what only programs ask.',
    handle: () => ({ kind: 'text', type: PLAIN, body: robots }),
  }),
  get('/.well-known/security.txt', {
    quota: false,
    answers: { 200: plainText },
    summary: 'Whom to tell about a vulnerability (RFC 9116); 404 where nobody is named.',
    handle: ({ config }) =>
      config.securityContact === undefined
        ? refuseRule('NOT_FOUND')
        : E.right({ kind: 'text', type: PLAIN, body: securityText(config.securityContact, config.publicUrl, Date.now()), fleeting: true }),
  }),
  get('/site/{file}', {
    quota: false,
    answers: { 200: new Media('text/css', 'text/javascript') },
    summary: 'The style sheet or the script of the pages; its address names its content.',
    params: { file: describeParam(rawText({ max: 100 }), '`rostra-`, the digest of the content, and `.css` or `.js`') },
    handle: ({ params }) => siteFile(params.file),
  }),
  get('/favicon.svg', {
    aliases: ['/favicon.ico'],
    quota: false,
    answers: { 200: new Media('image/svg+xml') },
    summary: 'The icon of this site for browsers.',
    handle: ({ config }) => ({ kind: 'text', ...guideFile('favicon.svg', config.publicUrl) }),
  }),
]
