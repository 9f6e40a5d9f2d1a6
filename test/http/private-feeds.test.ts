import test from 'ava'
import { needed } from '../../src/http/endpoints/account/private-feeds.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { newcomer, startCast } from '../support/cast.ts'
import { appoint, dataOf, postForm, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, names, refusalOf, say, submit } from '../support/posting.ts'
import type { Answer, Caller, User } from '../support/site.ts'

const { site, ann, bob, root } = await startCast(['ann', 'bob', 'root'])
await foundSubsite(ann, 'tea')
test.after.always(() => site.stop())

type Feeds = { readonly user: string; readonly feed: string; readonly feeds: Readonly<Record<string, string>> }
const feedsOf = async (who: Caller): Promise<Feeds> => (await who.get('/api/v1/me/feeds?raw_json=1')).body as Feeds
const credentials = async (who: Caller) => {
  const { user, feed } = await feedsOf(who)
  return `user=${user}&feed=${feed}`
}
const pathOf = (address: string) => address.slice(new URL(address).origin.length)

/** The fullname of the thing that each entry is about, and the account that it names. */
const entriesOf = ({ text }: Answer) =>
  [...text.matchAll(/<entry>.*?<\/entry>/gs)].map(([entry]) => [
    /<id>tag:[^:]*:(\w+)<\/id>/.exec(entry)?.[1],
    /<name>\/u\/(\w+)<\/name>/.exec(entry)?.[1],
  ])
const rowOf = ({ id, name }: User) => [id, name]

test.serial('every private feed has the entries that its account reads there, without other credentials', async (t) => {
  const who = await newcomer(site)
  // given something in each of them
  const [link, other] = [await submit(who, 'tea'), await submit(bob, 'tea')]
  await say(bob, link, 'an answer to the link')
  await say(bob, await say(who, other), 'an answer to the comment')
  await say(bob, other, `for /u/${who.name}`)
  await postForm(bob, '/api/compose', { to: who.name, subject: 'tea', text: 'now' })
  for (const dir of [1, -1]) await postForm(who, '/api/vote', { id: other, dir })
  for (const path of ['/api/save', '/api/hide']) await postForm(who, path, { id: other })
  await waitUntilSettled(site)

  // then
  const { user, feed, feeds } = await feedsOf(who)
  t.is(user, who.name)
  t.regex(feed, /^[0-9a-f]{40}$/)
  t.deepEqual(Object.keys(feeds).sort(), [
    ...['comments', 'downvoted', 'front', 'hidden', 'inbox', 'mentions', 'messages', 'saved', 'selfreply', 'unread', 'upvoted'],
  ])
  for (const [name, address] of Object.entries(feeds)) {
    const answer = await site.get(pathOf(address))
    t.is(answer.status, 200, `${name}: ${answer.text}`)
    t.is(answer.headers.get('content-type'), 'application/atom+xml; charset=UTF-8')
    t.regex(answer.headers.get('cache-control') ?? '', /private/)
    t.false(answer.text.includes(feed), `${name}: the token stands in no feed`)
    const bare = new URL(address).pathname
    const read = names(await who.get(bare.replace('.rss', '')))
    t.true(read.length > 0, name)
    t.deepEqual(
      entriesOf(answer).map(([id]) => id),
      read,
      name,
    )
    if (name !== 'front') t.is((await site.get(bare)).status, 403, `${name} without a token`)
  }
})

test.serial('moderators have private feeds of their mail and log', async (t) => {
  const link = await submit(bob, 'tea')
  await postForm(ann, '/api/lock', { id: link })
  await postForm(bob, '/api/compose', { to: '/s/tea', subject: 'of a locked link', text: 'why?' })
  await waitUntilSettled(site)
  const { feeds } = await feedsOf(ann)
  for (const [name, shown] of Object.entries({ moderator_mail: 'of a locked link', moderation_log: 'lock' })) {
    const { status, text } = await site.get(pathOf(feeds[name] ?? ''))
    t.is(status, 200, name)
    t.regex(/<entry>.*?<\/entry>/s.exec(text)?.[0] ?? '', new RegExp(shown), name)
  }
})

test.serial('moderators have private feeds of their queues, with the rights that the queues have', async (t) => {
  const who = await newcomer(site)
  await foundSubsite(who, 'sorting')
  const [link, spam] = [await submit(bob, 'sorting'), await submit(bob, 'sorting')]
  await postForm(root, '/api/report', { thing_id: link, reason: 'rude' })
  await postForm(bob, '/api/editusertext', { thing_id: link, text: 'edited' })
  await postForm(who, '/api/remove', { id: spam, spam: true })
  await waitUntilSettled(site)
  const { feeds } = await feedsOf(who)
  const shown = { reports: [link], spam: [spam], modqueue: [link], unmoderated: [link], edited: [link] }
  for (const [name, ids] of Object.entries(shown)) {
    const answer = await site.get(pathOf(feeds[name] ?? ''))
    t.is(answer.headers.get('content-type'), 'application/atom+xml; charset=UTF-8', name)
    t.regex(answer.headers.get('cache-control') ?? '', /private/)
    t.deepEqual(
      entriesOf(answer).map(([id]) => id),
      ids,
      name,
    )
    const own = `/s/sorting/about/${name}.rss`
    t.deepEqual(entriesOf(await site.get(`${own}?${await credentials(who)}`)), entriesOf(answer), name)
    for (const query of ['', `user=${who.name}&feed=${'0'.repeat(40)}`, await credentials(bob), await credentials(root)])
      t.is((await site.get(`${own}?${query}`)).status, 403, `${name} ${query}`)
  }
  await appoint(who, 'sorting', bob, '+config')
  t.is((await site.get(`/s/sorting/about/spam.rss?${await credentials(bob)}`)).status, 403, 'without posts')
})

test.serial('the feed of a moderation log shows notes to its moderators only, whoever read it before', async (t) => {
  const who = await newcomer(site)
  await foundSubsite(who, 'notepad')
  await postForm(who, '/s/notepad/api/friend', { type: 'banned', name: 'bob', note: 'a <b>secret</b>', api_type: 'json' })
  await waitUntilSettled(site)
  const read = async (query: string) => (await site.get(`/s/notepad/about/log.rss?${query}`)).text
  const own = await credentials(who)
  for (let turn = 0; turn < 3; turn++) {
    const text = await read(own)
    t.true(text.includes('<li>note: null → &quot;a &lt;b&gt;secret&lt;/b&gt;&quot;</li>'), text)
    for (const query of ['', await credentials(bob)]) {
      const others = await read(query)
      t.false(others.includes('secret'), query)
      t.true(others.includes('<li>note: null → null</li>'), others)
    }
  }
})

test.serial('moderators have private feeds of the accounts that their subsite lists', async (t) => {
  const who = await newcomer(site)
  const name = 'roster'
  await foundSubsite(who, name)
  const lists = [
    ['contributors', 'contributor'],
    ['wikicontributors', 'wikicontributor'],
    ['banned', 'banned'],
    ['muted', 'muted'],
    ['wikibanned', 'wikibanned'],
  ] as const
  const listed = await Promise.all(lists.map(async ([where, type]) => ({ where, type, account: await newcomer(site) })))
  for (const { type, account } of listed) await postForm(who, `/s/${name}/api/friend`, { type, name: account.name })
  await waitUntilSettled(site)
  const query = await credentials(who)
  const entries = async (where: string) => entriesOf(await site.get(`/s/${name}/about/${where}.rss?${query}`))
  t.deepEqual(await entries('moderators'), [rowOf(who)])
  for (const { where, account } of listed)
    t.deepEqual(await entries(where), where === 'contributors' ? [rowOf(account), rowOf(who)] : [rowOf(account)], where)
  for (const { where } of listed) t.is((await site.get(`/s/${name}/about/${where}.rss?${await credentials(bob)}`)).status, 403, where)
})

test.serial('an account’s own subsites, friends and blocked accounts have private feeds', async (t) => {
  const [who, friend] = [await newcomer(site), await newcomer(site)]
  const subsite = await foundSubsite(bob, 'grove')
  await postForm(who, '/api/subscribe', { action: 'sub', sr: subsite })
  t.is((await who.request('PUT', `/api/v1/me/friends/${friend.name}`, { json: {} })).status, 201)
  await postForm(bob, '/api/compose', { to: who.name, subject: 'tea', text: 'now' })
  await waitUntilSettled(site)
  await postForm(who, '/api/block', { id: String(dataOf(await who.get('/message/inbox'))[0]?.name) })
  await waitUntilSettled(site)
  const query = await credentials(who)
  const entries = async (path: string) => entriesOf(await site.get(`${path}.rss?${query}`))
  t.deepEqual(await entries('/subs/mine/subscriber'), [[subsite, undefined]])
  for (const parent of ['/prefs', '/api/v1/me']) {
    t.deepEqual(await entries(`${parent}/friends`), [rowOf(friend)], parent)
    t.deepEqual(await entries(`${parent}/blocked`), [rowOf(bob)], parent)
  }
})

test.serial('a private feed can be read as JSON, without a modhash; its token is ignored elsewhere', async (t) => {
  const who = await newcomer(site)
  await postForm(bob, '/api/compose', { to: who.name, subject: 'tea', text: 'now' })
  const query = await credentials(who)
  const inbox = await site.get(`/message/inbox.json?${query}`)
  t.is(names(inbox).length, 1)
  t.is(inbox.at('data.modhash'), null)
  t.regex(inbox.headers.get('cache-control') ?? '', /private/)
  t.is((await site.get(`/message/inbox?${query}`)).status, 403, 'without a suffix')
  t.is((await site.get(`/api/v1/me.json?${query}`)).status, 401)
  t.deepEqual((await site.get(`/api/me.json?${query}`)).body, { data: { features: {} } })
  t.is((await site.post(`/api/save.json?${query}`, { id: await submit(bob, 'tea') })).headers.get('x-reason'), 'USER_REQUIRED')
  t.is((await site.get(`/message/inbox.json?${query}&jsonp=f`)).status, 403)
  t.is((await site.get(`/message/inbox.json?${query}`, { Authorization: 'bearer nonsense' })).status, 401, 'a token goes before')
  const session = await bob.session()
  t.deepEqual(names(await session.get(`/message/inbox.json?${query}`)), names(inbox), 'a cookie does not')
})

test.serial('a request with a wrong token is anonymous and is not cached', async (t) => {
  const who = await newcomer(site)
  const { feed } = await feedsOf(who)
  await foundSubsite(who, 'hideout', { type: 'private' })
  const link = await submit(who, 'hideout')
  const seen = async (user: string, token: string) => {
    const answers = [1, 2, 3].map(() => site.get(`/s/hideout/new.json?user=${user}&feed=${token}`))
    return (await Promise.all(answers)).map(({ status, text }) => [status, text.includes(link)])
  }
  const right = [200, true]
  t.deepEqual(await seen(who.name, feed), [right, right, right])
  t.deepEqual(await seen(who.name.toUpperCase(), feed), [right, right, right])
  const wrong = [403, false]
  for (const [user, token] of [
    [who.name, feed.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))],
    [who.name, feed.slice(1)],
    [who.name, `${feed}0`],
    [who.name, ''],
    [who.name, 'é'.repeat(20)],
    [bob.name, feed],
    ['', feed],
    ['nobody_here', feed],
    ['__proto__', feed],
  ] as const)
    t.deepEqual(await seen(user, encodeURIComponent(token)), [wrong, wrong, wrong], `${user} ${token}`)
  t.is((await site.get('/s/hideout/new.json')).status, 403)
})

test.serial('an account with the preference private_feeds off has no private feeds', async (t) => {
  const who = await newcomer(site)
  const query = await credentials(who)
  const read = async () => (await site.get(`/message/inbox.rss?${query}`)).status
  t.is(await read(), 200)
  await who.request('PATCH', '/api/v1/me/prefs', { json: { private_feeds: false } })
  t.is(await read(), 403)
  t.deepEqual((await who.get('/api/v1/me/feeds')).body, { user: who.name, feed: null, feeds: {} })
  await who.request('PATCH', '/api/v1/me/prefs', { json: { private_feeds: true } })
  t.is(await read(), 200)
})

test.serial('a new password changes the token of private feeds, and a deleted account has none', async (t) => {
  const who = await newcomer(site)
  const before = await credentials(who)
  const read = async (query: string) => (await site.get(`/message/inbox.rss?${query}`)).status
  t.is(await credentials(who), before, 'until then it is the same')
  const session = await who.session()
  const changed = await session.post('/api/update_password', {
    curpass: who.password,
    newpass: 'another horse',
    verpass: 'another horse',
    api_type: 'json',
  })
  t.is(refusalOf(changed), '')
  t.is(await read(before), 403)
  const after = await credentials(who)
  t.not(after, before)
  t.is(await read(after), 200)
  await postForm(session, '/api/delete_user', { passwd: 'another horse' })
  t.is(await read(after), 403)
})

test.serial('a private feed of an admin does not use the rights of an admin', async (t) => {
  const who = await newcomer(site)
  await foundSubsite(who, 'burrow', { type: 'private' })
  t.is((await root.get('/s/burrow/new')).status, 200)
  t.is((await site.get(`/s/burrow/new.rss?${await credentials(root)}`)).status, 403)
})

test.serial('in a private feed the parameter user names the viewer and does not filter', async (t) => {
  const query = await credentials(ann)
  const log = await site.get(`/s/tea/about/log.json?${query}&mod=ann`)
  t.is(log.status, 200)
  const contributors = await site.get(`/s/tea/about/contributors.json?${query}`)
  t.deepEqual(contributors.body, (await ann.get('/s/tea/about/contributors')).body)
})

test.serial('the addresses of private feeds need the scopes of everything that they show', async (t) => {
  const session = await bob.session()
  const answer = await session.get('/api/v1/me/feeds')
  t.is(answer.at('user'), 'bob')
  t.is(answer.headers.get('cache-control'), 'no-store')
  t.is((await site.get('/api/v1/me/feeds')).status, 403)
  t.is((await (await site.appOnly()).get('/api/v1/me/feeds')).at('reason'), 'USER_REQUIRED')
  t.is((await (await bob.withScopes(...needed)).get('/api/v1/me/feeds')).status, 200)
  for (const scope of needed)
    t.is((await (await bob.withScopes(...needed.filter((one) => one !== scope))).get('/api/v1/me/feeds')).status, 403, scope)
  const shown = new Set(endpoints.flatMap(({ rss, scope }) => (rss && typeof scope === 'string' && scope !== 'any' ? [scope] : [])))
  t.deepEqual([...shown].sort(), [...needed].sort(), 'nothing has a feed that these scopes do not open')
})
