import { type Five, five, newcomer, startCast } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { foundSubsite, names, say, settle, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

let scenes = 0
/** Two public subsites and a private one of ann's, with comments of bob's, the last first: in the private one, the second, the first. */
const scene = async ({ ann, bob }: Five) => {
  const n = scenes++
  const [one, two, closed] = [`one${n}`, `two${n}`, `closed${n}`] as const
  const ids = {
    one: await foundSubsite(ann, one),
    two: await foundSubsite(ann, two),
    closed: await foundSubsite(ann, closed, { type: 'private' }),
  }
  await postForm(ann, `/s/${closed}/api/friend`, { type: 'contributor', name: 'bob' })
  const link = await submit(ann, one)
  const first = await say(bob, link)
  const second = await say(bob, await submit(ann, two))
  const hidden = await say(bob, await submit(ann, closed))
  return { one, two, closed, ids, link, first, second, hidden }
}

const newest = async (reader: Caller, path: string) => names(await reader.get(path))

test.serial('new comments are listed newest first, of a subsite, of several and of all that the viewer may view', async (t) => {
  const { site, ann, bob } = t.context
  const { one, two, closed, link, first, second, hidden } = await scene(t.context)
  const reply = await say(ann, first, 'a reply')
  t.deepEqual(await newest(site, `/s/${one}/comments`), [reply, first])
  t.deepEqual(await newest(site, `/s/${one}+${two}+${closed}/comments`), [reply, second, first])
  t.deepEqual(await newest(bob, `/s/${one}+${two}+${closed}/comments`), [reply, hidden, second, first])
  for (const path of ['/comments', '/s/all/comments']) {
    t.deepEqual((await newest(site, `${path}?limit=3`)).slice(0, 3), [reply, second, first], path)
    t.deepEqual(await newest(bob, `${path}?limit=3`), [reply, hidden, second], path)
  }
  t.deepEqual((await newest(site, `/s/all-${one}/comments?limit=2`)).slice(0, 1), [second])
  t.is((await site.get(`/s/${closed}/comments`)).status, 403)
  const shown = (await site.get(`/s/${one}/comments?limit=1&raw_json=1`)).at('data.children.0') as { readonly kind: string }
  t.like(shown, { kind: 't1', data: { body: 'a reply', link_id: link, parent_id: first, link_title: 'a title', replies: '' } } as object)
})

test.serial('new comments have pages in both directions, and the anchor may be one that was removed since', async (t) => {
  const { site, ann, bob } = t.context
  const name = 'paged'
  await foundSubsite(ann, name)
  const link = await submit(ann, name)
  const said: string[] = []
  for (let n = 0; n < 5; n++) said.unshift(await say(bob, link, `words ${n}`))
  const path = `/s/${name}/comments`
  const first = await site.get(`${path}?limit=2`)
  t.deepEqual([names(first), first.at('data.after')], [said.slice(0, 2), said[1]])
  await postForm(ann, '/api/remove', { id: said[1] })
  t.deepEqual(await newest(site, `${path}?limit=2&after=${said[1]}`), said.slice(2, 4))
  t.deepEqual(await newest(site, `${path}?limit=2&before=${said[3]}`), [said[0], said[2]])
  t.deepEqual(await newest(site, `${path}?before=${said[0]}`), [], 'a stream waits for newer ones')
  const newer = await say(bob, link, 'newer')
  t.deepEqual(await newest(site, `${path}?before=${said[0]}`), [newer])
})

test.serial('comments that are deleted, removed, of a blocked account or hidden by a report are not among the new ones', async (t) => {
  const { site, ann, bob } = t.context
  const { one, link, first } = await scene(t.context)
  const reader = await newcomer(site)
  const [other, third] = [await say(ann, link, 'one'), await say(ann, link, 'two')]
  const seen = (query = '') => newest(reader, `/s/${one}/comments${query}`)
  t.deepEqual(await seen(), [third, other, first])
  await postForm(reader, '/api/report', { thing_id: third })
  t.deepEqual(await seen(), [other, first])
  t.deepEqual(await seen('?show=all'), [third, other, first])
  await postForm(ann, '/api/remove', { id: first })
  t.deepEqual(await seen(), [other])
  await postForm(ann, '/api/approve', { id: first })
  await postForm(ann, '/api/del', { id: other })
  t.deepEqual(await seen(), [first])
  await compose(t.context, reader.name)
  await postForm(reader, '/api/block', { id: await mailFrom(reader) })
  t.deepEqual(await seen(), [])
  t.deepEqual(await newest(bob, `/s/${one}/comments`), [third, first])
})

const compose = ({ bob }: Five, to: string) => postForm(bob, '/api/compose', { to, subject: 's', text: 't' })
const mailFrom = async (reader: Caller) => names(await reader.get('/message/inbox'))[0]

test.serial('the front page of comments is that of links: subscriptions, or the default subsites', async (t) => {
  const { site } = t.context
  const { one, first, second } = await scene(t.context)
  const reader = await newcomer(site)
  t.true((await newest(reader, '/comments?limit=5')).includes(second))
  await postForm(reader, '/api/subscribe', { action: 'sub', sr_name: one })
  t.deepEqual(await newest(reader, '/comments'), [first])
  t.true((await newest(reader, '/s/all/comments?limit=5')).includes(second))
})

test.serial('new comments in subsites or on links for adults are left out where the viewer asks for it', async (t) => {
  const { site, ann, bob } = t.context
  const { one, first, two, ids, second } = await scene(t.context)
  await settle(ann, ids.two, { over_18: true, type: 'public' })
  const link = await submit(ann, one)
  await postForm(ann, '/api/marknsfw', { id: link })
  const adult = await say(bob, link)
  const path = `/s/${one}+${two}/comments`
  t.deepEqual(await newest(site, path), [adult, second, first])
  t.deepEqual(await newest(site, `${path}?obey_over18=true`), [first])
})

test.serial('gilded links and comments are listed, those gilded last first', async (t) => {
  const { site, ann, bob, root } = t.context
  const { one, two, closed, link, first, second, hidden } = await scene(t.context)
  await postForm(root, '/api/v1/gold/grant/ann', { csites: 10 })
  for (const id of [first, second, link, hidden, first]) await postForm(ann, `/api/v1/gold/gild/${id}`)
  t.deepEqual(await newest(site, `/s/${one}/gilded`), [first, link])
  t.deepEqual(await newest(site, `/s/${one}+${two}/gilded`), [first, link, second])
  t.deepEqual((await newest(site, '/gilded')).slice(0, 3), [first, link, second])
  t.deepEqual(await newest(bob, `/s/${closed}/gilded`), [hidden])
  t.is((await site.get(`/s/${closed}/gilded`)).status, 403)
  t.deepEqual(await newest(site, `/s/${one}+${two}/gilded?limit=1&after=${first}`), [link])
  await postForm(ann, '/api/remove', { id: link })
  await postForm(bob, '/api/del', { id: second })
  t.deepEqual(await newest(site, `/s/${one}+${two}/gilded`), [first])
  t.is((await site.get(`/s/${one}/comments.rss`)).status, 200)
  t.is((await site.get(`/s/${one}/gilded.rss`)).status, 200)
})
