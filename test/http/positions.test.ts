import test from 'ava'
import { startTea } from '../support/cast.ts'
import { waitUntilSettled } from '../support/community.ts'
import { isSample, servers } from '../support/shape.ts'
import { type Answer, startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const { site, ann, bob } = await startTea()
test.after.always(() => site.stop())

const submit = (title: string, headers?: Readonly<Record<string, string>>) =>
  ann.post('/api/submit', { api_type: 'json', sr: 'tea', kind: 'self', title }, headers)
const positionOf = ({ headers }: Answer) => headers.get('x-log-position') ?? ''
/** A response waits for the shards that its write changed. On servers other shards may be a moment behind, and reads return the lowest position. */
const allShown = async () => {
  if (servers) await waitUntilSettled(site)
}
const titles = (answer: Answer) =>
  ((answer.at('data.children') ?? []) as readonly { readonly data: { readonly title: string } }[]).map(({ data }) => data.title)

test.serial('a write returns the position of its last event, and a read that of the read models', async (t) => {
  const written = await submit('first')
  const head = await site.running.stores.events.head()
  t.is(positionOf(written), head)
  await allShown()
  const read = await site.get('/s/tea/new')
  t.true(positionOf(read) >= positionOf(written))
  t.deepEqual(titles(read), ['first'])
})

test.serial('a write that changes nothing returns the position of the read models', async (t) => {
  const link = String((await submit('to vote on')).at('json.data.name'))
  const voted = await ann.post('/api/vote', { id: link, dir: -1 })
  await allShown()
  const again = await ann.post('/api/vote', { id: link, dir: -1 })
  t.is(again.status, 200)
  t.is(positionOf(again), positionOf(voted))
})

test.serial('the next read shows what was written, also on anonymous and cached pages', async (t) => {
  for (let n = 0; n < 20; n++) {
    await site.get('/s/tea/new?limit=1')
    const title = `next ${n}`
    await submit(title)
    t.deepEqual(titles(await site.get('/s/tea/new?limit=1')), [title])
    t.deepEqual(titles(await ann.get('/s/tea/new?limit=1')), [title])
  }
})

const LANES = 20
const WRITES = isSample ? 5 : 25

test.serial(
  `each of ${LANES * WRITES} concurrent writes is shown to its account by the next read, and to others who read with min_position`,
  async (t) => {
    const links = await Promise.all(Array.from({ length: LANES }, async (_, n) => String((await submit(`lane ${n}`)).at('json.data.name'))))
    const stale: string[] = []
    const lane = async (id: string) => {
      const marks = { likes: false, dislikes: false, num_comments: 0 }
      for (let n = 0; n < WRITES; n++) {
        const dir = [1, -1, 11, -11][n % 4]
        const isComment = n % 5 === 4
        if (isComment) marks.num_comments += 1
        else marks[n % 2 === 0 ? 'likes' : 'dislikes'] = n % 4 < 2
        const written = await (isComment
          ? bob.post('/api/comment', { thing_id: id, text: `word ${n}` })
          : bob.post('/api/vote', { id, dir: String(dir) }))
        t.is(written.status, 200)
        const own = await bob.get(`/api/info?id=${id}`)
        const waited = await site.get(`/api/info?id=${id}&min_position=${positionOf(written)}`)
        t.is(waited.headers.get('x-stale'), null)
        for (const [field, value] of Object.entries(marks))
          if ((own.at(`data.children.0.data.${field}`) || null) !== (value || null) && value !== 0) stale.push(`${id} ${n} ${field}`)
        if (waited.at('data.children.0.data.num_comments') !== marks.num_comments) stale.push(`${id} ${n}, waited for`)
      }
    }
    await Promise.all(links.map(lane))
    t.deepEqual(stale, [])
  },
)

test.serial('a read waits a second for min_position, and has X-Stale if it is not reached', async (t) => {
  const { headers } = await submit('waited for')
  await allShown()
  const fresh = await site.get(`/s/tea/new?limit=1&min_position=${headers.get('x-log-position')}`)
  t.is(fresh.headers.get('x-stale'), null)
  t.deepEqual(titles(fresh), ['waited for'])
  const started = performance.now()
  const stale = await site.get(`/s/tea/new?limit=1&min_position=${'9'.repeat(20)}`)
  const waited = performance.now() - started
  t.is(stale.status, 200)
  t.is(stale.headers.get('x-stale'), 'true')
  t.deepEqual(titles(stale), ['waited for'])
  t.true(waited >= 900 && waited < 10_000, String(waited))
})

test.serial('a read with min_position is never a cached page, however the parameter is encoded', async (t) => {
  for (let n = 0; n < 3; n++) {
    const stale = await site.get(`/s/tea/new?limit=1&min%5Fposition=${'9'.repeat(20)}`)
    t.is(stale.headers.get('x-stale'), 'true', `request ${n + 1}`)
  }
})

test.serial('an invalid min_position is refused', async (t) => {
  const answer = await site.get('/s/tea/new?min_position=soon')
  t.is(answer.status, 400)
  t.deepEqual(answer.at('fields'), ['min_position'])
})

test.serial('requests repeated with the same Idempotency-Key change once and get the first response', async (t) => {
  const before = await site.running.stores.events.head()
  const first = await submit('only once', { 'Idempotency-Key': 'a' })
  const after = await site.running.stores.events.head()
  const repeated = await Promise.all([1, 2, 3].map(() => submit('only once', { 'Idempotency-Key': 'a' })))
  t.true(after > before)
  t.is(await site.running.stores.events.head(), after)
  t.is(first.headers.get('idempotent-replayed'), 'false')
  for (const answer of repeated) {
    t.is(answer.text, first.text)
    t.is(answer.status, first.status)
    t.is(positionOf(answer), positionOf(first))
    t.is(answer.headers.get('idempotent-replayed'), 'true')
  }
})

test.serial('concurrent requests with the same Idempotency-Key make one thing', async (t) => {
  const answers = await Promise.all(Array.from({ length: 16 }, () => submit('a crowd', { 'Idempotency-Key': 'crowd' })))
  t.is(new Set(answers.map(({ text }) => text)).size, 1)
  t.is(titles(await site.get('/s/tea/new?limit=100')).filter((title) => title === 'a crowd').length, 1)
})

test.serial('the same Idempotency-Key with another body is 422; of another account it is another key', async (t) => {
  const first = await submit('mine', { 'Idempotency-Key': 'b' })
  const other = await submit('something else', { 'Idempotency-Key': 'b' })
  t.is(other.status, 422)
  t.like(other.body, { message: 'this Idempotency-Key was used for another request', error: 422, reason: 'UNPROCESSABLE' })
  const bobs = await bob.post('/api/submit', { api_type: 'json', sr: 'tea', kind: 'self', title: 'mine' }, { 'Idempotency-Key': 'b' })
  t.not(bobs.at('json.data.name'), first.at('json.data.name'))
})

test.serial('a refusal is replayed for the same Idempotency-Key', async (t) => {
  const refused = await submit('', { 'Idempotency-Key': 'c' })
  t.is(refused.at('json.errors.0.0'), 'NO_TEXT')
  t.is((await submit('', { 'Idempotency-Key': 'c' })).text, refused.text)
})

test.serial('a POST that only reads stores nothing for its Idempotency-Key', async (t) => {
  for (const path of ['/api/search_site_names', '/s/tea/api/flairselector']) {
    const { status, headers } = await ann.post(path, { query: 'te' }, { 'Idempotency-Key': 'reading' })
    t.deepEqual([status, headers.get('idempotent-replayed')], [200, null], path)
  }
})

test.serial('an invalid Idempotency-Key is refused', async (t) => {
  for (const key of ['x'.repeat(256), 'a b']) t.is((await submit('odd key', { 'Idempotency-Key': key })).status, 400)
})

test('a response is replayed for its Idempotency-Key after a restart', async (t) => {
  const directory = temporaryDirectory(t)
  const before = await startSite({ directory })
  const carol = await before.register('carol')
  const { cookie, modhash } = await carol.session()
  const founding = { api_type: 'json', name: 'chai', title: 'Chai', type: 'public', link_type: 'any', wikimode: 'disabled' }
  const headers = { Cookie: cookie, 'X-Modhash': modhash, 'Idempotency-Key': 'found' }
  const first = await before.post('/api/site_admin', founding, headers)
  t.is(first.at('json.errors.0'), undefined)
  await before.stop()
  const after = await startSite({ directory })
  t.teardown(() => after.stop())
  const again = await after.post('/api/site_admin', founding, headers)
  t.is(again.headers.get('idempotent-replayed'), 'true')
  t.is(again.text, first.text)
  t.is(positionOf(again), positionOf(first))
})

test('while limits are on, the 1201st request of a window is 429', async (t) => {
  const limited = await startSite({ rateLimits: true })
  t.teardown(() => limited.stop())
  const first = await limited.get('/hot')
  t.is(first.headers.get('x-ratelimit-used'), '1')
  t.is(first.headers.get('x-ratelimit-remaining'), '1199')
  t.true(Number(first.headers.get('x-ratelimit-reset')) <= 600)
  for (let n = 0; n < 60; n++) await Promise.all(Array.from({ length: 20 }, () => limited.get('/hot')))
  const over = await limited.get('/hot')
  // A new window may have begun meanwhile.
  if (Number(over.headers.get('x-ratelimit-used')) > 1200) {
    t.is(over.status, 429)
    t.like(over.body, { message: 'Too Many Requests', error: 429, reason: 'TOO_MANY_REQUESTS' })
    t.regex(String(over.at('explanation')), /^The request quota is used up/)
    t.is(over.headers.get('retry-after'), over.headers.get('x-ratelimit-reset'))
  } else t.is(over.status, 200)
  t.is((await site.get('/hot')).headers.get('x-ratelimit-used'), '0', 'while they are off, everybody has the full quota')
})
