import test from 'ava'
import { browserAs, browserOf, htmlProblems, isPage } from '../../support/browser-requests.ts'
import { startTea } from '../../support/cast.ts'
import { dataOf, postForm } from '../../support/community.ts'
import { say, submit } from '../../support/posting.ts'

const { site, ann, bob } = await startTea([])
const asAnn = await browserAs(site, ann)
const asBob = await browserAs(site, bob)
const browser = browserOf(site)
test.after.always(() => site.stop())

const positionIn = (text: string): string => /name="expected_position" value="(\d+)"/.exec(text)?.[1] ?? ''

/** Three links and a comment that wait in the queue of reports. */
const reported = async () => {
  const links = [await submit(bob, 'tea'), await submit(bob, 'tea'), await submit(bob, 'tea')]
  const comment = await say(bob, links[0] ?? '', 'Buy <b>this</b>')
  for (const id of [...links, comment]) await postForm(ann, '/api/report', { thing_id: id, reason: 'advert' })
  return { links, comment }
}

const queue = '/s/tea/about/modqueue'

test('a queue is a page for its moderators alone', async (t) => {
  const { links, comment } = await reported()
  const page = await asAnn.get(queue)
  t.is(page.status, 200)
  t.true(isPage(page))
  t.deepEqual(await htmlProblems(page.text), [])
  for (const id of [...links, comment]) t.true(page.text.includes(`id="${id}"`), id)
  t.true(page.text.includes('advert') && page.text.includes(`formaction="/api/approve?id=${comment}&amp;expected_position=`))
  t.false(page.text.includes('<b>this</b>'))
  for (const [caller, status] of [
    [asBob, 403],
    [browser, 403],
  ] as const) {
    const refused = await caller.get(queue)
    t.is(refused.status, status)
    t.true(isPage(refused))
    for (const id of links) t.false(refused.text.includes(id))
  }
})

test('several things are decided at once, and each is an entry of the log', async (t) => {
  const { links, comment } = await reported()
  const page = await asAnn.get(queue)
  const chosen = Object.fromEntries([links[0], links[1], comment].map((id) => [`pick.${id}`, 'on']))
  const fields = { uh: asAnn.modhash, act: 'remove', expected_position: positionIn(page.text), form_page: queue, ...chosen }
  const answer = await asAnn.post(queue, fields, { Referer: `${site.url}${queue}` })
  t.is(answer.status, 303)
  t.is(answer.headers.get('location'), queue)
  for (const id of [links[0], links[1], comment])
    t.is(dataOf(await site.get(`/s/tea/about/log?target=${id}&type=removelink,removecomment`)).length, 1, id)
  const after = await asAnn.get(queue)
  t.true(after.text.includes(`id="${links[2]}"`))
  t.false(after.text.includes(`id="${links[0]}"`))
})

test('what somebody else decided meanwhile is not done again, and its card says so', async (t) => {
  const { links } = await reported()
  const [first = '', second = ''] = links
  const page = await asAnn.get(queue)
  await postForm(ann, '/api/approve', { id: first })
  await postForm(ann, '/api/report', { thing_id: first, reason: 'again' })
  const fields = {
    ...{ uh: asAnn.modhash, act: 'spam', expected_position: positionIn(page.text), form_page: queue },
    ...{ [`pick.${first}`]: 'on', [`pick.${second}`]: 'on' },
  }
  const answer = await asAnn.post(queue, fields)
  t.is(answer.status, 409)
  t.true(answer.text.includes('1 of 2 done'))
  const log = await site.get(`/s/tea/about/log?target=${first}&type=removelink`)
  t.is(dataOf(log).length, 0)
  t.is(dataOf(await site.get(`/s/tea/about/log?target=${second}&type=removelink`)).length, 1)
})

test('a form of a queue needs its modhash, its own session, and this site; without a choice it does nothing', async (t) => {
  const { links } = await reported()
  const fields = { act: 'approve', form_page: queue, [`pick.${links[0]}`]: 'on' }
  t.is((await asAnn.post(queue, fields)).status, 409)
  t.is((await asAnn.post(queue, { ...fields, uh: asBob.modhash })).status, 409)
  t.is((await asBob.post(queue, { ...fields, uh: asBob.modhash })).status, 409)
  t.is((await browser.post(queue, { ...fields, uh: asAnn.modhash })).status, 409)
  t.is((await asAnn.post(queue, { ...fields, uh: asAnn.modhash }, { 'Sec-Fetch-Site': 'cross-site' })).status, 403)
  t.is((await asAnn.post(queue, { uh: asAnn.modhash, act: 'approve', form_page: queue })).status, 400)
  t.is((await asAnn.post(queue, { ...fields, act: 'nosuch', uh: asAnn.modhash })).status, 400)
  t.is(dataOf(await site.get(`/s/tea/about/log?target=${links[0]}`)).length, 0)
})

test('a button of a card that comes too late shows the queue again, with the reason', async (t) => {
  const { links } = await reported()
  const page = await asAnn.get(queue)
  const late = `/api/remove?spam=false&id=${links[0]}&expected_position=${positionIn(page.text)}`
  await postForm(ann, '/api/approve', { id: links[0] ?? '' })
  const answer = await asAnn.post(late, { uh: asAnn.modhash, form_page: queue })
  t.is(answer.status, 409)
  t.true(answer.text.includes('<h1 class="page">Queue</h1>') && answer.text.includes('class="refused"'))
})
