import type { RunningSite } from '../../src/compose.ts'
import { drawCaptcha } from '../../src/http/endpoints/captcha/captcha.ts'
import { type Cast, startCast } from '../support/cast.ts'
import { dataOf, recordsNothing } from '../support/community.ts'
import { processorTime } from '../support/hostile-texts.ts'
import { foundSubsite, refusalOf, say, submit } from '../support/posting.ts'
import { type Answer, type Caller, callerAt } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

type Three = Cast<'ann' | 'bob' | 'carol'>
const test = testOn(async () => {
  // names of admins are registered on the machine itself, where nobody asks for a captcha
  const cast = await startCast(['ann', 'bob', 'carol'], { captcha: true, admins: ['ann', 'bob', 'carol'] })
  await foundSubsite(cast.ann, 'tea', await solved(cast))
  return cast
})

const freshIden = async (who: Caller) => String((await who.post('/api/new_captcha', { api_type: 'json' })).at('json.data.iden'))
/** As a person reads it off the image. */
const readOff = async ({ app }: RunningSite, iden: string) => String(await app.captchas.answerOf(iden, async () => undefined))
const solved = async ({ site }: Three) => {
  const iden = await freshIden(site)
  return { iden, captcha: (await readOff(site.running, iden)).toLowerCase() }
}
const post = (who: Caller, fields: Readonly<Record<string, string>>) =>
  who.post('/api/submit', { kind: 'self', sr: 'tea', title: 'Leaves', api_type: 'json', ...fields })
const named = (answer: Answer) => String(answer.at('json.captcha'))

test.serial('accounts without karma need a captcha', async (t) => {
  const { site, ann, bob, carol } = t.context
  const needs = async (who: Caller) => (await who.get('/api/needs_captcha')).body
  t.true(await needs(site))
  t.true(await needs(bob))
  const { iden, captcha } = await solved(t.context)
  const link = await submit(bob, 'tea', { iden, captcha })
  t.true(await needs(bob), 'the own vote is no karma')
  await ann.post('/api/vote', { id: link, dir: 1 })
  t.false(await needs(bob))
  t.is(refusalOf(await post(bob, {})), '', 'and so he needs none')
  t.true(await needs(carol))
})

/** An account whose name is not in `ADMINS`. */
const registerStranger = async (context: Three, user: string): Promise<Caller> => {
  const account = { user, passwd: 'correct horse', passwd2: 'correct horse', api_type: 'json' }
  const registered = await context.site.post('/api/register', { ...account, ...(await solved(context)) })
  const [cookie = ''] = registered.headers.getSetCookie()
  return callerAt(context.site.url, { Cookie: cookie.split(';')[0] ?? '', 'X-Modhash': String(registered.at('json.data.modhash')) })
}

test.serial('an admin founds a subsite without a captcha', async (t) => {
  const { ann } = t.context
  const form = { name: 'cocoa', title: 'Cocoa', type: 'public', link_type: 'any', api_type: 'json' }
  t.is((await ann.get('/subsites/create.json')).at('captcha'), null)
  t.is(refusalOf(await ann.post('/api/site_admin', form)), '')
})

test.serial(
  'a wrong, missing or used solution is refused with a new captcha; a right one is accepted in any case of letters, once',
  async (t) => {
    const { site, carol } = t.context
    const missing = await post(carol, {})
    t.is(refusalOf(missing), 'BAD_CAPTCHA captcha')
    t.regex(named(missing), /^[0-9a-z]{32}$/)
    const iden = named(missing)
    const right = await readOff(site.running, iden)
    t.is(await readOff(site.running, iden), right, 'the same until it is tried')
    t.is(refusalOf(await post(carol, { iden, captcha: 'ZZZZ' })), 'BAD_CAPTCHA captcha')
    t.is(refusalOf(await post(carol, { iden, captcha: right })), 'BAD_CAPTCHA captcha', 'a wrong guess replaces it')
    for (const bad of [
      { iden: 'short', captcha: 'AAAA' },
      { iden: 'x'.repeat(32), captcha: '' },
    ])
      t.is(refusalOf(await post(carol, bad)), 'BAD_CAPTCHA captcha')
    const good = await solved(t.context)
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(carol, good)))
    t.is(answers.filter((answer) => refusalOf(answer) === '').length, 1, 'of many at once one is let through')
    t.deepEqual([...new Set(answers.map(named))].length, 8, 'each of the others has a captcha of its own')
  },
)

test.serial('a request that fails after the captcha gets a new one; an error before the captcha is reported first', async (t) => {
  const { carol } = t.context
  const untitled = await post(carol, { ...(await solved(t.context)), title: ' ' })
  t.is(refusalOf(untitled), 'NO_TEXT title')
  t.regex(named(untitled), /^[0-9a-z]{32}$/)
  const nowhere = await post(carol, { ...(await solved(t.context)), sr: 'nowhere' })
  t.is(refusalOf(nowhere), 'SUBSITE_NOEXIST sr')
  t.regex(named(nowhere), /^[0-9a-z]{32}$/)
  t.is(refusalOf(await post(carol, { sr: 'nowhere' })), 'BAD_CAPTCHA captcha')
  t.is(refusalOf(await post(carol, { kind: 'odd' })), 'INVALID_OPTION kind')
})

test.serial('messages, new subsites and new accounts need a captcha, changes of a subsite do not', async (t) => {
  const { site, carol, ann } = t.context
  const mail = { to: 'ann', subject: 'tea', text: 'more?', api_type: 'json' }
  t.is(refusalOf(await carol.post('/api/compose', mail)), 'BAD_CAPTCHA captcha')
  t.is(refusalOf(await carol.post('/api/compose', { ...mail, ...(await solved(t.context)) })), '')
  const subsite = { name: 'coffee', title: 'Coffee', type: 'public', link_type: 'any', api_type: 'json' }
  const dora = await registerStranger(t.context, 'dora')
  t.is(refusalOf(await dora.post('/api/site_admin', subsite)), 'BAD_CAPTCHA captcha')
  t.is(refusalOf(await dora.post('/api/site_admin', { ...subsite, ...(await solved(t.context)) })), '')
  const sr = String((await dora.get('/s/coffee/about')).at('data.name'))
  t.is(refusalOf(await dora.post('/api/site_admin', { sr, title: 'Beans', api_type: 'json' })), '')
  const account = { user: 'newcomer', passwd: 'correct horse', passwd2: 'correct horse', api_type: 'json' }
  t.is(refusalOf(await site.post('/api/register', account)), 'BAD_CAPTCHA captcha')
  t.is(refusalOf(await site.post('/api/register', { ...account, ...(await solved(t.context)) })), '')
  const taken = await site.post('/api/register', { ...account, ...(await solved(t.context)) })
  t.regex(refusalOf(taken), /USERNAME_TAKEN/)
  t.regex(named(taken), /^[0-9a-z]{32}$/)
  t.is(dataOf(await ann.get('/message/inbox')).length, 1)
})

for (const [fields, refusal] of [
  [{ to: 'nobody_here' }, 'USER_DOESNT_EXIST to'],
  [{ subject: '' }, 'NO_SUBJECT subject'],
  [{ text: '' }, 'NO_TEXT text'],
] as const)
  test.serial(`a message is refused as ${refusal} before its captcha, which is left unused`, async (t) => {
    const { carol } = t.context
    const mail = { to: 'ann', subject: 'tea', text: 'more?', api_type: 'json' }
    const solution = await solved(t.context)
    t.is(refusalOf(await carol.post('/api/compose', { ...mail, ...fields })), refusal)
    const refused = await carol.post('/api/compose', { ...mail, ...fields, ...solution })
    t.is(refusalOf(refused), refusal)
    t.is(refused.at('json.captcha'), undefined)
    t.is(refusalOf(await carol.post('/api/compose', { ...mail, ...solution })), '')
  })

for (const [fields, refusal] of [
  [{ user: 'me' }, 'USERNAME_TOO_SHORT user'],
  [{ email: 'nowhere' }, 'BAD_EMAIL email'],
  [{ passwd: 'short', passwd2: 'short' }, 'SHORT_PASSWORD passwd'],
  [{ passwd2: 'another' }, 'BAD_PASSWORD_MATCH passwd2'],
] as const)
  test.serial(`a registration is refused as ${refusal} before its captcha, which is left unused`, async (t) => {
    const { site } = t.context
    const user = `new_${Object.keys(fields).join('_')}`
    const account = { user, passwd: 'correct horse', passwd2: 'correct horse', api_type: 'json' }
    const solution = await solved(t.context)
    t.is(refusalOf(await site.post('/api/register', { ...account, ...fields })), refusal)
    const refused = await site.post('/api/register', { ...account, ...fields, ...solution })
    t.is(refusalOf(refused), refusal)
    t.is(refused.at('json.captcha'), undefined)
    t.notRegex((await site.request('POST', '/post/reg', { form: { ...account, ...fields, ...solution } })).text, /what the image says/)
    t.is(refusalOf(await site.post('/api/register', { ...account, ...solution })), '')
  })

test.serial('an unknown sender of a message is refused after its captcha', async (t) => {
  const mail = { to: 'ann', subject: 'tea', text: 'more?', from_sr: 'nowhere', api_type: 'json' }
  const { carol } = t.context
  t.is(refusalOf(await carol.post('/api/compose', mail)), 'BAD_CAPTCHA captcha')
  const refused = await carol.post('/api/compose', { ...mail, ...(await solved(t.context)) })
  t.is(refusalOf(refused), 'SUBSITE_NOEXIST from_sr')
  t.regex(named(refused), /^[0-9a-z]{32}$/)
})

test.serial('comments need no captcha', async (t) => {
  const { carol } = t.context
  const link = await submit(carol, 'tea', await solved(t.context))
  t.truthy(await say(carol, link))
})

test.serial('the registration page shows a captcha, and its form needs the solution', async (t) => {
  const { site } = t.context
  const page = await site.get('/register')
  const iden = /name="iden" value="(\w{32})"/.exec(page.text)?.[1] ?? ''
  t.true(page.text.includes(`src="/captcha/${iden}"`))
  t.regex(page.headers.get('content-security-policy') ?? '', /img-src 'self'/)
  t.false((await site.get('/login')).text.includes('captcha'))
  const account = { user: 'browser', passwd: 'correct horse', passwd2: 'correct horse' }
  const refused = await site.post('/post/reg', account)
  t.regex(refused.text, /try the new one/)
  t.is((await site.post('/post/reg', { ...account, iden, captcha: await readOff(site.running, iden) })).status, 302)
})

const sizeOf = async ({ url }: Three['site'], iden: string) => {
  const answer = await fetch(`${url}/captcha/${iden}`)
  const bytes = Buffer.from(await answer.arrayBuffer())
  const isPng = bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))
  return [answer.status, answer.headers.get('content-type'), isPng, bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

test.serial('the image is a PNG of 120×50 for any name', async (t) => {
  const { site } = t.context
  for (const iden of [await freshIden(site), 'anything', 'x'.repeat(100)])
    t.deepEqual(await sizeOf(site, iden), [200, 'image/png', true, 120, 50], iden)
})

test.serial('the vault stores no solution of a captcha, and the log nothing of captchas', async (t) => {
  const { site } = t.context
  const { vault } = site.running.app
  let [iden, answer] = ['', '']
  t.true(
    await recordsNothing(site, async () => {
      iden = await freshIden(site)
      answer = await readOff(site.running, iden)
      t.not(answer, '')
    }),
  )
  const { hashOf } = await import('../../src/auth/tokens.ts')
  const record = await vault.get('captcha', hashOf(iden))
  t.truthy(record)
  t.false(JSON.stringify(record).includes(answer))
  t.true((record?.expires ?? 0) <= Date.now() + 300_000)
})

test.serial('one account or address can request a limited number of captchas', async (t) => {
  const { site, ann } = t.context
  const draw = async () => ann.get(`/captcha/${await freshIden(site)}`)
  let last = await draw()
  t.is(last.status, 200)
  // more than two windows allow, since one may end meanwhile
  for (let n = 0; n < 201 && last.status === 200; n += 1) last = await draw()
  t.is(last.status, 429)
  t.regex(String(last.at('explanation')), /^you are doing that too much\. try again in \d+ (minute|second)s?\.$/)
  t.true(Number(last.headers.get('retry-after')) <= 300)
  t.is((await site.get(`/captcha/${await freshIden(site)}`)).status, 200, 'others are served')
})

test.serial('images of captchas are drawn outside the event loop', async (t) => {
  const spent = await processorTime(() => Promise.all(Array.from({ length: 20 }, () => drawCaptcha('ACDE'))))
  t.true(spent < 50, `${spent.toFixed(1)} ms`)
})
