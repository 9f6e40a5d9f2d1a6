import anyTest, { type TestFn } from 'ava'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { findingsOf } from '../support/auditing.ts'
import { type Cast, joining, startTea } from '../support/cast.ts'
import { appoint, dataOf, done, eventually, logOf, settled, unchanged } from '../support/community.ts'
import { collapsed, compose, firstMail, unread } from '../support/mail.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { found, names, refusalOf } from '../support/posting.ts'
import type { Caller, TestSite } from '../support/site.ts'

type Four = Cast<'ann' | 'bob' | 'carol' | 'root'>
const test = anyTest as TestFn<Four>

test.before(async (t) => {
  t.context = await startTea(['carol', 'root'])
})
test.after.always((t) => t.context.site.stop())

test.serial('a banned account can write to the moderators, whose messages to themselves are marked as by a moderator', async (t) => {
  const { ann, bob, carol } = t.context
  await found(ann, 'office0')
  await appoint(ann, 'office0', carol, '+access,+posts')
  await done(ann, '/s/office0/api/friend', { type: 'banned', name: 'bob' })
  await compose(bob, '/s/office0', 'let me back in')
  t.like(dataOf(await ann.get('/message/moderator'))[0], { author: 'bob', distinguished: null })
  await compose(carol, '#office0', 'what do we say?')
  t.like(dataOf(await ann.get('/message/moderator'))[0], { author: 'carol', distinguished: 'moderator', dest: '#office0' })
  t.is((await carol.post('/api/compose', { to: 'bob', subject: 's', text: 't', from_sr: 'office0' })).status, 403, 'without mail')
  t.is(refusalOf(await ann.post('/api/compose', { to: 'bob', subject: 'x'.repeat(100), text: 't', from_sr: 's/office0' })), '')
})

test.serial('mail to moderators is shared by those with the permission mail, whose replies are in the name of the subsite', async (t) => {
  const { site, ann } = t.context
  const { kim, lou, max } = await joining(site, 'kim', 'lou', 'max')
  await found(ann, 'mail')
  await appoint(ann, 'mail', lou, '+mail')
  await appoint(ann, 'mail', max, '+posts')
  for (const to of ['/s/mail', '#mail']) await compose(kim, to, `to ${to}`)
  const sent = await firstMail(kim, 'sent')
  t.like(sent?.data, { dest: '#mail', subsite: 'mail', subject: 'to #mail', author: 'kim' })
  const box = async (reader: Caller, path: string) => dataOf(await reader.get(path)).map(({ subject }) => subject)
  for (const reader of [ann, lou]) {
    t.deepEqual((await box(reader, '/s/mail/about/message/inbox')).slice(0, 2), ['to #mail', 'to /s/mail'])
    t.deepEqual((await box(reader, '/message/moderator')).slice(0, 2), ['to #mail', 'to /s/mail'])
    t.false((await box(reader, '/message/inbox')).includes('to #mail'), 'not in anybody’s own inbox')
  }
  for (const reader of [kim, max]) t.is((await reader.get('/s/mail/about/message/inbox')).status, 403)
  t.is((await kim.get('/message/moderator')).status, 403)
  const question = String(sent?.data.name)
  t.is((await max.post('/api/comment', { thing_id: question, text: 'no mail' })).status, 403)
  await done(lou, '/api/comment', { thing_id: question, text: 'an answer' })
  t.like((await firstMail(kim))?.data, { author: 'lou', subsite: 'mail', distinguished: 'moderator', subject: 're: to #mail', new: true })
  await done(lou, '/api/compose', { to: 'kim', from_sr: '/s/mail', subject: 'a notice', text: 'from all of us' })
  const notice = (await firstMail(kim))?.data
  t.like(notice, { author: null, subsite: 'mail', subject: 'a notice', dest: 'kim', distinguished: 'moderator' })
  t.is((await firstMail(lou, 'sent'))?.data.author, 'lou')
  t.is(dataOf(await ann.get('/message/moderator'))[0]?.author, 'lou', 'its moderators see by whom')
  await done(kim, '/api/comment', { thing_id: String(notice?.name), text: 'thanks' })
  t.like(dataOf(await ann.get('/message/moderator'))[0], { author: 'kim', dest: '#mail', subject: 're: a notice' })
})

/** The capacities in which the events of a type are recorded that follow from a call. */
const capacitiesOf = async ({ running }: TestSite, type: string, act: () => Promise<unknown>) => {
  const before = await running.stores.events.head()
  await act()
  const recorded = await running.stores.events.readAll(before, 1_000)
  return recorded.filter((event) => event.type === type).map(({ meta }) => (JSON.parse(meta) as { by: { as: string } }).by.as)
}
/** The fullname of the message that somebody sent last. */
const lastOf = async (who: Caller) => String((await firstMail(who, 'sent'))?.data.name)

test.serial('mail that takes the permission mail is recorded as by a moderator or an admin, other mail as by a user', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  await found(ann, 'atrium')
  const capacity = async (act: () => Promise<unknown>) => (await capacitiesOf(site, 'MessageSent', act)).join()
  const reply = (who: Caller, thing_id: string) => capacity(() => done(who, '/api/comment', { thing_id, text: 'an answer' }))
  const notice = { to: 'bob', subject: 's', text: 't', from_sr: 'atrium' }
  t.is(await capacity(() => done(ann, '/api/compose', notice)), 'moderator')
  t.is(await capacity(() => done(root, '/api/compose', notice)), 'admin')
  t.is(await capacity(() => compose(carol, '#atrium', 'a question')), 'user')
  const question = await lastOf(carol)
  t.is(await reply(carol, question), 'user')
  t.is(await reply(ann, question), 'moderator')
  t.is(await reply(root, question), 'admin')
  t.is(await capacity(() => compose(ann, bob.name, 'between us')), 'user')
  t.deepEqual(await findingsOf(t, site.running), [])
})

test.serial('a reply for the moderators is recorded as by a moderator or an admin, in every conversation', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  await found(ann, 'porch')
  const capacity = async (act: () => Promise<unknown>) => (await capacitiesOf(site, 'MessageSent', act)).join()
  const reply = (who: Caller, thing_id: string) => capacity(() => done(who, '/api/comment', { thing_id, text: 'an answer' }))
  await done(ann, '/api/compose', { to: 'bob', subject: 's', text: 't', from_sr: 'porch' })
  t.is(await reply(bob, await lastOf(ann)), 'user')
  t.is(await reply(ann, await lastOf(bob)), 'moderator', 'in the conversation that she began for the subsite')
  t.is(await reply(bob, await lastOf(ann)), 'user')
  t.is(await reply(root, await lastOf(bob)), 'admin')
  await compose(carol, '#porch', 'a question')
  await reply(ann, await lastOf(carol))
  t.is(await reply(carol, await lastOf(ann)), 'user')
  t.is(await reply(ann, await lastOf(carol)), 'moderator', 'although it was addressed to her')
  await compose(bob, 'carol', 'between us')
  t.is(await reply(root, await lastOf(bob)), 'admin', 'nobody else could')
  t.deepEqual(await findingsOf(t, site.running), [])
})

test.serial('a mark that moderators share is changed as by a moderator, one’s own as by a user', async (t) => {
  const { site, ann, carol } = t.context
  await found(ann, 'stairs')
  await compose(carol, '#stairs', 'a question')
  const id = await lastOf(carol)
  const capacity = async (who: Caller, path: string, type: string) => (await capacitiesOf(site, type, () => done(who, path, { id }))).join()
  await settled(site)
  t.is(await capacity(ann, '/api/read_message', 'ModmailRead'), 'moderator')
  t.is(await capacity(ann, '/api/unread_message', 'ModmailUnread'), 'moderator')
  t.is(await capacity(ann, '/api/collapse_message', 'MessageCollapsed'), 'moderator')
  t.is(await capacity(ann, '/api/uncollapse_message', 'MessageUncollapsed'), 'moderator')
  t.is(await capacity(carol, '/api/collapse_message', 'MessageCollapsed'), 'user')
  await done(ann, '/s/stairs/api/friend', { type: 'moderator_invite', name: 'carol', permissions: '+mail' })
  const accept = () => done(carol, '/s/stairs/api/accept_moderator_invite')
  t.deepEqual(await capacitiesOf(site, 'ModeratorInvitationAccepted', accept), ['moderator'])
  t.deepEqual(await findingsOf(t, site.running), [])
})

test.serial(
  'an audit finds no difference after a moderator wrote, removed and marked mail while gaining and losing the permission mail',
  async (t) => {
    const { site, ann, bob } = t.context
    const { nia } = await joining(site, 'nia')
    await found(ann, 'ferry')
    await appoint(ann, 'ferry', nia, '+flair')
    await compose(bob, '#ferry', 'a question')
    const id = await lastOf(bob)
    await settled(site)
    const permit = (permissions: string) => ann.post('/s/ferry/api/setpermissions', { type: 'moderator', name: 'nia', permissions })
    for (let round = 0; round < 6; round++) {
      const answers = await Promise.all([
        permit(round % 2 === 0 ? '+mail' : '+flair'),
        nia.post('/api/compose', { to: 'bob', subject: 's', text: 't', from_sr: 'ferry' }),
        nia.post('/api/comment', { thing_id: id, text: 'an answer' }),
        nia.post(round % 2 === 0 ? '/api/remove' : '/api/approve', { id }),
        nia.post(round % 2 === 0 ? '/api/read_message' : '/api/unread_message', { id }),
        nia.post('/api/collapse_message', { id }),
      ])
      t.true(answers.every(({ status }) => status === 200 || status === 403))
    }
    t.deepEqual(await findingsOf(t, site.running), [])
  },
)

test.serial('mail to moderators is unread and sets has_mod_mail until one of them reads it', async (t) => {
  const { site, ann } = t.context
  const { tess, uma, vic } = await joining(site, 'tess', 'uma', 'vic')
  await found(uma, 'desk')
  await appoint(uma, 'desk', tess, '+mail')
  await appoint(uma, 'desk', vic, '+posts')
  const lamp = async (reader: Caller) => (await reader.get('/api/v1/me')).at('has_mod_mail')
  const waiting = async (reader: Caller) => names(await reader.get('/s/desk/about/message/unread'))
  await done(uma, '/api/read_message', { id: (await waiting(uma)).join(',') })
  t.deepEqual([await lamp(uma), await lamp(tess), await waiting(tess)], [false, false, []])
  await compose(ann, '#desk', 'a question')
  const question = String((await firstMail(ann, 'sent'))?.data.name)
  t.deepEqual([await lamp(uma), await lamp(tess), await lamp(vic)], [true, true, false])
  t.deepEqual([await waiting(uma), await waiting(tess)], [[question], [question]])
  t.deepEqual(names(await tess.get('/message/moderator/unread')), [question])
  t.is(dataOf(await tess.get('/message/moderator'))[0]?.new, true)
  t.true(await unchanged(site, () => done(ann, '/api/read_message', { id: question })), 'only for its moderators')
  await done(vic, '/api/read_message', { id: question })
  t.deepEqual([await lamp(uma), await lamp(tess), await waiting(tess)], [false, false, []])
  t.true(await unchanged(site, () => done(uma, '/api/read_message', { id: question })))
  await done(tess, '/api/unread_message', { id: question })
  t.deepEqual([await lamp(uma), await waiting(uma)], [true, [question]])
  await done(uma, '/api/read_message', { id: question })
  await done(tess, '/api/comment', { thing_id: question, text: 'an answer' })
  t.deepEqual([await lamp(tess), await lamp(uma)], [false, true], 'not for who wrote it')
  const answer = String((await firstMail(tess, 'sent'))?.data.name)
  t.deepEqual([await waiting(tess), await waiting(uma)], [[], [answer]])
  t.is(dataOf(await ann.get('/message/unread'))[0]?.name, answer, 'its recipient has a mark of her own')
  await done(uma, '/api/read_message', { id: answer })
  t.is(dataOf(await ann.get('/message/unread'))[0]?.name, answer)
  await done(uma, '/s/desk/api/friend', { type: 'contributor', name: 'ann' })
  t.deepEqual([await lamp(tess), await waiting(tess)], [false, []], 'what tells somebody of an act is no news')
  for (const reader of [ann, vic]) t.is((await reader.get('/s/desk/about/message/unread')).status, 403)
})

test.serial('a message that a moderator reported or deleted from the inbox still counts in the mail of the moderators', async (t) => {
  const { ann, site } = t.context
  const { xena, york } = await joining(site, 'xena', 'york')
  await found(xena, 'counter')
  const waiting = async (reader: Caller) => [
    (await reader.get('/api/v1/me')).at('has_mod_mail'),
    names(await reader.get('/s/counter/about/message/unread')),
  ]
  await compose(xena, 'york', 'an offer')
  await done(xena, '/api/compose', { to: 'york', subject: 'of the counter', text: 'a text', from_sr: 'counter' })
  const offer = String((await firstMail(york))?.data.name)
  await done(york, '/api/del_msg', { id: offer })
  await appoint(xena, 'counter', york, '+mail')
  for (const reader of [xena, york])
    await done(reader, '/api/read_message', { id: names(await reader.get('/message/moderator')).join(',') })
  await done(xena, '/api/unread_message', { id: offer })
  t.deepEqual(await waiting(york), [true, [offer]], 'the copy of the moderators stays')
  await done(york, '/api/read_message', { id: offer })
  t.deepEqual(await waiting(york), [false, []])

  await compose(ann, '#counter', 'an insult')
  const insult = String((await firstMail(ann, 'sent'))?.data.name)
  t.deepEqual(await waiting(york), [true, [insult]])
  await done(york, '/api/report', { thing_id: insult, reason: 'rude', api_type: 'json' })
  t.deepEqual(await waiting(york), [false, []], 'hidden from who reported it')
  t.deepEqual(await waiting(xena), [true, [insult]])
})

test.serial(
  'a moderator who lost the permission mail or left can neither read nor reply to mail to moderators, and none is counted',
  async (t) => {
    const { site } = t.context
    const { una, vera, walt, yves } = await joining(site, 'una', 'vera', 'walt', 'yves')
    await found(una, 'office')
    for (const moderator of [vera, walt]) await appoint(una, 'office', moderator, '+access,+mail')
    await compose(yves, '#office', 'a request', 'to the office')
    const request = String((await firstMail(yves, 'sent'))?.data.name)
    const lamp = async (reader: Caller) => (await reader.get('/api/v1/me')).at('has_mod_mail')
    for (const moderator of [vera, walt]) t.true(await lamp(moderator))
    await compose(vera, 'yves', 'her own')
    const own = String((await firstMail(vera, 'sent'))?.data.name)
    const count = await unread(vera)

    await done(una, '/s/office/api/setpermissions', { type: 'moderator', name: 'vera', permissions: '+access' })
    await done(walt, '/api/leavemoderator', { id: String((await una.get('/s/office/about')).at('data.name')) })
    await compose(yves, '#office', 'a reminder', 'to the office')
    for (const moderator of [vera, walt]) {
      t.false(await lamp(moderator), moderator.name)
      const addresses = [
        '/s/office/about/message/inbox',
        '/s/office/about/message/unread',
        '/message/moderator',
        '/message/moderator/unread',
      ]
      for (const path of [...addresses, `/message/messages/${request.slice(3)}`, `/message/inbox?mid=${request.slice(3)}`])
        t.is((await moderator.get(path)).status, 403, `${moderator.name} ${path}`)
      for (const where of ['inbox', 'unread', 'messages', 'sent']) {
        const { text } = await moderator.get(`/message/${where}`)
        t.false(/a request|a reminder|to the office/.test(text), `${moderator.name} ${where}`)
      }
      t.true(
        await unchanged(site, async () => {
          for (const act of ['remove', 'approve', 'mute_message_author', 'unmute_message_author'])
            t.is((await moderator.post(`/api/${act}`, { id: request })).status, 403, `${moderator.name} ${act}`)
          t.is((await moderator.post('/api/comment', { thing_id: request, text: 'an answer' })).status, 403)
          const named = { to: 'yves', from_sr: 'office', subject: 's', text: 't', api_type: 'json' }
          t.is((await moderator.post('/api/compose', named)).status, 403)
          await moderator.post('/api/block', { id: request })
        }),
        moderator.name,
      )
    }
    t.true(await unchanged(site, () => done(walt, '/api/read_message', { id: request })), 'who left does not set the mark of the others')
    t.is(await unread(vera), count)
    t.true(names(await vera.get('/message/sent')).includes(own), 'what she sent is hers')
    t.is(names(await una.get('/s/office/about/message/unread')).filter((name) => name === request).length, 1)

    await done(una, '/s/office/api/setpermissions', { type: 'moderator', name: 'vera', permissions: '+mail' })
    t.true(await lamp(vera), 'with mail again')
    t.true(names(await vera.get('/message/moderator/unread')).includes(request))
  },
)

test.serial('moderators with the permission mail can remove and approve their mail, without a mod log entry', async (t) => {
  const { site, ann, root } = t.context
  const { olga, paul, quin } = await joining(site, 'olga', 'paul', 'quin')
  await found(ann, 'sorting')
  await appoint(ann, 'sorting', paul, '+mail')
  await appoint(ann, 'sorting', quin, '+posts')
  await compose(olga, '#sorting', 'an offer')
  const offer = String((await firstMail(olga, 'sent'))?.data.name)
  await done(ann, '/api/comment', { thing_id: offer, text: 'no thanks' })
  const answer = String((await firstMail(olga))?.data.name)
  t.true(
    await unchanged(site, async () => {
      for (const caller of [site, olga, quin]) t.is((await caller.post('/api/remove', { id: offer })).status, 403)
      const between = await firstMail(ann, 'sent')
      t.truthy(between)
    }),
  )
  const box = async (reader: Caller) =>
    names(await reader.get('/s/sorting/about/message/inbox')).filter((name) => name === offer || name === answer)
  t.deepEqual(await box(paul), [answer, offer])
  await done(paul, '/api/remove', { id: offer, spam: true })
  t.true(await unchanged(site, () => done(paul, '/api/remove', { id: offer })))
  t.deepEqual(await box(paul), [answer])
  t.true((await box(root)).includes(offer), 'admins see it')
  t.true(names(await olga.get('/message/sent')).includes(offer), 'so does its author')
  t.is((await paul.get(`/message/messages/${offer.slice(3)}`)).status, 403)
  await done(paul, '/api/remove', { id: answer })
  t.false(names(await olga.get('/message/inbox')).includes(answer), 'out of the inbox')
  await done(paul, '/api/approve', { id: answer })
  t.is(dataOf(await olga.get('/message/inbox')).find(({ name }) => name === answer)?.new, true, 'back, as unread as it was')
  await done(paul, '/api/approve', { id: offer })
  t.deepEqual(await box(paul), [answer, offer])
  const log = await paul.get('/s/sorting/about/log')
  t.false(dataOf(log).some(({ action }) => /approve|^remove(link|comment)/.test(String(action))))
  await compose(olga, 'paul', 'private')
  const secret = String((await firstMail(paul))?.data.name)
  for (const caller of [paul, ann, root]) t.is((await caller.post('/api/remove', { id: secret })).status, 403, 'a private message')
})

test.serial('collapsing mail to moderators collapses it for all of them', async (t) => {
  const { ann, bob, carol, site } = t.context
  await appoint(ann, 'tea', carol, '+flair')
  await compose(bob, '#tea', 'mail to fold')
  const id = String(dataOf(await ann.get('/message/moderator'))[0]?.name)
  await done(ann, '/api/read_message', { id })
  await done(carol, '/api/collapse_message', { id })
  t.is(await collapsed(ann, 'moderator', id), true)
  t.is(await collapsed(bob, 'sent', id), false)
  t.true(await unchanged(site, () => done(carol, '/api/del_msg', { id })), 'it is not to her')
  await done(carol, '/api/leavemoderator', { id: String((await ann.get('/s/tea/about')).at('data.name')) })
})

test.serial('moderators can mute the author of mail to them, who is notified in the conversation', async (t) => {
  const { site, ann, bob, carol } = t.context
  const ned = await site.register('ned')
  await compose(ned, '#tea', 'a complaint', 'to the moderators')
  const id = String((await firstMail(ned, 'sent'))?.data.name)
  const name = String((await ann.get('/s/tea/about')).at('data.name'))
  await compose(ann, 'ned', 'private')
  const personal = String((await firstMail(ned))?.data.name)
  await compose(ann, '#tea', 'from a moderator')
  const own = String((await firstMail(ann, 'sent'))?.data.name)
  await appoint(ann, 'tea', carol, '+mail')
  t.true(
    await unchanged(site, async () => {
      t.is((await bob.post('/api/mute_message_author', { id })).status, 403, 'a stranger')
      t.is((await carol.post('/api/mute_message_author', { id })).status, 403, 'without access')
      t.is((await ann.post('/api/mute_message_author', { id: personal })).status, 403, 'no mail to moderators')
      t.is((await ann.post('/api/mute_message_author', { id: own })).status, 403, 'by a moderator')
      await done(ann, '/api/mute_message_author', { id: 't6_zzzz' })
      await done(ann, '/api/mute_message_author', {})
      await done(ann, '/api/unmute_message_author', { id })
    }),
  )
  await done(carol, '/api/leavemoderator', { id: name })
  await done(ann, '/api/mute_message_author', { id })
  t.like(dataOf(await ann.get('/s/tea/about/log?limit=1'))[0], {
    action: 'muteuser',
    target_author: 'ned',
    description: `${site.url}/message/messages/${id.slice(3)}`,
  })
  t.true(await eventually(async () => (await firstMail(ned))?.data.first_message_name === id))
  t.like((await firstMail(ned))?.data, { subsite: 'tea', author: null })
  t.true(await unchanged(site, () => done(ann, '/api/mute_message_author', { id })), 'once')
  t.is(refusalOf(await ned.post('/api/compose', { to: '#tea', subject: 's', text: 't', api_type: 'json' })), 'USER_MUTED to')
  t.is(refusalOf(await ned.post('/api/comment', { thing_id: id, text: 't', api_type: 'json' })), 'USER_MUTED parent')
  t.is(refusalOf(await ann.post('/api/comment', { thing_id: id, text: 't', api_type: 'json' })), 'MUTED_FROM_SUBSITE parent')
  await done(ann, '/api/unmute_message_author', { id })
  t.like(dataOf(await ann.get('/s/tea/about/log?limit=1'))[0], { action: 'unmuteuser', target_author: 'ned' })
  t.is(refusalOf(await ned.post('/api/compose', { to: '#tea', subject: 's', text: 't', api_type: 'json' })), '')
})

const HOUR = 60 * 60 * 1000

test.serial('an author is muted for 72 hours, after which the service ends the mute', async (t) => {
  const { site, forward } = await startWithMovableClock({ logLevel: 'silent' })
  t.teardown(site.stop)
  const { ivy, olaf } = await joining(site, 'ivy', 'olaf')
  await found(ivy, 'tea')
  await compose(olaf, '#tea', 'a complaint')
  const id = String((await firstMail(olaf, 'sent'))?.data.name)
  await done(ivy, '/api/mute_message_author', { id })
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

test('a reply to mail is decided on the log itself, a comment on what is remembered of it', (t) => {
  const facts = endpoints.find(({ path }) => path === '/api/comment')?.facts
  const decidedOn = (thing_id: string) => (typeof facts === 'function' ? facts({ thing_id } as never) : facts)
  t.deepEqual(['t6_1', 't1_1', 't5_1'].map(decidedOn), ['current', 'recent', 'recent'])
})
