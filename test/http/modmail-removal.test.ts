import { type Cast, startTea } from '../support/cast.ts'
import { appoint, dataOf, done, unchanged } from '../support/community.ts'
import { compose, firstMail } from '../support/mail.ts'
import { found, names } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const others = ['olga', 'paul', 'quin', 'root'] as const
const test = testOn(() => startTea(others))

let sorted = 0
/** An offer of olga's to the moderators of a new subsite and ann's answer. paul has the permission mail there, quin has not. */
const sorting = async ({ ann, olga, paul, quin }: Cast<'ann' | 'olga' | 'paul' | 'quin'>) => {
  const name = `sorting${sorted++}`
  await found(ann, name)
  await appoint(ann, name, paul, '+mail')
  await appoint(ann, name, quin, '+posts')
  await compose(olga, `#${name}`, 'an offer')
  const offer = String((await firstMail(olga, 'sent'))?.data.name)
  await done(ann, '/api/comment', { thing_id: offer, text: 'no thanks' })
  const answer = String((await firstMail(olga))?.data.name)
  const box = async (reader: Caller) =>
    names(await reader.get(`/s/${name}/about/message/inbox`)).filter((one) => one === offer || one === answer)
  return { name, offer, answer, box }
}

test.serial('only moderators with the permission mail can remove their mail, once, and approve it again', async (t) => {
  const { site, olga, paul, quin } = t.context
  const { offer, answer, box } = await sorting(t.context)
  t.true(
    await unchanged(site, async () => {
      for (const caller of [site, olga, quin]) t.is((await caller.post('/api/remove', { id: offer })).status, 403)
    }),
  )
  t.deepEqual(await box(paul), [answer, offer])
  await done(paul, '/api/remove', { id: offer, spam: true })
  t.true(await unchanged(site, () => done(paul, '/api/remove', { id: offer })))
  t.deepEqual(await box(paul), [answer])
  await done(paul, '/api/approve', { id: offer })
  t.deepEqual(await box(paul), [answer, offer])
})

test.serial('removed mail is shown to admins and its author only', async (t) => {
  const { olga, paul, root } = t.context
  const { offer, box } = await sorting(t.context)
  await done(paul, '/api/remove', { id: offer })
  t.true((await box(root)).includes(offer))
  t.true(names(await olga.get('/message/sent')).includes(offer))
  t.is((await paul.get(`/message/messages/${offer.slice(3)}`)).status, 403)
})

test.serial('a removed answer of moderators leaves the inbox of its recipient, and returns as unread as it was', async (t) => {
  const { olga, paul } = t.context
  const { answer } = await sorting(t.context)
  await done(paul, '/api/remove', { id: answer })
  t.false(names(await olga.get('/message/inbox')).includes(answer))
  await done(paul, '/api/approve', { id: answer })
  t.is(dataOf(await olga.get('/message/inbox')).find(({ name }) => name === answer)?.new, true)
})

test.serial('removing and approving mail are no log entries', async (t) => {
  const { paul } = t.context
  const { name, offer, answer } = await sorting(t.context)
  for (const id of [offer, answer]) for (const act of ['remove', 'approve']) await done(paul, `/api/${act}`, { id })
  const log = await paul.get(`/s/${name}/about/log`)
  t.false(dataOf(log).some(({ action }) => /approve|^remove(link|comment)/.test(String(action))))
})

test.serial('nobody can remove a private message', async (t) => {
  const { ann, olga, paul, root } = t.context
  await compose(olga, 'paul', 'private')
  const secret = String((await firstMail(paul))?.data.name)
  for (const caller of [paul, ann, root]) t.is((await caller.post('/api/remove', { id: secret })).status, 403)
})
