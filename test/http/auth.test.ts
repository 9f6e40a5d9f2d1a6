import { processorTime } from '../support/hostile-texts.ts'
import { refusalOf } from '../support/posting.ts'
import { callerFrom, login, register, startBehindProxy } from '../support/signing-in.ts'
import { callerAt, startSite, type TestSite, type User } from '../support/site.ts'
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
})

test('the cookie of a login to be remembered lasts a year', async (t) => {
  const { site, ann } = t.context
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

const formOf = ({ password }: User) => ({ user: 'ann', passwd: password, passwd2: password, api_type: 'json' })

test('a page of another site can neither log in nor register', async (t) => {
  const { site, ann } = t.context
  const own = new URL(site.url)
  for (const path of ['/api/login', '/api/login/ann', '/api/register', '/post/login', '/post/reg'])
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site', Origin: own.origin },
      { Origin: 'https://evil.example' },
      { Origin: `http://${own.hostname}:1` },
      { Origin: 'null' },
    ]) {
      const answer = await site.post(path, formOf(ann), headers)
      t.is(answer.status, 403, `${path} ${JSON.stringify(headers)}`)
      t.deepEqual(answer.headers.getSetCookie(), [])
    }
})

test('a page of this site can log in, also behind a proxy that sends another Host', async (t) => {
  const { site, ann } = t.context
  const { origin } = new URL(site.url)
  for (const headers of [{}, { 'Sec-Fetch-Site': 'same-origin', Origin: origin }, { 'Sec-Fetch-Site': 'none' }, { Origin: origin }])
    t.is(refusalOf(await site.post('/api/login', formOf(ann), headers)), '', JSON.stringify(headers))
  const public_ = await startSite({ publicUrl: 'https://rostra.example' })
  t.teardown(public_.stop)
  const answered = await public_.post('/api/login', formOf(ann), { Origin: 'https://rostra.example' })
  t.is(refusalOf(answered), 'INCORRECT_USERNAME_OR_PASSWORD passwd')
})

test('a login while logged in as another account is refused; as the same account it succeeds', async (t) => {
  const { ann, bob } = t.context
  const session = await ann.session()
  const other = await login(session, 'bob', bob.password)
  t.deepEqual([other.status, other.at('reason')], [409, 'LOGGED_IN'])
  t.is(refusalOf(await login(session, 'ann', ann.password)), '')
})

const at = ({ url }: TestSite, address: string) => callerAt(url, { 'X-Forwarded-For': address })

test('after ten failed logins an address cannot log in to an account for minutes, also if they came at once', async (t) => {
  const { site, ann } = t.context
  const caller = at(site, '203.0.113.1')
  const refusals: string[] = []
  for (let round = 0; round < 4; round++)
    refusals.push(...(await Promise.all(Array.from({ length: 4 }, () => login(caller, 'ann', 'wrong')))).map(refusalOf))
  t.is(refusals.filter((code) => code === 'INCORRECT_USERNAME_OR_PASSWORD passwd').length, 10)
  const throttled = await login(caller, 'Ann', ann.password)
  t.is(refusalOf(throttled), 'RATELIMIT ratelimit')
  t.true(Number(throttled.at('json.ratelimit')) > 500)
  t.regex(String(throttled.at('json.errors.0.1')), /try again in \d+ minutes/)
})

test('failed logins lock out no other address, and no other account', async (t) => {
  const { site, ann, bob } = t.context
  const caller = at(site, '203.0.113.2')
  for (let i = 0; i < 10; i++) await login(caller, 'ann', 'wrong')
  t.is(refusalOf(await login(caller, 'ann', ann.password)), 'RATELIMIT ratelimit')
  t.is(refusalOf(await login(at(site, '203.0.113.3'), 'ann', ann.password)), '')
  t.is(refusalOf(await login(caller, 'bob', bob.password)), '')
})

test('failed logins from one /64 network are counted together', async (t) => {
  const { site, ann } = t.context
  for (let i = 1; i <= 10; i++) await login(at(site, `2001:db8:0:1::${i}`), 'ann', 'wrong')
  t.is(refusalOf(await login(at(site, '2001:db8:0:1:ffff::'), 'ann', ann.password)), 'RATELIMIT ratelimit')
  t.is(refusalOf(await login(at(site, '2001:db8:0:2::1'), 'ann', ann.password)), '', 'another /64')
})

test('successful logins are not counted', async (t) => {
  const { site, bob } = t.context
  for (let i = 0; i < 12; i++) t.is(refusalOf(await login(site, 'bob', bob.password)), '')
})

test('the login page works in a browser, without scripts and with what it is given escaped', async (t) => {
  const page = await t.context.site.get('/login?dest=%2Fs%2Ftea%22%3E%3Cb%3E')
  t.regex(page.headers.get('content-type') ?? '', /^text\/html/)
  t.regex(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  t.notRegex(page.text, /<b>/)
})

test('the form of the login page redirects to the page asked for on this site, or shows what is wrong', async (t) => {
  const { site, ann } = t.context
  const submit = (passwd: string, dest: string) => site.post('/post/login', { user: 'ann', passwd, dest })
  const wrong = await submit('wrong', '/s/tea')
  t.is(wrong.status, 200)
  t.regex(wrong.text, /incorrect username or password/)
  const right = await submit(ann.password, '/s/tea')
  t.is(right.status, 302)
  t.is(right.headers.get('location'), '/s/tea')
  t.is(right.headers.getSetCookie().length, 1)
  t.is((await submit(ann.password, '//evil.example')).headers.get('location'), '/')
})

test('the form of the registration page redirects to the page asked for, or shows what is wrong', async (t) => {
  const { site } = t.context
  t.is((await site.get('/register')).status, 200)
  const submit = (user: string, dest?: string) => site.post('/post/reg', { user, passwd: 'secret', passwd2: 'secret', dest })
  t.regex((await submit('ann')).text, /already taken/)
  t.is((await submit('byform', '/s/tea')).headers.get('location'), '/s/tea')
})

test('a response to a session or a token, also an invalid token, is never shared with others', async (t) => {
  const { ann, site } = t.context
  const session = await ann.session()
  const invalid = callerAt(site.url, { Authorization: 'bearer nonsense' })
  const answers = [session.get('/api/me.json'), ann.get('/api/v1/me'), session.get('/s/all/new'), invalid.get('/s/all/new')]
  for (const answer of await Promise.all(answers)) t.regex(answer.headers.get('cache-control') ?? '', /private/)
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
      login(callerFrom(site, 1), 'ann', marks),
      login(callerFrom(site, 2), 'nobody', marks),
      register(callerFrom(site, 3), 'strange', { passwd: marks, passwd2: marks }),
      register(callerFrom(site, 4), 'strange', { email: `a@${'.'.repeat(16_000)}@` }),
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
