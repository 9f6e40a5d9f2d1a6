import { type Cast, joinSite, startTea } from '../support/cast.ts'
import { appoint, dataOf, postForm, recordsNothing } from '../support/community.ts'
import { compose, countUnread, firstMail, isShownCollapsed } from '../support/mail.ts'
import { foundSubsite, names, refusalOf } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

type Four = Cast<'ann' | 'bob' | 'carol' | 'root'>
const test = testOn(() => startTea(['carol', 'root']))

test.serial('a banned account can write to the moderators, whose messages to themselves are marked as by a moderator', async (t) => {
  const { ann, bob, carol } = t.context
  await foundSubsite(ann, 'office0')
  await appoint(ann, 'office0', carol, '+access,+posts')
  await postForm(ann, '/s/office0/api/friend', { type: 'banned', name: 'bob' })
  await compose(bob, '/s/office0', 'let me back in')
  t.like(dataOf(await ann.get('/message/moderator'))[0], { author: 'bob', distinguished: null })
  await compose(carol, '#office0', 'what do we say?')
  t.like(dataOf(await ann.get('/message/moderator'))[0], { author: 'carol', distinguished: 'moderator', dest: '#office0' })
  t.is((await carol.post('/api/compose', { to: 'bob', subject: 's', text: 't', from_sr: 'office0' })).status, 403, 'without mail')
  t.is(refusalOf(await ann.post('/api/compose', { to: 'bob', subject: 'x'.repeat(100), text: 't', from_sr: 's/office0' })), '')
})

let offices = 0
/** A new subsite, to whose moderators ann writes: lou, who founded it, kim with the permission mail and max without. */
const office = async ({ site, ann }: Four) => {
  const name = `office_${offices++}`
  const [lou, kim, max] = await Promise.all([site.register(`lou_${name}`), site.register(`kim_${name}`), site.register(`max_${name}`)])
  await foundSubsite(lou, name)
  await appoint(lou, name, kim, '+mail')
  await appoint(lou, name, max, '+posts')
  await postForm(lou, '/api/read_message', { id: names(await lou.get(`/s/${name}/about/message/unread`)).join(',') })
  const ask = async (to = `#${name}`, subject = 'a question') => {
    await compose(ann, to, subject)
    return String((await firstMail(ann, 'sent'))?.data.name)
  }
  const waiting = async (reader: Caller) => [
    (await reader.get('/api/v1/me')).at('has_mod_mail'),
    names(await reader.get(`/s/${name}/about/message/unread`)),
  ]
  return { name, lou, kim, max, ask, waiting }
}

test.serial('mail to moderators is shared by those with the permission mail, outside their own inboxes', async (t) => {
  const { ann, bob } = t.context
  const { name, lou, kim, max, ask } = await office(t.context)
  await ask(`/s/${name}`, 'to the subsite')
  const question = await ask(`#${name}`, 'to the moderators')
  t.like((await firstMail(ann, 'sent'))?.data, { dest: `#${name}`, subsite: name, subject: 'to the moderators', author: 'ann' })
  const box = async (reader: Caller, path: string) => dataOf(await reader.get(path)).map(({ subject }) => subject)
  for (const reader of [lou, kim]) {
    for (const path of [
      `/s/${name}/about/message/inbox`,
      `/s/${name}/about/message/moderator`,
      `/s/${name}/message/moderator`,
      '/message/moderator',
    ])
      t.deepEqual((await box(reader, path)).slice(0, 2), ['to the moderators', 'to the subsite'], path)
    t.false((await box(reader, '/message/inbox')).includes('to the moderators'))
  }
  t.deepEqual((await box(lou, `/s/${name}/message/moderator/unread`)).slice(0, 2), ['to the moderators', 'to the subsite'])
  for (const reader of [ann, max])
    for (const path of ['about/message/inbox', 'about/message/moderator', 'message/moderator'])
      t.is((await reader.get(`/s/${name}/${path}`)).status, 403)
  for (const reader of [bob, max]) t.is((await reader.get('/message/moderator')).status, 403)
  t.is((await max.post('/api/comment', { thing_id: question, text: 'no mail' })).status, 403)
})

test.serial('a moderator replies to mail by name, with the mark of a moderator', async (t) => {
  const { ann } = t.context
  const { name, kim, ask } = await office(t.context)
  await postForm(kim, '/api/comment', { thing_id: await ask(), text: 'an answer' })
  t.like((await firstMail(ann))?.data, {
    ...{ author: kim.name, subsite: name, distinguished: 'moderator', subject: 're: a question', new: true },
  })
})

test.serial('a message in the name of a subsite names its writer to the moderators only, who get the reply', async (t) => {
  const { ann } = t.context
  const { name, lou, kim } = await office(t.context)
  await postForm(kim, '/api/compose', { to: 'ann', from_sr: `/s/${name}`, subject: 'a notice', text: 'from all of us' })
  const notice = (await firstMail(ann))?.data
  t.like(notice, { author: null, subsite: name, subject: 'a notice', dest: 'ann', distinguished: 'moderator' })
  t.is((await firstMail(kim, 'sent'))?.data.author, kim.name)
  t.is(dataOf(await lou.get('/message/moderator'))[0]?.author, kim.name)
  await postForm(ann, '/api/comment', { thing_id: String(notice?.name), text: 'thanks' })
  t.like(dataOf(await lou.get('/message/moderator'))[0], { author: 'ann', dest: `#${name}`, subject: 're: a notice' })
})

test.serial('new mail to moderators is unread for those with the permission mail', async (t) => {
  const { ann } = t.context
  const { name, lou, kim, max, ask, waiting } = await office(t.context)
  t.deepEqual([await waiting(lou), await waiting(kim)], Array(2).fill([false, []]))
  const question = await ask()
  t.deepEqual([await waiting(lou), await waiting(kim)], Array(2).fill([true, [question]]))
  t.is((await max.get('/api/v1/me')).at('has_mod_mail'), false)
  t.deepEqual(names(await kim.get('/message/moderator/unread')), [question])
  t.is(dataOf(await kim.get('/message/moderator'))[0]?.new, true)
  for (const reader of [ann, max]) t.is((await reader.get(`/s/${name}/about/message/unread`)).status, 403)
})

test.serial('mail to moderators is read or unread for all of them at once, whichever moderator marks it', async (t) => {
  const { site, ann } = t.context
  const { lou, kim, max, ask, waiting } = await office(t.context)
  const question = await ask()
  t.true(await recordsNothing(site, () => postForm(ann, '/api/read_message', { id: question })), 'only for its moderators')
  await postForm(max, '/api/read_message', { id: question })
  t.deepEqual([await waiting(lou), await waiting(kim)], Array(2).fill([false, []]))
  t.true(await recordsNothing(site, () => postForm(lou, '/api/read_message', { id: question })))
  await postForm(kim, '/api/unread_message', { id: question })
  t.deepEqual(await waiting(lou), [true, [question]])
})

test.serial('an answer by a moderator is unread for the other moderators, and for its recipient by a mark of its own', async (t) => {
  const { ann } = t.context
  const { lou, kim, ask, waiting } = await office(t.context)
  const question = await ask()
  await postForm(lou, '/api/read_message', { id: question })
  await postForm(kim, '/api/comment', { thing_id: question, text: 'an answer' })
  const answer = String((await firstMail(kim, 'sent'))?.data.name)
  t.deepEqual(
    [await waiting(kim), await waiting(lou)],
    [
      [false, []],
      [true, [answer]],
    ],
  )
  t.is(dataOf(await ann.get('/message/unread'))[0]?.name, answer)
  await postForm(lou, '/api/read_message', { id: answer })
  t.is(dataOf(await ann.get('/message/unread'))[0]?.name, answer)
})

test.serial('what tells an account of an act of moderators is not unread mail to them', async (t) => {
  const { name, lou, kim, waiting } = await office(t.context)
  await postForm(lou, `/s/${name}/api/friend`, { type: 'contributor', name: 'ann' })
  t.deepEqual(await waiting(kim), [false, []])
})

test.serial('a message that a moderator reported or deleted from the inbox still counts in the mail of the moderators', async (t) => {
  const { ann, site } = t.context
  const { xena, york } = await joinSite(site, 'xena', 'york')
  await foundSubsite(xena, 'counter')
  const waiting = async (reader: Caller) => [
    (await reader.get('/api/v1/me')).at('has_mod_mail'),
    names(await reader.get('/s/counter/about/message/unread')),
  ]
  await compose(xena, 'york', 'an offer')
  await postForm(xena, '/api/compose', { to: 'york', subject: 'of the counter', text: 'a text', from_sr: 'counter' })
  const offer = String((await firstMail(york))?.data.name)
  await postForm(york, '/api/del_msg', { id: offer })
  await appoint(xena, 'counter', york, '+mail')
  for (const reader of [xena, york])
    await postForm(reader, '/api/read_message', { id: names(await reader.get('/message/moderator')).join(',') })
  await postForm(xena, '/api/unread_message', { id: offer })
  t.deepEqual(await waiting(york), [true, [offer]], 'the copy of the moderators stays')
  await postForm(york, '/api/read_message', { id: offer })
  t.deepEqual(await waiting(york), [false, []])

  await compose(ann, '#counter', 'an insult')
  const insult = String((await firstMail(ann, 'sent'))?.data.name)
  t.deepEqual(await waiting(york), [true, [insult]])
  await postForm(york, '/api/report', { thing_id: insult, reason: 'rude', api_type: 'json' })
  t.deepEqual(await waiting(york), [false, []], 'hidden from who reported it')
  t.deepEqual(await waiting(xena), [true, [insult]])
})

let bureaus = 0
/** Mail that two moderators can read, until one loses the permission mail and the other leaves. */
const bureau = async ({ site }: Four) => {
  const name = `bureau${bureaus++}`
  const [founder, loser, leaver, sender] = await Promise.all([
    site.register(`una_${name}`),
    site.register(`vera_${name}`),
    site.register(`walt_${name}`),
    site.register(`yves_${name}`),
  ])
  await foundSubsite(founder, name)
  for (const moderator of [loser, leaver]) await appoint(founder, name, moderator, '+access,+mail')
  await compose(sender, `#${name}`, 'a request', 'to the office')
  const request = String((await firstMail(sender, 'sent'))?.data.name)
  const permit = (permissions: string) =>
    postForm(founder, `/s/${name}/api/setpermissions`, { type: 'moderator', name: loser.name, permissions })
  const lose = async () => {
    await permit('+access')
    await postForm(leaver, '/api/leavemoderator', { id: String((await founder.get(`/s/${name}/about`)).at('data.name')) })
    await compose(sender, `#${name}`, 'a reminder', 'to the office')
  }
  return { name, founder, loser, leaver, sender, request, permit, lose }
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
  const { name, founder, loser, leaver, sender, request, lose } = await bureau(t.context)
  await lose()
  for (const moderator of [loser, leaver])
    t.true(
      await recordsNothing(site, async () => {
        for (const act of ['remove', 'approve', 'mute_message_author', 'unmute_message_author'])
          t.is((await moderator.post(`/api/${act}`, { id: request })).status, 403, `${moderator.name} ${act}`)
        t.is((await moderator.post('/api/comment', { thing_id: request, text: 'an answer' })).status, 403)
        const named = { to: sender.name, from_sr: name, subject: 's', text: 't', api_type: 'json' }
        t.is((await moderator.post('/api/compose', named)).status, 403)
        await moderator.post('/api/block', { id: request })
      }),
      moderator.name,
    )
  t.true(await recordsNothing(site, () => postForm(leaver, '/api/read_message', { id: request })), 'the mark that moderators share stays')
  t.is(names(await founder.get(`/s/${name}/about/message/unread`)).filter((id) => id === request).length, 1)
})

test.serial('mail to moderators is counted and listed as theirs only while they have the permission mail', async (t) => {
  const { loser, leaver, sender, request, permit, lose } = await bureau(t.context)
  const lamp = async (reader: Caller) => (await reader.get('/api/v1/me')).at('has_mod_mail')
  await compose(loser, sender.name, 'her own')
  const own = String((await firstMail(loser, 'sent'))?.data.name)
  const count = await countUnread(loser)
  t.deepEqual([await lamp(loser), await lamp(leaver)], [true, true])
  await lose()
  t.deepEqual([await lamp(loser), await lamp(leaver)], [false, false])
  t.is(await countUnread(loser), count)
  t.true(names(await loser.get('/message/sent')).includes(own), 'what she sent is hers')
  await permit('+mail')
  t.true(await lamp(loser), 'with mail again')
  t.true(names(await loser.get('/message/moderator/unread')).includes(request))
})

test.serial('collapsing mail to moderators collapses it for all of them', async (t) => {
  const { ann, bob, carol, site } = t.context
  await appoint(ann, 'tea', carol, '+flair')
  await compose(bob, '#tea', 'mail to fold')
  const id = String(dataOf(await ann.get('/message/moderator'))[0]?.name)
  await postForm(ann, '/api/read_message', { id })
  await postForm(carol, '/api/collapse_message', { id })
  t.is(await isShownCollapsed(ann, 'moderator', id), true)
  t.is(await isShownCollapsed(bob, 'sent', id), false)
  t.true(await recordsNothing(site, () => postForm(carol, '/api/del_msg', { id })), 'it is not to her')
  await postForm(carol, '/api/leavemoderator', { id: String((await ann.get('/s/tea/about')).at('data.name')) })
})
