import test from 'ava'
import { joinSite, startTea } from '../support/cast.ts'
import { appoint, postForm } from '../support/community.ts'
import { foundSubsite, readThing, refusalOf, say, submit } from '../support/posting.ts'
import type { User } from '../support/site.ts'

/** Ann is the founder of every subsite here. */
const { site, ann, bob, eve } = await startTea(['eve'])
test.after.always(() => site.stop())

test('only the author can edit or delete a comment', async (t) => {
  const name = await say(bob, await submit(bob, 'tea'), 'mine')
  t.is(refusalOf(await ann.post('/api/editusertext', { thing_id: name, text: 'x' })), 'NOT_AUTHOR thing_id')
  t.is((await ann.post('/api/del', { id: name })).text, '{}')
  t.like(await readThing(ann, name), { body: 'mine', author: 'bob' })
  await bob.post('/api/del', { id: name })
  t.is(refusalOf(await bob.post('/api/editusertext', { thing_id: name, text: 'x' })), '403')
})

test('only moderators can comment on a locked link', async (t) => {
  const link = await submit(bob, 'tea')
  const early = await say(eve, link)
  await ann.post('/api/lock', { id: link })
  for (const parent of [link, early])
    t.is(refusalOf(await bob.post('/api/comment', { thing_id: parent, text: 'x' })), 'THREAD_LOCKED parent')
  t.is(refusalOf(await bob.post('/api/comment', { thing_id: link, text: '' })), 'NO_TEXT text', 'the text is looked at first')
  t.is(refusalOf(await ann.post('/api/comment', { thing_id: link, text: 'x' })), '')
  await ann.post('/api/unlock', { id: link })
  t.is(refusalOf(await bob.post('/api/comment', { thing_id: link, text: 'x' })), '')
})

test('a moderator without the permission posts cannot comment on a locked link', async (t) => {
  await foundSubsite(ann, 'locked_1')
  const { clerk_1: clerk, keeper_1: keeper } = await joinSite(site, 'clerk_1', 'keeper_1')
  await appoint(ann, 'locked_1', clerk, '+mail,+flair')
  await appoint(ann, 'locked_1', keeper, '+posts')
  const link = await submit(bob, 'locked_1')
  await postForm(keeper, '/api/lock', { id: link })
  const comment = async (who: User) => refusalOf(await who.post('/api/comment', { thing_id: link, text: 'x' }))
  t.deepEqual([await comment(clerk), await comment(keeper)], ['THREAD_LOCKED parent', ''])
  const own = await say(keeper, link)
  await postForm(keeper, '/api/vote', { id: own, dir: -1 })
  t.is(refusalOf(await keeper.post('/api/editusertext', { thing_id: own, text: 'y' })), '')
  await postForm(keeper, '/api/del', { id: own })
})

test('a deleted comment takes no replies, a removed one only from its author and moderators', async (t) => {
  const link = await submit(bob, 'tea')
  const [removed, deleted] = [await say(bob, link), await say(bob, link)]
  await ann.post('/api/remove', { id: removed })
  await bob.post('/api/del', { id: deleted })
  const reply = async (who: User, parent: string) => refusalOf(await who.post('/api/comment', { thing_id: parent, text: 'x' }))
  t.is(await reply(eve, removed), 'DELETED_COMMENT parent')
  t.is(await reply(bob, removed), '')
  t.is(await reply(ann, removed), '')
  t.is(await reply(ann, deleted), 'DELETED_COMMENT parent')
})

test('a banned account or outsider gets a 403, and may comment once admitted', async (t) => {
  await foundSubsite(ann, 'private_1', { type: 'private' })
  await foundSubsite(ann, 'strict_1')
  const hidden = await submit(ann, 'private_1')
  const strict = await submit(ann, 'strict_1')
  await ann.post('/s/strict_1/api/friend', { type: 'banned', name: 'eve' })
  const comment = async (parent: string) => refusalOf(await eve.post('/api/comment', { thing_id: parent, text: 'x' }))
  t.deepEqual([await comment(hidden), await comment(strict)], ['403', '403'])
  await ann.post('/s/private_1/api/friend', { type: 'contributor', name: 'eve' })
  await ann.post('/s/strict_1/api/unfriend', { type: 'banned', name: 'eve' })
  t.deepEqual([await comment(hidden), await comment(strict)], ['', ''])
})

test('an author who may no longer view the subsite can edit and delete, and is shown nothing of it', async (t) => {
  await foundSubsite(ann, 'private_2', { type: 'private' })
  await ann.post('/s/private_2/api/friend', { type: 'contributor', name: 'eve' })
  const link = await submit(ann, 'private_2', { title: 'a quokka' })
  const [comment, post] = [await say(eve, link, 'cute'), await submit(eve, 'private_2', { text: 'mine' })]
  await ann.post('/s/private_2/api/unfriend', { type: 'contributor', name: 'eve' })
  for (const thing_id of [comment, post]) {
    const edited = await postForm(eve, '/api/editusertext', { thing_id, text: 'not mine' })
    t.deepEqual(edited.at('json'), { errors: [], data: { things: [] } })
    t.like(await readThing(ann, thing_id), thing_id === comment ? { body: 'not mine' } : { selftext: 'not mine' })
    await postForm(eve, '/api/del', { id: thing_id })
  }
  t.is((await readThing(ann, post)).author, '[deleted]')
})

test('any account can comment in a restricted subsite', async (t) => {
  await foundSubsite(ann, 'restricted_1', { type: 'restricted' })
  t.truthy(await say(eve, await submit(ann, 'restricted_1')))
})

test('replying to a message needs a token with the scope privatemessages', async (t) => {
  const submitting = await bob.withScopes('submit')
  const answer = await submitting.post('/api/comment', { thing_id: 't6_zzzz', text: 'x' })
  t.is(answer.status, 403)
  t.regex(String(answer.headers.get('www-authenticate')), /insufficient_scope/)
})

test('posting a comment with a session needs the modhash', async (t) => {
  const link = await submit(bob, 'tea')
  const session = await bob.session()
  t.is((await site.post('/api/comment', { thing_id: link, text: 'x' }, { Cookie: session.cookie })).status, 403)
  t.is(refusalOf(await session.post('/api/comment', { thing_id: link, text: 'x' })), '')
})
