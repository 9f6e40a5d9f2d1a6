import anyTest, { type TestFn } from 'ava'
import { type Cast, startCast } from '../support/cast.ts'
import { appoint, children, dataOf, done, unchanged } from '../support/community.ts'
import { found, names, refusalOf, say, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'

type Four = Cast<'ann' | 'bob' | 'carol' | 'root'>
const test = anyTest as TestFn<Four>

test.before(async (t) => {
  const cast = await startCast(['ann', 'bob', 'carol', 'root'])
  await found(cast.ann, 'tea')
  t.context = cast
})
test.after.always((t) => t.context.site.stop())

const compose = (from: Caller, to: string, subject = 'a subject', text = 'a text') => done(from, '/api/compose', { to, subject, text })
const first = async (reader: Caller, where = 'inbox') => children(await reader.get(`/message/${where}`))[0]
const unread = async (reader: Caller) => (await reader.get('/api/v1/me')).at('inbox_count')

test.serial('a message reaches the inbox unread, and the sender keeps it', async (t) => {
  const { site } = t.context
  const [eve, fay] = [await site.register('eve'), await site.register('fay')]
  t.is((await eve.post('/api/compose', { to: 'FAY', subject: 'Hi', text: 'a *text*', api_type: 'json' })).text, '{"json":{"errors":[]}}')
  const received = await first(fay)
  t.is(received?.kind, 't6')
  t.like(received?.data, {
    author: 'eve',
    dest: 'fay',
    subject: 'Hi',
    body: 'a *text*',
    body_html: '&lt;div class="md"&gt;&lt;p&gt;a &lt;em&gt;text&lt;/em&gt;&lt;/p&gt;\n&lt;/div&gt;',
    subsite: null,
    new: true,
    was_comment: false,
    context: '',
    first_message: null,
    first_message_name: null,
    parent_id: null,
    replies: '',
    distinguished: null,
  })
  t.is(await unread(fay), 1)
  t.is((await fay.get('/api/v1/me')).at('has_mail'), true)
  const sent = await first(eve, 'sent')
  t.like(sent?.data, { name: received?.data.name, new: false })
  t.deepEqual(dataOf(await eve.get('/message/inbox')), [])
  t.is((await first(fay, 'unread'))?.data.name, received?.data.name)
  t.true(await unchanged(site, () => fay.get('/message/unread?mark=true')), 'reading marks nothing')
})

test.serial('composing reports the first thing wrong, and sends nothing', async (t) => {
  const { site, ann, bob } = t.context
  const good = { to: 'ann', subject: 's', text: 't' }
  const wrong: readonly (readonly [Record<string, string>, string])[] = [
    [{ ...good, to: '' }, 'NO_USER to'],
    [{ ...good, to: 'not a name' }, 'NO_USER to'],
    [{ ...good, to: '/u/ann' }, 'NO_USER to'],
    [{ ...good, to: 'nobody' }, 'USER_DOESNT_EXIST to'],
    [{ ...good, to: '#nowhere' }, 'SUBSITE_NOEXIST to'],
    [{ ...good, to: '/s/all' }, 'SUBSITE_NOEXIST to'],
    [{ ...good, to: '#no-name' }, 'SUBSITE_NOEXIST to'],
    [{ ...good, to: `#${'x'.repeat(10_000)}` }, 'SUBSITE_NOEXIST to'],
    [{ ...good, to: 'x'.repeat(10_000) }, 'USER_DOESNT_EXIST to'],
    [{ ...good, subject: '' }, 'NO_SUBJECT subject'],
    [{ ...good, subject: ' ' }, 'NO_SUBJECT subject'],
    [{ ...good, subject: 'x'.repeat(101) }, 'TOO_LONG subject'],
    [{ ...good, text: '' }, 'NO_TEXT text'],
    [{ ...good, text: ' \n ' }, 'NO_TEXT text'],
    [{ ...good, text: 'x'.repeat(10_001) }, 'TOO_LONG text'],
    [{ ...good, from_sr: 'nowhere' }, 'SUBSITE_NOEXIST from_sr'],
    [{ ...good, text: '', from_sr: 'nowhere' }, 'NO_TEXT text'],
    [{ ...good, to: '#tea', from_sr: 'tea' }, 'NO_SR_TO_SR_MESSAGE from'],
    [{ ...good, from_sr: 'tea' }, '403'],
    [{ to: 'nobody', subject: '', text: '' }, 'USER_DOESNT_EXIST to'],
  ]
  for (const [form, refusal] of wrong)
    t.true(
      await unchanged(site, async () => t.is(refusalOf(await bob.post('/api/compose', form)), refusal, JSON.stringify(form))),
      JSON.stringify(form),
    )
  t.true(
    await unchanged(site, async () => {
      t.is(refusalOf(await site.post('/api/compose', good)), 'USER_REQUIRED')
      t.is(refusalOf(await (await site.appOnly()).post('/api/compose', good)), 'USER_REQUIRED')
      t.is((await (await bob.withScopes('read', 'submit')).post('/api/compose', good)).status, 403)
      t.is((await site.post('/api/compose', good, { Cookie: (await bob.session()).cookie })).status, 403)
    }),
  )
  t.is(refusalOf(await ann.post('/api/compose', { ...good, to: 'bob', text: undefined, message: 'the older name' })), '')
})

test.serial('a message to oneself is there, and is never new', async (t) => {
  const { carol, site } = t.context
  const before = await unread(carol)
  await compose(carol, 'carol', 'note to self')
  const received = await first(carol)
  t.like(received?.data, { subject: 'note to self', new: false })
  t.is(await unread(carol), before)
  t.true(await unchanged(site, () => done(carol, '/api/unread_message', { id: String(received?.data.name) })))
})

test.serial('read and unread: only the own entries, at most 25, all of which exist', async (t) => {
  const { site, ann, bob, carol } = t.context
  const link = await submit(bob, 'tea')
  const comment = await say(ann, link, 'an answer')
  await compose(ann, 'bob', 'one')
  const message = String((await first(bob))?.data.name)
  const before = Number(await unread(bob))
  t.is((await bob.post('/api/read_message', { id: `${message},${comment}` })).text, '{}')
  t.is(await unread(bob), before - 2)
  t.true(await unchanged(site, () => done(bob, '/api/read_message', { id: `${message} ${comment}` })))
  t.is(dataOf(await bob.get('/message/inbox')).find(({ name }) => name === comment)?.new, false)
  await done(bob, '/api/unread_message', { id: message })
  t.is(await unread(bob), before - 1)
  t.true(
    await unchanged(site, async () => {
      t.is((await carol.post('/api/read_message', { id: message })).text, '{}', 'not in that inbox')
      t.is((await bob.post('/api/read_message')).status, 400)
      t.is((await bob.post('/api/read_message', { id: 'nonsense t5_1' })).status, 400)
      t.is((await bob.post('/api/read_message', { id: `${message},t6_zzzz` })).status, 400)
      t.is((await bob.post('/api/read_message', { id: Array.from({ length: 26 }, (_, n) => `t6_${n + 10}`).join(',') })).status, 413)
      t.is(refusalOf(await site.post('/api/read_message', { id: message })), 'USER_REQUIRED')
      t.is((await (await bob.withScopes('read')).post('/api/read_message', { id: message })).status, 403)
    }),
  )
  t.is(await unread(bob), before - 1)
})

test.serial('comments that concern one stand in the inbox, each in its compartment', async (t) => {
  const { site, ann } = t.context
  const gil = await site.register('gil')
  const link = await submit(gil, 'tea', { title: 'My Post' })
  const answer = await say(ann, link, 'to the post')
  const own = await say(gil, answer, 'to the answer')
  const nested = await say(ann, own, 'to the comment')
  const elsewhere = await say(ann, await submit(ann, 'tea'), 'I asked /u/gil about it')
  await compose(ann, 'gil', 'hello')
  const message = String((await first(gil))?.data.name)
  t.deepEqual(names(await gil.get('/message/inbox')), [message, elsewhere, nested, answer])
  t.deepEqual(names(await gil.get('/message/messages')), [message])
  t.deepEqual(names(await gil.get('/message/comments')), [nested])
  t.deepEqual(names(await gil.get('/message/selfreply')), [answer])
  t.deepEqual(names(await gil.get('/message/mentions')), [elsewhere])
  t.is((await gil.get('/message/nowhere')).status, 404)
  const [, , , reply] = children(await gil.get('/message/inbox'))
  t.is(reply?.kind, 't1')
  t.like(reply?.data, {
    name: answer,
    author: 'ann',
    dest: 'gil',
    subject: 'post reply',
    body: 'to the post',
    subsite: 'tea',
    new: true,
    was_comment: true,
    context: `/s/tea/comments/${link.slice(3)}/my_post/${answer.slice(3)}/?context=3`,
    parent_id: link,
    link_title: 'My Post',
    likes: null,
    replies: '',
  })
  const subjects = dataOf(await gil.get('/message/inbox')).map(({ subject }) => subject)
  t.deepEqual(subjects, ['hello', 'username mention', 'comment reply', 'post reply'])
  const walked: string[] = []
  let after: unknown = ''
  do {
    const page: Awaited<ReturnType<Caller['get']>> = await gil.get(`/message/inbox?limit=1&after=${after}`)
    walked.push(...names(page))
    after = page.at('data.after')
  } while (after !== null)
  t.deepEqual(walked, [message, elsewhere, nested, answer])
  t.deepEqual(names(await gil.get(`/message/inbox?limit=2&before=${answer}`)), [elsewhere, nested])
  t.deepEqual(names(await gil.get('/message/unread')), walked)
  await done(gil, '/api/read_message', { id: `${nested},${message}` })
  t.deepEqual(names(await gil.get('/message/unread')), [elsewhere, answer])
})

test.serial('the inbox is for its owner', async (t) => {
  const { site, bob } = t.context
  for (const where of ['inbox', 'unread', 'sent', 'messages']) {
    t.is((await site.get(`/message/${where}`)).at('reason'), 'USER_REQUIRED', where)
    t.is((await (await site.appOnly()).get(`/message/${where}`)).status, 403, where)
    t.is((await (await bob.withScopes('read')).get(`/message/${where}`)).status, 403, where)
  }
})

test.serial('replies: to the author, the subject with one prefix, the conversation as one', async (t) => {
  const { site, ann, root } = t.context
  const [hal, ida, joe] = [await site.register('hal'), await site.register('ida'), await site.register('joe')]
  await compose(hal, 'ida', 'Question', 'first')
  const start = String((await first(ida))?.data.name)
  const answered = await ida.post('/api/comment', { thing_id: start, text: 'second', api_type: 'json' })
  t.is(answered.at('json.data.things.0.kind'), 't6')
  const second = String(answered.at('json.data.things.0.data.name'))
  t.like(answered.at('json.data.things.0.data'), {
    author: 'ida',
    dest: 'hal',
    subject: 're: Question',
    parent_id: start,
    first_message_name: start,
    first_message: Number.parseInt(start.slice(3), 36),
    new: false,
  })
  t.like((await first(hal))?.data, { name: second, new: true, body: 'second' })
  const third = String((await done(hal, '/api/comment', { parent: second, text: 'third' })).at('json.data.things.0.data.name'))
  t.is((await first(ida))?.data.subject, 're: Question')
  for (const reader of [hal, ida, root]) {
    const thread = await reader.get(`/message/messages/${second.slice(3)}`)
    t.deepEqual(names(thread), [start])
    t.deepEqual(names(thread, 'data.children.0.data.replies.data.children'), [second, third])
  }
  t.deepEqual(names(await ida.get(`/message/inbox?mid=${third.slice(3)}`)), [start])
  t.true(
    await unchanged(site, async () => {
      t.is((await joe.get(`/message/messages/${start.slice(3)}`)).status, 403)
      t.is((await joe.get(`/message/inbox?mid=${start.slice(3)}`)).status, 403)
      t.is((await joe.get('/message/messages/zzzz')).status, 404)
      t.is((await joe.get('/message/inbox?mid=zzzz')).status, 200)
      t.is((await joe.post('/api/comment', { thing_id: start, text: 'let me in' })).status, 403)
      t.is(
        (await joe.post('/api/comment', { thing_id: start, text: '' })).status,
        403,
        'what is not for one’s eyes comes before what is wrong with the text',
      )
      t.is((await joe.post('/api/comment', { thing_id: 't6_zzzz', text: 'x' })).status, 403)
      t.is(refusalOf(await ida.post('/api/comment', { thing_id: start, text: '' })), 'NO_TEXT text')
      t.is(refusalOf(await ida.post('/api/comment', { thing_id: start, text: 'x'.repeat(10_001) })), 'TOO_LONG text')
      t.is((await (await ida.withScopes('submit')).post('/api/comment', { thing_id: start, text: 'x' })).status, 403)
    }),
  )
  t.is((await (await ann.withScopes('privatemessages')).get('/message/inbox')).status, 200)
})

test.serial('mail to moderators is shared by those with mail, and answered in the name of the subsite', async (t) => {
  const { site, ann } = t.context
  const [kim, lou, max] = [await site.register('kim'), await site.register('lou'), await site.register('max')]
  await found(ann, 'mail')
  await appoint(ann, 'mail', lou, '+mail')
  await appoint(ann, 'mail', max, '+posts')
  for (const to of ['/s/mail', '#mail']) await compose(kim, to, `to ${to}`)
  const sent = await first(kim, 'sent')
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
  t.like((await first(kim))?.data, { author: 'lou', subsite: 'mail', distinguished: 'moderator', subject: 're: to #mail', new: true })
  await done(lou, '/api/compose', { to: 'kim', from_sr: '/s/mail', subject: 'a notice', text: 'from all of us' })
  const notice = (await first(kim))?.data
  t.like(notice, { author: null, subsite: 'mail', subject: 'a notice', dest: 'kim', distinguished: 'moderator' })
  t.is((await first(lou, 'sent'))?.data.author, 'lou')
  t.is(dataOf(await ann.get('/message/moderator'))[0]?.author, 'lou', 'its moderators see by whom')
  await done(kim, '/api/comment', { thing_id: String(notice?.name), text: 'thanks' })
  t.like(dataOf(await ann.get('/message/moderator'))[0], { author: 'kim', dest: '#mail', subject: 're: a notice' })
})

test.serial('mail to moderators is unread until one of them reads it; it lights a lamp meanwhile', async (t) => {
  const { site, ann } = t.context
  const [tess, uma, vic] = [await site.register('tess'), await site.register('uma'), await site.register('vic')]
  await found(uma, 'desk')
  await appoint(uma, 'desk', tess, '+mail')
  await appoint(uma, 'desk', vic, '+posts')
  const lamp = async (reader: Caller) => (await reader.get('/api/v1/me')).at('has_mod_mail')
  const waiting = async (reader: Caller) => names(await reader.get('/s/desk/about/message/unread'))
  await done(uma, '/api/read_message', { id: (await waiting(uma)).join(',') })
  t.deepEqual([await lamp(uma), await lamp(tess), await waiting(tess)], [false, false, []])
  await compose(ann, '#desk', 'a question')
  const question = String((await first(ann, 'sent'))?.data.name)
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
  const answer = String((await first(tess, 'sent'))?.data.name)
  t.deepEqual([await waiting(tess), await waiting(uma)], [[], [answer]])
  t.is(dataOf(await ann.get('/message/unread'))[0]?.name, answer, 'its recipient has a mark of her own')
  await done(uma, '/api/read_message', { id: answer })
  t.is(dataOf(await ann.get('/message/unread'))[0]?.name, answer)
  await done(uma, '/s/desk/api/friend', { type: 'contributor', name: 'ann' })
  t.deepEqual([await lamp(tess), await waiting(tess)], [false, []], 'what tells somebody of an act is no news')
  for (const reader of [ann, vic]) t.is((await reader.get('/s/desk/about/message/unread')).status, 403)
})

test.serial('an inbox is paged from what one may see; what is unknown is the first page', async (t) => {
  const { site, ann } = t.context
  const [wes, xia] = [await site.register('wes'), await site.register('xia')]
  for (const subject of ['one', 'two', 'three']) await compose(ann, 'wes', subject)
  await compose(ann, 'xia', 'not for wes')
  const [three, two, one] = names(await wes.get('/message/inbox'))
  const after = (name: unknown, where = 'inbox') => wes.get(`/message/${where}?after=${name}`)
  t.deepEqual(names(await after(three)), [two, one])
  for (const unknown of ['t6_zzzz', 't1_zzzz', 't5_1', 'nonsense']) t.deepEqual(names(await after(unknown)), [three, two, one], unknown)
  const foreign = String((await first(xia))?.data.name)
  for (const where of ['inbox', 'unread', 'sent']) t.is((await after(foreign, where)).status, 403, where)
  await found(ann, 'shut', { type: 'private' })
  const hidden = await say(ann, await submit(ann, 'shut'))
  t.is((await after(hidden)).status, 403)
})

test.serial('an inbox shows no comment of a subsite that one may no longer view', async (t) => {
  const { site, ann } = t.context
  const nia = await site.register('nia')
  const sr = await found(ann, 'closing')
  const link = await submit(nia, 'closing')
  const answer = await say(ann, link)
  t.deepEqual(names(await nia.get('/message/inbox')), [answer])
  const told = async () => [(await nia.get('/api/v1/me')).at('inbox_count'), (await nia.get('/api/v1/me')).at('has_mail')]
  t.deepEqual(await told(), [1, true])
  await done(ann, '/api/site_admin', { sr, type: 'private' })
  t.deepEqual(names(await nia.get('/message/inbox')), [])
  t.deepEqual(await told(), [0, false], 'nor is it counted')
  await done(ann, '/s/closing/api/friend', { type: 'contributor', name: 'nia' })
  t.true(names(await nia.get('/message/inbox')).includes(answer))
})

test.serial('moderators with mail remove and approve their mail, without an entry in the log', async (t) => {
  const { site, ann, root } = t.context
  const [olga, paul, quin] = [await site.register('olga'), await site.register('paul'), await site.register('quin')]
  await found(ann, 'sorting')
  await appoint(ann, 'sorting', paul, '+mail')
  await appoint(ann, 'sorting', quin, '+posts')
  await compose(olga, '#sorting', 'an offer')
  const offer = String((await first(olga, 'sent'))?.data.name)
  await done(ann, '/api/comment', { thing_id: offer, text: 'no thanks' })
  const answer = String((await first(olga))?.data.name)
  t.true(
    await unchanged(site, async () => {
      for (const caller of [site, olga, quin]) t.is((await caller.post('/api/remove', { id: offer })).status, 403)
      const between = await first(ann, 'sent')
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
  const secret = String((await first(paul))?.data.name)
  for (const caller of [paul, ann, root]) t.is((await caller.post('/api/remove', { id: secret })).status, 403, 'a private message')
})

test.serial('everything is read at once: what came before, and only once in a while', async (t) => {
  const { site, ann } = t.context
  const [rita, sven] = [await site.register('rita'), await site.register('sven')]
  t.is((await rita.post('/api/read_all_messages')).status, 202, 'an empty inbox')
  for (let n = 0; n < 5; n += 1) await compose(sven, 'rita', `message ${n}`)
  const link = await submit(rita, 'tea')
  await say(ann, link, 'an answer')
  t.is(await unread(rita), 6)
  const answer = await rita.post('/api/read_all_messages')
  t.is(answer.status, 202)
  t.is(answer.text, '')
  t.is(answer.headers.get('content-length'), '0')
  t.is(await unread(rita), 0)
  t.deepEqual(names(await rita.get('/message/unread')), [])
  t.is(names(await rita.get('/message/inbox')).length, 6)
  await compose(sven, 'rita', 'later')
  t.is(await unread(rita), 1)
  t.true(await unchanged(site, async () => t.is((await rita.post('/api/read_all_messages')).status, 429)))
  t.is(await unread(rita), 1)
  t.is(refusalOf(await site.post('/api/read_all_messages')), 'USER_REQUIRED')
  t.is((await (await rita.withScopes('read')).post('/api/read_all_messages')).status, 403)
})
