import { type Cast, joining, startTea } from '../support/cast.ts'
import { appoint, dataOf, done, unchanged } from '../support/community.ts'
import { collapsed, compose, firstMail, unread } from '../support/mail.ts'
import { found, names, refusalOf } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

type Four = Cast<'ann' | 'bob' | 'carol' | 'root'>
const test = testOn(() => startTea(['carol', 'root']))

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

let bureaus = 0
/** Mail that two moderators can read, until one loses the permission mail and the other leaves. */
const bureau = async ({ site }: Four) => {
  const name = `bureau${bureaus++}`
  const [founder, loser, leaver, asker] = await Promise.all([
    site.register(`una_${name}`),
    site.register(`vera_${name}`),
    site.register(`walt_${name}`),
    site.register(`yves_${name}`),
  ])
  await found(founder, name)
  for (const moderator of [loser, leaver]) await appoint(founder, name, moderator, '+access,+mail')
  await compose(asker, `#${name}`, 'a request', 'to the office')
  const request = String((await firstMail(asker, 'sent'))?.data.name)
  const permit = (permissions: string) =>
    done(founder, `/s/${name}/api/setpermissions`, { type: 'moderator', name: loser.name, permissions })
  const lose = async () => {
    await permit('+access')
    await done(leaver, '/api/leavemoderator', { id: String((await founder.get(`/s/${name}/about`)).at('data.name')) })
    await compose(asker, `#${name}`, 'a reminder', 'to the office')
  }
  return { name, founder, loser, leaver, asker, request, permit, lose }
}

test.serial('a moderator who lost the permission mail or left can no longer read mail to moderators', async (t) => {
  const { name, loser, leaver, request, lose } = await bureau(t.context)
  await lose()
  for (const moderator of [loser, leaver]) {
    const boxes = [`/s/${name}/about/message/inbox`, `/s/${name}/about/message/unread`, '/message/moderator', '/message/moderator/unread']
    for (const path of [...boxes, `/message/messages/${request.slice(3)}`, `/message/inbox?mid=${request.slice(3)}`])
      t.is((await moderator.get(path)).status, 403, `${moderator.name} ${path}`)
    for (const where of ['inbox', 'unread', 'messages', 'sent']) {
      const { text } = await moderator.get(`/message/${where}`)
      t.false(/a request|a reminder|to the office/.test(text), `${moderator.name} ${where}`)
    }
  }
})

test.serial('a moderator who lost the permission mail or left can neither reply to mail to moderators nor act on it', async (t) => {
  const { site } = t.context
  const { name, founder, loser, leaver, asker, request, lose } = await bureau(t.context)
  await lose()
  for (const moderator of [loser, leaver])
    t.true(
      await unchanged(site, async () => {
        for (const act of ['remove', 'approve', 'mute_message_author', 'unmute_message_author'])
          t.is((await moderator.post(`/api/${act}`, { id: request })).status, 403, `${moderator.name} ${act}`)
        t.is((await moderator.post('/api/comment', { thing_id: request, text: 'an answer' })).status, 403)
        const named = { to: asker.name, from_sr: name, subject: 's', text: 't', api_type: 'json' }
        t.is((await moderator.post('/api/compose', named)).status, 403)
        await moderator.post('/api/block', { id: request })
      }),
      moderator.name,
    )
  t.true(await unchanged(site, () => done(leaver, '/api/read_message', { id: request })), 'the mark that moderators share stays')
  t.is(names(await founder.get(`/s/${name}/about/message/unread`)).filter((id) => id === request).length, 1)
})

test.serial('mail to moderators is counted and listed as theirs only while they have the permission mail', async (t) => {
  const { loser, leaver, asker, request, permit, lose } = await bureau(t.context)
  const lamp = async (reader: Caller) => (await reader.get('/api/v1/me')).at('has_mod_mail')
  await compose(loser, asker.name, 'her own')
  const own = String((await firstMail(loser, 'sent'))?.data.name)
  const count = await unread(loser)
  t.deepEqual([await lamp(loser), await lamp(leaver)], [true, true])
  await lose()
  t.deepEqual([await lamp(loser), await lamp(leaver)], [false, false])
  t.is(await unread(loser), count)
  t.true(names(await loser.get('/message/sent')).includes(own), 'what she sent is hers')
  await permit('+mail')
  t.true(await lamp(loser), 'with mail again')
  t.true(names(await loser.get('/message/moderator/unread')).includes(request))
})

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
