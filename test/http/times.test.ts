import test from 'ava'
import { startTea } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { say, submit } from '../support/posting.ts'

const { site, ann, bob } = await startTea()
const link = await submit(ann, 'tea', { text: 'of tea' })
await postForm(bob, '/api/editusertext', { thing_id: await say(bob, link), text: 'other words' })
await postForm(ann, '/api/editusertext', { thing_id: link, text: 'of green tea' })
await postForm(ann, '/api/compose', { to: 'ann', subject: 'a note', text: 'to me' })
await postForm(ann, '/api/lock', { id: link })
await ann.request('PUT', '/api/v1/me/friends/bob', { json: {} })
await postForm(ann, '/s/tea/api/friend', { type: 'banned', name: 'bob' })

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
