import test from 'ava'
import { five, joinSite, startCast } from '../support/cast.ts'
import { appoint, dataOf, eventually, logEntries, postForm, waitUntilNumbered } from '../support/community.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { foundSubsite, id36, say, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob, carol, root } = await startCast(five)

const actions = async (reader: Caller, subsite: string, query: string) =>
  (await logEntries(reader, subsite, query)).map(({ action }) => action)

/** A log with entries of the founder ann, the moderator carol and the admin root. */
const scene = async () => {
  await foundSubsite(ann, 'sieve')
  await foundSubsite(ann, 'sieve2')
  await appoint(ann, 'sieve', carol, '+posts')
  const link = await submit(bob, 'sieve', { title: 'A title', text: 'A text' })
  const comment = await say(bob, link)
  await postForm(carol, '/api/lock', { id: link })
  await postForm(ann, '/api/remove', { id: comment, spam: false })
  await postForm(root, '/api/unlock', { id: link })
  await postForm(root, '/api/approve', { id: comment })
  return { link, comment, all: ['approvecomment', 'unlock', 'removecomment', 'lock', 'acceptmoderatorinvite', 'invitemoderator'] }
}
const { link, comment, all } = await scene()
const some = (query: string) => actions(site, 'sieve', query)
test.after.always(() => site.stop())

test('a log without filters, or with empty ones, has all entries', async (t) => {
  t.deepEqual(await some(''), all)
  t.deepEqual(await some('mod=&type=&target='), all)
})

test('a log can be filtered by kinds; unknown ones match nothing', async (t) => {
  t.deepEqual(await some('type=lock,unlock'), ['unlock', 'lock'])
  t.deepEqual(await some('type=lock,nonsense'), ['lock'])
  t.deepEqual(await some('type=nonsense'), [])
})

test('a log can be filtered by moderators; unknown ones match nothing', async (t) => {
  t.deepEqual(await some('mod=carol, ann'), ['removecomment', 'lock', 'acceptmoderatorinvite', 'invitemoderator'])
  t.deepEqual(await some('mod=carol,nobody'), ['lock', 'acceptmoderatorinvite'])
  t.deepEqual(await some('mod=nobody'), [])
})

test('a log can be filtered by the ids of moderators, also of deleted ones; a name that looks like an id is the name', async (t) => {
  t.deepEqual(await some(`mod=${carol.id}`), ['lock', 'acceptmoderatorinvite'])
  t.deepEqual(await some(`mod=${carol.id.toUpperCase()},carol, ${ann.id}`), [
    'removecomment',
    'lock',
    'acceptmoderatorinvite',
    'invitemoderator',
  ])
  for (const unknown of ['t2_zzzz', link, id36(carol.id), 't2_']) t.deepEqual(await some(`mod=${unknown}`), [], unknown)
  const [odd, gone] = [await site.register('t2_9k'), await site.register('passer')]
  for (const who of [odd, gone]) {
    await appoint(ann, 'sieve2', who, '+posts')
    await postForm(who, '/api/lock', { id: await submit(bob, 'sieve2') })
  }
  t.deepEqual(await actions(site, 'sieve2', 'mod=t2_9k'), ['lock', 'acceptmoderatorinvite'])
  const session = await gone.session()
  await postForm(session, '/api/delete_user', { user: gone.name, passwd: gone.password, confirm: true })
  t.true((await actions(site, 'sieve2', `mod=${gone.id}`)).includes('lock'))
})

test('the moderator "[service]" stands for the service, also beside others', async (t) => {
  const { site, forward } = await startWithMovableClock()
  t.teardown(site.stop)
  const { ann } = await joinSite(site, 'ann', 'bob')
  await foundSubsite(ann, 'pause')
  await postForm(ann, '/s/pause/api/friend', { type: 'banned', name: 'bob', duration: 1 })
  forward(25 * 60 * 60 * 1000)
  const served = () => actions(site, 'pause', 'mod=%5Bservice%5D')
  await eventually(async () => (await served()).length > 0)
  t.deepEqual(await served(), ['unbanuser'])
  t.deepEqual(await actions(site, 'pause', 'mod=[service],ann'), ['unbanuser', 'banuser'])
  t.deepEqual(await actions(site, 'pause', 'mod=a'), [])
})

test('the moderator "a" stands for all admins, also beside one of them', async (t) => {
  t.deepEqual(await some('mod=a'), ['approvecomment', 'unlock'])
  t.deepEqual(await some('mod=a,carol,root'), ['approvecomment', 'unlock', 'lock', 'acceptmoderatorinvite'], 'each once')
})

test('a log can be filtered by a link, comment or account as target; an unknown one matches nothing', async (t) => {
  t.deepEqual(await some(`target=${link}`), ['unlock', 'lock'])
  t.deepEqual(await some(`target=${comment}`), ['approvecomment', 'removecomment'])
  t.deepEqual(await some(`target=${carol.id}`), ['invitemoderator'])
  t.deepEqual(await some('target=t5_zzzz'), [])
  t.deepEqual(await some('target=nonsense'), [])
})

test('an entry is in a log of several filters if it matches each', async (t) => {
  t.deepEqual(await some('mod=a,carol&type=lock,unlock'), ['unlock', 'lock'])
  t.deepEqual(await some(`target=${link}&mod=carol`), ['lock'])
  t.deepEqual(await some(`target=${comment}&type=removecomment,lock`), ['removecomment'])
})

test('a log cannot be filtered by more than 25 moderators', async (t) => {
  const nobodies = (many: number) => Array.from({ length: many }, (_, n) => `name${n}`).join(',')
  t.is((await site.get(`/s/sieve/about/log?mod=${nobodies(25)}`)).status, 200)
  t.is((await site.get(`/s/sieve/about/log?mod=${nobodies(26)}`)).status, 400)
})

/** A subsite with a log of six entries, three pairs of one kind. */
const lockedThrice = async (name: string) => {
  await foundSubsite(ann, name)
  const id = await submit(bob, name, { title: 'A title', text: 'A text' })
  for (let n = 0; n < 3; n++) for (const act of ['lock', 'unlock']) await postForm(ann, `/api/${act}`, { id })
  await waitUntilNumbered(site, name)
  return { whole: await logEntries(site, name), now: Math.floor(Date.now() / 1000) }
}

test('a log can be filtered by a time window, to which both of its ends belong', async (t) => {
  const { whole, now } = await lockedThrice('hours')
  const inWindow = (query: string) => logEntries(site, 'hours', query)
  t.deepEqual(await inWindow(`since=${now - 600}`), whole)
  t.deepEqual(await inWindow(`until=${now + 600}`), whole)
  t.deepEqual(await inWindow(`since=${now + 600}`), [])
  t.deepEqual(await inWindow(`until=${now - 600}`), [])
  const newest = Number(whole[0]?.created_utc)
  t.true((await inWindow(`since=${newest}&until=${newest}`)).length > 0)
  for (const wrong of ['yesterday', '2026-13-01', '2026-1-1'])
    t.is((await site.get(`/s/hours/about/log?since=${wrong}`)).status, 400, wrong)
})

test('a window of dates begins with the first and ends with the last second of its days, in UTC', async (t) => {
  const { whole, now } = await lockedThrice('days')
  const day = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10)
  const inWindow = (query: string) => logEntries(site, 'days', query)
  const oldest = Number(whole.at(-1)?.created_utc)
  t.deepEqual(await inWindow(`since=${day(oldest)}&until=${day(now)}`), whole)
  t.deepEqual(await inWindow(`since=${day(now + 86_400)}`), [])
  t.deepEqual(await inWindow(`until=${day(oldest - 86_400)}`), [])
})

test('an account is also named as a target by its name; one that is unknown matches nothing', async (t) => {
  await foundSubsite(ann, 'named')
  await postForm(ann, '/api/friend', { type: 'banned', name: 'bob', duration: '3', r: 'named' })
  const id = await submit(ann, 'named', { title: 'A title', text: 'A text' })
  await postForm(ann, '/api/lock', { id })
  for (const name of ['u/bob', '/user/BOB/', 'u%2Fbob', 'bob', 'Bob'])
    t.deepEqual(await actions(site, 'named', `target=${name}`), ['banuser'], name)
  t.deepEqual(await actions(site, 'named', 'target=u/nosuch'), [])
})

test('a filtered log is paged without gaps, forwards and back', async (t) => {
  const { whole, now } = await lockedThrice('pages')
  const page = (query: string) =>
    site.get(`/s/pages/about/log?since=${now - 600}&until=${now + 600}&type=lock,unlock&mod=ann&limit=2&${query}`)
  const first = await page('')
  const second = await page(`after=${first.at('data.after')}`)
  const third = await page(`after=${second.at('data.after')}`)
  t.is(whole.length, 6)
  t.deepEqual([...dataOf(first), ...dataOf(second), ...dataOf(third)], whole)
  t.deepEqual([first.at('data.before'), third.at('data.after')], [null, null])
  t.deepEqual(dataOf(await page(`before=${third.at('data.before')}`)), dataOf(second))
})

test('filters apply to the log of several subsites', async (t) => {
  for (const name of ['left', 'right']) {
    await foundSubsite(ann, name)
    const id = await submit(bob, name, { title: 'A title', text: 'A text' })
    await postForm(ann, '/api/lock', { id })
    await postForm(root, '/api/remove', { id, spam: false })
    await postForm(ann, '/api/unlock', { id })
  }
  const both = (query: string) => actions(site, 'left+right', query)
  t.deepEqual(await both('type=lock,removelink'), ['removelink', 'lock', 'removelink', 'lock'])
  t.deepEqual(await both('mod=ann,a&type=lock,removelink'), ['removelink', 'lock', 'removelink', 'lock'])
  t.deepEqual(await both('mod=root&type=lock'), [])
  t.deepEqual(await both(`mod=ann&since=${Math.floor(Date.now() / 1000) - 600}`), ['unlock', 'lock', 'unlock', 'lock'])
})
