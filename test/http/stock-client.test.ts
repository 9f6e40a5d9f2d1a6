import test from 'ava'
import { names } from '../support/posting.ts'
import type { Answer } from '../support/site.ts'
import { answerTo, foundTea, startClients, startSubmitted, submitLeaf } from '../support/stock-client.ts'

/*
 * The exact requests of a widely used client library: older spellings of paths, slashes at their ends, every call with `raw_json`, fields
 * nobody knows, `True` and `False`, limits beyond all bounds, JSON without a Content-Type.
 */

const errorOf = (answer: Answer) => (answer.at('json.errors.0') as readonly unknown[] | undefined)?.toSpliced(1, 1)
const data = (answer: Answer, path = 'data.children') =>
  (answer.at(path) as readonly { readonly data: Record<string, unknown> }[]).map((one) => one.data)

test.serial('an unmodified client library can log in, found a subsite, read its record and subscribe to it', async (t) => {
  const { ann, bob } = await startClients(t)
  t.is((await ann.get('/api/v1/me?raw_json=1')).at('name'), 'anna')
  t.deepEqual((await foundTea(ann)).body, { json: { errors: [] } })
  const about = await ann.get('/r/tea/about/?raw_json=1')
  t.like(about.at('data'), { display_name: 'tea', subscribers: 1, user_is_moderator: true, subsite_type: 'public' })
  t.is((await ann.get('/r/tea/about/edit/?raw_json=1')).at('data.title'), 'All about tea')
  t.deepEqual((await bob.post('/api/subscribe/', 'action=sub&skip_inital_defaults=True&sr_name=tea')).body, {})
  const tea = String(about.at('data.name'))
  t.deepEqual(names(await bob.get('/subreddits/mine/subscriber/?limit=1024&raw_json=1')), [tea])
  t.true(names(await ann.get('/subreddits/popular/?limit=5&raw_json=1')).includes(tea))
  t.deepEqual(
    data(await ann.get('/subreddits/mine/moderator/?limit=1024&raw_json=1')).map((one) => one.mod_permissions),
    [['all']],
  )
})

test.serial('an unmodified client library can submit links and texts, and a URL only once', async (t) => {
  const { ann, bob, link, text, thread } = await startSubmitted(t)
  const again = await submitLeaf(bob, 'True')
  t.regex(String(again.at('json.data.url')), /^http:\/\/127\.0\.0\.1:\d+\/s\/tea\/comments\/\w+\/a_leaf\/$/)
  t.not(again.at('json.data.name'), link)
  t.deepEqual(errorOf(await submitLeaf(bob, 'False')), ['ALREADY_SUB', 'url'])
  t.like((await ann.get(thread)).at('0.data.children.0.data'), {
    selftext: '**Soft** & hard < water',
    author: 'robert',
    permalink: `/s/tea/comments/${text.slice(3)}/on_water/`,
    score: 2,
    likes: null,
    num_comments: 0,
    edited: false,
  })
})

test.serial('an unmodified client library can vote, and read links in the orders of listings', async (t) => {
  const { ann, link, text } = await startSubmitted(t)
  for (const dir of ['1', '-1']) t.deepEqual((await ann.post('/api/vote/', `dir=${dir}&id=${link}`)).body, {})
  t.like(data(await ann.get(`/api/info/?id=${link}%2C${text}&raw_json=1`))[0] as object, {
    ups: 2,
    downs: 1,
    score: 5,
    likes: true,
    dislikes: true,
  })
  for (const [path, order] of [
    ['/r/tea/hot?limit=10&raw_json=1', [link, text]],
    ['/r/tea/new?limit=10&raw_json=1', [text, link]],
    ['/r/tea/top?t=all&limit=10&raw_json=1', [link, text]],
    ['/hot?limit=5&raw_json=1', [link, text]],
    ['/user/anna/upvoted?limit=100&raw_json=1', [link]],
    ['/user/anna/downvoted?limit=100&raw_json=1', [link]],
  ] as const)
    t.deepEqual(names(await ann.get(path)), order, path)
})

test.serial('an unmodified client library can comment, reply and read the thread', async (t) => {
  const { ann, bob, text, thread } = await startSubmitted(t)
  const said = await ann.post('/api/comment/', `text=Two+%2Aminutes%2A.&thing_id=${text}`)
  t.like(said.at('json.data.things.0'), { kind: 't1' })
  const comment = String(said.at('json.data.things.0.data.name'))
  t.like(said.at('json.data.things.0.data'), { body: 'Two *minutes*.', author: 'anna', parent_id: text, link_id: text, replies: '' })
  const { name: reply } = await answerTo(bob, comment, 'Three%21')
  const tree = await ann.get(thread)
  t.deepEqual(names(tree, '1.data.children'), [comment])
  t.deepEqual(names(tree, '1.data.children.0.data.replies.data.children'), [reply])
})

test.serial('an unmodified client library can read its inbox and write replies and messages', async (t) => {
  const { ann, bob, text } = await startSubmitted(t)
  const { name: reply } = await answerTo(bob, (await answerTo(ann, text, 'Two')).name, 'Three%21')
  const unread = '/message/unread/?mark=False&limit=1024&raw_json=1'
  t.like(data(await ann.get(unread))[0] as object, {
    name: reply,
    subject: 'comment reply',
    body: 'Three!',
    new: true,
    was_comment: true,
    context: `/s/tea/comments/${text.slice(3)}/on_water/${reply.slice(3)}/?context=3`,
  })
  t.is((await answerTo(ann, reply, 'I+answer+from+my+inbox')).kind, 't1')
  t.deepEqual((await ann.post('/api/read_message/', `id=${reply}`)).body, {})
  t.deepEqual(names(await ann.get(unread)), [])
  t.deepEqual((await bob.post('/api/compose/', 'subject=Hello&text=Come+to+tea&to=anna')).body, { json: { errors: [] } })
  const [message] = data(await ann.get('/message/messages/?limit=5&raw_json=1'))
  t.like(message as object, {
    author: 'robert',
    dest: 'anna',
    subject: 'Hello',
    body: 'Come to tea',
    replies: '',
    first_message_name: null,
  })
  t.is((await answerTo(ann, String(message?.name), 'Gladly')).kind, 't6')
  t.is(data(await bob.get('/message/inbox/?limit=10&raw_json=1'))[0]?.subject, 're: Hello')
  t.is(data(await bob.get('/message/sent/?limit=10&raw_json=1'))[0]?.dest, 'anna')
})

test.serial('an unmodified client library can change preferences by a field of a form, and read trophies', async (t) => {
  const { bob } = await startClients(t)
  const json = encodeURIComponent(JSON.stringify({ over_18: true, numsites: 30 }))
  t.like((await bob.patch('/api/v1/me/prefs', `json=${json}`)).body, { over_18: true, numsites: 30 })
  t.deepEqual((await bob.get('/api/v1/user/anna/trophies?raw_json=1')).body, { kind: 'TrophyList', data: { trophies: [] } })
})

test.serial('an unmodified client library can put a comment of a moderator above all others', async (t) => {
  const { ann, bob, text, thread } = await startSubmitted(t)
  const { name: comment } = await answerTo(ann, text, 'Two')
  const { name: first } = await answerTo(ann, text, 'Read+this+first')
  const spoken = await ann.post('/api/distinguish/', `how=yes&id=${first}&sticky=True`)
  t.like(spoken.at('json.data.things.0.data'), { distinguished: 'moderator', stickied: true })
  t.deepEqual(names(await bob.get(thread), '1.data.children'), [first, comment])
  t.deepEqual((await ann.post('/api/distinguish/', `how=no&id=${first}`)).at('json.data.things.0.data.stickied'), false)
  t.deepEqual(
    data(await ann.get('/r/tea/about/log/?limit=1024&raw_json=1')).map(({ action }) => action),
    ['unsticky', 'distinguish', 'sticky', 'distinguish'],
  )
})

test.serial('an unmodified client library can lock, sticky, remove and approve, and read the log of it', async (t) => {
  const { ann, bob, link, text } = await startSubmitted(t)
  const { name: comment } = await answerTo(bob, text, 'Three%21')
  await ann.post('/api/lock/', `id=${link}`)
  t.deepEqual(errorOf(await bob.post('/api/comment/', `text=nope&thing_id=${link}`)), ['THREAD_LOCKED', 'parent'])
  await ann.post('/api/unlock/', `id=${link}`)
  await ann.post('/api/set_subreddit_sticky/', `id=${text}&state=True`)
  const sticky = await ann.get('/r/tea/about/sticky/?num=1&raw_json=1')
  t.is(sticky.status, 302)
  t.regex(sticky.headers.get('location') ?? '', new RegExp(`/comments/${text.slice(3)}/`))
  await ann.post('/api/set_subreddit_sticky/', `id=${text}&state=False`)
  await ann.post('/api/remove/', `id=${link}&spam=False`)
  await ann.post('/api/approve/', `id=${link}`)
  await ann.post('/api/remove/', `id=${comment}&spam=True`)
  t.deepEqual(
    data(await ann.get('/r/tea/about/log/?limit=1024&raw_json=1'))
      .map(({ action }) => action)
      .toReversed(),
    ['lock', 'unlock', 'sticky', 'unsticky', 'removelink', 'approvelink', 'removecomment'],
  )
  t.deepEqual(
    data(await ann.get('/r/tea/about/log/?type=lock&limit=1024&raw_json=1')).map(({ target_fullname }) => target_fullname),
    [link],
  )
})

test.serial('an unmodified client library can ban, approve and invite accounts, and read their lists', async (t) => {
  const { ann, bob } = await startSubmitted(t)
  const friend = '/r/tea/api/friend/'
  await ann.post(friend, 'ban_message=Be+nice&ban_reason=rude&duration=3&name=robert&note=x&type=banned')
  t.like((await ann.get('/r/tea/about/banned/?limit=100&raw_json=1')).at('data.children.0'), { name: 'robert', note: 'rude: x' })
  await ann.post('/r/tea/api/unfriend/', 'name=robert&type=banned')
  await ann.post(friend, 'name=robert&type=contributor')
  const permissions = '-all%2C-access%2C-chat_config%2C-chat_operator%2C-config%2C-flair%2C-mail%2C-wiki%2C%2Bposts'
  await ann.post(friend, `name=robert&permissions=${permissions}&type=moderator_invite`)
  await bob.post('/r/tea/api/accept_moderator_invite', '')
  t.like((await ann.get('/r/tea/about/moderators/?raw_json=1')).at('data.children'), [
    { name: 'anna', mod_permissions: ['all'] },
    { name: 'robert', mod_permissions: ['posts'] },
  ])
  t.deepEqual(
    data(await ann.get('/r/tea/about/log/?limit=1024&raw_json=1'))
      .map(({ action }) => action)
      .toReversed(),
    ['banuser', 'unbanuser', 'addcontributor', 'invitemoderator', 'acceptmoderatorinvite'],
  )
})

test.serial('an unmodified client library can make friends, save and hide links, and read the pages of accounts', async (t) => {
  const { ann, bob, link, text } = await startSubmitted(t)
  t.is((await ann.send('PUT', '/api/v1/me/friends/robert?raw_json=1', { note: 'good tea' })).at('note'), 'good tea')
  t.is((await ann.get('/api/v1/me/friends/robert?raw_json=1')).at('note'), 'good tea')
  t.is((await ann.get('/api/v1/me/friends/?raw_json=1')).at('data.children.0.name'), 'robert')
  t.is((await ann.send('DELETE', '/api/v1/me/friends/robert?raw_json=1', { id: 'robert' })).status, 204)
  for (const [act, shelf] of [
    ['/api/save/', 'saved'],
    ['/api/hide', 'hidden'],
  ] as const) {
    await ann.post(act, `id=${link}`)
    t.deepEqual(names(await ann.get(`/user/anna/${shelf}?limit=100&raw_json=1`)), [link])
  }
  for (const said of ['One', 'Two']) await answerTo(ann, text, said)
  t.is((await bob.get('/user/anna/about/?raw_json=1')).at('data.name'), 'anna')
  t.deepEqual(
    data(await bob.get('/user/anna/?sort=new&limit=5&raw_json=1')).map(({ body }) => body),
    ['Two', 'One'],
  )
})

test.serial('an unmodified client library can edit and delete what its account wrote', async (t) => {
  const { ann, bob, link, text, thread } = await startSubmitted(t)
  const edited = await bob.post('/api/editusertext/', `text=Edited+%26+better&thing_id=${text}&validate_on_submit=True`)
  t.is(edited.at('json.data.things.0.data.selftext'), 'Edited & better')
  t.is(typeof edited.at('json.data.things.0.data.edited'), 'number')
  t.deepEqual((await bob.post('/api/del/', `id=${text}`)).body, {})
  t.is((await ann.get(thread)).at('0.data.children.0.data.author'), '[deleted]')
  t.deepEqual(names(await bob.get('/r/tea/new?limit=100&raw_json=1')), [link])
})

const model = (value: unknown) => `model=${encodeURIComponent(JSON.stringify(value))}`

test.serial('an unmodified client library can make, change, copy and delete multis', async (t) => {
  const { ann, bob, link, text } = await startSubmitted(t)
  const multi = { description_md: '', display_name: 'Hot drinks', icon_name: '', key_color: '#cee3f8', visibility: 'private' }
  const made = await ann.post('/api/multi/', model({ ...multi, subreddits: [{ name: 'tea' }], weighting_scheme: 'classic' }))
  t.like(made.at('data'), { path: '/user/anna/m/hot_drinks', subreddits: [{ name: 'tea' }] })
  await ann.send('DELETE', '/api/multi/user/anna/m/hot_drinks/r/tea?raw_json=1', {})
  t.deepEqual((await ann.get('/api/multi/user/anna/m/hot_drinks/?raw_json=1')).at('data.subreddits'), [])
  await ann.put('/api/multi/user/anna/m/hot_drinks/r/tea', model({ name: 'tea' }))
  await ann.put('/api/multi/user/anna/m/hot_drinks/', model({ visibility: 'public', key_color: '#000000' }))
  t.deepEqual(names(await bob.get('/user/anna/m/hot_drinks/new?limit=100&raw_json=1')), [text, link])
  t.like((await bob.get('/api/multi/user/anna/?raw_json=1')).at('0.data'), {
    name: 'hot_drinks',
    visibility: 'public',
    key_color: '#000000',
  })
  const copied = await bob.post('/api/multi/copy/', 'from=%2Fuser%2Fanna%2Fm%2Fhot_drinks&display_name=Mine&to=user%2Frobert%2Fm%2Fmine')
  t.like(copied.at('data'), { display_name: 'Mine', path: '/user/robert/m/mine', copied_from: '/user/anna/m/hot_drinks' })
  t.deepEqual((await bob.get('/api/multi/mine/?raw_json=1')).at('0.data.subreddits'), [{ name: 'tea' }])
  await ann.send('DELETE', '/api/multi/user/anna/m/hot_drinks?raw_json=1', {})
  t.is((await ann.get('/api/multi/mine?raw_json=1')).text, '[]')
})

test.serial('an unmodified client library can filter a subsite out of /r/all', async (t) => {
  const { ann, link, text } = await startSubmitted(t)
  const all = async () => names(await ann.get('/r/all/new?limit=100&raw_json=1'))
  t.deepEqual(await all(), [text, link])
  await ann.put('/api/filter/user/anna/f/all/s/tea', model({ name: 'tea' }))
  t.deepEqual((await ann.get('/api/filter/user/anna/f/all?raw_json=1')).at('data.subreddits'), [{ name: 'tea' }])
  t.deepEqual(await all(), [])
  await ann.send('DELETE', '/api/filter/user/anna/f/all/s/tea?raw_json=1', {})
  t.deepEqual(await all(), [text, link])
})
