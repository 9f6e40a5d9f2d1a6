import test, { type ExecutionContext } from 'ava'
import { joining } from '../support/cast.ts'
import { registerApp } from '../support/oauth.ts'
import { names } from '../support/posting.ts'
import { type Answer, callerAt, startSite, type TestSite, type User } from '../support/site.ts'

/*
 * What a widely used client library sends, to the letter: older spellings of paths, slashes at their ends, every call with `raw_json`,
 * fields nobody knows, `True` and `False`, limits beyond all bounds, JSON without a Content-Type.
 */

let site: TestSite
test.before(async () => {
  site = await startSite()
})
test.after.always(() => site.stop())

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }

/** The client, logged in by password as the developer of a script app. */
const clientOf = async (t: ExecutionContext, user: User) => {
  const app = await registerApp(user, 'script')
  const body = `grant_type=password&password=${encodeURIComponent(user.password)}&username=${user.name}`
  const granted = await site.request('POST', '/api/v1/access_token', { body, headers: { ...FORM, ...app.basic } })
  t.is(granted.at('scope'), '*')
  const caller = callerAt(site.url, { Authorization: `bearer ${granted.at('access_token')}`, 'User-Agent': 'test' })
  const accepted = (answer: Answer, what: string): Answer => {
    t.true([200, 201, 202, 204, 302].includes(answer.status), `${what}: ${answer.status} ${answer.text}`)
    t.true(answer.text === '' || answer.body !== undefined, `${what}: a body that is not JSON`)
    for (const field of ['remaining', 'used', 'reset']) t.regex(answer.headers.get(`x-ratelimit-${field}`) ?? '', /^\d+$/)
    return answer
  }
  return {
    sendForm: async (method: 'PUT' | 'PATCH', path: string, body: string) =>
      accepted(await caller.request(method, `${path}?raw_json=1`, { body: `api_type=json&${body}`, headers: FORM }), path),
    get: async (path: string) => accepted(await caller.get(path), path),
    post: async (path: string, body: string) => {
      const answer = accepted(await caller.request('POST', `${path}?raw_json=1`, { body: `api_type=json&${body}`, headers: FORM }), path)
      return answer
    },
    /** As the library sends JSON: a body that does not say what it is. */
    send: async (method: string, path: string, value: unknown) =>
      accepted(await caller.request(method, path, { body: new TextEncoder().encode(JSON.stringify(value)) }), path),
  }
}

const errorOf = (answer: Answer) => (answer.at('json.errors.0') as readonly unknown[] | undefined)?.toSpliced(1, 1)
const data = (answer: Answer, path = 'data.children') =>
  (answer.at(path) as readonly { readonly data: Record<string, unknown> }[]).map((one) => one.data)

test('an unmodified client library can log in, post, vote, comment, message and moderate', async (t) => {
  const { anna, robert } = await joining(site, 'anna', 'robert')
  const ann = await clientOf(t, anna)
  const bob = await clientOf(t, robert)
  t.is((await ann.get('/api/v1/me?raw_json=1')).at('name'), 'anna')

  // founding, finding, joining
  t.deepEqual((await ann.post('/api/site_admin/', 'link_type=any&name=tea&title=All+about+tea&type=public&wikimode=disabled')).body, {
    json: { errors: [] },
  })
  const about = await ann.get('/r/tea/about/?raw_json=1')
  t.like(about.at('data'), { display_name: 'tea', subscribers: 1, user_is_moderator: true, subsite_type: 'public' })
  t.deepEqual((await bob.post('/api/subscribe/', 'action=sub&skip_inital_defaults=True&sr_name=tea')).body, {})
  t.deepEqual(names(await bob.get('/subreddits/mine/subscriber/?limit=1024&raw_json=1')), [String(about.at('data.name'))])
  t.deepEqual(
    data(await ann.get('/subreddits/mine/moderator/?limit=1024&raw_json=1')).map((one) => one.mod_permissions),
    [['all']],
  )

  // a link, a text, what may not be twice
  const common = 'nsfw=False&sendreplies=True&spoiler=False&sr=tea&validate_on_submit=True'
  const submitted = await bob.post('/api/submit/', `kind=link&resubmit=True&title=A+leaf&url=https%3A%2F%2Fexample.com%2Fleaf&${common}`)
  const link = String(submitted.at('json.data.name'))
  t.regex(String(submitted.at('json.data.url')), /^http:\/\/127\.0\.0\.1:\d+\/s\/tea\/comments\/\w+\/a_leaf\/$/)
  const text = String(
    (await bob.post('/api/submit/', `kind=self&resubmit=True&text=%2A%2ASoft%2A%2A+%26+hard+%3C+water&title=On+water&${common}`)).at(
      'json.data.name',
    ),
  )
  t.deepEqual(
    errorOf(await bob.post('/api/submit/', `kind=link&resubmit=False&title=Again&url=https%3A%2F%2Fexample.com%2Fleaf&${common}`)),
    ['ALREADY_SUB', 'url'],
  )
  const thread = `/comments/${text.slice(3)}/?limit=2048&sort=confidence&raw_json=1`
  t.like((await ann.get(thread)).at('0.data.children.0.data'), {
    selftext: '**Soft** & hard < water',
    author: 'robert',
    permalink: `/s/tea/comments/${text.slice(3)}/on_water/`,
    score: 2,
    likes: null,
    num_comments: 0,
    edited: false,
  })

  // words and marks
  const said = await ann.post('/api/comment/', `text=Two+%2Aminutes%2A.&thing_id=${text}`)
  t.like(said.at('json.data.things.0'), { kind: 't1' })
  const comment = String(said.at('json.data.things.0.data.name'))
  t.like(said.at('json.data.things.0.data'), { body: 'Two *minutes*.', author: 'anna', parent_id: text, link_id: text, replies: '' })
  const reply = String((await bob.post('/api/comment/', `text=Three%21&thing_id=${comment}`)).at('json.data.things.0.data.name'))
  for (const dir of ['1', '-1']) t.deepEqual((await ann.post('/api/vote/', `dir=${dir}&id=${link}`)).body, {})
  t.like(data(await ann.get(`/api/info/?id=${link}%2C${comment}&raw_json=1`))[0] as object, {
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
  ] as const)
    t.deepEqual(names(await ann.get(path)), order, path)
  const tree = await ann.get(thread)
  t.deepEqual(names(tree, '1.data.children'), [comment])
  t.deepEqual(names(tree, '1.data.children.0.data.replies.data.children'), [reply])

  // the inbox
  const unread = '/message/unread/?mark=False&limit=1024&raw_json=1'
  t.like(data(await ann.get(unread))[0] as object, {
    name: reply,
    subject: 'comment reply',
    body: 'Three!',
    new: true,
    was_comment: true,
    context: `/s/tea/comments/${text.slice(3)}/on_water/${reply.slice(3)}/?context=3`,
  })
  t.is((await ann.post('/api/comment/', `text=I+answer+from+my+inbox&thing_id=${reply}`)).at('json.data.things.0.kind'), 't1')
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
  t.is((await ann.post('/api/comment/', `text=Gladly&thing_id=${message?.name}`)).at('json.data.things.0.kind'), 't6')
  t.is(data(await bob.get('/message/inbox/?limit=10&raw_json=1'))[0]?.subject, 're: Hello')
  t.is(data(await bob.get('/message/sent/?limit=10&raw_json=1'))[0]?.dest, 'anna')

  // preferences, as a field of a form; what the moderator says leads the thread
  const json = encodeURIComponent(JSON.stringify({ over_18: true, numsites: 30 }))
  t.like((await bob.sendForm('PATCH', '/api/v1/me/prefs', `json=${json}`)).body, { over_18: true, numsites: 30 })
  const plain = String((await ann.post('/api/comment/', `text=Read+this+first&thing_id=${text}`)).at('json.data.things.0.data.name'))
  const spoken = await ann.post('/api/distinguish/', `how=yes&id=${plain}&sticky=True`)
  t.like(spoken.at('json.data.things.0.data'), { distinguished: 'moderator', stickied: true })
  t.deepEqual(names(await bob.get(thread), '1.data.children'), [plain, comment])
  t.deepEqual((await ann.post('/api/distinguish/', `how=no&id=${plain}`)).at('json.data.things.0.data.stickied'), false)
  await ann.post('/api/del/', `id=${plain}`)
  t.deepEqual((await bob.get('/api/v1/user/anna/trophies?raw_json=1')).body, { kind: 'TrophyList', data: { trophies: [] } })

  // moderating
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
  await ann.post('/api/remove/', `id=${reply}&spam=True`)
  const friend = '/r/tea/api/friend/'
  await ann.post(friend, 'ban_message=Be+nice&ban_reason=rude&duration=3&name=robert&note=x&type=banned')
  t.like((await ann.get('/r/tea/about/banned/?limit=100&raw_json=1')).at('data.children.0'), { name: 'robert', note: 'rude: x' })
  await ann.post('/r/tea/api/unfriend/', 'name=robert&type=banned')
  await ann.post(friend, 'name=robert&type=contributor')
  const permissions = '-all%2C-access%2C-chat_config%2C-chat_operator%2C-config%2C-flair%2C-mail%2C-wiki%2C%2Bposts'
  await ann.post(friend, `name=robert&permissions=${permissions}&type=moderator_invite`)
  await bob.post('/r/tea/api/accept_moderator_invite', '')
  const moderators = (await ann.get('/r/tea/about/moderators/?raw_json=1')).at('data.children')
  t.like(moderators, [
    { name: 'anna', mod_permissions: ['all'] },
    { name: 'robert', mod_permissions: ['posts'] },
  ])
  const log = data(await ann.get('/r/tea/about/log/?limit=1024&raw_json=1'))
  t.deepEqual(log.map(({ action }) => action).toReversed(), [
    'distinguish',
    'sticky',
    'distinguish',
    'unsticky',
    'lock',
    'unlock',
    'sticky',
    'unsticky',
    'removelink',
    'approvelink',
    'removecomment',
    'banuser',
    'unbanuser',
    'addcontributor',
    'invitemoderator',
    'acceptmoderatorinvite',
  ])
  t.deepEqual(
    data(await ann.get('/r/tea/about/log/?type=lock&limit=1024&raw_json=1')).map(({ target_fullname }) => target_fullname),
    [link],
  )
  t.is((await ann.get('/r/tea/about/edit/?raw_json=1')).at('data.title'), 'All about tea')

  // people, shelves, second thoughts
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
  t.deepEqual(names(await ann.get('/user/anna/upvoted?limit=100&raw_json=1')), [link])
  t.deepEqual(names(await ann.get('/user/anna/downvoted?limit=100&raw_json=1')), [link])
  t.is((await bob.get('/user/anna/about/?raw_json=1')).at('data.name'), 'anna')
  t.deepEqual(
    data(await bob.get('/user/anna/?sort=new&limit=5&raw_json=1')).map(({ body }) => body),
    ['I answer from my inbox', 'Two *minutes*.'],
  )
  const edited = await bob.post('/api/editusertext/', `text=Edited+%26+better&thing_id=${text}&validate_on_submit=True`)
  t.is(edited.at('json.data.things.0.data.selftext'), 'Edited & better')
  t.is(typeof edited.at('json.data.things.0.data.edited'), 'number')
  t.deepEqual((await bob.post('/api/del/', `id=${text}`)).body, {})
  t.is((await ann.get(thread)).at('0.data.children.0.data.author'), '[deleted]')
  t.deepEqual(names(await bob.get('/r/tea/new?limit=100&raw_json=1')), [link])
  t.true(names(await ann.get('/subreddits/popular/?limit=5&raw_json=1')).includes(String(about.at('data.name'))))

  // multis and filters
  const model = (value: unknown) => `model=${encodeURIComponent(JSON.stringify(value))}`
  const multi = { description_md: '', display_name: 'Hot drinks', icon_name: '', key_color: '#cee3f8', visibility: 'private' }
  const made = await ann.post('/api/multi/', model({ ...multi, subreddits: [{ name: 'tea' }], weighting_scheme: 'classic' }))
  t.like(made.at('data'), { path: '/user/anna/m/hot_drinks', subreddits: [{ name: 'tea' }] })
  await ann.send('DELETE', '/api/multi/user/anna/m/hot_drinks/r/tea?raw_json=1', {})
  t.deepEqual((await ann.get('/api/multi/user/anna/m/hot_drinks/?raw_json=1')).at('data.subreddits'), [])
  await ann.sendForm('PUT', '/api/multi/user/anna/m/hot_drinks/r/tea', model({ name: 'tea' }))
  await ann.sendForm('PUT', '/api/multi/user/anna/m/hot_drinks/', model({ visibility: 'public', key_color: '#000000' }))
  t.deepEqual(names(await bob.get('/user/anna/m/hot_drinks/new?limit=100&raw_json=1')), [link])
  t.like((await bob.get('/api/multi/user/anna/?raw_json=1')).at('0.data'), {
    name: 'hot_drinks',
    visibility: 'public',
    key_color: '#000000',
  })
  const copied = await bob.post('/api/multi/copy/', 'from=%2Fuser%2Fanna%2Fm%2Fhot_drinks&display_name=Mine&to=user%2Frobert%2Fm%2Fmine')
  t.like(copied.at('data'), { display_name: 'Mine', path: '/user/robert/m/mine', copied_from: '/user/anna/m/hot_drinks' })
  t.deepEqual((await bob.get('/api/multi/mine/?raw_json=1')).at('0.data.subreddits'), [{ name: 'tea' }])
  await ann.sendForm('PUT', '/api/filter/user/anna/f/all/s/tea', model({ name: 'tea' }))
  t.deepEqual((await ann.get('/api/filter/user/anna/f/all?raw_json=1')).at('data.subreddits'), [{ name: 'tea' }])
  t.deepEqual(names(await ann.get('/r/all/new?limit=100&raw_json=1')), [])
  await ann.send('DELETE', '/api/filter/user/anna/f/all/s/tea?raw_json=1', {})
  await ann.send('DELETE', '/api/multi/user/anna/m/hot_drinks?raw_json=1', {})
  t.is((await ann.get('/api/multi/mine?raw_json=1')).text, '[]')
})
