import { either as E } from 'fp-ts'
import { docsPage } from '../docs-page.ts'
import { type AnyEndpoint, endpoint } from '../endpoint.ts'
import { openApiOf } from '../openapi.ts'
import { pageHeaders } from '../pages.ts'

const common = { method: 'GET', scope: 'any', login: 'anyone', errors: 'plain', section: 'Additions', params: {} } as const

const live = endpoint({
  ...common,
  path: '/health/live',
  summary: 'Whether the process answers.',
  handle: async () => E.right({ kind: 'json', body: { status: 'live' } }),
})

const ready = endpoint({
  ...common,
  path: '/health/ready',
  summary: 'Whether the log answers and the read models are at most five seconds behind it: 200, else 503 with what is wrong.',
  handle: async (_, { health }) => {
    const body = await health()
    return E.right({ kind: 'json', status: body.ready ? 200 : 503, body })
  },
})

const metrics = endpoint({
  ...common,
  path: '/metrics',
  summary: 'Figures in the Prometheus text format.',
  handle: async (_, app) => E.right({ kind: 'text', type: app.metrics.contentType, body: await app.metrics.text() }),
})

/** What the service says about itself; `endpoints` is asked when a request comes, since these belong to it. */
export const serviceEndpoints = (endpoints: () => readonly AnyEndpoint[]): readonly AnyEndpoint[] => [
  live,
  ready,
  metrics,
  endpoint({
    ...common,
    path: '/openapi.json',
    summary: 'This interface as an OpenAPI 3.1 document.',
    handle: async (_, { config }) =>
      E.right({ kind: 'text', type: 'application/json; charset=UTF-8', body: JSON.stringify(openApiOf(endpoints(), config.publicUrl)) }),
  }),
  endpoint({
    ...common,
    path: '/docs',
    summary: 'This interface as a page for people.',
    handle: async () =>
      E.right({ kind: 'text', type: 'text/html; charset=UTF-8', body: docsPage(endpoints()), headers: { ...pageHeaders } }),
  }),
]
