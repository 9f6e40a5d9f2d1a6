import { endpoints } from '../../src/http/endpoints/all.ts'
import { type Cast, joinSite, newcomer, startTea } from '../support/cast.ts'
import { appoint, dataOf, eventually, logOf, postForm, recordsNothing } from '../support/community.ts'
import { compose, firstMail } from '../support/mail.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { foundSubsite, names, refusalOf } from '../support/posting.ts'
import type { Caller, User } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startTea(['carol', 'olga', 'paul', 'quin', 'root']))

/** Mail of a new account to the moderators of tea. */
const complaint = async ({ site }: Cast<'ann'>) => {
  const author = await newcomer(site)
  await compose(author, '#tea', 'a complaint', 'to the moderators')
  return { author, id: String((await firstMail(author, 'sent'))?.data.name) }
}

test.serial('only moderators with the permissions access and mail can mute, and only the author of mail to them', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { author, id } = await complaint(t.context)
  await compose(ann, author.name, 'private')
  const personal = String((await firstMail(author))?.data.name)
  await compose(ann, '#tea', 'from a moderator')
  const own = String((await firstMail(ann, 'sent'))?.data.name)
  await appoint(ann, 'tea', carol, '+mail')
  t.true(
    await recordsNothing(site, async () => {
      t.is((await bob.post('/api/mute_message_author', { id })).status, 403, 'a stranger')
      t.is((await carol.post('/api/mute_message_author', { id })).status, 403, 'without access')
      t.is((await ann.post('/api/mute_message_author', { id: personal })).status, 403, 'no mail to moderators')
      t.is((await ann.post('/api/mute_message_author', { id: own })).status, 403, 'by a moderator')
    }),
  )
  await postForm(carol, '/api/leavemoderator', { id: String((await ann.get('/s/tea/about')).at('data.name')) })
})

test.serial('muting twice, by no message, or unmuting who is not muted changes nothing', async (t) => {
  const { site, ann } = t.context
  const { id } = await complaint(t.context)
  t.true(
    await recordsNothing(site, async () => {
      await postForm(ann, '/api/mute_message_author', { id: 't6_zzzz' })
      await postForm(ann, '/api/mute_message_author', {})
      await postForm(ann, '/api/unmute_message_author', { id })
    }),
  )
  await postForm(ann, '/api/mute_message_author', { id })
  t.true(await recordsNothing(site, () => postForm(ann, '/api/mute_message_author', { id })))
})

test.serial('muting and unmuting the author of mail are log entries, the first with the address of the mail', async (t) => {
  const { site, ann } = t.context
  const { author, id } = await complaint(t.context)
  const latest = async () => dataOf(await ann.get('/s/tea/about/log?limit=1'))[0]
  await postForm(ann, '/api/mute_message_author', { id })
  const description = `${site.url}/message/messages/${id.slice(3)}`
  t.like(await latest(), { action: 'muteuser', target_author: author.name, description })
  await postForm(ann, '/api/unmute_message_author', { id })
  t.like(await latest(), { action: 'unmuteuser', target_author: author.name })
})

test.serial('the author of mail is notified of the mute in its conversation, in the name of the subsite', async (t) => {
  const { author, id } = await complaint(t.context)
  await postForm(t.context.ann, '/api/mute_message_author', { id })
  t.true(await eventually(async () => (await firstMail(author))?.data.first_message_name === id))
  t.like((await firstMail(author))?.data, { subsite: 'tea', author: null })
})

test.serial('the author of mail and the moderators cannot write to each other until the author is unmuted', async (t) => {
  const { ann } = t.context
  const { author, id } = await complaint(t.context)
  const write = async () => refusalOf(await author.post('/api/compose', { to: '#tea', subject: 's', text: 't', api_type: 'json' }))
  await postForm(ann, '/api/mute_message_author', { id })
  t.is(await write(), 'USER_MUTED to')
  t.is(refusalOf(await author.post('/api/comment', { thing_id: id, text: 't', api_type: 'json' })), 'USER_MUTED parent')
  t.is(refusalOf(await ann.post('/api/comment', { thing_id: id, text: 't', api_type: 'json' })), 'MUTED_FROM_SUBSITE parent')
  await postForm(ann, '/api/unmute_message_author', { id })
  t.is(await write(), '')
})

test.serial('the author of mail can be neither muted nor unmuted once the account is deleted', async (t) => {
  const { site, ann } = t.context
  const remove = async (who: User) => postForm(await who.session(), '/api/delete_user', { passwd: who.password })
  const { gus, gil } = await joinSite(site, 'gus', 'gil')
  const mailOf = async (who: User) => {
    await compose(who, '#tea', 'a complaint')
    return String((await firstMail(who, 'sent'))?.data.name)
  }
  const [muted, free] = [await mailOf(gus), await mailOf(gil)]
  await postForm(ann, '/api/mute_message_author', { id: muted })
  for (const who of [gus, gil]) await remove(who)
  t.true(
    await recordsNothing(site, async () => {
      t.is((await ann.post('/api/mute_message_author', { id: free })).status, 403)
      t.is((await ann.post('/api/unmute_message_author', { id: muted })).status, 403)
    }),
  )
})

const HOUR = 60 * 60 * 1000

test.serial('an author is muted for 72 hours, after which the service ends the mute', async (t) => {
  const { site, forward } = await startWithMovableClock({ logLevel: 'silent' })
  t.teardown(site.stop)
  const { ivy, olaf } = await joinSite(site, 'ivy', 'olaf')
  await foundSubsite(ivy, 'tea')
  await compose(olaf, '#tea', 'a complaint')
  const id = String((await firstMail(olaf, 'sent'))?.data.name)
  await postForm(ivy, '/api/mute_message_author', { id })
  /** Tokens of now, since an older one ends after an hour. */
  const refused = async () => {
    const [author, moderator] = [await olaf.withScopes('privatemessages'), await ivy.withScopes('privatemessages')]
    const answers = [
      await author.post('/api/compose', { to: '#tea', subject: 's', text: 't', api_type: 'json' }),
      await author.post('/api/comment', { thing_id: id, text: 't', api_type: 'json' }),
      await moderator.post('/api/comment', { thing_id: id, text: 't', api_type: 'json' }),
    ]
    return answers.map(refusalOf)
  }
  const mute = ['USER_MUTED to', 'USER_MUTED parent', 'MUTED_FROM_SUBSITE parent']
  t.deepEqual(await refused(), mute)
  forward(72 * HOUR - 60_000)
  // the first write after a leap may find that the lease of the worker number has run out
  t.true(await eventually(async () => !(await refused()).includes('503')))
  t.deepEqual(await refused(), mute, 'a minute before its end')
  t.deepEqual(dataOf(await site.get('/s/tea/about/log?type=unmuteuser')), [])
  forward(60_000)
  t.true(await eventually(async () => (await refused()).every((refusal) => refusal === '')))
  t.true(await eventually(async () => dataOf(await site.get('/s/tea/about/log?type=unmuteuser')).length > 0))
  t.deepEqual((await logOf(await ivy.withScopes('read'), 'tea')).slice(0, 2), [
    `[service] unmuteuser ${olaf.id} - was temporary`,
    `ivy muteuser ${olaf.id} - ${site.url}/message/messages/${id.slice(3)}`,
  ])
  t.deepEqual((await (await ivy.withScopes('modcontributors', 'read')).get('/s/tea/about/muted')).at('data.children'), [])
})

test('a reply to mail is decided on the log itself, a comment on cached state', (t) => {
  const facts = endpoints.find(({ path }) => path === '/api/comment')?.facts
  const decidedOn = (thing_id: string) => (typeof facts === 'function' ? facts({ thing_id } as never) : facts)
  t.deepEqual(['t6_1', 't1_1', 't5_1'].map(decidedOn), ['current', 'recent', 'recent'])
})

let sorted = 0
/** An offer of olga's to the moderators of a new subsite and ann's answer. paul has the permission mail there, quin has not. */
const sorting = async ({ ann, olga, paul, quin }: Cast<'ann' | 'olga' | 'paul' | 'quin'>) => {
  const name = `sorting${sorted++}`
  await foundSubsite(ann, name)
  await appoint(ann, name, paul, '+mail')
  await appoint(ann, name, quin, '+posts')
  await compose(olga, `#${name}`, 'an offer')
  const offer = String((await firstMail(olga, 'sent'))?.data.name)
  await postForm(ann, '/api/comment', { thing_id: offer, text: 'no thanks' })
  const answer = String((await firstMail(olga))?.data.name)
  const box = async (reader: Caller) =>
    names(await reader.get(`/s/${name}/about/message/inbox`)).filter((one) => one === offer || one === answer)
  return { name, offer, answer, box }
}

test.serial('only moderators with the permission mail can remove their mail, once, and approve it again', async (t) => {
  const { site, olga, paul, quin } = t.context
  const { offer, answer, box } = await sorting(t.context)
  t.true(
    await recordsNothing(site, async () => {
      for (const caller of [site, olga, quin]) t.is((await caller.post('/api/remove', { id: offer })).status, 403)
    }),
  )
  t.deepEqual(await box(paul), [answer, offer])
  await postForm(paul, '/api/remove', { id: offer, spam: true })
  t.true(await recordsNothing(site, () => postForm(paul, '/api/remove', { id: offer })))
  t.deepEqual(await box(paul), [answer])
  await postForm(paul, '/api/approve', { id: offer })
  t.deepEqual(await box(paul), [answer, offer])
})

test.serial('removed mail is shown to admins and its author only', async (t) => {
  const { olga, paul, root } = t.context
  const { offer, box } = await sorting(t.context)
  await postForm(paul, '/api/remove', { id: offer })
  t.true((await box(root)).includes(offer))
  t.true(names(await olga.get('/message/sent')).includes(offer))
  t.is((await paul.get(`/message/messages/${offer.slice(3)}`)).status, 403)
})

test.serial('a removed answer of moderators leaves the inbox of its recipient, and returns as unread as it was', async (t) => {
  const { olga, paul } = t.context
  const { answer } = await sorting(t.context)
  await postForm(paul, '/api/remove', { id: answer })
  t.false(names(await olga.get('/message/inbox')).includes(answer))
  await postForm(paul, '/api/approve', { id: answer })
  t.is(dataOf(await olga.get('/message/inbox')).find(({ name }) => name === answer)?.new, true)
})

test.serial('removing and approving mail are no log entries', async (t) => {
  const { paul } = t.context
  const { name, offer, answer } = await sorting(t.context)
  for (const id of [offer, answer]) for (const act of ['remove', 'approve']) await postForm(paul, `/api/${act}`, { id })
  const log = await paul.get(`/s/${name}/about/log`)
  t.false(dataOf(log).some(({ action }) => /approve|^remove(link|comment)/.test(String(action))))
})

test.serial('nobody can remove a private message', async (t) => {
  const { ann, olga, paul, root } = t.context
  await compose(olga, 'paul', 'private')
  const secret = String((await firstMail(paul))?.data.name)
  for (const caller of [paul, ann, root]) t.is((await caller.post('/api/remove', { id: secret })).status, 403)
})
