import test from 'ava'
import { joinRepeated, lastProof } from '../../../src/http/pages/administration/status.ts'
import { reactionQueue } from '../../../src/reactions/queue.ts'
import { browserAs, browserOf, destinationOf, htmlProblems, isPage } from '../../support/browser-requests.ts'
import { newcomer, startTea } from '../../support/cast.ts'
import { postForm, waitUntilSettled } from '../../support/community.ts'
import { compose, firstMail } from '../../support/mail.ts'
import { submit } from '../../support/posting.ts'

const { site, ann, bob, root } = await startTea(['root'], { logLevel: 'fatal' })
const asRoot = await browserAs(site, root)
test.after.always(() => site.stop())

/** The values that nobody types of the form with a button. */
const hiddenOf = (page: string, button: string): Readonly<Record<string, string>> => {
  const form = page.split('<form ').find((one) => one.split('</form>')[0]?.includes(`>${button}</button>`)) ?? ''
  const fields = form.split('</form>')[0]?.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g) ?? []
  return Object.fromEntries(Array.from(fields, ([, name = '', value = '']) => [name, value.replaceAll('&amp;', '&')]))
}

test.serial('the log of the site is sentences', async (t) => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  await postForm(root, '/api/suspend_user', { name: who.name, duration: '3' })
  await postForm(root, '/api/suspend_user', { name: who.name })
  await postForm(root, '/api/unsuspend_user', { name: who.name })
  await postForm(root, `/api/v1/gold/grant/${who.name}`, { csites: '12' })
  await postForm(root, `/api/v1/gold/give/${who.name}`, { months: '2' })
  await postForm(root, `/api/v1/gold/gild/${await submit(ann, 'tea')}`, {})
  await compose(ann, 'bob', 'hello', 'forbidden words')
  await postForm(root, '/api/erase_thing', { id: String((await firstMail(bob, 'messages'))?.data.name), reason: 'ordered by <b>a court' })
  await postForm(root, '/api/erase_user', { name: other.name })
  await waitUntilSettled(site)
  const { text } = await asRoot.get('/admin/log')
  t.deepEqual(await htmlProblems(text), [])
  const said = Array.from(text.matchAll(/<li class="entry \w+" id="[^"]*"><div><p>(.*?)<\/p><\/div>/gs), ([, words = '']) =>
    words.replace(/<[^>]+>/g, '').replace(/\d{4}-\d\d-\d\d/, 'a day'),
  )
  t.deepEqual(said, [
    'root erased an account and everything that it wrote: [deleted]',
    'root erased a message by ann for good, because of ‘ordered by &lt;b&gt;a court’',
    'root gilded a link by ann',
    `root gave ${who.name} gold for 2 months`,
    `root granted ${who.name} 12 credits: now 12 credits`,
    `root lifted the suspension of ${who.name}`,
    `root changed the suspension of ${who.name}: now for good`,
    `root suspended ${who.name} until a day`,
    'The service: root is an admin',
  ])
})

test('the proof of the log says of which signed events there is none yet, and when there will be', (t) => {
  const words = (proved: number | null, signed: number): string =>
    lastProof({
      signed: { origin: 'rostra.example/history/0123456789abcdef/log', events: signed },
      proved: proved === null ? null : { at: 1_800_000_000, events: proved, entries: 65 },
    }).text.replace(/<[^>]+>/g, '')
  const next = (events: string) => `The next proof covers ${events} more: there is one at each start, and one a night.`
  t.is(words(0, 3050), `Nothing was signed yet when the log was last proved, 2027-01-15. ${next('3,050 events')}`)
  t.is(words(3049, 3050), `The log was proved 2027-01-15: 3,049 events, 65 entries of moderation logs. ${next('1 event')}`)
  t.is(words(3050, 3050), 'The log was proved 2027-01-15: 3,050 events, 65 entries of moderation logs.')
  t.is(words(null, 3050), 'This process has not proved the log: one process at a time does.')
})

test.serial('an admin finds an account, suspends it, grants it credits and erases it, by forms', async (t) => {
  const who = await newcomer(site)
  const address = `/admin/accounts?name=${who.name}`
  const press = async (page: string, button: string, action: string, typed: Readonly<Record<string, string>> = {}) => {
    const hidden = hiddenOf((await asRoot.get(page)).text, button)
    const answer = await asRoot.post(action, { ...hidden, ...typed })
    t.deepEqual([answer.status, destinationOf(answer)], [303, `${address}&done=1`], button)
    return (await asRoot.get(String(answer.headers.get('location')))).text
  }
  const link = `href="${address}">As an admin…</a>`
  t.true((await asRoot.get(`/user/${who.name}`)).text.includes(link))
  t.false((await (await browserAs(site, bob)).get(`/user/${who.name}`)).text.includes('/admin/accounts'))
  t.regex((await asRoot.get('/admin/accounts?name=nosuchname')).text, /Nobody ever had this name/)
  t.regex((await asRoot.get(address)).text, /A suspended account reads/)
  const wrong = await asRoot.post('/api/suspend_user', {
    ...hiddenOf((await asRoot.get(address)).text, 'Suspend it'),
    duration: 'many',
    note: 'why',
  })
  t.is(wrong.status, 400)
  t.regex(wrong.text, /name="duration"[^>]*value="many" aria-invalid="true"/)
  t.regex(wrong.text, /name="note"[^>]*value="why"/)
  t.regex(
    await press(address, 'Suspend it', '/api/suspend_user', { duration: '3', note: 'adverts' }),
    /It is suspended until \d{4}-\d\d-\d\d: ‘adverts’\./,
  )
  t.regex(
    await press(address, 'Change the suspension', '/api/suspend_user', { note: 'adverts' }),
    /It is suspended until somebody lifts that: ‘adverts’\./,
  )
  t.regex(await press(address, 'Change the suspension', '/api/suspend_user', { note: 'adverts, again' }), /: ‘adverts, again’\./)
  t.regex(await press(address, 'Lift the suspension', '/api/unsuspend_user'), /A suspended account reads/)
  const grant = `/api/v1/gold/grant/${who.name}?form_method=POST`
  t.regex(await press(address, 'Grant them', grant, { csites: '7' }), /7 credits/)
  const asking = `${address}&erase=1`
  t.regex((await asRoot.get(asking)).text, /becomes unreadable for everybody and for ever[^<]*It cannot be undone/)
  const gone = await press(asking, 'Erase it for good', '/api/erase_user')
  t.regex(gone, /<span class="badge bad">deleted<\/span>/)
  t.false(gone.includes('Suspend it'))
  const own = (await asRoot.get('/admin/accounts?name=root')).text
  t.false(own.includes('Suspend it') || own.includes('Erase the account'), 'nobody suspends or erases themselves here')
})

test.serial('a suspension is lifted also by the form of a page of before', async (t) => {
  const who = await newcomer(site)
  const isSuspended = async () => (await asRoot.get(`/admin/accounts?name=${who.name}`)).text.includes('>Lift the suspension</button>')
  let lift: Readonly<Record<string, string>> | undefined
  for (const round of ['first', 'again']) {
    await postForm(root, '/api/suspend_user', { name: who.name })
    t.true(await isSuspended(), round)
    lift ??= hiddenOf((await asRoot.get(`/admin/accounts?name=${who.name}`)).text, 'Lift the suspension')
    t.is((await asRoot.post('/api/unsuspend_user', lift)).status, 303)
    t.false(await isSuspended(), round)
  }
})

test.serial('an admin reads why reactions wait, and has them tried again', async (t) => {
  t.regex((await asRoot.get('/admin')).text, /None: everything that follows from an act is done/)
  const queue = reactionQueue(site.running.stores.vault)
  const entry = { id: '00000000-0000-5000-8000-000000000001', type: 'LinkRemoved', stream: 'link-t5_zzz', revision: 0, position: '0' }
  await queue.put({ ...entry, error: 'no <b>kettle', tries: 1_000, since: Date.now() })
  const page = (await asRoot.get('/admin')).text
  t.regex(page, /1 event waits for what follows from it/)
  t.regex(page, /LinkRemoved in <a href="\/history\/things\/t5_zzz">link-t5_zzz<\/a>: (?:no &lt;b&gt;kettle|the event is no longer)/)
  const tried = await asRoot.post('/api/v1/site/retry_reactions', hiddenOf(page, 'Try them now'))
  t.deepEqual([tried.status, destinationOf(tried)], [303, '/admin?done=1'])
  t.regex((await asRoot.get('/admin')).text, /the event is no longer at revision 0 of link-t5_zzz/)
  await queue.remove(entry)
})

test('pages for admins, and what their forms ask, are for admins alone', async (t) => {
  const asBob = await browserAs(site, bob)
  for (const address of ['/admin', '/admin/accounts?name=ann', '/admin/log', '/message/reported']) {
    const refused = await asBob.get(address)
    t.is(refused.status, 403)
    t.true(isPage(refused))
    t.false(/since <time|credits|checkpoint/.test(refused.text.split('<main')[1] ?? ''), address)
    t.is((await browserOf(site).get(address)).status, 403)
  }
  const uh = asBob.modhash
  for (const [action, fields] of [
    ['/api/suspend_user', { name: 'ann' }],
    ['/api/erase_user', { name: 'ann' }],
    ['/api/v1/gold/grant/bob?form_method=POST', { csites: '5' }],
    ['/api/v1/site/retry_reactions', {}],
  ] as const) {
    t.is((await asBob.post(action, { uh, ...fields })).status, 403, action)
    t.is((await asRoot.post(action, { uh, ...fields })).status, 403, `${action} with the modhash of another`)
    t.is((await asRoot.post(action, { uh: asRoot.modhash, ...fields }, { 'Sec-Fetch-Site': 'cross-site' })).status, 403, action)
  }
  for (const reader of [asBob, browserOf(site)]) t.false((await reader.get('/')).text.includes('href="/admin"'))
  t.true((await asRoot.get('/')).text.includes('href="/admin"'))
})

test('warnings that say the same one after the other are one line with their number', (t) => {
  const warning = (message: string, at_utc: number) => ({ level: 'warn' as const, message, at_utc })
  const lines = [warning('away', 9), warning('away', 8), warning('full', 7), warning('away', 6)]
  t.deepEqual(
    joinRepeated(lines).map(({ last, times }) => [last.message, last.at_utc, times]),
    [
      ['away', 9, 2],
      ['full', 7, 1],
      ['away', 6, 1],
    ],
  )
  t.deepEqual(joinRepeated([]), [])
})
