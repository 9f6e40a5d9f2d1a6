import test from 'ava'
import { joinSite, newcomer, startCast } from '../support/cast.ts'
import { dataOf, displayNames, postForm } from '../support/community.ts'
import { foundSubsite, id36, names, readThing, refusalOf, say, submit } from '../support/posting.ts'
import { prefer } from '../support/preferring.ts'
import { startSite } from '../support/site.ts'

const { site, ann, bob } = await startCast(['ann', 'bob'])
await foundSubsite(ann, 'tea')
test.after.always(() => site.stop())

test.serial('numsites is the default limit of a page', async (t) => {
  const who = await newcomer(site)
  await foundSubsite(ann, 'sizes')
  for (let n = 0; n < 3; n += 1) await submit(ann, 'sizes')
  t.is(names(await who.get('/s/sizes/new')).length, 3)
  await prefer(who, { numsites: 2 })
  t.is(names(await who.get('/s/sizes/new')).length, 2)
  t.is(names(await who.get('/s/sizes/new?limit=3')).length, 3)
  t.is(names(await ann.get('/s/sizes/new')).length, 3, 'of others')
})

/** A subsite with a link of an account's own and three others, of which it voted one up and one down; and what it sees there. */
const voting = async () => {
  const who = await newcomer(site)
  const name = `wanted_${who.name}`
  await foundSubsite(ann, name)
  const [up, down, plain] = [await submit(ann, name), await submit(ann, name), await submit(ann, name)]
  const own = await submit(who, name)
  await postForm(who, '/api/vote', { id: up, dir: 1 })
  await postForm(who, '/api/vote', { id: down, dir: -1 })
  const seen = async (query = '') => names(await who.get(`/s/${name}/new${query}`))
  return { who, name, up, down, plain, own, seen }
}

test.serial('hide_ups and hide_downs leave links voted on out of the own listings, unless all are asked for', async (t) => {
  const { who, up, down, plain, own, seen } = await voting()
  const all = [own, plain, down, up]
  t.deepEqual(await seen(), all)
  await prefer(who, { hide_ups: true })
  t.deepEqual(await seen(), [own, plain, down])
  t.deepEqual(await seen('?show=all'), all)
  await prefer(who, { hide_downs: true })
  t.deepEqual(await seen(), [own, plain])
})

test.serial('min_link_score leaves links of a lower score out of the own listings, but never the own links', async (t) => {
  const { who, up, down, own, seen } = await voting()
  await prefer(who, { min_link_score: 3 })
  t.deepEqual(await seen(), [own, down, up])
  await prefer(who, { min_link_score: 100 })
  t.deepEqual(await seen(), [own])
})

test.serial('a link that is stickied in its subsite, or named, is shown whatever links are hidden', async (t) => {
  const { who, name, up, plain, own } = await voting()
  await prefer(who, { min_link_score: 100 })
  await postForm(ann, '/api/set_subsite_sticky', { id: plain, state: true })
  t.deepEqual(names(await who.get(`/s/${name}/hot`)), [plain, own])
  t.is((await readThing(who, up)).name, up)
})

test.serial('site_index_all makes /s/all the front page', async (t) => {
  const who = await newcomer(site)
  await foundSubsite(ann, 'faraway')
  const link = await submit(ann, 'faraway')
  await postForm(who, '/api/subscribe', { sr: 'tea', action: 'sub' })
  t.false(names(await who.get('/new?limit=100')).includes(link))
  await prefer(who, { site_index: 'site_index_all' })
  t.true(names(await who.get('/new?limit=100')).includes(link))
  const near = await submit(ann, 'tea')
  const subscribed = names(await who.get('/s/subscribed/new?limit=100'))
  t.deepEqual([subscribed.includes(near), subscribed.includes(link)], [true, false])
})

test.serial('over_18 shows links with obey_over18, and subsites in lists, that are otherwise left out', async (t) => {
  const who = await newcomer(site)
  await foundSubsite(ann, 'adults', { over_18: true })
  const link = await submit(ann, 'adults')
  const listed = async () => dataOf(await who.get('/subs/new?limit=100')).some(({ display_name }) => display_name === 'adults')
  t.deepEqual(names(await who.get('/s/adults/new?obey_over18=true')), [])
  t.false(await listed())
  t.is((await who.get('/api/v1/me')).at('over_18'), false)
  await prefer(who, { over_18: true })
  t.deepEqual(names(await who.get('/s/adults/new?obey_over18=true')), [link])
  t.true(await listed())
  t.is((await who.get('/api/v1/me')).at('over_18'), true)
})

/** A thread of two comments, the first of which was voted up, and how a new account sees it. */
const reading = async () => {
  const who = await newcomer(site)
  const name = `threads_${who.name}`
  const subsite = await foundSubsite(ann, name)
  const link = await submit(ann, name)
  const [first, second] = [await say(bob, link), await say(bob, link)]
  await postForm(ann, '/api/vote', { id: first, dir: 1 })
  const thread = async (query = '') =>
    ((await who.get(`/comments/${id36(link)}${query}`)).at('1.data.children') as readonly { kind: string; data: { name: string } }[])
      .filter(({ kind }) => kind === 't1')
      .map(({ data }) => data.name)
  const suggest = () => postForm(ann, '/api/site_admin', { sr: subsite, title: name, suggested_comment_sort: 'old' })
  return { who, first, second, thread, suggest }
}

test.serial('default_comment_sort is the sort of a thread for which no valid one is requested', async (t) => {
  const { who, first, second, thread } = await reading()
  t.deepEqual(await thread(), [first, second])
  await prefer(who, { default_comment_sort: 'new' })
  t.deepEqual(await thread(), [second, first])
  t.deepEqual(await thread('?sort=tea'), [second, first])
  t.deepEqual(await thread('?sort=top'), [first, second])
})

test.serial('a suggested sort applies before the preferred one, unless ignore_suggested_sort is on', async (t) => {
  const { who, first, second, thread, suggest } = await reading()
  await prefer(who, { default_comment_sort: 'new' })
  await suggest()
  t.deepEqual(await thread(), [first, second])
  await prefer(who, { ignore_suggested_sort: true })
  t.deepEqual(await thread(), [second, first])
})

test.serial('num_comments is the default length of a thread', async (t) => {
  const { who, first, second, thread } = await reading()
  await prefer(who, { num_comments: 1 })
  t.deepEqual(await thread(), [first])
  t.deepEqual(await thread('?limit=2'), [first, second])
})

test.serial('public_votes makes the lists of things voted on public', async (t) => {
  const who = await newcomer(site)
  const link = await submit(ann, 'tea')
  await postForm(who, '/api/vote', { id: link, dir: 1 })
  for (const where of ['upvoted', 'downvoted']) t.is((await bob.get(`/user/${who.name}/${where}`)).status, 403, where)
  await prefer(who, { public_votes: true })
  t.deepEqual(names(await bob.get(`/user/${who.name}/upvoted`)), [link])
  t.deepEqual(names(await site.get(`/user/${who.name}/downvoted`)), [])
  for (const where of ['saved', 'hidden']) t.is((await bob.get(`/user/${who.name}/${where}`)).status, 403, where)
})

test.serial('hide_from_robots and beta are in the account record', async (t) => {
  const who = await newcomer(site)
  const about = await site.get(`/user/${who.name}/about`)
  t.is(about.at('data.hide_from_robots'), false)
  t.is(about.headers.get('x-robots-tag'), null)
  await prefer(who, { hide_from_robots: true, beta: true })
  for (const reader of [site, who]) {
    const hidden = await reader.get(`/user/${who.name}/about`)
    t.is(hidden.at('data.hide_from_robots'), true)
    t.is(hidden.headers.get('x-robots-tag'), 'noindex, nofollow')
  }
  const page = await site.get(`/user/${who.name}`, { Accept: 'text/html' })
  t.regex(page.text, /<meta name="robots" content="none">/)
  t.notRegex((await site.get('/user/bob', { Accept: 'text/html' })).text, /name="robots"/)
  t.like((await who.get('/api/v1/me')).body, { hide_from_robots: true, in_beta: true })
})

test.serial('mentions enter the inbox only with monitor_mentions', async (t) => {
  const who = await newcomer(site)
  const link = await submit(ann, 'tea')
  await say(bob, link, `see /u/${who.name}`)
  t.is(names(await who.get('/message/mentions')).length, 1)
  await prefer(who, { monitor_mentions: false })
  await say(bob, link, `see again /u/${who.name}`)
  t.is(names(await who.get('/message/mentions')).length, 1)
})

test.serial('collapse_read_messages collapses read messages unless they were uncollapsed', async (t) => {
  const who = await newcomer(site)
  await postForm(bob, '/api/compose', { to: who.name, subject: 'tea', text: 'now' })
  const message = names(await who.get('/message/inbox'))[0] ?? ''
  const isCollapsed = async () => (await who.get('/message/inbox')).at('data.children.0.data.is_collapsed')
  await prefer(who, { collapse_read_messages: true })
  t.false(await isCollapsed(), 'while it is unread')
  await postForm(who, '/api/read_message', { id: message })
  t.true(await isCollapsed())
  await postForm(who, '/api/uncollapse_message', { id: message })
  t.false(await isCollapsed())
  t.is((await bob.get('/message/sent')).at('data.children.0.data.is_collapsed'), false)
})

test.serial('resetting subscriptions subscribes to the default subsites, and the preference itself is not stored', async (t) => {
  const own = await startSite({ defaultSubsites: ['first', 'second'] })
  try {
    const { founder, who } = await joinSite(own, 'founder', 'who')
    for (const name of ['first', 'second', 'third']) await foundSubsite(founder, name)
    const subscribed = () => displayNames(who, '/subs/mine/subscriber')
    await postForm(who, '/api/subscribe', { sr: 'third', action: 'sub' })
    await postForm(who, '/api/subscribe', { sr: 'first', action: 'unsub' })
    t.deepEqual(await subscribed(), ['second', 'third'])
    t.is((await prefer(who, { subscriptions_unsubscribe: 'subs_reset_subscriptions' })).subscriptions_unsubscribe, 'subs_do_nothing')
    t.deepEqual(await subscribed(), ['first', 'second'])
    t.is(refusalOf(await who.post('/api/subscribe', { sr: 'third', action: 'unsub' })), '404')
  } finally {
    await own.stop()
  }
})
