import test from 'ava'
import { found, say, submit } from '../support/posting.ts'
import { startSite, type TestSite, type User } from '../support/site.ts'

let site: TestSite
let ann: User
let link: string

test.before(async () => {
  site = await startSite()
  ann = await site.register('ann')
  const bob = await site.register('bob')
  await found(ann, 'tea')
  link = await submit(ann, 'tea', { text: 'of tea' })
  const comment = await say(bob, link)
  await bob.post('/api/editusertext', { thing_id: comment, text: 'other words', api_type: 'json' })
  await ann.post('/api/editusertext', { thing_id: link, text: 'of green tea', api_type: 'json' })
  await ann.post('/api/compose', { to: 'ann', subject: 'a note', text: 'to me', api_type: 'json' })
  await ann.post('/api/lock', { id: link })
  await ann.request('PUT', '/api/v1/me/friends/bob', { json: {} })
  await ann.post('/s/tea/api/friend', { type: 'banned', name: 'bob', api_type: 'json' })
})

test.after.always(() => site.stop())

const pages = [
  '/s/tea/new',
  '/s/tea/comments/LINK',
  '/s/tea/about',
  '/s/tea/about/log',
  '/s/tea/about/banned',
  '/s/tea/about/moderators',
  '/user/ann/about',
  '/message/inbox',
  '/message/sent',
  '/api/v1/me',
  '/api/v1/me/friends/bob',
]

for (const page of pages)
  test(`${page} has times as floats in whole seconds`, async (t) => {
    const before = Date.now() / 1000
    const { status, text } = await ann.get(page.replace('LINK', link.slice(3)))
    t.is(status, 200, text)
    const times = [...text.matchAll(/"(?:created|created_utc|date|edited)": ?([^,}]+)/g)]
      .map(([, time]) => time)
      .filter((time) => time !== 'false')
    t.not(times.length, 0)
    for (const time of times) {
      t.regex(String(time), /^\d{10}\.0$/)
      t.true(Number(time) <= before && Number(time) > before - 600)
    }
  })
