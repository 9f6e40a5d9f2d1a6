import { type Cast, joinSite, newcomer, startTea } from '../support/cast.ts'
import { childrenOf, dataOf, postForm, recordsNothing } from '../support/community.ts'
import { compose, countUnread, firstMail, isShownCollapsed } from '../support/mail.ts'
import { foundSubsite, names, refusalOf, say, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startTea(['carol', 'root']))

/** An account with a message and an answer to its link in its inbox, both unread. */
const withMail = async ({ site, ann }: Pick<Cast<'ann'>, 'site' | 'ann'>, called: string) => {
  const who = await site.register(called)
  const comment = await say(ann, await submit(who, 'tea'), 'an answer')
  await compose(ann, called, 'one')
  return { who, comment, message: String((await firstMail(who))?.data.name) }
}

test.serial('inbox entries are marked as read together, and once', async (t) => {
  const { who, message, comment } = await withMail(t.context, 'hana')
  t.is((await who.post('/api/read_message', { id: `${message},${comment}` })).text, '{}')
  t.is(await countUnread(who), 0)
  t.is(dataOf(await who.get('/message/inbox')).find(({ name }) => name === comment)?.new, false)
  t.true(await recordsNothing(t.context.site, () => postForm(who, '/api/read_message', { id: `${message} ${comment}` })))
})

test.serial('an inbox entry that was read can be marked as unread', async (t) => {
  const { who, message, comment } = await withMail(t.context, 'ivan')
  await postForm(who, '/api/read_message', { id: `${message},${comment}` })
  await postForm(who, '/api/unread_message', { id: message })
  t.is(await countUnread(who), 1)
})

test.serial('what is not in the viewer’s inbox cannot be marked as read', async (t) => {
  const { who, message } = await withMail(t.context, 'jana')
  const { site, carol } = t.context
  t.true(await recordsNothing(site, async () => t.is((await carol.post('/api/read_message', { id: message })).text, '{}')))
  t.is(await countUnread(who), 2)
})

for (const [what, status, id] of [
  ['nothing', 400, () => undefined],
  ['no message', 400, () => 'nonsense t5_1'],
  ['an unknown message among others', 400, (message: string) => `${message},t6_zzzz`],
  ['more than 25 messages', 413, () => Array.from({ length: 26 }, (_, n) => `t6_${n + 10}`).join(',')],
] as const)
  test.serial(`marking ${what} as read is ${status} and changes nothing`, async (t) => {
    const { who, message } = await withMail(t.context, `kim_${status}_${what.length}`)
    t.true(
      await recordsNothing(t.context.site, async () => t.is((await who.post('/api/read_message', { id: id(message) })).status, status)),
    )
    t.is(await countUnread(who), 2)
  })

test.serial('marking as read needs a login and the scope privatemessages', async (t) => {
  const { site, bob } = t.context
  t.is(refusalOf(await site.post('/api/read_message', { id: 't6_1' })), 'USER_REQUIRED')
  t.is((await (await bob.withScopes('read')).post('/api/read_message', { id: 't6_1' })).status, 403)
})

/** An account with an answer to its post, one to its comment, a mention and a message in its inbox, in this order. */
const noticed = async ({ site, ann }: Pick<Cast<'ann'>, 'site' | 'ann'>, called: string) => {
  const who = await site.register(called)
  const link = await submit(who, 'tea', { title: 'My Post' })
  const answer = await say(ann, link, 'to the post')
  const own = await say(who, answer, 'to the answer')
  const nested = await say(ann, own, 'to the comment')
  const mention = await say(ann, await submit(ann, 'tea'), `I asked /u/${called} about it`)
  await compose(ann, called, 'hello')
  const message = String((await firstMail(who))?.data.name)
  return { who, link, answer, nested, mention, message }
}

test.serial('replies and mentions are in the inbox and in a listing of their kind', async (t) => {
  const { who, answer, nested, mention, message } = await noticed(t.context, 'gil')
  t.deepEqual(names(await who.get('/message/inbox')), [message, mention, nested, answer])
  t.deepEqual(names(await who.get('/message/messages')), [message])
  t.deepEqual(names(await who.get('/message/comments')), [nested])
  t.deepEqual(names(await who.get('/message/selfreply')), [answer])
  t.deepEqual(names(await who.get('/message/mentions')), [mention])
  t.is((await who.get('/message/nowhere')).status, 404)
})

test.serial('each inbox entry says its type and the fullname of its author', async (t) => {
  const { who } = await noticed(t.context, 'gisa')
  const { ann } = t.context
  const inbox = await who.get('/message/inbox')
  t.deepEqual(
    dataOf(inbox).map(({ type, author_fullname }) => [type, author_fullname]),
    ['unknown', 'username_mention', 'comment_reply', 'post_reply'].map((type) => [type, ann.id]),
  )
  t.is(inbox.at('data.dist'), 4)
})

test.serial('an entry of a comment says why it is in the inbox, and leads to its thread', async (t) => {
  const { who, link, answer } = await noticed(t.context, 'guy')
  const [, , , reply] = childrenOf(await who.get('/message/inbox'))
  t.is(reply?.kind, 't1')
  t.like(reply?.data, {
    name: answer,
    author: 'ann',
    dest: 'guy',
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
  const subjects = dataOf(await who.get('/message/inbox')).map(({ subject }) => subject)
  t.deepEqual(subjects, ['hello', 'username mention', 'comment reply', 'post reply'])
})

test.serial('an inbox is paged in both directions, and its unread entries have a listing', async (t) => {
  const { who, answer, nested, mention, message } = await noticed(t.context, 'gus')
  const walked: string[] = []
  let after: unknown = ''
  do {
    const page: Awaited<ReturnType<Caller['get']>> = await who.get(`/message/inbox?limit=1&after=${after}`)
    walked.push(...names(page))
    after = page.at('data.after')
  } while (after !== null)
  t.deepEqual(walked, [message, mention, nested, answer])
  t.deepEqual(names(await who.get(`/message/inbox?limit=2&before=${answer}`)), [mention, nested])
  t.deepEqual(names(await who.get('/message/unread')), walked)
  await postForm(who, '/api/read_message', { id: `${nested},${message}` })
  t.deepEqual(names(await who.get('/message/unread')), [mention, answer])
})

test.serial('an inbox can be read by its owner only', async (t) => {
  const { site, bob } = t.context
  for (const where of ['inbox', 'unread', 'sent', 'messages']) {
    t.is((await site.get(`/message/${where}`)).at('reason'), 'USER_REQUIRED', where)
    t.is((await (await site.appOnly()).get(`/message/${where}`)).status, 403, where)
    t.is((await (await bob.withScopes('read')).get(`/message/${where}`)).status, 403, where)
  }
})

/** An account with an answer and a letter of bert's, whom it then blocks, and a letter of cleo's; and what of them it sees as unread. */
const halfBlocked = async ({ site }: Cast<'ann'>) => {
  const [abel, bert, cleo] = [await newcomer(site), await newcomer(site), await newcomer(site)]
  const link = await submit(abel, 'tea')
  await say(bert, link, 'an answer')
  await compose(bert, abel.name, 'from bert')
  await compose(cleo, abel.name, 'from cleo')
  const before = await countUnread(abel)
  const [, letter = ''] = names(await abel.get('/message/unread'))
  await postForm(abel, '/api/block', { id: letter })
  const seen = async () => [await countUnread(abel), dataOf(await abel.get('/message/unread')).map(({ author }) => author)]
  return { abel, bert, cleo, link, before, seen }
}

test.serial('blocking an author uncounts only their unread entries, also later ones', async (t) => {
  const { bert, cleo, abel, link, before, seen } = await halfBlocked(t.context)
  t.is(before, 3)
  t.deepEqual(await seen(), [1, [cleo.name]])
  await compose(bert, abel.name, 'more')
  await say(bert, link, 'another answer')
  t.deepEqual(await seen(), [1, [cleo.name]])
})

test.serial('after read_all_messages and the end of a block the unread count is that of the list', async (t) => {
  const { abel, bert, link, seen } = await halfBlocked(t.context)
  await compose(bert, abel.name, 'more')
  await say(bert, link, 'another answer')
  await postForm(abel, '/api/read_all_messages')
  t.deepEqual(await seen(), [0, []])
  await postForm(abel, '/api/unfriend', { type: 'enemy', container: abel.id, name: bert.name })
  const { length } = names(await abel.get('/message/unread'))
  t.is(await countUnread(abel), length)
  await compose(bert, abel.name, 'again')
  t.is(await countUnread(abel), length + 1)
})

test.serial('an inbox is paged by its visible entries; an unknown anchor gives the first page', async (t) => {
  const { site, ann } = t.context
  const { wes, xia } = await joinSite(site, 'wes', 'xia')
  for (const subject of ['one', 'two', 'three']) await compose(ann, 'wes', subject)
  await compose(ann, 'xia', 'not for wes')
  const [three, two, one] = names(await wes.get('/message/inbox'))
  const after = (name: unknown, where = 'inbox') => wes.get(`/message/${where}?after=${name}`)
  t.deepEqual(names(await after(three)), [two, one])
  for (const unknown of ['t6_zzzz', 't1_zzzz', 't5_1', 'nonsense']) t.deepEqual(names(await after(unknown)), [three, two, one], unknown)
  const foreign = String((await firstMail(xia))?.data.name)
  for (const where of ['inbox', 'unread', 'sent']) t.is((await after(foreign, where)).status, 403, where)
  await foundSubsite(ann, 'shut', { type: 'private' })
  const hidden = await say(ann, await submit(ann, 'shut'))
  t.is((await after(hidden)).status, 403)
})

test.serial('an inbox shows no comment from a subsite that its owner may no longer view', async (t) => {
  const { site, ann } = t.context
  const nia = await site.register('nia')
  const sr = await foundSubsite(ann, 'closing')
  const link = await submit(nia, 'closing')
  const answer = await say(ann, link)
  t.deepEqual(names(await nia.get('/message/inbox')), [answer])
  const told = async () => [(await nia.get('/api/v1/me')).at('inbox_count'), (await nia.get('/api/v1/me')).at('has_mail')]
  t.deepEqual(await told(), [1, true])
  await postForm(ann, '/api/site_admin', { sr, type: 'private' })
  t.deepEqual(names(await nia.get('/message/inbox')), [])
  t.deepEqual(await told(), [0, false], 'nor is it counted')
  await postForm(ann, '/s/closing/api/friend', { type: 'contributor', name: 'nia' })
  t.true(names(await nia.get('/message/inbox')).includes(answer))
})

test.serial('each side of a conversation collapses a read message for itself', async (t) => {
  const { site, ann, bob, carol } = t.context
  await compose(ann, 'bob', 'to fold')
  const id = String((await firstMail(bob))?.data.name)
  await postForm(bob, '/api/collapse_message', { id: `${id} t6_zzzz t5_1` })
  t.is(await isShownCollapsed(bob, 'inbox', id), false, 'it is unread')
  await postForm(bob, '/api/read_message', { id })
  t.is(await isShownCollapsed(bob, 'inbox', id), true)
  t.is(await isShownCollapsed(ann, 'sent', id), false)
  await postForm(ann, '/api/collapse_message', { id })
  t.is(await isShownCollapsed(ann, 'sent', id), true)
  t.true(
    await recordsNothing(site, async () => {
      await postForm(bob, '/api/collapse_message', { id })
      await postForm(carol, '/api/collapse_message', { id })
      await postForm(carol, '/api/uncollapse_message', { id })
      await postForm(bob, '/api/collapse_message', {})
      const many = [id, ...Array.from({ length: 25 }, (_, n) => `t6_${n + 10}`)].join(',')
      const tooMany = await bob.post('/api/uncollapse_message', { id: many })
      t.is(refusalOf(tooMany), 'TOO_MANY_THING_IDS')
      t.is(refusalOf(await site.post('/api/collapse_message', { id })), 'USER_REQUIRED')
    }),
    'again, by a stranger, nothing, by nobody',
  )
  await postForm(bob, '/api/uncollapse_message', { id })
  t.is(await isShownCollapsed(bob, 'inbox', id), false)
  t.is(await isShownCollapsed(ann, 'sent', id), true)
})

test.serial('deleting a message removes it from the recipient’s inbox only', async (t) => {
  const { site, ann, bob } = t.context
  await compose(ann, 'bob', 'to delete')
  const id = String((await firstMail(bob))?.data.name)
  const before = Number(await countUnread(bob))
  t.true(
    await recordsNothing(site, async () => {
      await postForm(ann, '/api/del_msg', { id })
      await postForm(ann, '/api/del_msg', { id: 't6_zzzz' })
      await postForm(ann, '/api/del_msg', {})
      t.is((await (await bob.withScopes('read')).post('/api/del_msg', { id })).status, 403)
    }),
  )
  await postForm(bob, '/api/del_msg', { id })
  t.is(await countUnread(bob), before - 1, 'it was unread')
  for (const where of ['inbox', 'unread', 'messages']) t.false(names(await bob.get(`/message/${where}`)).includes(id), where)
  t.deepEqual(dataOf(await bob.get(`/message/messages/${id.slice(3)}`)), [])
  t.true(names(await ann.get('/message/sent')).includes(id))
  t.is(dataOf(await ann.get(`/message/messages/${id.slice(3)}`))[0]?.name, id)
  t.true(await recordsNothing(site, () => postForm(bob, '/api/del_msg', { id })))
})
