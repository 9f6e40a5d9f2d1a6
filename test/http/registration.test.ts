import { refusalOf } from '../support/posting.ts'
import { callerFrom, login, register, startBehindProxy } from '../support/signing-in.ts'
import { callerAt, startSite } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

/** One after the other, since only few requests from one address may wait for the hash of a password. */
const { serial: test } = testOn(startBehindProxy)

test('a registration returns its first error only', async (t) => {
  const { site } = t.context
  for (const [fields, refusal] of [
    [{ user: 'ab' }, 'USERNAME_TOO_SHORT user'],
    [{ user: '', passwd: '' }, 'USERNAME_TOO_SHORT user'],
    [{ user: 'x'.repeat(21) }, 'USERNAME_TOO_SHORT user'],
    [{ user: 'a tea pot' }, 'USERNAME_INVALID_CHARACTERS user'],
    [{ user: 'tëapot' }, 'USERNAME_INVALID_CHARACTERS user'],
    [{ user: 'aNN', email: 'none' }, 'USERNAME_TAKEN user'],
    [{ user: 'Root', email: 'none' }, 'USERNAME_TAKEN user'],
    [{ email: 'none', passwd: 'short' }, 'BAD_EMAIL email'],
    [{ passwd: 'short', passwd2: 'other' }, 'SHORT_PASSWORD passwd'],
    [{ passwd: 'x'.repeat(1_025), passwd2: 'x'.repeat(1_025) }, 'TOO_LONG passwd'],
    [{ email: `${'x'.repeat(250)}@y.example` }, 'BAD_EMAIL email'],
    [{ passwd2: 'correct mule' }, 'BAD_PASSWORD_MATCH passwd2'],
  ] as const)
    t.is(refusalOf(await register(site, 'newcomer', fields)), refusal, JSON.stringify(fields))
  t.is((await site.get('/user/newcomer/about')).status, 404)
})

test('a registration logs in', async (t) => {
  const { site } = t.context
  const answer = await site.post('/api/register/Fresh-one_', { passwd: 'secret', passwd2: 'secret', email: 'f@example.com', rem: true })
  t.is(refusalOf(answer), '')
  const [cookie = ''] = answer.headers.getSetCookie()
  t.regex(cookie, /; Max-Age=31536000$/)
  const me = await callerAt(site.url, { Cookie: cookie.split(';')[0] ?? '' }).get('/api/me.json')
  t.is(me.at('data.name'), 'Fresh-one_')
  t.is(me.at('data.modhash'), answer.at('json.data.modhash'))
  t.notRegex(me.text + (await site.get('/user/fresh-one_/about')).text, /f@example/)
})

test('one of several concurrent registrations of a name succeeds', async (t) => {
  const { site } = t.context
  const answers = await Promise.all(
    Array.from({ length: 4 }, (_, i) =>
      register(callerFrom(site, i), i % 2 ? 'RaceD' : 'raced', { passwd: `word-${i}`, passwd2: `word-${i}` }),
    ),
  )
  const winners = answers.filter((answer) => refusalOf(answer) === '')
  t.is(winners.length, 1)
  t.deepEqual([...new Set(answers.filter((answer) => !winners.includes(answer)).map(refusalOf))], ['USERNAME_TAKEN user'])
  const works = await Promise.all(answers.map((_, i) => login(callerFrom(site, i), 'raced', `word-${i}`)))
  t.deepEqual(
    works.map((answer) => refusalOf(answer) === ''),
    answers.map((answer) => winners.includes(answer)),
    'only the winner has a password',
  )
})

test('while limits are on, an address can register one account in ten minutes, also concurrently', async (t) => {
  const site = await startSite({ rateLimits: true, trustProxy: 1 })
  t.teardown(site.stop)
  const from = (address: string) => callerAt(site.url, { 'X-Forwarded-For': address })
  t.is(refusalOf(await register(from('203.0.113.1'), 'ab')), 'USERNAME_TOO_SHORT user')
  const answers = await Promise.all(Array.from({ length: 4 }, (_, i) => register(from('203.0.113.1'), `person${i}`)))
  t.deepEqual(answers.map(refusalOf).toSorted(), ['', 'RATELIMIT ratelimit', 'RATELIMIT ratelimit', 'RATELIMIT ratelimit'])
  const late = await register(from('203.0.113.1'), 'late')
  t.is(refusalOf(late), 'RATELIMIT ratelimit')
  t.true(Number(late.at('json.ratelimit')) > 500)
  t.is(refusalOf(await register(from('203.0.113.2'), 'elsewhere')), '')
})
