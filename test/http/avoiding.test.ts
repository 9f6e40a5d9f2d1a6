import test from 'ava'
import { AccountBlocked, Contact, MAX_BLOCKED_ACCOUNTS } from '../../src/domain/friends-and-blocks.ts'
import { five, newcomer, startCast } from '../support/cast.ts'
import { appoint, postForm, recordsNothing, waitUntilSettled } from '../support/community.ts'
import { countUnread } from '../support/mail.ts'
import { foundSubsite, id36, names, refusalOf, say, settle, submit } from '../support/posting.ts'
import type { Caller, User } from '../support/site.ts'
import { recordForMany } from '../support/unknown-others.ts'

const { site, ann, bob, carol, dave, root } = await startCast(five)
await foundSubsite(ann, 'tea')
test.after.always(() => site.stop())

/** Sends a private message; its fullname as the recipient finds it. */
const write = async (from: Caller, to: User, more: Readonly<Record<string, string>> = {}): Promise<string> => {
  await postForm(from, '/api/compose', { to: to.name, subject: 'tea', text: 'now?', ...more })
  return names(await to.get('/message/messages'))[0] ?? ''
}

const blockedBy = async (who: Caller, path = '/prefs/blocked') =>
  ((await who.get(path)).at('data.children') as readonly { readonly name: string }[]).map(({ name }) => name)

const inbox = async (who: Caller, where = 'inbox') => names(await who.get(`/message/${where}`))

const threadOf = async (who: Caller, link: string): Promise<readonly string[]> => {
  const flat = (listing: unknown): readonly string[] =>
    (
      (listing as { data?: { children: readonly { kind: string; data: { name: string; replies: unknown } }[] } })?.data?.children ?? []
    ).flatMap(({ kind, data }) => (kind === 't1' ? [data.name, ...flat(data.replies)] : []))
  return flat((await who.get(`/comments/${id36(link)}?sort=old`)).at('1'))
}

/** An account, and another that sent it a message; how it blocks and unblocks the other. */
const written = async () => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  const message = await write(other, who)
  const unblock = async () => postForm(await who.session(), '/api/unfriend', { type: 'enemy', container: who.id, name: other.name })
  return { who, other, message, unblock }
}

test.serial('messages of a blocked account are neither listed nor counted; unblocking restores those from before the block', async (t) => {
  const { who, other, message } = await written()
  t.is(await countUnread(who), 1)
  t.is((await who.post('/api/block', { id: message })).text, '{}')
  for (const where of ['inbox', 'unread']) t.deepEqual(await inbox(who, where), [], where)
  t.like((await who.get('/api/v1/me')).body, { inbox_count: 0, has_mail: false })
  t.is(refusalOf(await other.post('/api/compose', { to: who.name, subject: 'again', text: 'tea' })), '', 'the sender is not told')
  t.is(await countUnread(who), 0)
  await postForm(await who.withScopes('privatemessages'), '/api/unfriend', { type: 'enemy', container: who.id, name: other.name })
  t.deepEqual(await blockedBy(who), [])
  t.deepEqual(await inbox(who), [message])
  t.is(await countUnread(who), 1)
})

test.serial('an account is blocked by its username or its fullname, without anything in the inbox', async (t) => {
  const [who, other, third] = [await newcomer(site), await newcomer(site), await newcomer(site)]
  t.is((await who.post('/api/block_user', { name: other.name.toUpperCase() })).text, '{}')
  t.is((await who.post('/api/block_user', { account_id: third.id })).text, '{}')
  t.deepEqual((await blockedBy(who)).toSorted(), [other.name, third.name].toSorted())
  const ignored = [
    { name: who.name },
    { name: 'root' },
    { account_id: root.id },
    { name: 'nobody_of_that_name' },
    { account_id: 't2_zzzz' },
    {},
  ]
  for (const form of ignored)
    t.true(await recordsNothing(site, async () => t.is((await who.post('/api/block_user', form)).text, '{}')), JSON.stringify(form))
  await postForm(await third.session(), '/api/delete_user', { passwd: third.password })
  t.is((await dave.post('/api/block_user', { account_id: third.id })).headers.get('x-reason'), 'USER_DOESNT_EXIST', 'a deleted account')
})

test.serial('what is sent during a block never enters the inbox of who blocks: also answers, whatever their number', async (t) => {
  const { who, other, message, unblock } = await written()
  await postForm(who, '/api/comment', { thing_id: message, text: 'an answer' })
  const own = (await inbox(other))[0] as string
  await postForm(who, '/api/block', { id: message })
  for (let n = 0; n < 3; n += 1) await write(other, who)
  await postForm(other, '/api/comment', { thing_id: own, text: 'back' })
  const later = await write(await newcomer(site), who)
  t.is((await other.get('/message/sent?limit=100')).at('data.children.4.data.name'), message, 'the sender finds all of it')
  await unblock()
  await waitUntilSettled(site)
  t.deepEqual(await inbox(who), [later, message])
  t.is(await countUnread(who), 2)
})

test.serial('an account lists those it blocks, each once and without a note', async (t) => {
  const { who, other, message } = await written()
  await postForm(who, '/api/block', { id: message })
  t.true(await recordsNothing(site, () => who.post('/api/block', { id: message })), 'twice')
  t.deepEqual(await blockedBy(who), [other.name])
  t.deepEqual(await blockedBy(who, '/api/v1/me/blocked'), [other.name])
  const row = (await who.get('/prefs/blocked')).at('data.children.0') as object
  t.deepEqual(Object.keys(row).sort(), ['date', 'id', 'name'])
})

test.serial('an account cannot write to one that it blocks', async (t) => {
  const { who, other, message } = await written()
  await postForm(who, '/api/block', { id: message })
  t.is(refusalOf(await who.post('/api/compose', { to: other.name.toUpperCase(), subject: '', text: '' })), 'USER_BLOCKED to')
  t.is(refusalOf(await who.post('/api/comment', { thing_id: message, text: 'tea' })), 'USER_BLOCKED parent')
  t.is(refusalOf(await who.post('/api/comment', { thing_id: message, text: '' })), 'NO_TEXT text')
})

test.serial('a conversation shows the message of a blocked account collapsed, without its text', async (t) => {
  const { who, message } = await written()
  await postForm(who, '/api/block', { id: message })
  const conversation = await who.get(`/message/messages/${id36(message)}`)
  t.like(conversation.at('data.children.0.data'), { subject: '[message from a blocked user]', is_collapsed: true })
  t.false(conversation.text.includes('now?'))
})

test.serial('a block makes no mod log entry and only the blocking account sees it', async (t) => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  await postForm(who, '/api/block', { id: await write(other, who) })
  t.deepEqual(await blockedBy(other), [])
  t.is((await site.get('/prefs/blocked')).status, 403)
  t.is((await (await who.withScopes('identity')).get('/prefs/blocked')).status, 403)
})

test.serial('blocking by a fullname that has no sender in one’s inbox changes nothing', async (t) => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  const link = await submit(other, 'tea')
  const elsewhere = await say(other, await submit(bob, 'tea'))
  const foreign = await write(bob, other)
  const toSelf = await write(who, who)
  const fromAdmin = await write(root, who)
  for (const id of ['', 'tea', 't6_zzzz', 't1_zzzz', link, elsewhere, foreign, toSelf, fromAdmin, other.id])
    t.true(await recordsNothing(site, async () => t.is((await who.post('/api/block', { id })).text, '{}', id)), id)
  t.is((await who.post('/api/block')).text, '{}')
  t.deepEqual(await blockedBy(who), [])
})

/** A link with a reply of an account that its author blocks for it, a comment below that and another beside; and a link of the blocked one. */
const blocking = async () => {
  const { who, other, unblock } = await written()
  const name = `kettles_${who.name}`
  await foundSubsite(ann, name)
  const link = await submit(who, name)
  const reply = await say(other, link)
  const [below, beside] = [await say(bob, reply), await say(bob, link)]
  const theirs = await submit(other, name)
  await postForm(who, '/api/block', { id: reply })
  return { who, other, unblock, name, link, reply, below, beside, theirs }
}

test.serial('comments of a blocked author are left out of threads with everything below, but counted', async (t) => {
  const { who, link, reply, below, beside } = await blocking()
  t.deepEqual(await threadOf(who, link), [beside])
  for (const reader of [ann, bob]) t.deepEqual(await threadOf(reader, link), [reply, below, beside])
  t.is((await who.get(`/comments/${id36(link)}`)).at('0.data.children.0.data.num_comments'), 3)
  const more = await who.get(`/api/morechildren?link_id=${link}&children=${[reply, below, beside].map(id36).join(',')}&api_type=json`)
  t.deepEqual(names(more, 'json.data.things'), [beside])
})

test.serial('links of a blocked author are left out of listings, also with show=all, but shown where they are named', async (t) => {
  const { who, name, link, theirs } = await blocking()
  t.deepEqual(names(await who.get(`/s/${name}/new`)), [link])
  t.deepEqual(names(await who.get(`/s/${name}/new?show=all`)), [link])
  t.deepEqual(names(await who.get(`/by_id/${theirs}`)), [theirs])
})

test.serial('the page of a blocked author cannot be read, but its record', async (t) => {
  const { who, other } = await blocking()
  t.is((await who.get(`/user/${other.name}/submitted`)).status, 403)
  t.is((await who.get(`/user/${other.name}/about`)).status, 200)
})

test.serial('things of a blocked author cannot be answered', async (t) => {
  const { who, reply, theirs } = await blocking()
  for (const thing_id of [theirs, reply]) t.is(refusalOf(await who.post('/api/comment', { thing_id, text: 'tea' })), 'USER_BLOCKED parent')
})

test.serial('comments of a blocked author notify no more, nor once the block has ended', async (t) => {
  const { who, other, unblock, link, reply, beside, theirs } = await blocking()
  t.deepEqual((await inbox(who)).slice(0, 1), [beside])
  const [again, mention] = [await say(other, link), await say(other, theirs, `see /u/${who.name}`)]
  t.deepEqual(await inbox(who), [beside])
  await unblock()
  t.deepEqual((await inbox(who)).slice(0, 2), [beside, reply])
  t.true((await threadOf(who, link)).includes(again))
  t.is((await who.get(`/api/info?id=${mention}`)).status, 200)
})

test.serial('moderators still see the things of accounts they block in subsites they moderate', async (t) => {
  const who = await newcomer(site)
  await foundSubsite(ann, 'pots')
  await appoint(ann, 'pots', who, '+posts')
  const link = await submit(who, 'pots')
  const reply = await say(dave, link)
  await postForm(who, '/api/block', { id: reply })
  const theirs = await submit(dave, 'pots')
  t.deepEqual(await threadOf(who, link), [reply])
  t.deepEqual(names(await who.get('/s/pots/new')), [theirs, link])
  t.true((await inbox(who)).includes(reply))
  const elsewhere = await submit(dave, 'tea')
  const listed = async (reader: Caller) => names(await reader.get('/s/tea/new?limit=100')).includes(elsewhere)
  t.deepEqual([await listed(ann), await listed(who)], [true, false])
})

test.serial('a message in the name of a subsite blocks the subsite, which then cannot write', async (t) => {
  const who = await newcomer(site)
  await foundSubsite(ann, 'mailers')
  const message = await write(ann, who, { from_sr: 'mailers' })
  await postForm(who, '/api/block', { id: message })
  t.deepEqual(await blockedBy(who), [], 'not who wrote it')
  t.like((await who.get('/message/inbox')).at('data.children.0.data'), {
    name: message,
    author: null,
    subject: '[message from a blocked subsite]',
    is_collapsed: true,
  })
  const again = { to: who.name, subject: 'again', text: 'tea', from_sr: 'mailers' }
  t.is(refusalOf(await ann.post('/api/compose', again)), 'USER_BLOCKED_MESSAGE to')
  t.is((await bob.post('/api/compose', again)).status, 403, 'nobody else learns of it')
  t.is(refusalOf(await ann.post('/api/compose', { ...again, from_sr: '' })), '', 'in the own name')
  t.true(await recordsNothing(site, () => who.post('/api/block', { id: message })))
  for (const id of ['', 'tea', await write(bob, who)])
    t.true(await recordsNothing(site, () => who.post('/api/unblock_subsite', { id })), id)
  t.is((await who.post('/api/unblock_subsite', { id: message })).text, '{}')
  t.true(await recordsNothing(site, () => who.post('/api/unblock_subsite', { id: message })))
  t.is(refusalOf(await ann.post('/api/compose', again)), '')
  const own = await write(root, ann, { from_sr: 'mailers' })
  t.true(await recordsNothing(site, () => ann.post('/api/block', { id: own })), 'not one that the caller moderates')
})

test.serial('blocking a message in the name of a subsite does not reveal its author', async (t) => {
  const who = await newcomer(site)
  await foundSubsite(carol, 'hiders')
  await postForm(who, '/api/block', { id: await write(carol, who) })
  await postForm(who, '/api/subscribe', { action: 'sub', sr_name: 'hiders' }) // a participant hears the moderators
  const official = await write(carol, who, { from_sr: 'hiders' })
  t.like((await who.get('/message/inbox')).at('data.children.0.data'), { name: official, author: null, subject: 'tea', body: 'now?' })
})

test.serial('a block is not evaded in the name of a subsite in which the blocking account has no part', async (t) => {
  const [who, blocked, honest] = [await newcomer(site), await newcomer(site), await newcomer(site)]
  const message = await write(blocked, who)
  await postForm(who, '/api/block', { id: message })
  await foundSubsite(blocked, 'megaphone')
  await appoint(blocked, 'megaphone', honest, '+mail')
  const before = await inbox(who)
  const compose = (text: string) =>
    blocked.post('/api/compose', { to: who.name, subject: 'loud', text, from_sr: 'megaphone', api_type: 'json' })
  t.is(refusalOf(await compose('hear me')), '', 'the sender does not learn of it')
  const sent = names(await blocked.get('/message/sent'))[0] ?? ''
  t.is(refusalOf(await blocked.post('/api/comment', { thing_id: sent, text: 'and again', api_type: 'json' })), '')
  for (const type of ['contributor', 'moderator_invite']) {
    await postForm(blocked, '/s/megaphone/api/friend', { type, name: who.name })
    t.deepEqual(await inbox(who), before, type)
  }
  t.deepEqual([await inbox(who), await countUnread(who)], [before, 0])

  const heard = await write(honest, who, { from_sr: 'megaphone' })
  t.is((await inbox(who))[0], heard, 'another moderator is heard')
  await postForm(who, '/api/subscribe', { action: 'sub', sr_name: 'megaphone' })
  await compose('to one of us')
  t.is((await who.get('/message/inbox')).at('data.children.0.data.body'), 'to one of us')
  await postForm(blocked, '/s/megaphone/api/friend', { type: 'banned', name: who.name })
  t.regex(String((await who.get('/message/inbox')).at('data.children.0.data.subject')), /banned from participating/)
})

test.serial('a comment in a subsite that the viewer may no longer view does not reveal its author by a block', async (t) => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  const cellar = await foundSubsite(ann, 'cellar')
  const reply = await say(other, await submit(who, 'cellar', { title: 'wine', text: 'red?' }))
  await settle(ann, cellar, { type: 'private' })
  t.true(await recordsNothing(site, () => postForm(who, '/api/block', { id: reply })))
  t.deepEqual(await blockedBy(who), [])
  await settle(ann, cellar, { type: 'public' })
  await postForm(who, '/api/block', { id: reply })
  t.deepEqual(await blockedBy(who), [other.name])
})

test.serial('moderators with mail can block the author of mail to them', async (t) => {
  const who = await newcomer(site)
  await foundSubsite(who, 'letters')
  await postForm(dave, '/api/compose', { to: '/s/letters', subject: 'hey', text: 'you' })
  const message = names(await who.get('/message/moderator'))[0] ?? ''
  t.true(await recordsNothing(site, () => bob.post('/api/block', { id: message })), 'nobody else')
  await postForm(who, '/api/block', { id: message })
  t.deepEqual(await blockedBy(who), ['dave'])
  t.like((await who.get('/message/moderator')).at('data.children.0.data'), { subject: '[message from a blocked user]', is_collapsed: true })
})

test.serial('deleted accounts are not in the lists of friends and blocked accounts', async (t) => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  await postForm(who, '/api/block', { id: await write(other, who) })
  await who.request('PUT', `/api/v1/me/friends/${other.name}`, { json: {} })
  await postForm(await other.session(), '/api/delete_user', { passwd: other.password })
  t.deepEqual(await blockedBy(who), [])
  t.deepEqual(await blockedBy(who, '/api/v1/me/friends'), [])
})

test.serial('an account can block only a limited number of accounts', async (t) => {
  const who = await newcomer(site)
  await recordForMany(site, who, Contact, 'account', MAX_BLOCKED_ACCOUNTS, (other) => AccountBlocked({ account: who.id, other }))
  const refused = await who.post('/api/block', { id: await write(bob, who) })
  t.deepEqual([refused.status, refused.at('reason')], [400, 'TOO_MANY_BLOCKED'])
})
