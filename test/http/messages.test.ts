import { type Cast, joinSite, newcomer, startTea } from '../support/cast.ts'
import { childrenOf, dataOf, postForm, recordsNothing } from '../support/community.ts'
import { compose, countUnread, firstMail } from '../support/mail.ts'
import { names, refusalOf, say, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startTea(['carol', 'root']))

test.serial('a message is unread in the inbox of its recipient and listed among those its sender sent', async (t) => {
  const { site } = t.context
  const { eve, fay } = await joinSite(site, 'eve', 'fay')
  t.is((await eve.post('/api/compose', { to: 'FAY', subject: 'Hi', text: 'a *text*', api_type: 'json' })).text, '{"json":{"errors":[]}}')
  const received = await firstMail(fay)
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
  t.is(await countUnread(fay), 1)
  t.is((await fay.get('/api/v1/me')).at('has_mail'), true)
  const sent = await firstMail(eve, 'sent')
  t.like(sent?.data, { name: received?.data.name, new: false })
  t.deepEqual(dataOf(await eve.get('/message/inbox')), [])
  t.is((await firstMail(fay, 'unread'))?.data.name, received?.data.name)
  t.true(await recordsNothing(site, () => fay.get('/message/unread?mark=true')), 'reading marks nothing')
})

test.serial('an invalid message is refused with its first problem, and not sent', async (t) => {
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
    [{ ...good, subject: '\u200e\u3164' }, 'NO_SUBJECT subject'],
    [{ ...good, subject: 'a\0b' }, 'BAD_STRING subject'],
    [{ ...good, text: '\u200b\u2800' }, 'NO_TEXT text'],
    [{ ...good, text: '&#8203;' }, 'NO_TEXT text'],
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
      await recordsNothing(site, async () => t.is(refusalOf(await bob.post('/api/compose', form)), refusal, JSON.stringify(form))),
      JSON.stringify(form),
    )
  t.true(
    await recordsNothing(site, async () => {
      t.is(refusalOf(await site.post('/api/compose', good)), 'USER_REQUIRED')
      t.is(refusalOf(await (await site.appOnly()).post('/api/compose', good)), 'USER_REQUIRED')
      t.is((await (await bob.withScopes('read', 'submit')).post('/api/compose', good)).status, 403)
      t.is((await site.post('/api/compose', good, { Cookie: (await bob.session()).cookie })).status, 403)
    }),
  )
  t.is(refusalOf(await ann.post('/api/compose', { ...good, to: 'bob', text: undefined, message: 'the older name' })), '')
})

test.serial('a message to oneself is in the inbox and never unread', async (t) => {
  const { carol, site } = t.context
  const before = await countUnread(carol)
  await compose(carol, 'carol', 'note to self')
  const received = await firstMail(carol)
  t.like(received?.data, { subject: 'note to self', new: false })
  t.is(await countUnread(carol), before)
  t.true(await recordsNothing(site, () => postForm(carol, '/api/unread_message', { id: String(received?.data.name) })))
})

test.serial('a reply goes to the author, has one prefix in its subject and is shown with its conversation', async (t) => {
  const { site, root } = t.context
  const { hal, ida } = await joinSite(site, 'hal', 'ida')
  await compose(hal, 'ida', 'Question', 'first')
  const start = String((await firstMail(ida))?.data.name)
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
  t.like((await firstMail(hal))?.data, { name: second, new: true, body: 'second' })
  const third = String((await postForm(hal, '/api/comment', { parent: second, text: 'third' })).at('json.data.things.0.data.name'))
  t.is((await firstMail(ida))?.data.subject, 're: Question')
  for (const reader of [hal, ida, root]) {
    const thread = await reader.get(`/message/messages/${second.slice(3)}`)
    t.deepEqual(names(thread), [start])
    t.deepEqual(names(thread, 'data.children.0.data.replies.data.children'), [second, third])
  }
  t.deepEqual(names(await ida.get(`/message/inbox?mid=${third.slice(3)}`)), [start])
})

test.serial('a conversation can be read and replied to by its participants only', async (t) => {
  const { site } = t.context
  const { jan, kay, joe } = await joinSite(site, 'jan', 'kay', 'joe')
  await compose(jan, 'kay', 'Question', 'first')
  const start = String((await firstMail(kay))?.data.name)
  t.is((await kay.get(`/message/messages/${start.slice(3)}`)).status, 200)
  t.true(
    await recordsNothing(site, async () => {
      t.is((await joe.get(`/message/messages/${start.slice(3)}`)).status, 403)
      t.is((await joe.get(`/message/inbox?mid=${start.slice(3)}`)).status, 403)
      t.is((await joe.get('/message/messages/zzzz')).status, 404)
      t.is((await joe.get('/message/inbox?mid=zzzz')).status, 200)
      t.is((await joe.post('/api/comment', { thing_id: start, text: 'let me in' })).status, 403)
      t.is((await joe.post('/api/comment', { thing_id: start, text: '' })).status, 403, 'the permission is checked before the text')
      t.is((await joe.post('/api/comment', { thing_id: 't6_zzzz', text: 'x' })).status, 403)
    }),
  )
})

test.serial('a reply needs a text of at most 10,000 characters, and a token with the scope privatemessages', async (t) => {
  const { site, ann } = t.context
  const { lou, may } = await joinSite(site, 'lou', 'may')
  await compose(lou, 'may', 'Question', 'first')
  const start = String((await firstMail(may))?.data.name)
  t.true(
    await recordsNothing(site, async () => {
      t.is(refusalOf(await may.post('/api/comment', { thing_id: start, text: '' })), 'NO_TEXT text')
      t.is(refusalOf(await may.post('/api/comment', { thing_id: start, text: 'x'.repeat(10_001) })), 'TOO_LONG text')
      t.is((await (await may.withScopes('submit')).post('/api/comment', { thing_id: start, text: 'x' })).status, 403)
    }),
  )
  t.is(refusalOf(await (await may.withScopes('privatemessages')).post('/api/comment', { thing_id: start, text: 'x' })), '')
  t.is((await (await ann.withScopes('privatemessages')).get('/message/inbox')).status, 200)
})

const form = (to: string) => ({ to, subject: 's', text: 't' })

/** An account that was deleted after it had exchanged letters with another, written to moderators, posted a link and answered the other. */
const parted = async ({ site, ann }: Cast<'ann'>) => {
  const [gone, emil] = [await newcomer(site), await newcomer(site)]
  await compose(gone, emil.name, 'a letter', 'kept')
  await compose(emil, gone.name, 'an answer', 'kept')
  await compose(gone, '#tea', 'to the moderators', 'kept')
  const mail = String((await firstMail(gone, 'sent'))?.data.name)
  const link = await submit(gone, 'tea')
  const comment = await say(gone, await submit(emil, 'tea'), 'kept')
  const letter = String(childrenOf(await emil.get('/message/inbox'))[1]?.data.name)
  const before = Number(await countUnread(emil))
  /** Tells whether these pages contain the name of the deleted account. */
  const naming = (reader: Caller, pages: readonly string[]) =>
    Promise.all(pages.map(async (page) => (await reader.get(page)).text.includes(gone.name)))
  const named = async () => [...(await naming(emil, ['/message/inbox', '/message/sent'])), ...(await naming(ann, ['/message/moderator']))]
  const wasNamed = await named()
  await postForm(await gone.session(), '/api/delete_user', { passwd: gone.password })
  return { gone, emil, mail, link, comment, letter, before, naming, named, wasNamed }
}

test.serial('messages of a deleted account stay, as unread as they were, without its name', async (t) => {
  const { ann } = t.context
  const { emil, mail, comment, letter, before, naming, named, wasNamed } = await parted(t.context)
  t.is(await countUnread(emil), before)
  t.is(names(await emil.get('/message/unread')).length, before)
  const [reply, first] = childrenOf(await emil.get('/message/inbox'))
  t.like(reply?.data, { name: comment, author: '[deleted]' })
  t.like(first?.data, { author: '[deleted]', subject: 'a letter', body: 'kept' })
  t.is((await firstMail(emil, 'sent'))?.data.dest, '[deleted]')
  t.deepEqual(wasNamed, [true, true, true])
  t.deepEqual(await named(), [false, false, false])
  for (const [reader, id] of [
    [emil, letter],
    [ann, mail],
  ] as const)
    t.deepEqual(await naming(reader, [`/message/messages/${id.slice(3)}`]), [false])
})

test.serial('nobody can send a message to a deleted account', async (t) => {
  const { site, ann } = t.context
  const { gone, emil } = await parted(t.context)
  t.true(
    await recordsNothing(site, async () => {
      t.is(refusalOf(await emil.post('/api/compose', form(gone.name))), 'USER_DOESNT_EXIST to')
      t.is(refusalOf(await ann.post('/api/compose', { ...form(gone.name), from_sr: 'tea' })), 'USER_DOESNT_EXIST to')
    }),
  )
})

test.serial('what a deleted account wrote can be answered, and the answers do not name it', async (t) => {
  const { ann } = t.context
  const { gone, emil, mail, link, comment, letter, naming, named } = await parted(t.context)
  const reply = await postForm(emil, '/api/comment', { thing_id: letter, text: 'an answer' })
  t.like(reply.at('json.data.things.0.data'), { author: emil.name, dest: '[deleted]', parent_id: letter })
  const toMail = await postForm(ann, '/api/comment', { thing_id: mail, text: 'an answer' })
  t.like(toMail.at('json.data.things.0.data'), { dest: '[deleted]', subsite: 'tea' })
  t.deepEqual(await named(), [false, false, false])
  t.deepEqual(await naming(emil, [`/message/messages/${letter.slice(3)}`]), [false])
  t.deepEqual(await naming(ann, [`/message/messages/${mail.slice(3)}`]), [false])
  for (const thing of [link, comment]) t.regex(await say(emil, thing, `an answer, /u/${gone.name}`), /^t1_/)
})

test.serial('a deleted account that is blocked is in no list, and its messages are neither counted nor listed as unread', async (t) => {
  const { emil, letter } = await parted(t.context)
  await postForm(emil, '/api/block', { id: letter })
  t.deepEqual((await emil.get('/prefs/blocked')).at('data.children'), [])
  t.is(await countUnread(emil), 0)
  t.deepEqual(names(await emil.get('/message/unread')), [])
})
