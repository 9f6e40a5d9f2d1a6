import test from 'ava'
import { joinSite, startTea } from '../support/cast.ts'
import { postForm } from '../support/community.ts'
import { foundSubsite, id36, names, readThing, refusalOf, say, submit } from '../support/posting.ts'
import type { User } from '../support/site.ts'

/** Ann is the founder of every subsite here. */
const { site, ann, bob, eve } = await startTea(['eve'])
test.after.always(() => site.stop())

test('with return_rtjson a written thing is answered bare, refusals and edits of what its author cannot view as ever', async (t) => {
  const link = await submit(bob, 'tea', { text: 'first' })
  const said = await ann.post('/api/comment?raw_json=1', { parent: link, text: 'a & b', api_type: 'json', return_rtjson: 'true' })
  t.like(said.body, { link_id: link, author: 'ann', author_fullname: ann.id, body: 'a & b', replies: '' })
  t.is(said.at('name'), (await readThing(ann, String(said.at('name')))).name)
  const change = { thing_id: link, text: 'second', return_rtjson: 'true', api_type: 'json' }
  t.like((await bob.post('/api/editusertext', change)).body, { name: link, selftext: 'second' })
  t.is(refusalOf(await ann.post('/api/editusertext', change)), 'NOT_AUTHOR thing_id')
  await postForm(ann, '/api/compose', { to: 'bob', subject: 'tea', text: 'now?' })
  const [message] = names(await bob.get('/message/messages'))
  const replied = await bob.post('/api/comment', { thing_id: String(message), text: 'later', api_type: 'json', return_rtjson: 'true' })
  t.like(replied.body, { author: 'bob', dest: 'ann', body: 'later', parent_id: message })
})

test('posting a comment returns the whole comment', async (t) => {
  const link = await submit(bob, 'tea', { title: 'Some title' })
  const answer = await ann.post('/api/comment', { parent: link, text: 'See /u/bob & <i>', api_type: 'json' })
  t.is(refusalOf(answer), '')
  t.is(answer.at('json.data.things.0.kind'), 't1')
  const name = String(answer.at('json.data.things.0.data.name'))
  t.like(await readThing(ann, name), {
    id: id36(name),
    author: 'ann',
    body: 'See /u/bob & <i>',
    body_html: '<div class="md"><p>See <a href="/u/bob">/u/bob</a> &amp; &lt;i&gt;</p>\n</div>',
    link_id: link,
    parent_id: link,
    subsite: 'tea',
    score: 2,
    ups: 1,
    downs: 0,
    score_hidden: false,
    controversiality: 0,
    likes: true,
    dislikes: null,
    edited: false,
    replies: '',
    is_submitter: false,
    permalink: `/s/tea/comments/${id36(link)}/some_title/${id36(name)}`,
  })
})

test('what posting a comment returns is what everybody reads afterwards', async (t) => {
  const link = await submit(bob, 'tea', { title: 'Both' })
  const shownOf = ({ body_html: _, replies: __, ...record }: Readonly<Record<string, unknown>>) => record
  for (const [author, parent] of [
    [ann, link],
    [bob, link],
    [eve, await say(ann, link)],
    [ann, await say(eve, link)],
  ] as const) {
    const answer = await author.post('/api/comment?raw_json=1', { parent, text: 'as it is', api_type: 'json', return_rtjson: 'true' })
    const record = answer.body as Readonly<Record<string, unknown>>
    t.deepEqual(shownOf(record), shownOf(await readThing(author, String(record.name))))
  }
})

test('a new comment, and a reply to it, are in their thread at once', async (t) => {
  const link = await submit(bob, 'tea')
  const name = await say(ann, link)
  const reply = await say(bob, name)
  t.like(await readThing(ann, reply), { parent_id: name, link_id: link, is_submitter: true })
  const page = await site.get(`/comments/${id36(link)}`)
  t.deepEqual(names(page, '1.data.children'), [name])
  t.deepEqual(names(page, '1.data.children.0.data.replies.data.children'), [reply])
})

const inbox = async (who: User) => names(await who.get('/message/inbox'))

test('replies and mentions enter the inbox once, and never that of the author', async (t) => {
  const { host_1: host, guest_1: guest, named_1: named } = await joinSite(site, 'host_1', 'guest_1', 'named_1')
  const top = await say(guest, await submit(host, 'tea'), 'hello /u/host_1, u/named_1 and /u/guest_1')
  t.deepEqual([await inbox(host), await inbox(named), await inbox(guest)], [[top], [top], []])
  const reply = await say(host, top, 'thanks')
  t.deepEqual([await inbox(host), await inbox(guest)], [[top], [reply]])
})

test('a comment that mentions more than three names notifies none of them', async (t) => {
  const { named_4: named } = await joinSite(site, 'named_4')
  const link = await submit(bob, 'tea')
  const three = await say(ann, link, '/u/aaa1 /u/bbb1 /u/named_4')
  await say(ann, link, '/u/aaa1 /u/bbb1 /u/ccc1 /u/named_4')
  t.deepEqual(await inbox(named), [three])
})

test('a deleted comment is withdrawn from the inboxes', async (t) => {
  const { named_5: named } = await joinSite(site, 'named_5')
  const id = await say(ann, await submit(named, 'tea'), 'hello /u/named_5')
  t.deepEqual(await inbox(named), [id])
  await postForm(ann, '/api/del', { id })
  t.deepEqual(await inbox(named), [])
})

test('editing a comment notifies newly mentioned accounts and withdraws other mentions', async (t) => {
  const { one_1: one, two_1: two } = await joinSite(site, 'one_1', 'two_1')
  const comment = await say(ann, await submit(bob, 'tea'), 'hi /u/one_1')
  const answer = await ann.post('/api/editusertext', { thing_id: comment, text: 'hi /u/two_1' })
  t.is(answer.at('json.data.things.0.data.body'), 'hi /u/two_1')
  t.is(typeof answer.at('json.data.things.0.data.edited'), 'number')
  t.deepEqual(names(await one.get('/message/inbox')), [])
  t.deepEqual(names(await two.get('/message/inbox')), [comment])
})

const refused = test.macro(async (t, fields: Record<string, string>, expected: string) => {
  const link = await submit(bob, 'tea')
  const answer = await ann.post('/api/comment', { thing_id: link, text: 'x', ...fields })
  t.is(refusalOf(answer), expected)
  t.is((await readThing(ann, link)).num_comments, 0)
})
test('a comment without a parent is refused', refused, { thing_id: '' }, '403')
test('a comment on an unknown parent is refused', refused, { thing_id: 't1_zzzz' }, '403')
test('a comment on a parent of another kind is refused', refused, { thing_id: 't2_1' }, '403')
test('a missing parent is reported before a missing text', refused, { thing_id: 't5_zzzz', text: '' }, '403')
test('a blank comment is refused', refused, { text: ' \n' }, 'NO_TEXT text')
test('a comment of invisible characters is refused', refused, { text: '\u200b\u00ad\ufe0f' }, 'NO_TEXT text')
test('a comment of references to invisible characters is refused', refused, { text: '&#8203; &#x2060;&nbsp;' }, 'NO_TEXT text')
test('a comment that is too long is refused', refused, { text: 'x'.repeat(10_001) }, 'TOO_LONG text')

test('a comment and its edit can have 10,000 characters', async (t) => {
  const name = await say(ann, await submit(bob, 'tea'), 'x'.repeat(10_000))
  const edit = async (text: string) => refusalOf(await ann.post('/api/editusertext', { thing_id: name, text }))
  t.is(await edit('y'.repeat(10_000)), '')
  t.is(await edit('y'.repeat(10_001)), 'TOO_LONG text')
  t.is(await edit(''), 'NO_TEXT text')
  t.is(String((await readThing(ann, name)).body).length, 10_000)
})

test('a deleted link can be commented on, and its author is not notified', async (t) => {
  const { gone_1: gone } = await joinSite(site, 'gone_1')
  const link = await submit(gone, 'tea')
  await gone.post('/api/del', { id: link })
  t.truthy(await say(ann, link))
  t.deepEqual(names(await gone.get('/message/inbox')), [])
})

test('a reply to an account that blocks its author is posted without a notification', async (t) => {
  const { host_2: host, rude_2: rude } = await joinSite(site, 'host_2', 'rude_2')
  const [link, first] = [await submit(host, 'tea'), await submit(rude, 'tea')]
  await postForm(host, '/api/block', { id: await say(rude, link) })
  const reply = await say(rude, link)
  const mention = await say(rude, first, 'see /u/host_2')
  t.deepEqual(names(await host.get('/message/inbox')), [])
  t.is((await readThing(bob, link)).num_comments, 2)
  for (const name of [reply, mention]) t.is((await readThing(bob, name)).author, 'rude_2')
})

test('comments deleted by many requests at once are counted down once each', async (t) => {
  const link = await submit(bob, 'tea')
  const [gone, other] = [await say(eve, link), await say(eve, link)]
  const answers = await Promise.all(Array.from({ length: 16 }, (_, n) => eve.post('/api/del', { id: n % 4 === 0 ? other : gone })))
  t.true(answers.every(({ text }) => text === '{}'))
  t.is((await readThing(ann, link)).num_comments, 0)
  await say(eve, link)
  t.is((await readThing(ann, link)).num_comments, 1)
})

test('a saved comment is on the page of saved things until its author deletes it', async (t) => {
  const { keeper_2: keeper } = await joinSite(site, 'keeper_2')
  const link = await submit(bob, 'tea')
  const comment = await say(eve, link)
  for (const id of [link, comment]) await postForm(keeper, '/api/save', { id })
  const saved = async () => names(await keeper.get('/user/keeper_2/saved'))
  t.deepEqual(await saved(), [comment, link])
  await postForm(bob, '/api/del', { id: link })
  t.deepEqual(await saved(), [comment])
  await postForm(eve, '/api/del', { id: comment })
  t.deepEqual(await saved(), [])
})

test('an edit that withdraws a mention lowers the number of unread entries', async (t) => {
  const { named_2: named } = await joinSite(site, 'named_2')
  const comment = await say(ann, await submit(bob, 'tea'), 'hi /u/named_2')
  const unread = async () => [(await named.get('/api/v1/me')).at('inbox_count'), names(await named.get('/message/unread'))]
  t.deepEqual(await unread(), [1, [comment]])
  await postForm(ann, '/api/editusertext', { thing_id: comment, text: 'hi' })
  t.deepEqual(await unread(), [0, []])
})

test('comments do not reveal the author of a deleted link', async (t) => {
  const link = await submit(bob, 'tea')
  const name = await say(bob, link)
  t.is((await readThing(eve, name)).is_submitter, true)
  await bob.post('/api/del', { id: link })
  t.like(await readThing(eve, name), { is_submitter: false, author: 'bob' })
})

test('a removed comment is unreadable to others until it is approved', async (t) => {
  const name = await say(bob, await submit(bob, 'tea'), 'rude words')
  await ann.post('/api/remove', { id: name })
  t.like(await readThing(eve, name), { body: '[removed]', author: '[deleted]', banned_by: null, is_submitter: false })
  t.like(await readThing(bob, name), { body: 'rude words', author: 'bob', banned_by: null })
  t.like(await readThing(ann, name), { body: 'rude words', author: 'bob', banned_by: 'ann' })
  t.false((await site.get(`/api/info?id=${name}`)).text.includes('rude'))
  await ann.post('/api/approve', { id: name })
  t.like(await readThing(eve, name), { body: 'rude words', author: 'bob' })
})

/** A comment that mentions eve, in a subsite that filters all comments. */
const filteredComment = async (name: string) => {
  await foundSubsite(ann, name, { spam_comments: 'all' })
  return say(bob, await submit(eve, name), 'hello /u/eve')
}

test('comments filtered when posted are hidden from others and notify no account', async (t) => {
  const name = await filteredComment('filter_1')
  t.is((await readThing(eve, name)).body, '[removed]')
  t.is((await readThing(bob, name)).body, 'hello /u/eve')
  t.is((await readThing(ann, name)).banned_by, true)
  t.false((await inbox(eve)).includes(name))
})

test('an edit of a filtered comment neither shows it nor notifies', async (t) => {
  const name = await filteredComment('filter_2')
  await postForm(bob, '/api/editusertext', { thing_id: name, text: 'hello again, /u/eve' })
  t.is((await readThing(eve, name)).body, '[removed]')
  t.is((await readThing(ann, name)).banned_by, true)
  t.false((await inbox(eve)).includes(name))
})

test('a filtered comment notifies once it is approved', async (t) => {
  const name = await filteredComment('filter_3')
  await postForm(ann, '/api/approve', { id: name })
  t.true((await inbox(eve)).includes(name))
})

test('a comment of seven votes or more is controversial if about half of them are insightful', async (t) => {
  const name = await say(ann, await submit(ann, 'tea'))
  const voters = Object.values(await joinSite(site, 'parted_1', 'parted_2', 'parted_3', 'parted_4'))
  for (const voter of voters) {
    t.is((await readThing(site, name)).controversiality, 0)
    await voter.post('/api/vote', { id: name, dir: -1 })
  }
  for (const voter of voters.slice(0, 2)) await voter.post('/api/vote', { id: name, dir: 1 })
  t.like(await readThing(site, name), { ups: 3, downs: 4, controversiality: 1 })
})

test('a subsite can hide the scores of new comments from all but their author and the moderators', async (t) => {
  await foundSubsite(ann, 'hiding_1', { comment_score_hide_mins: '60' })
  const name = await say(bob, await submit(bob, 'hiding_1'))
  await eve.post('/api/vote', { id: name, dir: -1 })
  t.like(await readThing(eve, name), { score_hidden: true, score: 1, ups: 1, downs: 0, dislikes: true })
  t.like(await readThing(bob, name), { score_hidden: false, score: 3, downs: 1 })
  t.like(await readThing(ann, name), { score_hidden: false, score: 3, downs: 1 })
})
