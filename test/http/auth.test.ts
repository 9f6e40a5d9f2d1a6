import { processorTime } from '../support/hostile-texts.ts'
import { refusalOf } from '../support/posting.ts'
import { from, login, register, startBehindProxy } from '../support/signing-in.ts'
import { callerAt, startSite } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

/** One after the other, since only few requests from one address may wait for the hash of a password. */
const { serial: test } = testOn(startBehindProxy)

test('a login returns an HttpOnly cookie and a modhash', async (t) => {
  const { site, ann } = t.context
  for (const [path, user] of [
    ['/api/login', 'ANN'],
    ['/api/login/Ann', undefined],
    ['/api/login.json', 'ann'],
  ] as const) {
    const answer = await site.post(path, { user, passwd: ann.password, api_type: 'json' })
    t.is(refusalOf(answer), '', path)
    const [cookie = ''] = answer.headers.getSetCookie()
    t.regex(cookie, /^rostra_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    t.is(answer.at('json.data.cookie'), /=([^;]+)/.exec(cookie)?.[1])
    t.is(answer.at('json.data.need_https'), false)
    const session = callerAt(site.url, { Cookie: cookie.split(';')[0] ?? '' })
    t.is((await session.get('/api/me.json')).at('data.modhash'), answer.at('json.data.modhash'))
  }
  const remembered = await login(site, 'ann', ann.password, { rem: 'True' })
  t.regex(remembered.headers.getSetCookie()[0] ?? '', /; Max-Age=31536000$/)
})

test('behind https the session cookie is Secure', async (t) => {
  const site = await startSite({ publicUrl: 'https://rostra.example' })
  t.teardown(site.stop)
  await site.register('ann')
  const answer = await login(site, 'ann', 'correct horse')
  t.regex(answer.headers.getSetCookie()[0] ?? '', /; Secure$/)
  t.is(answer.at('json.data.need_https'), true)
})

test('a wrong password, an unknown name and malformed input get the same response', async (t) => {
  const { site, ann } = t.context
  const wrong = await login(site, 'ann', 'incorrect horse')
  t.is(refusalOf(wrong), 'INCORRECT_USERNAME_OR_PASSWORD passwd')
  t.deepEqual(wrong.headers.getSetCookie(), [])
  for (const [user, passwd] of [
    ['nobody', ann.password],
    ['x'.repeat(101), ann.password],
    ['a b/../c', ann.password],
    ['ann', ''],
    ['', ''],
    ['ann', 'x'.repeat(16_000)],
  ] as const)
    t.is((await login(site, user, passwd)).text, wrong.text, user)
})

test('a page of another site cannot log in', async (t) => {
  const { site, ann } = t.context
  const own = new URL(site.url)
  const fields = { user: 'ann', passwd: ann.password, passwd2: ann.password, api_type: 'json' }
  for (const path of ['/api/login', '/api/login/ann', '/api/register', '/post/login', '/post/reg'])
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site', Origin: own.origin },
      { Origin: 'https://evil.example' },
      { Origin: `http://${own.hostname}:1` },
      { Origin: 'null' },
    ]) {
      const answer = await site.post(path, fields, headers)
      t.is(answer.status, 403, `${path} ${JSON.stringify(headers)}`)
      t.deepEqual(answer.headers.getSetCookie(), [])
    }
  for (const headers of [{}, { 'Sec-Fetch-Site': 'same-origin', Origin: own.origin }, { 'Sec-Fetch-Site': 'none' }, { Origin: own.origin }])
    t.is(refusalOf(await site.post('/api/login', fields, headers)), '', JSON.stringify(headers))
  const public_ = await startSite({ publicUrl: 'https://rostra.example' })
  t.teardown(public_.stop)
  const answered = await public_.post('/api/login', fields, { Origin: 'https://rostra.example' })
  t.is(refusalOf(answered), 'INCORRECT_USERNAME_OR_PASSWORD passwd', 'behind a proxy that sends another Host')
})

test('a login while logged in as another account is refused; as the same account it succeeds', async (t) => {
  const { ann, bob } = t.context
  const session = await ann.session()
  const other = await login(session, 'bob', bob.password)
  t.deepEqual([other.status, other.at('reason')], [409, 'LOGGED_IN'])
  t.is(refusalOf(await login(session, 'ann', ann.password)), '')
})

test('failed logins are counted per account and address, and lock out no other address', async (t) => {
  const site = await startSite({ trustProxy: 1 })
  t.teardown(site.stop)
  const ann = await site.register('ann')
  const bob = await site.register('bob')
  const from = (address: string) => callerAt(site.url, { 'X-Forwarded-For': address })
  const refusals: string[] = []
  for (let round = 0; round < 4; round++)
    refusals.push(...(await Promise.all(Array.from({ length: 4 }, () => login(from('203.0.113.1'), 'ann', 'wrong')))).map(refusalOf))
  t.is(refusals.filter((code) => code === 'INCORRECT_USERNAME_OR_PASSWORD passwd').length, 10, 'also when they come all at once')
  const throttled = await login(from('203.0.113.1'), 'Ann', ann.password)
  t.is(refusalOf(throttled), 'RATELIMIT ratelimit')
  t.true(Number(throttled.at('json.ratelimit')) > 500)
  t.regex(String(throttled.at('json.errors.0.1')), /try again in \d+ minutes/)
  t.is(refusalOf(await login(from('203.0.113.2'), 'ann', ann.password)), '', 'from elsewhere')
  t.is(refusalOf(await login(from('203.0.113.1'), 'bob', bob.password)), '', 'somebody else')
  for (let i = 1; i <= 10; i++) await login(from(`2001:db8:0:1::${i}`), 'ann', 'wrong')
  t.is(refusalOf(await login(from('2001:db8:0:1:ffff::'), 'ann', ann.password)), 'RATELIMIT ratelimit', 'a /64 is one address')
  t.is(refusalOf(await login(from('2001:db8:0:2::1'), 'ann', ann.password)), '', 'another /64')
})

test('successful logins are not counted', async (t) => {
  const { site, bob } = t.context
  for (let i = 0; i < 12; i++) t.is(refusalOf(await login(site, 'bob', bob.password)), '')
})

test('logging out needs the modhash, ends the session and redirects only within this site', async (t) => {
  const { site, ann } = t.context
  const { modhash, cookie } = await ann.session()
  const bare = callerAt(site.url, { Cookie: cookie })
  t.is((await bare.post('/logout')).status, 403)
  const asked = await bare.get('/logout?dest=/s/tea')
  t.is(asked.headers.get('location'), '/s/tea')
  t.is((await bare.get('/api/me.json')).at('data.name'), 'Ann', 'asking for the page changes nothing')
  const done = await bare.post('/logout', { uh: modhash, dest: '/s/tea?sort=new' })
  t.is(done.status, 302)
  t.is(done.headers.get('location'), '/s/tea?sort=new')
  t.regex(done.headers.getSetCookie()[0] ?? '', /^rostra_session=; .*Max-Age=0/)
  t.is((await bare.get('/api/me.json')).at('data.name'), undefined)
  for (const dest of [
    '//evil.example',
    'https://evil.example',
    '/\\evil.example',
    '\\/evil',
    '/%09/evil\t',
    '/a\r\nX: y',
    'javascript:x',
    '',
  ])
    t.is((await site.get(`/logout?dest=${encodeURIComponent(dest)}`)).headers.get('location'), '/', dest)
})

test('the login and registration pages work in a browser and redirect to the page asked for', async (t) => {
  const { site, ann } = t.context
  const page = await site.get('/login?dest=%2Fs%2Ftea%22%3E%3Cb%3E')
  t.regex(page.headers.get('content-type') ?? '', /^text\/html/)
  t.regex(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  t.notRegex(page.text, /<b>/)
  const wrong = await site.post('/post/login', { user: 'ann', passwd: 'wrong', dest: '/s/tea' })
  t.is(wrong.status, 200)
  t.regex(wrong.text, /incorrect username or password/)
  const right = await site.post('/post/login', { user: 'ann', passwd: ann.password, dest: '/s/tea' })
  t.is(right.status, 302)
  t.is(right.headers.get('location'), '/s/tea')
  t.is(right.headers.getSetCookie().length, 1)
  t.is((await site.post('/post/login', { user: 'ann', passwd: ann.password, dest: '//evil.example' })).headers.get('location'), '/')
  t.is((await site.get('/register')).status, 200)
  const taken = await site.post('/post/reg', { user: 'ann', passwd: 'secret', passwd2: 'secret' })
  t.regex(taken.text, /already taken/)
  const joined = await site.post('/post/reg', { user: 'byform', passwd: 'secret', passwd2: 'secret', dest: '/s/tea' })
  t.is(joined.headers.get('location'), '/s/tea')
})

test('a session needs its own modhash for every change; a token needs none', async (t) => {
  const { site, ann, bob } = t.context
  const { cookie, modhash } = await ann.session()
  const other = await bob.session()
  const bare = callerAt(site.url, { Cookie: cookie })
  const subscribe = { action: 'sub', sr: 't4_0' }
  for (const uh of [undefined, '', 'nonsense', other.modhash])
    t.is((await bare.post('/api/subscribe', { ...subscribe, uh })).status, 403, uh)
  t.is((await bare.post('/api/subscribe', subscribe, { 'X-Modhash': modhash })).status, 404)
  t.is((await bare.post('/api/subscribe', { ...subscribe, uh: modhash })).status, 404)
  t.is((await bare.post(`/api/subscribe?uh=${modhash}`, subscribe)).status, 404)
  t.is((await bare.post('/api/subscribe', { ...subscribe, uh: modhash }, { 'X-Modhash': '' })).status, 404, 'an empty header is none')
  t.is((await bare.post('/api/subscribe', { ...subscribe, uh: modhash }, { 'X-Modhash': 'wrong' })).status, 403, 'the header goes first')
  t.is((await bare.post('/api/v1/apps', { name: 'x', app_type: 'script', redirect_uri: 'http://localhost' })).status, 403)
  t.is((await ann.post('/api/subscribe', subscribe)).status, 404)
})

test('a response to a cookie or a token is never shared with others, even if invalid', async (t) => {
  const { ann, site } = t.context
  const session = await ann.session()
  for (const answer of [await session.get('/api/me.json'), await ann.get('/api/v1/me'), await session.get('/s/all/new')])
    t.regex(answer.headers.get('cache-control') ?? '', /private/)
  t.is((await session.get('/s/all/new')).headers.get('access-control-allow-origin'), null)
  t.regex((await site.get('/s/all/new')).headers.get('vary') ?? '', /Cookie/)
})

test('an Idempotency-Key never replays a session or a token', async (t) => {
  const { site, ann } = t.context
  const key = { 'Idempotency-Key': 'mine' }
  const cookies = new Set<unknown>()
  for (let i = 0; i < 2; i++)
    cookies.add((await site.post('/api/login', { user: 'ann', passwd: ann.password }, key)).at('json.data.cookie'))
  t.is(cookies.size, 2)
})

test('no password or redirect address, however long or strange, delays other requests', async (t) => {
  const { site } = t.context
  const marks = '\u0301\u0316'.repeat(8_000)
  const spent = await processorTime(async () => {
    const answers = await Promise.all([
      login(from(site, 1), 'ann', marks),
      login(from(site, 2), 'nobody', marks),
      register(from(site, 3), 'strange', { passwd: marks, passwd2: marks }),
      register(from(site, 4), 'strange', { email: `a@${'.'.repeat(16_000)}@` }),
    ])
    t.deepEqual(answers.map(refusalOf), [
      'INCORRECT_USERNAME_OR_PASSWORD passwd',
      'INCORRECT_USERNAME_OR_PASSWORD passwd',
      'TOO_LONG passwd',
      'BAD_EMAIL email',
    ])
  })
  t.true(spent < 500, `${spent} ms of this thread`)
})
