import { docsFile, docsFiles, docsHeaders, docsPage } from '../docs-page.ts'
import { type AnyEndpoint, endpoint } from '../endpoint.ts'
import { openApiOf } from '../openapi.ts'
import { oneOf } from '../params.ts'
import { htmlPage, Media, plainText } from '../schemas/answers.ts'
import * as shape from '../schemas/schema.ts'

const common = { method: 'GET', scope: 'any', login: 'anyone', errors: 'plain', section: 'Additions', params: {} } as const

const live = endpoint({
  ...common,
  quota: false,
  path: '/health/live',
  answers: { 200: shape.record({ status: shape.constant('live') }) },
  summary: 'Whether the process answers.',
  handle: () => ({ kind: 'json', body: { status: 'live' } }),
})

const healthShape = shape.component('Health', () =>
  shape.record({
    ready: shape.flag,
    log: shape.among('reachable', 'unreachable'),
    lag: { anyOf: [shape.integer(0), shape.nothing], description: 'Milliseconds that the oldest event waits for the read models.' },
    shards: shape.optional(shape.listOf(shape.integer(0))),
    problems: shape.listOf(shape.text('the read models are 6.0 s behind')),
  }),
)

const ready = endpoint({
  ...common,
  quota: false,
  path: '/health/ready',
  answers: { 200: healthShape, 503: healthShape },
  summary: 'Whether the log answers and the read models are at most five seconds behind it: 200, else 503 with what is wrong.',
  handle: async ({ health }) => {
    const body = await health()
    return { kind: 'json', status: body.ready ? 200 : 503, body }
  },
})

const metrics = endpoint({
  ...common,
  quota: false,
  path: '/metrics',
  answers: { 200: plainText },
  summary: 'Figures in the Prometheus text format.',
  handle: async ({ metrics }) => ({ kind: 'text', type: metrics.contentType, body: await metrics.text() }),
})

/** What the service says about itself; `endpoints` is asked when a request comes, since these belong to it. */
export const serviceEndpoints = (endpoints: () => readonly AnyEndpoint[]): readonly AnyEndpoint[] => [
  live,
  ready,
  metrics,
  endpoint({
    ...common,
    path: '/openapi.json',
    answers: { 200: shape.mapOf(shape.anything) },
    summary: 'This interface as an OpenAPI 3.1 document.',
    handle: ({ config }) => ({
      kind: 'text',
      type: 'application/json; charset=UTF-8',
      body: JSON.stringify(openApiOf(endpoints(), config.publicUrl)),
    }),
  }),
  endpoint({
    ...common,
    path: '/docs',
    answers: { 200: htmlPage },
    summary: 'This interface as a page for people.',
    handle: () => ({ kind: 'text', type: 'text/html; charset=UTF-8', body: docsPage, headers: docsHeaders }),
  }),
  endpoint({
    ...common,
    path: '/docs/{file}',
    values: { file: docsFiles },
    answers: { 200: new Media('text/css', 'text/javascript') },
    summary: 'The scripts and styles of that page.',
    params: { file: oneOf(...docsFiles) },
    handle: ({ params }) => ({ kind: 'text', ...docsFile(params.file), headers: { 'Cache-Control': 'public, max-age=3600' } }),
  }),
]
