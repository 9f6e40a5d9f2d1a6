import { readFile } from 'node:fs/promises'
import test, { type ExecutionContext } from 'ava'
import { openHandling } from '../../src/http/pipeline/run-endpoint.ts'
import { MAX_REQUESTS, MAX_REQUESTS_OF_ADDRESS, openRateLimit } from '../../src/limits/rate-limit.ts'
import { type Received, serviceOf } from '../support/answering.ts'
import { browserHeaders } from '../support/browser-requests.ts'
import { callerAt, startSite, type TestSite } from '../support/site.ts'

const IN_WINDOW = Date.UTC(2026, 5, 1)

let site: TestSite
let tokens: readonly string[]

test.before(async () => {
  site = await startSite({ trustProxy: 1 })
  const ann = await site.register('ann')
  tokens = [await site.tokenOf(ann.id), await site.tokenOf(ann.id)]
})
test.after.always(() => site.stop())

type Asking = {
  readonly method?: string
  readonly ip?: string
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** Returns the object with each call of its functions noted. */
const noted = <T extends object>(object: T, note: () => void): T =>
  new Proxy(object, {
    get: (target, name) => {
      const member = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...sent: readonly unknown[]) => {
        note()
        return Reflect.apply(member, target, sent)
      }
    },
  })

/** The site's service behind a quota of its own. */
const metered = async (t: ExecutionContext) => {
  const limit = openRateLimit({
    clock: () => IN_WINDOW,
    enforced: true,
    report: (fault) => {
      throw fault
    },
  })
  let reads = 0
  const documents = noted(site.running.app.documents, () => {
    reads += 1
  })
  const app = { ...site.running.app, documents }
  const served = await serviceOf(t, { ...app, limit, handle: openHandling(app) })
  const ask = (target: string, { method = 'GET', ip = '203.0.113.1', token, headers }: Asking = {}): Promise<Received> =>
    served(target, { method, ip, headers: { ...headers, ...(token !== undefined && { authorization: `bearer ${token}` }) } })
  const use = (key: string, times: number) => {
    for (let n = 0; n < times; n += 1) limit.count(key)
  }
  return { ask, use, reads: () => reads }
}

test('requests that fail (400, 401, 404, 405) count towards the quota of their address', async (t) => {
  const { ask } = await metered(t)
  const kinds = [
    { status: 404, ask: () => ask('/api/nothing') },
    { status: 400, ask: () => ask('/s/%ff/hot') },
    { status: 405, ask: () => ask('/hot', { method: 'DELETE' }) },
    { status: 401, ask: () => ask('/hot', { token: 'nonsense' }) },
    { status: 200, ask: () => ask('/hot') },
  ]
  let used = 0
  while (used < MAX_REQUESTS)
    for (const kind of kinds) {
      const { status, headers } = await kind.ask()
      used += 1
      t.deepEqual([status, headers['x-ratelimit-used']], [kind.status, String(used)])
    }
  for (const kind of kinds) {
    const { status, headers } = await kind.ask()
    t.is(status, 429)
    t.truthy(headers['retry-after'])
  }
  t.is((await ask('/hot', { ip: '203.0.113.2' })).status, 200, 'another address')
  t.is((await ask('/hot', { token: tokens[0] })).status, 200, 'a token has a quota of its own')
})

test('above the quota a page or a form of a browser reads no document', async (t) => {
  const { ask, use, reads } = await metered(t)
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const asks = [
    () => ask('/s/tea/new', { headers: browserHeaders }),
    () => ask('/user/ann', { headers: browserHeaders }),
    () => ask('/nothing', { headers: browserHeaders }),
    () => ask('/api/vote?id=t5_1&form_page=/s/tea/new', { method: 'POST', headers: { ...browserHeaders, ...form } }),
    () => ask('/s/tea/about/modqueue?form_page=/s/tea/new', { method: 'POST', headers: { ...browserHeaders, ...form } }),
  ]
  for (const one of asks) t.not((await one()).status, 429)
  t.true(reads() >= asks.length)
  use('203.0.113.1', MAX_REQUESTS)
  for (const one of asks) {
    const before = reads()
    const { status, headers, text } = await one()
    t.deepEqual([status, headers['content-type']], [429, 'text/html; charset=UTF-8'], text)
    t.is(reads(), before)
  }
})

test('monitoring requests are never refused or counted', async (t) => {
  const { ask, use } = await metered(t)
  for (let n = 0; n < 3; n += 1)
    for (const path of ['/health/live', '/health/ready', '/metrics', '/metrics/']) {
      const { status, headers } = await ask(path)
      t.is(status, 200, path)
      t.is(headers['x-ratelimit-used'], '0', path)
    }
  t.is((await ask('/hot')).headers['x-ratelimit-used'], '1')
  use('203.0.113.1', MAX_REQUESTS)
  t.is((await ask('/hot')).status, 429)
  for (const path of ['/health/live', '/health/ready', '/metrics']) t.is((await ask(path)).status, 200, path)
})

test('a CORS preflight is never refused by a quota or counted', async (t) => {
  const { ask, use } = await metered(t)
  const preflights = async () => {
    for (const path of ['/api/v1/access_token', '/hot', '/s/tea/about', '/api/v1/me/friends/bob'])
      t.is((await ask(path, { method: 'OPTIONS' })).status, 204, path)
    t.is((await ask('/api/nothing', { method: 'OPTIONS' })).status, 404)
    t.is((await ask('/s/%ff/hot', { method: 'OPTIONS' })).status, 400)
  }
  await preflights()
  t.is((await ask('/hot')).headers['x-ratelimit-used'], '1')
  use('203.0.113.1', MAX_REQUESTS)
  use('tokens 203.0.113.1', MAX_REQUESTS_OF_ADDRESS)
  t.is((await ask('/hot')).status, 429)
  await preflights()
})

test('all tokens used from one address share a further limit', async (t) => {
  const { ask, use } = await metered(t)
  t.is((await ask('/hot', { token: tokens[0] })).status, 200)
  use('tokens 203.0.113.1', MAX_REQUESTS_OF_ADDRESS - 1)
  for (const token of tokens) t.is((await ask('/hot', { token })).status, 429)
  t.is((await ask('/hot', { token: tokens[1], ip: '203.0.113.2' })).status, 200, 'the same token from elsewhere')
  t.is((await ask('/hot')).status, 200, 'without a token')
})

test('addresses of one IPv6 network, as a proxy forwards them, share a quota', async (t) => {
  const limited = await startSite({ trustProxy: 1, rateLimits: true })
  t.teardown(() => limited.stop())
  const used = async (address: string) =>
    (await callerAt(limited.url).get('/api/nothing', { 'X-Forwarded-For': address })).headers.get('x-ratelimit-used')
  t.is(await used('2001:db8:0:1::1'), '1')
  t.is(await used('2001:db8:0:1:ffff::2'), '2')
  t.is(await used('2001:db8:0:2::1'), '1')
})

test('the example proxy configuration hides every address of the metrics', async (t) => {
  const config = await readFile(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
  const hidden = /location ~ (\S+) \{ return 404; \}/.exec(config)?.[1] ?? '$^'
  const suffixes = ['', '/', '.json', '/.json', '.rss', '.xml', '/x', '.txt', '?x', '/?x', '%2F', '//']
  const spellings = ['/metrics', '/Metrics', '//metrics', '/s/all/metrics', '/./metrics', '/x/../metrics'].flatMap((path) =>
    suffixes.map((suffix) => `${path}${suffix}`),
  )
  const { ask } = await metered(t)
  for (const spelling of spellings) {
    const { status, headers } = await ask(spelling)
    if (status === 200 && String(headers['content-type']).includes('version=0.0.4'))
      t.regex(spelling.split('?')[0] ?? '', new RegExp(hidden), spelling)
  }
  for (const path of ['/metrics', '/metrics/', '/metrics.json', '/metrics/.json']) t.regex(path, new RegExp(hidden))
  t.notRegex('/s/metrics/hot', new RegExp(hidden))
})
