import { joinSite, startWithDefaults } from '../support/cast.ts'
import { displayNames, logOf, postForm, recordsNothing } from '../support/community.ts'
import { foundSubsite, refusalOf, submit } from '../support/posting.ts'
import { type Caller, startSite } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startWithDefaults(['ann', 'bob', 'carol']))

test.serial(
  'a name and a title are enough to found a subsite, with default settings, which its founder moderates and is subscribed to',
  async (t) => {
    const { site, ann } = t.context
    t.is((await ann.post('/api/site_admin', { name: 'Tea', title: 'All about tea', api_type: 'json' })).text, '{"json":{"errors":[]}}')
    const about = (await ann.get('/s/tea/about.json?raw_json=1')).body
    t.like(about, { kind: 't4' })
    const data = (await ann.get('/s/tea/about')).at('data')
    t.like(data, {
      display_name: 'Tea',
      title: 'All about tea',
      url: '/s/Tea/',
      subsite_type: 'public',
      submission_type: 'any',
      subscribers: 1,
      over18: false,
      lang: 'en',
      show_media: true,
      public_traffic: true,
      hide_ads: false,
      comment_score_hide_mins: 0,
      suggested_comment_sort: null,
      user_is_moderator: true,
      user_is_contributor: true,
      user_is_subscriber: true,
      user_is_banned: false,
    })
    t.like((await site.get('/s/tea/about')).at('data'), { user_is_moderator: null, user_is_banned: null, user_is_muted: null })
    t.deepEqual(await logOf(site, 'tea'), [], 'founding is no act of moderation')
    t.deepEqual((await displayNames(ann, '/subs/mine/subscriber')).toSorted(), ['Tea', 'general', 'news'], 'the defaults came along')
    t.is((await displayNames(site, '/subs/new'))[0], 'Tea')
  },
)

test.serial('an invalid subsite is refused with its problems, and nothing is recorded', async (t) => {
  const { site, ann } = t.context
  const wrong: readonly (readonly [Record<string, string>, string])[] = [
    [{}, 'BAD_SR_NAME name'],
    [{ name: 'no', title: 'x' }, 'BAD_SR_NAME name'],
    [{ name: '_tea', title: 'x' }, 'BAD_SR_NAME name'],
    [{ name: 'a'.repeat(22), title: 'x' }, 'BAD_SR_NAME name'],
    [{ name: 'GENERAL', title: 'x' }, 'SUBSITE_EXISTS name'],
    ...['all', 'subscribed', 'friends', 'mod', 'contrib', 'random', 'randnsfw', 'myrandom', 'popular', 'Popular'].map(
      (name) => [{ name, title: 'x' }, 'SUBSITE_EXISTS name'] as const,
    ),
    [{ name: 't:tea', title: 'x' }, 'BAD_SR_NAME name'],
    [{ name: 'green-tea', title: 'x' }, 'BAD_SR_NAME name'],
    [{ name: 'fresh' }, 'NO_TEXT title'],
    [{ name: 'fresh', title: '  ' }, 'NO_TEXT title'],
    [{ name: 'fresh', title: '\u200b\u3164 \ufe0f' }, 'NO_TEXT title'],
    [{ name: 'fresh', title: 'x'.repeat(101) }, 'TOO_LONG title'],
    [{ name: 'fresh', title: 'x', type: 'secret' }, 'INVALID_OPTION type'],
    [{ name: 'fresh', title: 'x', link_type: 'video' }, 'INVALID_OPTION link_type'],
    [{ name: 'fresh', title: 'x', wikimode: 'on' }, 'INVALID_OPTION wikimode'],
    [{ name: 'fresh', title: 'x', spam_links: 'some' }, 'INVALID_OPTION spam_links'],
    [{ name: 'fresh', title: 'x', spam_selfposts: 'some' }, 'INVALID_OPTION spam_selfposts'],
    [{ name: 'fresh', title: 'x', spam_comments: 'some' }, 'INVALID_OPTION spam_comments'],
    [{ name: 'fresh', title: 'x', suggested_comment_sort: 'hot' }, 'INVALID_OPTION suggested_comment_sort'],
    [{ name: 'fresh', title: 'x', description: 'x'.repeat(5121) }, 'TOO_LONG description'],
    [{ name: 'fresh', title: 'x', public_description: 'x'.repeat(501) }, 'TOO_LONG public_description'],
    [{ name: 'fresh', title: 'x', submit_text: 'x'.repeat(1025) }, 'TOO_LONG submit_text'],
    [{ name: 'fresh', title: 'x', 'header-title': 'x'.repeat(501) }, 'TOO_LONG header-title'],
    [{ name: 'fresh', title: 'x', submit_link_label: 'x'.repeat(61) }, 'TOO_LONG submit_link_label'],
    [{ name: 'fresh', title: 'x', submit_text_label: 'x'.repeat(61) }, 'TOO_LONG submit_text_label'],
    [{ name: 'fresh', title: 'x', wiki_edit_karma: '-1' }, 'BAD_NUMBER wiki_edit_karma'],
    [{ name: 'fresh', title: 'x', wiki_edit_age: 'old' }, 'BAD_NUMBER wiki_edit_age'],
    [{ name: 'fresh', title: 'x', comment_score_hide_mins: '1441' }, 'BAD_NUMBER comment_score_hide_mins'],
    [{ name: 'fresh', title: 'x', hide_ads: 'true' }, 'GOLD_ONLY_SR_REQUIRED hide_ads'],
    [{ name: 'fresh', title: 'x', type: 'employees_only' }, 'ADMIN_REQUIRED type'],
    [{ name: 'fresh', title: 'x', type: 'archived' }, 'ADMIN_REQUIRED type'],
    [{ name: 'fresh', title: 'x', type: 'gold_restricted' }, 'ADMIN_REQUIRED type'],
    [{ name: 'fresh', title: 'x', type: 'gold_only' }, 'GOLD_REQUIRED type'],
    [{ name: 'no', type: 'archived' }, 'ADMIN_REQUIRED type'],
    [{ name: 'no', title: '', type: 'secret' }, 'BAD_SR_NAME name'],
    [{ name: 'fresh', title: '', type: 'secret' }, 'NO_TEXT title'],
    [{ name: 'fresh', title: 'x', type: 'secret', wiki_edit_age: '-1' }, 'INVALID_OPTION type'],
  ]
  for (const [form, refusal] of wrong)
    t.true(
      await recordsNothing(site, async () => t.is(refusalOf(await ann.post('/api/site_admin', form)), refusal, JSON.stringify(form))),
      JSON.stringify(form),
    )
  t.is((await site.get('/s/fresh/about')).status, 404)
})

test.serial('founding a subsite needs an account, with a modhash or the scope', async (t) => {
  const { site, ann } = t.context
  const form = { name: 'refused', title: 'x' }
  t.is(refusalOf(await site.post('/api/site_admin', form)), 'USER_REQUIRED')
  t.is(refusalOf(await (await site.appOnly()).post('/api/site_admin', form)), 'USER_REQUIRED')
  t.is((await (await ann.withScopes('read')).post('/api/site_admin', form)).status, 403)
  const { cookie } = await ann.session()
  t.is((await site.post('/api/site_admin', form, { Cookie: cookie })).status, 403)
  t.is((await site.get('/s/refused/about')).status, 404)
  t.is(refusalOf(await (await ann.session()).post('/api/site_admin', { name: 'allowed', title: 'x' })), '')
})

test.serial('the type of a subsite determines who may view, submit and comment', async (t) => {
  const { site, ann, root } = t.context
  const { stranger, approved, midas } = await joinSite(site, 'stranger', 'approved', 'midas')
  const sr = await foundSubsite(ann, 'typed')
  await postForm(ann, '/s/typed/api/friend', { type: 'contributor', name: 'approved' })
  await postForm(root, '/api/v1/gold/grant/root', { csites: 1 })
  await postForm(root, '/api/v1/gold/give/midas', { months: 1 })
  const link = await submit(ann, 'typed')
  const people = { stranger, approved, midas, ann }
  const everybody = Object.keys(people)
  const members = ['approved', 'ann']
  const golden = ['approved', 'midas', 'ann']
  const table = {
    public: [everybody, everybody, everybody],
    restricted: [everybody, members, everybody],
    archived: [everybody, members, members],
    gold_restricted: [everybody, golden, golden],
    gold_only: [
      ['midas', 'ann'],
      ['midas', 'ann'],
      ['midas', 'ann'],
    ],
    private: [members, members, members],
    employees_only: [['ann'], ['ann'], ['ann']],
  } as const
  const those = async (may: (who: Caller) => Promise<boolean>) => {
    const able = await Promise.all(Object.entries(people).map(async ([name, who]) => ((await may(who)) ? [name] : [])))
    return able.flat()
  }
  const form = { sr: 'typed', kind: 'self', title: 'a title', api_type: 'json' }
  for (const [type, expected] of Object.entries(table)) {
    await postForm(root, '/api/site_admin', { sr, type })
    const shown = await those(async (who) => (await who.get('/s/typed/new')).status === 200)
    const submits = await those(async (who) => refusalOf(await who.post('/api/submit', form)) === '')
    const comments = await those(
      async (who) => refusalOf(await who.post('/api/comment', { thing_id: link, text: 'x', api_type: 'json' })) === '',
    )
    t.deepEqual(
      [shown, submits, comments],
      expected.map((some) => [...some]),
      type,
    )
    t.is((await site.get('/s/typed/about')).status, expected[0].length === everybody.length ? 200 : 403, `${type}: nobody in particular`)
    t.is((await root.get('/s/typed/about')).at('data.subsite_type'), type)
  }
})

test.serial('one of 64 concurrent claims of a subsite name succeeds, the others are SUBSITE_EXISTS', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  const rivals = [ann, bob, carol, root]
  const answers = await Promise.all(
    Array.from({ length: 64 }, (_, n) =>
      (rivals[n % 4] ?? ann).post('/api/site_admin', { name: n % 2 === 0 ? 'Wanted' : 'wANTED', title: `claim ${n}` }),
    ),
  )
  const outcomes = answers.map(refusalOf)
  t.is(outcomes.filter((outcome) => outcome === '').length, 1)
  t.true(outcomes.every((outcome) => outcome === '' || outcome === 'SUBSITE_EXISTS name'))
  const winner = rivals[outcomes.indexOf('') % 4]
  t.is((await site.get('/s/wanted/about')).at('data.title'), `claim ${outcomes.indexOf('')}`)
  t.is((await site.get('/s/wanted/about/moderators')).at('data.children.0.name'), winner?.name)
  t.is((await site.get('/s/wanted/about/moderators')).at('data.children.1'), undefined)
  t.is((await site.get('/s/wanted/about')).at('data.subscribers'), 1)
})

test.serial('a private subsite can be viewed and subscribed to by its members, moderators and those invited, and by admins', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  const sr = await foundSubsite(ann, 'secret', { type: 'private' })
  for (const [who, caller] of Object.entries({ site, bob }))
    for (const path of ['about', 'about/moderators', 'sticky']) t.is((await caller.get(`/s/secret/${path}`)).status, 403, `${who} ${path}`)
  t.is((await bob.post('/api/subscribe', { action: 'sub', sr })).status, 403)
  await postForm(ann, '/s/secret/api/friend', { type: 'contributor', name: 'bob' })
  t.is((await bob.get('/s/secret/about')).at('data.user_is_contributor'), true)
  await postForm(bob, '/api/subscribe', { action: 'sub', sr })
  await postForm(ann, '/s/secret/api/friend', { type: 'moderator_invite', name: 'carol' })
  for (const caller of [ann, carol, root]) t.is((await caller.get('/s/secret/about')).status, 200)
  await postForm(bob, '/api/leavecontributor', { id: sr })
  t.is((await bob.get('/s/secret/about')).status, 403)
})

test.serial('lists of subsites show a private one to members only, and its record shows others its name and title', async (t) => {
  const { ann, bob } = t.context
  const sr = await foundSubsite(ann, 'cloister', { type: 'private', title: 'Cloister' })
  t.false((await displayNames(bob, '/subs/new?limit=100')).includes('cloister'))
  t.true((await displayNames(ann, '/subs/new?limit=100')).includes('cloister'))
  t.like((await bob.get(`/api/info?id=${sr}`)).at('data.children.0.data'), {
    display_name: 'cloister',
    title: 'Cloister',
    subsite_type: 'private',
    description: null,
    subscribers: null,
    user_is_moderator: null,
  })
})

test.serial('an unknown subsite is 404 with a reason on every path', async (t) => {
  const { site, ann } = t.context
  for (const path of ['/s/nowhere/about', '/s/nowhere/about/moderators', '/s/nowhere/sticky', '/r/nowhere/about.json']) {
    const answer = await ann.get(path)
    t.is(answer.status, 404, path)
    t.is(answer.at('reason'), 'SUBSITE_NOEXIST', path)
  }
  t.is((await site.get('/s/mod/about')).status, 404)
  t.is((await site.get('/s/all/about')).status, 404)
})

test.serial('while limits are on, a founder waits before founding again, but no admin does', async (t) => {
  const site = await startSite({ rateLimits: true })
  t.teardown(site.stop)
  const eve = await site.register('eve')
  t.is(refusalOf(await eve.post('/api/site_admin', { name: 'no', title: 'x' })), 'BAD_SR_NAME name', 'a refusal is no founding')
  t.is(refusalOf(await eve.post('/api/site_admin', { name: 'one', title: 'x' })), '')
  const again = await eve.post('/api/site_admin', { name: 'two', title: 'x' })
  t.is(refusalOf(again), 'RATELIMIT ratelimit')
  t.regex(String(again.at('json.errors.0.1')), /\d+ (minutes|seconds)/)
  t.true(Number(again.at('json.ratelimit')) > 480)
  t.is((await site.get('/s/two/about')).status, 404)
  const other = await startSite({ rateLimits: true })
  t.teardown(other.stop)
  const root = await other.register('root')
  for (const name of ['three', 'four']) t.is(refusalOf(await root.post('/api/site_admin', { name, title: 'x' })), '')
})
