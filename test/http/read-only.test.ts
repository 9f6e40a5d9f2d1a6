import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import test from 'ava'
import { syntheticLog } from '../../bench/synthetic-log.ts'
import type { Logged } from '../../src/domain/events.ts'
import type { AnyEndpoint } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { startTea } from '../support/cast.ts'
import { runCommandWith } from '../support/command.ts'
import { dataOf, head, postForm, waitUntilSettled } from '../support/community.ts'
import { makeCopy, type ServedCopy, serveCopy, storesOf } from '../support/copies.ts'
import { positionOf } from '../support/logged-events.ts'
import { compose } from '../support/mail.ts'
import { foundSubsite, id36, say, submit } from '../support/posting.ts'
import { rawRequests } from '../support/raw-requests.ts'
import { openFile } from '../support/read-models.ts'
import type { Answer } from '../support/site.ts'

const { site, ann, bob, root } = await startTea(['root'])

const link = await submit(bob, 'tea', { title: 'Leaves', text: 'Which leaves?' })
const comment = await say(bob, link, 'These leaves')
const removed = await submit(bob, 'tea', { title: 'Weeds' })
await postForm(ann, '/api/remove', { id: removed })
await postForm(ann, '/s/tea/api/wiki/edit', { page: 'index', content: 'leaves' })
await ann.request('PUT', '/api/multi/user/ann/m/drinks', { form: { model: '{}' } })
await compose(bob, '/s/tea', 'a question', 'to the moderators')
await foundSubsite(root, 'cellar', { type: 'private' })
await postForm(root, '/api/suspend_user', { name: bob.name, days: 3, note: 'a while', api_type: 'json' })
await postForm(root, '/api/unsuspend_user', { name: bob.name, api_type: 'json' })
await waitUntilSettled(site)
const place = await head(site)
const session = await ann.session()
const token = await site.tokenOf(ann.id)
test.after.always(() => site.stop())

const filled: Readonly<Record<string, string>> = {
  ...{ article: id36(link), names: link, username: 'ann', user: 'ann', page: 'index', id: id36(link), thing: link, link_id: link },
  ...{ q: 'leaves', query: 'leaves', url: 'https://leaves.example/', children: id36(comment), host: 'leaves.example', subsite: 'tea' },
  multipath: 'user/ann/m/drinks',
}

/** The addresses of an endpoint, in the subsite and without one. */
const addressesOf = ({ path, otherPaths = [], aliases = [], values = {} }: AnyEndpoint): readonly string[] =>
  [path, ...otherPaths, ...aliases].flatMap((declared) =>
    (declared.startsWith('[') ? [declared.replace('[/s/{sub}]', ''), declared.replace('[/s/{sub}]', '/s/tea')] : [declared])
      .map((one) => one.replace('{sub}', 'tea'))
      .flatMap((one) => {
        const [variable, choices] = Object.entries(values).find(([name]) => one.includes(`{${name}}`)) ?? ['', ['']]
        return choices.map((choice) => one.replace(`{${variable}}`, choice))
      })
      .map((one) => one.replace(/\{(\w+)\}/g, (_, name: string) => filled[name] ?? 'x') || '/'),
  )

const bytesOf = (file: string): string => createHash('sha256').update(readFileSync(file)).digest('hex')

const copy = async (t: Parameters<typeof makeCopy>[0]) => makeCopy(t, storesOf(site), '--until', place)

test('on a copy every write is 405 with one sentence and the methods that read, and no byte of the file changes', async (t) => {
  const file = await copy(t)
  const before = bytesOf(file)
  for (const as of ['anybody', 'moderator', 'admin'] as const) {
    const served = await serveCopy(t, file, as)
    for (const endpoint of endpoints.filter(({ method }) => method !== 'GET'))
      for (const address of addressesOf(endpoint)) {
        const asked = `${endpoint.method} ${address} as ${as}`
        const answer = await served.request(endpoint.method, address, {
          form: { id: link, api_type: 'json', ...filled },
          headers: { 'Idempotency-Key': 'once' },
        })
        t.is(answer.status, 405, asked)
        t.is(answer.at('reason'), 'READ_ONLY', asked)
        t.regex(String(answer.at('explanation')), /^[^.]+\.$/, asked)
        const allow = (answer.headers.get('allow') ?? '').split(', ')
        t.is(
          allow.includes('GET'),
          [200, 302, 400, 401, 403, 404].includes((await served.get(address)).status) && allow.includes('HEAD'),
          asked,
        )
        t.false(
          allow.some((method) => !['', 'GET', 'HEAD', 'POST'].includes(method)),
          asked,
        )
      }
  }
  t.is(bytesOf(file), before)
  t.deepEqual(
    ['-wal', '-shm', '-lock', '.history', '.history-key', '.secret'].filter((suffix) => existsSync(`${file}${suffix}`)),
    [],
  )
})

test('on a copy every read is answered, whoever is to see it, and what needs an account says that nobody has one', async (t) => {
  const file = await copy(t)
  for (const as of ['anybody', 'moderator', 'admin'] as const) {
    const served = await serveCopy(t, file, as)
    for (const endpoint of endpoints.filter(({ method }) => method === 'GET'))
      for (const address of addressesOf(endpoint)) {
        const answer = await served.get(
          `${address}?${new URLSearchParams({ q: 'leaves', link_id: link, children: id36(comment), id: link })}`,
        )
        t.true(answer.status < 500, `${address} as ${as}: ${answer.status} ${answer.text.slice(0, 200)}`)
      }
  }
})

test('on a copy nobody can log in: sessions and tokens of the site count for nothing, and the page of the login says why', async (t) => {
  const file = await copy(t)
  const served = await serveCopy(t, file)
  const sentence = /This is a read-only copy of the site: nobody can log in here, and nothing can be written\./
  for (const path of ['/login', '/register']) {
    const { status, text } = await served.get(path)
    t.is(status, 200)
    t.regex(text, sentence)
  }
  const login = await served.post('/api/login', { user: 'ann', passwd: ann.password, api_type: 'json' })
  t.is(login.status, 405)
  t.regex(String(login.at('explanation')), sentence)
  t.is((await served.get('/api/v1/me', { Authorization: `bearer ${token}` })).status, 401)
  t.deepEqual((await served.get('/api/me.json', { Cookie: session.cookie })).body, (await site.get('/api/me.json')).body)
  const inbox = await served.get('/message/inbox', { Cookie: session.cookie })
  t.is(inbox.status, 403)
  t.regex(String(inbox.at('explanation')), sentence)
})

const statusesOf = async (served: ServedCopy, paths: readonly string[]) =>
  Promise.all(paths.map(async (path) => `${(await served.get(path)).status} ${path}`))

test('a copy answers as to anybody, as to a moderator of all subsites, or as to an admin', async (t) => {
  const file = await copy(t)
  const pages = [
    '/s/tea/about/modqueue',
    '/about/spam',
    '/s/tea/about/message/inbox',
    '/s/cellar/new',
    '/api/v1/site/log',
    '/api/v1/site/status',
    '/api/v1/site/account?name=ann',
    '/message/reported',
    '/message/sent',
  ]
  const [anybody, moderator, admin] = [await serveCopy(t, file), await serveCopy(t, file, 'moderator'), await serveCopy(t, file, 'admin')]
  const numbers = async (served: ServedCopy) => (await statusesOf(served, pages)).map((line) => Number(line.slice(0, 3)))
  t.deepEqual(await numbers(anybody), [403, 403, 403, 403, 403, 403, 403, 403, 403])
  t.deepEqual(await numbers(moderator), [200, 200, 200, 200, 403, 403, 403, 403, 200])
  t.deepEqual(await numbers(admin), [200, 200, 200, 200, 200, 200, 200, 200, 200])
  const titles = (answer: Answer) => dataOf(answer).map(({ title }) => title)
  t.deepEqual(titles(await moderator.get('/about/spam')), ['Weeds'])
  t.deepEqual(titles(await anybody.get(`/api/info?id=${removed}`)), titles(await site.get(`/api/info?id=${removed}`)))
  t.deepEqual(titles(await moderator.get('/new')), titles(await ann.get('/new')))
  t.is((await moderator.get('/new')).headers.get('cache-control')?.includes('private'), true)
})

test('what a copy tells an admin or a moderator, it tells no page of another site', async (t) => {
  const file = await copy(t)
  for (const as of ['moderator', 'admin'] as const) {
    const served = await serveCopy(t, file, as)
    const asked = (host: string) =>
      rawRequests(served).send({ method: 'GET', path: '/s/cellar/new', headers: { Host: host }, body: Buffer.alloc(0) })
    for (const host of ['localhost:8080', '127.0.0.1:8080', '[::1]', '192.0.2.7']) t.is(await asked(host), 200, host)
    // a page may give its name the address of the copy, and may run any script
    for (const host of ['evil.example', '127.0.0.1.evil.example:80']) t.is(await asked(host), 403, host)
    t.true((await served.get('/s/cellar/new.json?jsonp=steal')).text.includes('"error":403'))
    t.is((await served.get('/s/cellar/new')).headers.get('access-control-allow-origin'), null)
    await served.stop()
  }
})

test('a copy says of when it is, and what is asked of it is answered as at that time', async (t) => {
  const history = [...syntheticLog({ seed: 7, links: 20, subsites: 2, accounts: 9 })]
  const { file, append } = openFile(t)
  await append(history.map((event, index) => ({ ...event, position: positionOf(index + 1) }) as Logged))
  const stores = { EVENT_STORE_URL: `sqlite:${file}`, DOCUMENT_STORE_URL: `sqlite:${file}` }
  const n = history.length - 5
  const served = await serveCopy(t, await makeCopy(t, stores, '--until', String(n)))
  const { at = 0 } = history[n] ?? {}
  const ready = await served.get('/health/ready')
  t.deepEqual(ready.at('warnings'), [`read-only: the site as of event ${n}, of ${new Date(at).toISOString()}`])
  t.is(ready.status, 200)
  const top = await served.get('/top?t=day')
  t.true(dataOf(top).length > 0, 'links of the last day before the place, half a year ago')
  t.is(top.headers.get('x-log-position'), positionOf(n + 1))
  t.is((await served.get(`/new?min_position=${positionOf(n + 1)}`)).headers.get('x-stale'), null)
  t.is((await served.get(`/new?min_position=${positionOf(n + 2)}`)).headers.get('x-stale'), 'true')
  // a copy keeps none, whatever is configured
  const thing = history.find(({ type }) => type === 'LinkSubmitted')?.stream.slice('link-'.length)
  for (const path of ['/history/events', `/history/things/${thing}`, '/history', `/by_id/${thing}?at=5`])
    t.regex(String((await served.get(path)).at('explanation')), /^no history is kept here, so events have no numbers/i, path)
  t.regex((await served.get('/metrics')).text, /^rostra_expiries_overdue \d+$/m)
})

test('the data file of a site that has stopped can be only read as well', async (t) => {
  const { file, append, connection } = openFile(t)
  await append(
    [...syntheticLog({ seed: 8, links: 3, subsites: 1, accounts: 4 })].map(
      (event, index) => ({ ...event, position: positionOf(index + 1) }) as Logged,
    ),
  )
  await t.throwsAsync(serveCopy(t, file), { message: /read models in .* are of another version or behind the log/ })
  connection.close()
  const stores = { EVENT_STORE_URL: `sqlite:${file}`, DOCUMENT_STORE_URL: `sqlite:${file}` }
  t.is((await runCommandWith(stores, 'rebuild')).code, 0)
  const before = bytesOf(file)
  const served = await serveCopy(t, file)
  t.is(dataOf(await served.get('/new')).length, 3)
  t.is(bytesOf(file), before)
})
