import test from 'ava'
import { type QuotaName, quotas } from '../../src/domain/quotas.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { quotaCount } from '../../src/limits/account-quota.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { appoint, logOf } from '../support/community.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { picture, uploadTo } from '../support/pictures.ts'
import { foundSubsite, say, submit } from '../support/posting.ts'
import type { Answer, User } from '../support/site.ts'

type Deed = (who: User, link: string, n: number) => Promise<Answer>

/** Each of these changes something each time; the vote sets its mark again in between. */
const deeds: Readonly<Record<QuotaName, Deed>> = {
  edit: (who, link, n) => who.post('/api/editusertext', { thing_id: link, text: `text ${n}`, api_type: 'json' }),
  settings: async (who, _, n) =>
    who.post('/api/site_admin', { sr: String((await who.get('/s/tea/about')).at('data.name')), description: `tea ${n}`, api_type: 'json' }),
  avoid: async (who, _, n) =>
    who.post('/api/mute_subsite', { id: String((await who.get(`/s/coffee${n}/about`)).at('data.name')), api_type: 'json' }),
  audience: async (who, _, n) =>
    who.post('/api/site_admin', {
      sr: String((await who.get('/s/tea/about')).at('data.name')),
      type: n % 2 === 0 ? 'private' : 'public',
      api_type: 'json',
    }),
  compose: (who) => who.post('/api/compose', { to: who.name, subject: 'a subject', text: 'a text', api_type: 'json' }),
  preferences: (who, _, n) => who.request('PATCH', '/api/v1/me/prefs', { json: { numsites: 50 + n } }),
  sticky: (who, link, n) => who.post('/api/set_subsite_sticky', { id: link, state: n % 2 === 0, api_type: 'json' }),
  report: async (who) => who.post('/api/report', { thing_id: await submit(who, 'tea'), api_type: 'json' }),
  distinguish: (who, link, n) => who.post('/api/distinguish', { id: link, how: n % 2 === 0 ? 'yes' : 'no', api_type: 'json' }),
  flair: (who, link, n) => who.post('/s/tea/api/flair', { link, text: `flair ${n}`, api_type: 'json' }),
  flaircsv: (who, _, n) => who.post('/s/tea/api/flaircsv', { flair_csv: `${who.name},flair ${n},` }),
  relate: (who, _, n) => who.post(`/s/tea/api/${n % 2 === 0 ? '' : 'un'}friend`, { type: 'wikibanned', name: who.name }),
  option: (who, link, n) => who.post(`/api/${n % 2 === 0 ? '' : 'un'}marknsfw`, { id: link }),
  ignore: (who, link, n) => who.post(`/api/${n % 2 === 0 ? '' : 'un'}ignore_reports`, { id: link, api_type: 'json' }),
  collapse: async (who, _, n) => {
    if (n === 0) await who.post('/api/compose', { to: who.name, subject: 'to fold', text: 'a text', api_type: 'json' })
    const id = String((await who.get('/message/inbox?limit=1')).at('data.children.0.data.name'))
    return who.post(`/api/${n % 2 === 0 ? '' : 'un'}collapse_message`, { id })
  },
  multi: (who, _, n) => who.request('PUT', `/api/multi/user/ann/m/drinks_${n}`, { form: { model: '{}' } }),
  stylesheet: (who, _, n) =>
    who.post('/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents: `a { top: ${n}px }`, api_type: 'json' }),
  upload: async (who) => uploadTo(who, 'tea', { name: 'dot' }, await picture()),
  wiki: (who, _, n) => who.post('/s/tea/api/wiki/edit', { page: 'index', content: `tea ${n}` }),
  wikiDay: (who, _, n) => who.post('/s/tea/api/wiki/edit', { page: 'daily', content: `tea ${n}` }),
  export: (who) => who.get('/api/v1/me/export'),
  unvote: async (who, link) => {
    await who.post('/api/vote', { id: link, dir: 1 })
    return who.post('/api/vote', { id: link, dir: 11 })
  },
}

/** Tells whether a quota refused a request: in words, or in the header fields of an endpoint that has no words. */
const isRefused = ({ text, headers }: Answer): boolean =>
  headers.get('x-reason') === 'RATELIMIT'
    ? /^\d+$/.test(headers.get('retry-after') ?? '')
    : text.includes('RATELIMIT') && /try again in \d+ (minute|second)s?\./.test(text)

const DAY = 24 * 60 * 60 * 1000
/** Milliseconds to the start of the next day, when every window begins, so that none ends while the test runs. */
const nextDay = DAY - (Date.now() % DAY)
const startDay = async (rateLimits: boolean) => (await startWithMovableClock({ rateLimits }, nextDay)).site
const sites = { on: await startDay(true), off: await startDay(false) }
test.after.always(() => Promise.all([sites.on.stop(), sites.off.stop()]))

for (const [limits, site] of Object.entries(sites)) {
  test(`with limits ${limits}, repeated changes by one account are ${limits === 'on' ? 'refused beyond its quota' : 'accepted'}`, async (t) => {
    const ann = await site.register('ann')
    await foundSubsite(ann, 'tea')
    const root = await site.register('root')
    for (const name of ['coffee0', 'coffee1']) await foundSubsite(root, name)
    const { vault, clock } = site.running.app
    for (const [what, deed] of Object.entries(deeds) as [QuotaName, Deed][]) {
      const link = await submit(ann, 'tea')
      const { name, ends } = quotaCount({ vault, clock }, what, ann.id)
      await vault.put('count', name, { value: quotas[what].most - 1, expires: ends })
      const last = await deed(ann, link, 0)
      t.true(last.status < 300, `${what}: ${last.text}`)
      t.false(isRefused(last), what)
      const further = await deed(ann, link, 1)
      if (limits === 'off') t.false(isRefused(further), what)
      else {
        t.true(isRefused(further), `${what}: ${further.text}`)
        t.is((await vault.get('count', name))?.value, quotas[what].most, 'what is refused is not counted')
      }
      await vault.put('count', name, { value: 0, expires: ends }) // another quota may count the same
    }
  })
}

test.serial('of many acts at once, only as many are accepted as the quota has left', async (t) => {
  const site = sites.on
  const una = await site.register('una')
  await foundSubsite(una, 'parallel')
  const { vault, clock } = site.running.app
  await vault.delete('limit', 'found.address.127.0.0.1') // for those who found the other tests' subsites
  const { name, ends } = quotaCount({ vault, clock }, 'wiki', una.id)
  await vault.put('count', name, { value: quotas.wiki.most - 3, expires: ends })
  const edit = (_: unknown, n: number) => una.post('/s/parallel/api/wiki/edit', { page: `page${n}`, content: 'tea' })
  const answers = await Promise.all(Array.from({ length: 12 }, edit))
  t.is(answers.filter(({ status }) => status === 200).length, 3)
  t.is(answers.filter(isRefused).length, 9)
  t.is((await vault.get('count', name))?.value, quotas.wiki.most)
})

test.serial('a repeated request is not let through by a first try that recorded nothing', async (t) => {
  const site = sites.on
  const { app } = site.running
  const vera = await site.register('vera')
  await foundSubsite(vera, 'repeated')
  await app.vault.delete('limit', 'found.address.127.0.0.1') // for those who found the other tests' subsites
  const edit = (n: number) =>
    vera.post('/s/repeated/api/wiki/edit', { page: 'index', content: `tea ${n}` }, { 'Idempotency-Key': `edit-${n}` })
  const { run } = app
  Object.assign(app, { run: () => Promise.reject(new StoreFault('unavailable', 'not now')) })
  t.is((await edit(1)).status, 503)
  Object.assign(app, { run })
  const { name, ends } = quotaCount(app, 'wiki', vera.id)
  await app.vault.put('count', name, { value: quotas.wiki.most, expires: ends })
  t.true(isRefused(await edit(1)))
  await app.vault.put('count', name, { value: quotas.wiki.most - 1, expires: ends })
  t.is((await edit(1)).status, 200)
  t.is((await app.vault.get('count', name))?.value, quotas.wiki.most)
})

test.serial('a comment distinguished and stickied by one request counts once, and is refused completely or not at all', async (t) => {
  const site = sites.on
  const { vault, clock } = site.running.app
  const bob = await site.register('bob')
  await foundSubsite(bob, 'coffee')
  await vault.delete('limit', 'found.address.127.0.0.1') // for those who found the other tests' subsites
  const link = await submit(bob, 'coffee')
  const [first, second] = [await say(bob, link), await say(bob, link)]
  const { name, ends } = quotaCount({ vault, clock }, 'distinguish', bob.id)
  await vault.put('count', name, { value: quotas.distinguish.most - 1, expires: ends })
  const stick = (id: string) => bob.post('/api/distinguish', { id, how: 'yes', sticky: true, api_type: 'json' })
  const answer = await stick(first)
  t.like(answer.at('json.data.things.0.data'), { distinguished: 'moderator', stickied: true }, answer.text)
  t.is((await vault.get('count', name))?.value, quotas.distinguish.most)
  t.true(isRefused(await stick(second)))
  t.deepEqual(await logOf(bob, 'coffee'), [`bob sticky ${first}`, `bob distinguish ${first}`])
})

test.serial('changing the permissions of a moderator counts as making a relationship', async (t) => {
  const site = sites.on
  const { vault, clock } = site.running.app
  const [dora, emil] = [await site.register('dora'), await site.register('emil')]
  await foundSubsite(dora, 'cups')
  await vault.delete('limit', 'found.address.127.0.0.1') // for those who found the other tests' subsites
  await appoint(dora, 'cups', emil, '+all')
  const { name, ends } = quotaCount({ vault, clock }, 'relate', dora.id)
  await vault.put('count', name, { value: quotas.relate.most - 1, expires: ends })
  const permit = (permissions: string) =>
    dora.post('/s/cups/api/setpermissions', { name: 'emil', type: 'moderator', permissions, api_type: 'json' })
  t.false(isRefused(await permit('+posts')))
  t.true(isRefused(await permit('+all')))
})

/** Endpoints without a declared quota of the account, and why. */
const withoutQuota: Readonly<Record<string, readonly string[]>> = {
  'where it records, it calls withinQuota': [
    ...['POST /api/vote', 'POST /api/report', 'POST /api/distinguish', 'PATCH /api/v1/me/prefs'],
    ...['POST /api/site_admin', 'PATCH /api/v1/subsite/update_settings', 'POST [/s/{sub}]/api/flaircsv'],
    ...['POST [/s/{sub}]/api/upload_sr_img', 'POST [/s/{sub}]/api/subsite_stylesheet'],
    ...['POST [/s/{sub}]/api/wiki/edit', 'POST [/s/{sub}]/api/wiki/revert', 'POST [/s/{sub}]/api/friend', 'POST [/s/{sub}]/api/unfriend'],
  ],
  'it records nothing in the log, or is limited by address or in number': [
    ...['POST /api/register', 'POST /post/reg', 'POST /api/login', 'POST /post/login', 'POST /logout', 'POST /api/new_captcha'],
    ...['POST /api/v1/apps', 'DELETE /api/v1/apps/{client_id}', 'POST /api/v1/authorize', 'POST /api/v1/access_token'],
    ...['POST /api/v1/revoke_token', 'POST /api/update_password', 'DELETE /api/v1/me/sessions', 'DELETE /api/v1/me/grants'],
    ...['POST /api/store_visits', 'POST /api/search_site_names'],
  ],
  'new things have limits of their own': ['POST /api/submit', 'POST /api/comment'],
  'it is for good, or undoes what has a quota or a limit': [
    ...['POST /api/del', 'POST /api/del_msg', 'POST /api/delete_user', 'POST /api/unblock_subsite', 'POST /api/unmute_subsite'],
    ...['POST [/s/{sub}]/api/delete_sr_img', 'POST [/s/{sub}]/api/delete_sr_header', 'POST [/s/{sub}]/api/delete_sr_icon'],
    ...['POST [/s/{sub}]/api/delete_sr_banner', 'POST [/s/{sub}]/api/accept_moderator_invite'],
    ...['POST /api/leavemoderator', 'POST /api/leavecontributor'],
  ],
  'only the account reads what it lengthens (decision 52)': [
    ...['POST /api/save', 'POST /api/unsave', 'POST /api/hide', 'POST /api/unhide', 'POST /api/subscribe'],
    ...['POST /api/read_message', 'POST /api/unread_message', 'POST /api/read_all_messages'],
    ...['PUT /api/v1/me/friends/{username}', 'DELETE /api/v1/me/friends/{username}'],
  ],
  'moderators work through queues with it; of a long stream a command reads the end (decision 51)': [
    ...['POST /api/lock', 'POST /api/unlock', 'POST /api/remove', 'POST /api/approve'],
    ...['POST /api/mute_message_author', 'POST /api/unmute_message_author'],
  ],
  'it is for admins, or costs a credit': [
    ...['POST /api/erase_thing', 'POST [/s/{sub}]/api/wiki/erase', 'POST [/s/{sub}]/api/erase_sr_img'],
    ...[
      'POST /api/erase_user',
      'POST /api/suspend_user',
      'POST /api/unsuspend_user',
      'POST /api/v1/gold/grant/{username}',
      'POST /api/v1/site/retry_reactions',
    ],
    ...['POST /api/v1/gold/gild/{fullname}', 'POST /api/v1/gold/give/{username}'],
  ],
}

test('every endpoint that changes something has a quota of the account, or the reason why not is listed', (t) => {
  const changing = endpoints.filter(({ method, accountQuota }) => method !== 'GET' && accountQuota === undefined)
  t.deepEqual(
    changing.map(({ method, path }) => `${method} ${path}`).toSorted(),
    Object.values(withoutQuota).flat().toSorted(),
    'declare its `accountQuota`, or add the reason to `withoutQuota` here',
  )
})
