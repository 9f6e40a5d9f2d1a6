import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { runInNewContext } from 'node:vm'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import test from 'ava'
import { SHARD_COUNT } from '../../projections/engine/shards.ts'
import type { Proved } from '../../src/history/history.ts'
import { routesOf } from '../../src/http/contract/router.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { serviceEndpoints } from '../../src/http/endpoints/service.ts'
import { inSubsite, templateOf } from '../../src/http/openapi/addresses.ts'
import { relationLists } from '../../src/http/things/relations.ts'
import { checkHealth, HEAD_UNWRITTEN, HISTORY_STOPPED, NO_DUTIES } from '../../src/operations/health.ts'
import { nextNight } from '../../src/operations/site-history.ts'
import { PROXY_UNHEEDED } from '../../src/operations/unheeded-proxy.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { queueNames } from '../../src/queries/mod-queues.ts'
import { newcomer } from '../support/cast.ts'
import { eventually } from '../support/community.ts'
import { servers } from '../support/shape.ts'
import { startSite } from '../support/site.ts'

const site = await startSite()
const { version } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }
test.after.always(() => site.stop())

type Content = Readonly<Record<string, { readonly schema?: { readonly anyOf?: readonly unknown[] } }>>
type Operation = {
  readonly operationId?: string
  readonly deprecated?: boolean
  readonly tags: readonly string[]
  readonly parameters: readonly { readonly name?: string; readonly in?: string; readonly schema?: unknown; readonly $ref?: string }[]
  readonly description?: string
  readonly responses: Readonly<Record<string, { readonly content?: Content; readonly $ref?: string }>>
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

const openApi = () => site.get('/openapi.json')

test('the OpenAPI document has every path', async (t) => {
  const answer = await openApi()
  t.is(answer.at('openapi'), '3.1.0')
  for (const document of [answer, await site.get('/openapi-current.json')])
    t.is(document.at('info.version'), version, 'as metrics and the package have it')
  const paths = answer.at('paths') as Paths
  const templates = new Map(Object.entries(paths).map(([path, operations]) => [templateOf(path), operations]))
  t.is(templates.size, Object.keys(paths).length, 'no two paths differ only by the names of their variables')
  for (const endpoint of endpoints)
    for (const { path, site: prefix } of routesOf({ ...endpoint, values: {} })) {
      const address = prefix === 'always' ? inSubsite(path) : path
      t.truthy(templates.get(templateOf(address))?.[endpoint.method.toLowerCase()], `${endpoint.method} ${address}`)
    }
})

test('the current document is the whole one without the older spellings, and without what only they use', async (t) => {
  const whole = (await openApi()).at('paths') as Paths
  const { body, headers } = await site.get('/openapi-current.json')
  const { paths } = body as { readonly paths: Paths }
  const deprecated = Object.entries(whole).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => (operation.deprecated ? [`${method} ${path}`] : [])),
  )
  const named = (some: Paths) =>
    Object.entries(some).flatMap(([path, operations]) => Object.keys(operations).map((method) => `${method} ${path}`))
  t.deepEqual(
    named(paths).sort(),
    named(whole)
      .filter((name) => !deprecated.includes(name))
      .sort(),
  )
  for (const old of ['get /r/{sub}/hot', 'post /api/mute_subreddit', 'get /u/{username}/about', 'post /api/login/{user}'])
    t.false(named(paths).includes(old), old)
  t.true(deprecated.includes('post /api/mute_subreddit'))
  t.true(named(paths).includes('post /api/mute_subsite'))
  t.truthy(headers.get('etag'))
})

test('endpoints whose paths differ only by a variable are one operation, which says what answers which value', async (t) => {
  const paths = (await openApi()).at('paths') as Paths
  for (const site of ['', '/s/{sub}']) {
    const queues = paths[`${site}/about/{location}`]?.get
    const location = queues?.parameters.find(({ name }) => name === 'location')
    t.deepEqual((location?.schema as { readonly enum?: unknown } | undefined)?.enum, [
      ...queueNames,
      'moderators',
      ...relationLists.map(({ path }) => path),
    ])
    for (const one of ['modqueue', 'moderators']) t.regex(queues?.description ?? '', new RegExp(`^[^:]*\\b${one}\\b[^:]*: The mod`, 'm'))
    t.is(queues?.responses[200]?.content?.['application/json']?.schema?.anyOf?.length, 3, 'things, moderators, and who has a relation')
    t.is(paths[`${site}/about/{where}`], undefined)
  }
})

test('feeds stand at .rss only, and a JSON response has one type', async (t) => {
  const feeds = new Set<string>()
  for (const [path, { get }] of Object.entries((await openApi()).at('paths') as Paths)) {
    const { $ref, content = {} } = get?.responses[200] ?? {}
    if ($ref === '#/components/responses/Feed') feeds.add(path)
    else t.true(!('application/json' in content) || Object.keys(content).length === 1, path)
  }
  t.true(feeds.size > 40)
  for (const path of feeds) t.true(path.endsWith('.rss'), path)
})

test('each operation of the OpenAPI document describes the variables of its path, and no parameter twice', async (t) => {
  for (const [path, operations] of Object.entries((await openApi()).at('paths') as Paths))
    for (const [method, { parameters }] of Object.entries(operations)) {
      const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      const inPath = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
      t.deepEqual(inPath.sort(), [...new Set(variables)].sort() as string[], `${method} ${path}`)
      t.is(new Set(parameters.map(({ name, in: where, $ref }) => `${where} ${name} ${$ref}`)).size, parameters.length, `${method} ${path}`)
      for (const { schema, $ref } of parameters) t.true(typeof schema === 'object' || $ref !== undefined)
    }
})

test('the OpenAPI document is made once, not for each request', async (t) => {
  let made = 0
  const document = serviceEndpoints(() => {
    made += 1
    return endpoints
  }).find(({ path }) => path === '/openapi.json')
  const ask = (publicUrl: string) => document?.handle({ config: { publicUrl } } as never)
  t.deepEqual(await ask('http://a.example'), await ask('http://a.example'))
  t.is(made, 1)
  t.notDeepEqual(await ask('http://a.example'), await ask('http://b.example'))
  t.is(made, 2)
})

test('endpoints that succeed with another status than 200 declare it', async (t) => {
  const paths = (await openApi()).at('paths') as Readonly<Record<string, Record<string, { readonly responses: object }>>>
  const ann = await site.register('ann')
  const app = { name: 'x', app_type: 'script', redirect_uri: 'http://localhost/' }
  const session = await ann.session()
  const tries = [
    ['/api/v1/apps', await session.post('/api/v1/apps', app)],
    ['/logout', await session.post('/logout')],
  ] as const
  t.deepEqual(
    tries.map(([, { status }]) => status),
    [201, 302],
  )
  for (const [path, { status }] of tries) {
    const documented = Object.keys(paths[path]?.post?.responses ?? {})
    t.true(documented.includes(String(status)) && !documented.includes('200'), path)
  }
})

test('the examples of the guides name the public address of the service, those for operators their own machine', async (t) => {
  for (const page of ['/docs', '/docs/account-and-app', '/docs/clients']) {
    const { text } = await site.get(page)
    t.true(text.includes(site.url), page)
    t.false(text.includes('http://127.0.0.1:8080'), page)
  }
  t.true((await site.get('/docs/operators')).text.includes('http://127.0.0.1:8080'))
})

test('/docs/reference shows the OpenAPI document with scripts and styles of this site only', async (t) => {
  const { text, headers } = await site.get('/docs/reference')
  t.is(headers.get('content-type'), 'text/html; charset=UTF-8')
  t.regex(headers.get('content-security-policy') ?? '', /default-src 'none'; script-src 'self'; connect-src 'self'/)
  const files = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address)
  t.true(files.length >= 3)
  for (const address of files) {
    t.true(address.startsWith('/'), address)
    t.is((await site.get(address)).status, 200, address)
  }
})

test('what is tried at /docs/reference is asked of the address at which the page is open', async (t) => {
  const { text } = await site.get('/docs/start.js')
  type Request = { readonly url: string; readonly method: string }
  const script = runInNewContext(`(SwaggerUIBundle, location, URL, matchMedia, document) => {${text}}`)
  let here = (request: Request) => request
  const bundle = (options: { readonly requestInterceptor: typeof here }) => {
    here = options.requestInterceptor
  }
  const [light, page] = [{ matches: false, addEventListener: () => undefined }, { documentElement: { classList: { toggle: () => false } } }]
  script(bundle, { origin: 'http://localhost:8080' }, URL, () => light, page)
  const request = { url: 'http://127.0.0.1:8080/s/tea/new?limit=5', method: 'GET' }
  t.deepEqual(here(request), { url: 'http://localhost:8080/s/tea/new?limit=5', method: 'GET' })
  t.is(here({ ...request, url: '/openapi.json' }).url, 'http://localhost:8080/openapi.json')
})

test('the OpenAPI document says that votes must be cast by humans', async (t) => {
  t.regex(String((await openApi()).at('info.description')), /Votes must be cast by humans/)
})

test('the redocly linter finds no error in the OpenAPI document', async (t) => {
  const document = (await openApi()).text
  const problems = await lintFromString({ source: document, config: await createConfig({ extends: ['minimal'] }) })
  t.deepEqual(
    problems.filter(({ severity }) => severity === 'error').map(({ message, location }) => `${location[0]?.pointer}: ${message}`),
    [],
  )
})

test('every operation is in one of the described sections, of which login comes first', async (t) => {
  const document = (await openApi()).body as { readonly paths: Paths; readonly tags: readonly Readonly<Record<string, string>>[] }
  const used = new Set(Object.values(document.paths).flatMap((path) => Object.values(path).flatMap(({ tags }) => tags)))
  t.deepEqual(document.tags.map(({ name = '' }) => name).sort(), [...used].sort())
  t.true(document.tags.every(({ description }) => description))
  t.is(document.tags[0]?.name, 'Login and apps')
})

test('every operation has an id of its own', async (t) => {
  const operations = Object.values((await openApi()).at('paths') as Paths).flatMap((path) => Object.values(path))
  const ids = operations.map(({ operationId }) => operationId)
  t.is(new Set(ids).size, ids.length)
  t.false(ids.includes(undefined))
})

// first, since after the writes of the other tests the read models may be behind
test.serial('the health checks report that the process is alive and ready', async (t) => {
  t.deepEqual((await site.get('/health/live')).body, { status: 'live' })
  const ready = await site.get('/health/ready')
  t.is(ready.status, 200)
  const shards = servers && { shards: Array.from({ length: SHARD_COUNT }, () => 0) }
  const proved = ready.at('proved')
  t.deepEqual(ready.body, { ready: true, log: 'reachable', lag: 0, proved, problems: [], warnings: [], ...shards })
})

/** The parts of a process whose read models are those of a log with an event, so it is ready. */
const readyParts = async () => {
  const { events } = site.running.stores
  await newcomer(site)
  const head = await events.head()
  return {
    events,
    projected: () => [head],
    stalled: (): Error | undefined => undefined,
    unableToMint: (): string | undefined => undefined,
    clock: Date.now,
    differing: async (): Promise<readonly string[]> => [],
    proxy: { wasSeen: () => false },
    writes: { reason: (): string | undefined => undefined },
    isHistoryStopped: () => false,
    unseenBy: () => [],
    isHeadUnwritten: () => false,
    areDutiesLeft: () => false,
    proved: (): Proved | undefined => undefined,
  }
}

test('a process is ready until its read models lag for some seconds', async (t) => {
  const parts = await readyParts()
  t.true((await checkHealth(parts)).ready)
  const [first] = await parts.events.readAll(LOG_START, 1)
  const { at } = JSON.parse(first?.meta ?? '{}') as { readonly at: number }
  const behind = { ...parts, projected: () => [LOG_START], clock: () => at + 3_000 }
  t.true((await checkHealth(behind)).ready, 'not for long yet')
  t.like(await checkHealth({ ...behind, clock: () => at + 7_000 }), { ready: false, log: 'reachable' })
})

test('a process whose read models are ahead of the log is not ready, and says how to rebuild them', async (t) => {
  const parts = await readyParts()
  const other = await checkHealth({ ...parts, projected: () => [...parts.projected(), '9'.repeat(20)] })
  t.is(other.ready, false)
  t.regex(
    other.problems.join('; '),
    /^the read models are ahead of the log, so the log is a different one or was restored from a backup: run npx rostra rebuild/,
  )
})

test('a process that is stalled or refuses writes is not ready, with the reason', async (t) => {
  const parts = await readyParts()
  const stuck = await checkHealth({ ...parts, stalled: () => new Error('the disk is full') })
  t.deepEqual([stuck.ready, stuck.problems], [false, ['the read models are not updated: the disk is full']])
  const mute = await checkHealth({ ...parts, unableToMint: () => 'the lease has run out' })
  t.deepEqual([mute.ready, mute.problems], [false, ['writes are refused: the lease has run out']])
  const full = await checkHealth({ ...parts, writes: { reason: () => 'no space left' } })
  t.deepEqual([full.ready, full.problems], [false, ['writes are refused: no space left']])
})

test('a process whose configured admins are not those of the log is ready, with a warning', async (t) => {
  const parts = await readyParts()
  t.deepEqual((await checkHealth(parts)).warnings, [])
  const { ready, warnings } = await checkHealth({ ...parts, differing: async () => ['t2_ann'] })
  t.deepEqual([ready, warnings], [true, ['ADMINS differs from that of another process, which recorded other admins in the log']])
})

test('a process that signs nothing any more is ready, with a warning', async (t) => {
  const unseen = await checkHealth({ ...(await readyParts()), unseenBy: () => ['bob.example/w', 'eve.example/w'] })
  t.true(unseen.ready)
  t.regex(unseen.warnings.join(), /^the last signed head was not cosigned by bob\.example\/w, eve\.example\/w: /)
  const { ready, warnings } = await checkHealth({ ...(await readyParts()), isHistoryStopped: () => true })
  t.deepEqual([ready, warnings], [true, [HISTORY_STOPPED]])
  t.deepEqual((await checkHealth({ ...(await readyParts()), isHeadUnwritten: () => true })).warnings, [HEAD_UNWRITTEN])
  t.deepEqual((await checkHealth({ ...(await readyParts()), areDutiesLeft: () => true })).warnings, [NO_DUTIES])
})

test('a process says when it last proved its whole log, and that of the site has done so since its start', async (t) => {
  const proved = { at: 1_700_000_000_999, events: 307, entries: 29 }
  const expected = { at: 1_700_000_000, events: 307, entries: 29 }
  const parts = await readyParts()
  t.is((await checkHealth(parts)).proved, null)
  t.deepEqual((await checkHealth({ ...parts, proved: () => proved })).proved, expected)
  const lost = { ...parts.events, head: async () => Promise.reject(new Error('gone')) }
  t.deepEqual((await checkHealth({ ...parts, proved: () => proved, events: lost })).proved, expected)
  t.true(await eventually(async () => (await site.get('/health/ready')).at('proved.at') !== undefined))
  const at = Number((await site.get('/health/ready')).at('proved.at'))
  t.true(Math.abs(at - Date.now() / 1000) < 600, String(at))
})

test('the log is proved anew at three in the night, local time, once for each night', (t) => {
  const at = (...of: readonly [number, number, number, number, number]) => new Date(...of).getTime()
  t.is(nextNight(at(2026, 10, 28, 12, 0)), at(2026, 10, 29, 3, 0))
  t.is(nextNight(at(2026, 10, 29, 2, 59)), at(2026, 10, 29, 3, 0))
  t.is(nextNight(at(2026, 10, 29, 3, 0)), at(2026, 10, 30, 3, 0))
  t.is(nextNight(at(2026, 11, 31, 4, 0)), at(2027, 0, 1, 3, 0))
})

test('a field of a proxy that is not trusted is noted by the health check, and changes nothing else', async (t) => {
  const site = await startSite({ rateLimits: true })
  t.teardown(site.stop)
  const usedBy = async (address: string) => (await site.get('/api/nothing', { 'X-Forwarded-For': address })).headers.get('x-ratelimit-used')
  t.deepEqual((await site.get('/health/ready')).at('warnings'), [])
  t.deepEqual([await usedBy('203.0.113.9'), await usedBy('198.51.100.9')], ['1', '2'])
  const { status, body } = await site.get('/health/ready')
  t.is(status, 200)
  t.like(body, { ready: true, problems: [], warnings: [PROXY_UNHEEDED] })
})

test('the field of a proxy that is trusted is no reason to warn', async (t) => {
  const trusting = await startSite({ trustProxy: 1 })
  t.teardown(trusting.stop)
  t.deepEqual((await trusting.get('/health/ready', { 'X-Forwarded-For': '203.0.113.9' })).at('warnings'), [])
})

test('a process that cannot reach the log is not ready', async (t) => {
  const parts = await readyParts()
  const lost = { ...parts.events, head: () => sleep(60_000, '', { ref: false }) }
  t.like(await checkHealth({ ...parts, events: lost }), { ready: false, log: 'unreachable', lag: null })
})

test('metrics count requests by route, and appends', async (t) => {
  await newcomer(site)
  await site.get('/health/live')
  const { text, headers } = await site.get('/metrics')
  t.regex(headers.get('content-type') ?? '', /^text\/plain/)
  t.regex(text, /^rostra_http_request_duration_seconds_count\{route="\/health\/live",method="GET",status="200"\} [1-9]/m)
  t.regex(text, /^rostra_append_duration_seconds_count\{outcome="appended"\} [1-9]/m)
})

test('metrics name the build, its role and its stores', async (t) => {
  const { text } = await site.get('/metrics')
  t.true(text.includes(`rostra_build_info{version="${version}",`))
  t.regex(
    text,
    new RegExp(`^rostra_build_info\\{version="\\d[^"]*",node="v[^"]+",role="api",stores="${servers ? 'servers' : 'sqlite'}"\\} 1$`, 'm'),
  )
})

test('metrics include the log position, what is behind it, and the process', async (t) => {
  await newcomer(site)
  const { text } = await site.get('/metrics')
  t.regex(text, /^rostra_log_position [1-9]/m)
  for (const name of [
    'rostra_projection_lag_seconds',
    'rostra_projection_parked',
    'rostra_reactions_queued',
    'rostra_expiries_overdue',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ])
    t.regex(text, new RegExp(`^${name} \\d`, 'm'))
})

test('a page of another site can read that its token is no longer valid', async (t) => {
  const refused = await site.request('POST', '/api/vote', {
    form: {},
    headers: { Authorization: 'bearer old', Origin: 'http://elsewhere' },
  })
  t.is(refused.status, 401)
  t.is(refused.headers.get('access-control-allow-origin'), '*')
})
