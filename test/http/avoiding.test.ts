import test from 'ava'
import { AccountBlocked, Contact, MOST_BLOCKED } from '../../src/domain/contact.ts'
import { MOST_SUBSCRIBED, Subscribed, Subscription } from '../../src/domain/subscription.ts'
import { five, newcomer, startCast } from '../support/cast.ts'
import { appoint, done, settled, unchanged } from '../support/community.ts'
import { found, id36, names, refusalOf, say, settle, submit } from '../support/posting.ts'
import type { Caller, User } from '../support/site.ts'
import { recordForMany } from '../support/unknown-others.ts'

const { site, ann, bob, carol, dave, root } = await startCast(five)
await found(ann, 'tea')
test.after.always(() => site.stop())

/** Sends a private message; its fullname as the recipient finds it. */
const write = async (from: Caller, to: User, more: Readonly<Record<string, string>> = {}): Promise<string> => {
  await done(from, '/api/compose', { to: to.name, subject: 'tea', text: 'now?', ...more })
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

test.serial('messages of a blocked account are hidden and not counted, it cannot write, and unblocking restores them', async (t) => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  const message = await write(other, who)
  t.is((await who.get('/api/v1/me')).at('inbox_count'), 1)
  t.is((await who.post('/api/block', { id: message })).text, '{}')
  t.deepEqual(await blockedBy(who), [other.name])
  const row = (await who.get('/prefs/blocked')).at('data.children.0') as object
  t.deepEqual(Object.keys(row).sort(), ['date', 'id', 'name'], 'no note')
  t.deepEqual(await blockedBy(who, '/api/v1/me/blocked'), [other.name])
  t.deepEqual(await inbox(who), [])
  t.deepEqual(await inbox(who, 'unread'), [])
  t.like((await who.get('/api/v1/me')).body, { inbox_count: 0, has_mail: false })
  t.is(refusalOf(await other.post('/api/compose', { to: who.name, subject: 'again', text: 'tea' })), '', 'the sender is not told')
  t.is((await who.get('/api/v1/me')).at('inbox_count'), 0)
  t.is(refusalOf(await who.post('/api/compose', { to: other.name.toUpperCase(), subject: '', text: '' })), 'USER_BLOCKED to')
  t.is(refusalOf(await who.post('/api/comment', { thing_id: message, text: 'tea' })), 'USER_BLOCKED parent')
  t.is(refusalOf(await who.post('/api/comment', { thing_id: message, text: '' })), 'NO_TEXT text')
  t.true(await unchanged(site, () => who.post('/api/block', { id: message })), 'twice')
  const conversation = await who.get(`/message/messages/${id36(message)}`)
  t.like(conversation.at('data.children.0.data'), { subject: '[message from a blocked user]', is_collapsed: true })
  t.false(conversation.text.includes('now?'))
  await done(await who.withScopes('privatemessages'), '/api/unfriend', { type: 'enemy', container: who.id, name: other.name })
  t.deepEqual(await blockedBy(who), [])
  t.is((await inbox(who)).length, 2)
  t.is((await who.get('/api/v1/me')).at('inbox_count'), 2)
})

test.serial('a block makes no mod log entry and only the blocking account sees it', async (t) => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  await done(who, '/api/block', { id: await write(other, who) })
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
    t.true(await unchanged(site, async () => t.is((await who.post('/api/block', { id })).text, '{}', id)), id)
  t.is((await who.post('/api/block')).text, '{}')
  t.deepEqual(await blockedBy(who), [])
})

test.serial('things of a blocked author are left out of threads, listings and user pages, and notify no more', async (t) => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  await found(ann, 'kettles')
  const link = await submit(who, 'kettles')
  const reply = await say(other, link)
  const below = await say(bob, reply)
  const beside = await say(bob, link)
  const theirs = await submit(other, 'kettles')
  t.deepEqual(await inbox(who), [beside, reply])
  await done(who, '/api/block', { id: reply })
  t.deepEqual(await inbox(who), [beside])
  t.deepEqual(await threadOf(who, link), [beside], 'with everything below')
  t.deepEqual(await threadOf(bob, link), [reply, below, beside])
  t.deepEqual(await threadOf(ann, link), [reply, below, beside])
  t.is((await who.get(`/comments/${id36(link)}`)).at('0.data.children.0.data.num_comments'), 3, 'gone but counted')
  const more = await who.get(`/api/morechildren?link_id=${link}&children=${[reply, below, beside].map(id36).join(',')}&api_type=json`)
  t.deepEqual(
    (more.at('json.data.things') as { data: { name: string } }[]).map(({ data }) => data.name),
    [beside],
  )
  t.deepEqual(names(await who.get('/s/kettles/new')), [link])
  t.deepEqual(names(await who.get('/s/kettles/new?show=all')), [link], 'also with show=all')
  t.deepEqual(names(await who.get(`/by_id/${theirs}`)), [theirs], 'what is named is shown')
  t.is((await who.get(`/user/${other.name}/submitted`)).status, 403)
  t.is((await who.get(`/user/${other.name}/about`)).status, 200)
  t.is(refusalOf(await who.post('/api/comment', { thing_id: theirs, text: 'tea' })), 'USER_BLOCKED parent')
  t.is(refusalOf(await who.post('/api/comment', { thing_id: reply, text: 'tea' })), 'USER_BLOCKED parent')
  const [again, mention] = [await say(other, link), await say(other, theirs, `see /u/${who.name}`)]
  t.deepEqual(await inbox(who), [beside])
  await done(await who.session(), '/api/unfriend', { type: 'enemy', container: who.id, name: other.name })
  t.deepEqual(await inbox(who), [beside, reply], 'what was said meanwhile was told to nobody')
  t.true((await threadOf(who, link)).includes(again))
  t.is((await who.get(`/api/info?id=${mention}`)).status, 200)
})

test.serial('moderators still see the things of accounts they block in subsites they moderate', async (t) => {
  const who = await newcomer(site)
  await found(ann, 'pots')
  await appoint(ann, 'pots', who, '+posts')
  const link = await submit(who, 'pots')
  const reply = await say(dave, link)
  await done(who, '/api/block', { id: reply })
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
  await found(ann, 'mailers')
  const message = await write(ann, who, { from_sr: 'mailers' })
  await done(who, '/api/block', { id: message })
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
  t.true(await unchanged(site, () => who.post('/api/block', { id: message })))
  for (const id of ['', 'tea', await write(bob, who)]) t.true(await unchanged(site, () => who.post('/api/unblock_subsite', { id })), id)
  t.is((await who.post('/api/unblock_subsite', { id: message })).text, '{}')
  t.true(await unchanged(site, () => who.post('/api/unblock_subsite', { id: message })))
  t.is(refusalOf(await ann.post('/api/compose', again)), '')
  const own = await write(root, ann, { from_sr: 'mailers' })
  t.true(await unchanged(site, () => ann.post('/api/block', { id: own })), 'not one that the caller moderates')
})

test.serial('blocking a message in the name of a subsite does not reveal its author', async (t) => {
  const who = await newcomer(site)
  await found(carol, 'hiders')
  await done(who, '/api/block', { id: await write(carol, who) })
  const official = await write(carol, who, { from_sr: 'hiders' })
  t.like((await who.get('/message/inbox')).at('data.children.0.data'), { name: official, author: null, subject: 'tea', body: 'now?' })
})

test.serial('a comment in a subsite that the viewer may no longer view does not reveal its author by a block', async (t) => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  const cellar = await found(ann, 'cellar')
  const reply = await say(other, await submit(who, 'cellar', { title: 'wine', text: 'red?' }))
  await settle(ann, cellar, { type: 'private' })
  t.true(await unchanged(site, () => done(who, '/api/block', { id: reply })))
  t.deepEqual(await blockedBy(who), [])
  await settle(ann, cellar, { type: 'public' })
  await done(who, '/api/block', { id: reply })
  t.deepEqual(await blockedBy(who), [other.name])
})

test.serial('moderators with mail can block the author of mail to them', async (t) => {
  const who = await newcomer(site)
  await found(who, 'letters')
  await done(dave, '/api/compose', { to: '/s/letters', subject: 'hey', text: 'you' })
  const message = names(await who.get('/message/moderator'))[0] ?? ''
  t.true(await unchanged(site, () => bob.post('/api/block', { id: message })), 'nobody else')
  await done(who, '/api/block', { id: message })
  t.deepEqual(await blockedBy(who), ['dave'])
  t.like((await who.get('/message/moderator')).at('data.children.0.data'), { subject: '[message from a blocked user]', is_collapsed: true })
})

test.serial('deleted accounts are not in the lists of friends and blocked accounts', async (t) => {
  const [who, other] = [await newcomer(site), await newcomer(site)]
  await done(who, '/api/block', { id: await write(other, who) })
  await who.request('PUT', `/api/v1/me/friends/${other.name}`, { json: {} })
  await done(await other.session(), '/api/delete_user', { passwd: other.password })
  t.deepEqual(await blockedBy(who), [])
  t.deepEqual(await blockedBy(who, '/api/v1/me/friends'), [])
})

test.serial('an account can block only a limited number of accounts', async (t) => {
  const who = await newcomer(site)
  await recordForMany(site, who, Contact, 'account', MOST_BLOCKED, (other) => AccountBlocked({ account: who.id, other }))
  const refused = await who.post('/api/block', { id: await write(bob, who) })
  t.deepEqual([refused.status, refused.at('reason')], [400, 'TOO_MANY_BLOCKED'])
})

const subsiteId = async (name: string) => String((await site.get(`/s/${name}/about`)).at('data.name'))
test.serial('an account can subscribe to only a limited number of subsites; subscribing again to one is allowed', async (t) => {
  const who = await newcomer(site)
  const subsite = await subsiteId('tea')
  await done(who, '/api/subscribe', { action: 'sub', sr: subsite })
  await recordForMany(site, who, Subscription, 'subsite', MOST_SUBSCRIBED - 1, (other) => Subscribed({ account: who.id, subsite: other }))
  const founded = await found(ann, 'onetoomany')
  const refused = await who.post('/api/subscribe', { action: 'sub', sr: founded })
  t.deepEqual([refused.status, refused.at('reason')], [400, 'TOO_MANY_SUBSCRIBED'])
  t.is((await who.post('/api/subscribe', { action: 'sub', sr: subsite })).status, 200)
  await done(who, '/api/subscribe', { action: 'unsub', sr: subsite })
  await settled(site)
  t.is((await who.post('/api/subscribe', { action: 'sub', sr: founded })).status, 200)
  t.is((await who.get('/hot')).status, 200)
})
