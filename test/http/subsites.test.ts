import anyTest, { type TestFn } from 'ava'
import { type Cast, joining, startCast } from '../support/cast.ts'
import { appoint, dataOf, done, eventually, logOf, unchanged } from '../support/community.ts'
import { found, refusalOf, submit, thing } from '../support/posting.ts'
import { type Caller, startSite } from '../support/site.ts'

type Four = Cast<'ann' | 'bob' | 'carol' | 'root'>
const test = anyTest as TestFn<Four>

test.before(async (t) => {
  const cast = await startCast(['ann', 'bob', 'carol', 'root'], { defaultSubsites: ['general', 'news'] })
  await found(cast.root, 'general')
  await found(cast.root, 'news')
  t.context = cast
})
test.after.always((t) => t.context.site.stop())

const names = async (reader: Caller, path: string) => dataOf(await reader.get(path)).map(({ display_name }) => display_name)

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
    t.deepEqual((await names(ann, '/subs/mine/subscriber')).sort(), ['Tea', 'general', 'news'], 'the defaults came along')
    t.is((await names(site, '/subs/new'))[0], 'Tea')
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
    ...['all', 'subscribed', 'friends', 'mod', 'contrib', 'random', 'randnsfw', 'myrandom'].map(
      (name) => [{ name, title: 'x' }, 'SUBSITE_EXISTS name'] as const,
    ),
    [{ name: 't:tea', title: 'x' }, 'BAD_SR_NAME name'],
    [{ name: 'green-tea', title: 'x' }, 'BAD_SR_NAME name'],
    [{ name: 'fresh' }, 'NO_TEXT title'],
    [{ name: 'fresh', title: '  ' }, 'NO_TEXT title'],
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
      await unchanged(site, async () => t.is(refusalOf(await ann.post('/api/site_admin', form)), refusal, JSON.stringify(form))),
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

test.serial('an edit changes the settings sent, with a log entry for each changed one, and repeated changes nothing', async (t) => {
  const { site, ann } = t.context
  const sr = await found(ann, 'coffee', { description: 'old', spam_links: 'all' })
  const edit = {
    sr,
    title: 'Coffee!',
    description: 'the *sidebar*',
    public_description: 'short',
    submit_text: 'read this',
    type: 'restricted',
    link_type: 'self',
    comment_score_hide_mins: '60',
    over_18: 'True',
    allow_top: 'false',
    suggested_comment_sort: 'new',
    'header-title': 'hover',
    lang: 'de',
  }
  await done(ann, '/api/site_admin', edit)
  t.true(await unchanged(site, () => done(ann, '/api/site_admin', edit)))
  const settings = (await ann.get('/s/coffee/about/edit')).at('data')
  t.like(settings, {
    subsite_id: sr,
    sr,
    title: 'Coffee!',
    description: 'the *sidebar*',
    public_description: 'short',
    submit_text: 'read this',
    subsite_type: 'restricted',
    type: 'restricted',
    content_options: 'self',
    link_type: 'self',
    comment_score_hide_mins: 60,
    over_18: true,
    default_set: false,
    allow_top: false,
    suggested_comment_sort: 'new',
    header_hover_text: 'hover',
    'header-title': 'hover',
    language: 'de',
    lang: 'de',
    spam_links: 'all',
    spam_comments: 'low',
  })
  t.deepEqual(
    (await logOf(site, 'coffee')).toReversed(),
    [
      'editsettings - title',
      'wikirevise - Updated subsite sidebar',
      'wikirevise - Updated subsite description',
      'wikirevise - Updated submission text',
      ...['type', 'link_type', 'comment_score_hide_mins', 'header_title', 'lang', 'over_18', 'allow_top', 'suggested_comment_sort'].map(
        (setting) => `editsettings - ${setting}`,
      ),
    ].map((entry) => `ann ${entry}`),
  )
  t.is(
    (await ann.get('/s/coffee/about')).at('data.description_html'),
    '&lt;!-- SC_OFF --&gt;&lt;div class="md"&gt;&lt;p&gt;the &lt;em&gt;sidebar&lt;/em&gt;&lt;/p&gt;\n&lt;/div&gt;&lt;!-- SC_ON --&gt;',
  )
  await done(ann, '/api/site_admin', { sr, description: '', suggested_comment_sort: '', lang: 'xx' })
  t.like((await ann.get('/s/coffee/about/edit')).at('data'), { description: '', suggested_comment_sort: '', lang: 'en', title: 'Coffee!' })
})

test.serial('only moderators with the permission config can read and change settings', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  const sr = await found(ann, 'cocoa')
  await appoint(ann, 'cocoa', carol, '+posts,+access,+flair,+mail,+wiki')
  const callers: Readonly<Record<string, Caller>> = { stranger: bob, 'without config': carol }
  for (const [who, caller] of Object.entries(callers)) {
    t.true(await unchanged(site, async () => t.is((await caller.post('/api/site_admin', { sr, title: 'mine' })).status, 403)), who)
    t.is((await caller.get('/s/cocoa/about/edit')).status, 404, who)
  }
  t.is((await site.get('/s/cocoa/about/edit')).status, 404)
  t.is(refusalOf(await site.post('/api/site_admin', { sr, title: 'mine' })), 'USER_REQUIRED')
  t.is(refusalOf(await ann.post('/api/site_admin', { sr: 't4_zzzz', title: 'x' })), 'SUBSITE_NOEXIST sr')
  t.is(refusalOf(await ann.post('/api/site_admin', { sr: 'cocoa', title: 'x' })), 'SUBSITE_NOEXIST sr')
  for (const [form, refusal] of [
    [{ type: 'gold_only' }, 'CANT_CONVERT_TO_GOLD_ONLY type'],
    [{ type: 'archived' }, 'ADMIN_REQUIRED type'],
    [{ hide_ads: 'true' }, 'GOLD_ONLY_SR_REQUIRED hide_ads'],
    [{ title: 'x'.repeat(101) }, 'TOO_LONG title'],
    [{ wikimode: 'x' }, 'INVALID_OPTION wikimode'],
  ] as const)
    t.true(await unchanged(site, async () => t.is(refusalOf(await ann.post('/api/site_admin', { sr, ...form })), refusal)))
  await done(root, '/api/site_admin', { sr, type: 'archived' })
  t.is((await logOf(site, 'cocoa'))[0], 'root editsettings - type')
  t.is(dataOf(await site.get('/s/cocoa/about/log?mod=a')).length, 1, 'with the authority of an admin')
})

test.serial('the type of a subsite determines who may view, submit and comment', async (t) => {
  const { site, ann, root } = t.context
  const { stranger, approved, midas } = await joining(site, 'stranger', 'approved', 'midas')
  const sr = await found(ann, 'typed')
  await done(ann, '/s/typed/api/friend', { type: 'contributor', name: 'approved' })
  await done(root, '/api/v1/gold/grant/root', { csites: 1 })
  await done(root, '/api/v1/gold/give/midas', { months: 1 })
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
    await done(root, '/api/site_admin', { sr, type })
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

test.serial('settings of media, label and language are shown in the records', async (t) => {
  const { site, ann } = t.context
  const sr = await found(ann, 'plain')
  const link = await submit(ann, 'plain')
  t.is((await thing(site, link)).thumbnail, 'self')
  await done(ann, '/api/site_admin', { sr, show_media: 'false', lang: 'de', submit_link_label: 'Verweisen' })
  t.is((await thing(site, link)).thumbnail, '')
  t.like((await site.get('/s/plain/about')).at('data'), { lang: 'de', submit_link_label: 'Verweisen', show_media: false })
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

test.serial('subscribing takes a name, a fullname or several names, and can be undone', async (t) => {
  const { site, ann } = t.context
  const carol = await site.register('caroline')
  const sr = await found(ann, 'juice')
  await found(ann, 'water')
  const mine = () => names(carol, '/subs/mine/subscriber')
  const count = async () => (await site.get('/s/juice/about')).at('data.subscribers')
  t.deepEqual(await mine(), [])
  t.true(await unchanged(site, async () => t.is((await carol.post('/api/subscribe', { action: 'unsub', sr })).status, 404)))
  t.is((await carol.post('/api/subscribe', { action: 'sub', sr: 'juice' })).text, '{}')
  t.deepEqual(await mine(), ['general', 'juice', 'news'], 'the first time, the defaults come along')
  t.is(await count(), 2)
  t.true(await unchanged(site, () => done(carol, '/api/subscribe', { action: 'sub', sr })))
  await done(carol, '/api/subscribe', { action: 'unsub', sr_name: '/s/juice' })
  t.is(await count(), 1)
  t.true(await unchanged(site, async () => t.is((await carol.post('/api/subscribe', { action: 'unsub', sr })).status, 404)))
  await done(carol, '/api/subscribe', { action: 'sub', sr_name: 'juice,water' })
  t.deepEqual(await mine(), ['general', 'juice', 'news', 'water'])
  for (const [form, status] of [
    [{ action: 'sub', sr: 'nowhere' }, 404],
    [{ action: 'sub', sr: 't4_zzzz' }, 404],
    [{ action: 'sub' }, 404],
    [{ action: 'sub', sr: 'all' }, 403],
    [{ action: 'sub', sr: '/s/Mod/' }, 403],
    [{ action: 'unsub', sr: 'all' }, 404],
    [{ action: 'join', sr: 'juice' }, 400],
    [{ sr: 'juice' }, 400],
  ] as const)
    t.true(await unchanged(site, async () => t.is((await carol.post('/api/subscribe', form)).status, status, JSON.stringify(form))))
  t.is(refusalOf(await site.post('/api/subscribe', { action: 'sub', sr: 'juice' })), 'USER_REQUIRED')
  t.is((await (await carol.withScopes('read')).post('/api/subscribe', { action: 'sub', sr: 'juice' })).status, 403)
})

test.serial('a new account can unsubscribe from a default subsite, and none is added again', async (t) => {
  const { site } = t.context
  const eve = await site.register('eve')
  await done(eve, '/api/subscribe', { action: 'unsub', sr: 'news' })
  t.deepEqual(await names(eve, '/subs/mine/subscriber'), ['general'])
  await done(eve, '/api/subscribe', { action: 'unsub', sr: 'general' })
  t.deepEqual(await names(eve, '/subs/mine/subscriber'), [])
  await done(eve, '/api/subscribe', { action: 'sub', sr: 'news' })
  t.deepEqual(await names(eve, '/subs/mine/subscriber'), ['news'])
})

test.serial('a banned account can subscribe, and a subscription outlasts the right to view', async (t) => {
  const { ann, bob } = t.context
  const sr = await found(ann, 'closing')
  await done(ann, '/s/closing/api/friend', { type: 'banned', name: 'bob' })
  await done(bob, '/api/subscribe', { action: 'sub', sr })
  const seen = async () => (await names(bob, '/subs/mine/subscriber')).includes('closing')
  t.true(await seen())
  await done(ann, '/api/site_admin', { sr, type: 'private' })
  t.false(await seen())
  t.is((await ann.get('/s/closing/about')).at('data.subscribers'), 2)
  await done(ann, '/api/site_admin', { sr, type: 'public' })
  t.true(await seen(), 'and is there again')
  await done(ann, '/api/site_admin', { sr, type: 'private' })
  await done(bob, '/api/subscribe', { action: 'unsub', sr })
  t.is((await ann.get('/s/closing/about')).at('data.subscribers'), 1, 'and can be ended without it')
})

test.serial('a private subsite can be viewed by its members and invited moderators only', async (t) => {
  const { site, ann, bob, carol, root } = t.context
  const sr = await found(ann, 'secret', { type: 'private', title: 'Secret' })
  for (const [who, caller] of Object.entries({ site, bob })) {
    t.is((await caller.get('/s/secret/about')).status, 403, who)
    t.is((await caller.get('/s/secret/about/moderators')).status, 403, who)
    t.is((await caller.get('/s/secret/sticky')).status, 403, who)
  }
  t.is((await bob.post('/api/subscribe', { action: 'sub', sr })).status, 403)
  t.false((await names(bob, '/subs/new?limit=100')).includes('secret'))
  t.true((await names(ann, '/subs/new?limit=100')).includes('secret'))
  await done(ann, '/s/secret/api/friend', { type: 'contributor', name: 'bob' })
  t.is((await bob.get('/s/secret/about')).at('data.user_is_contributor'), true)
  await done(bob, '/api/subscribe', { action: 'sub', sr })
  await done(ann, '/s/secret/api/friend', { type: 'moderator_invite', name: 'carol' })
  t.is((await carol.get('/s/secret/about')).status, 200)
  t.is((await root.get('/s/secret/about')).status, 200)
  await done(bob, '/api/leavecontributor', { id: sr })
  t.is((await bob.get('/s/secret/about')).status, 403)
  const seen = (await bob.get(`/api/info?id=${sr}`)).at('data.children.0.data')
  t.like(seen, {
    display_name: 'secret',
    title: 'Secret',
    subsite_type: 'private',
    description: null,
    subscribers: null,
    user_is_moderator: null,
  })
})

test.serial('lists of subsites are paged, without private ones and those for adults', async (t) => {
  const { site, ann, bob } = t.context
  await found(ann, 'adults', { over_18: 'true' })
  await found(ann, 'quiet', { allow_top: 'false' })
  await found(ann, 'liked')
  for (const name of ['dora', 'emil', 'fred']) await done(await site.register(name), '/api/subscribe', { action: 'sub', sr: 'liked' })
  const popular = await names(site, '/subs/popular?limit=100')
  t.deepEqual(popular, await names(site, '/subs?limit=100'))
  t.is(popular.includes('adults'), false)
  const sizes = dataOf(await site.get('/subs/popular?limit=100')).map(({ subscribers }) => Number(subscribers))
  t.deepEqual(
    sizes,
    sizes.toSorted((a, b) => b - a),
  )
  t.true(popular.indexOf('liked') < popular.indexOf('quiet'))
  t.deepEqual(await names(site, '/subs/notall'), ['quiet'])
  t.deepEqual((await names(site, '/subs/default')).sort(), ['general', 'news'])
  t.deepEqual(await names(site, '/subs/gold'), [])
  t.is((await site.get('/subs/cheap')).status, 404)
  t.deepEqual(await names(site, '/subreddits/default'), await names(site, '/subs/default'))
  for (const where of ['popular', 'new'] as const) {
    const whole = await names(site, `/subs/${where}?limit=100`)
    const walked: unknown[] = []
    let after: unknown = ''
    do {
      const page = await site.get(`/subs/${where}?limit=2&after=${after}`)
      walked.push(...dataOf(page).map(({ display_name }) => display_name))
      after = page.at('data.after')
    } while (after !== null && walked.length < 100)
    t.deepEqual(walked, whole, where)
  }
  t.deepEqual((await names(bob, '/subs/mine/moderator')).length, 0)
  const moderated = dataOf(await ann.get('/subs/mine/moderator?limit=100'))
  t.deepEqual(moderated[0]?.mod_permissions, ['all'])
  t.true(moderated.some(({ display_name }) => display_name === 'adults'))
  t.is((await ann.get('/subs/mine/moderator?after=t5_1')).status, 400)
  t.is((await ann.get('/subs/mine/cheap')).status, 404)
  t.is((await site.get('/subs/mine/subscriber')).at('reason'), 'USER_REQUIRED')
  t.is((await site.get('/subs/mine/subscriber')).status, 403)
})

test.serial('a subsite that the viewer may not view is no anchor of a list', async (t) => {
  const { site, ann } = t.context
  const secret = await found(ann, 'vault', { type: 'private' })
  const gil = await site.register('gil')
  for (const path of ['/subs/new', '/subs/popular', '/subs/mine/subscriber']) {
    t.is((await gil.get(`${path}?after=${secret}`)).status, 403, path)
    t.is((await ann.get(`${path}?after=${secret}`)).status, 200, path)
  }
})

test.serial('search_site_names finds subsites whose names begin with a text', async (t) => {
  const { site, ann } = t.context
  await found(ann, 'prefixOne')
  await found(ann, 'prefixTwo', { over_18: 'true' })
  await found(ann, 'prefixThree', { type: 'private' })
  const search = async (form: Record<string, string>) => (await site.post('/api/search_site_names', form)).at('names')
  t.deepEqual(await search({ query: 'PREFIX' }), ['prefixTwo', 'prefixOne'])
  t.deepEqual(await search({ query: 'prefix', include_over_18: 'false' }), ['prefixOne'])
  t.deepEqual(await search({ query: 'prefixthree', exact: 'true' }), ['prefixThree'])
  t.is((await site.post('/api/search_site_names', { query: 'prefix', exact: 'true' })).status, 404)
  t.deepEqual(await search({ query: '' }), [])
  for (const query of ['x'.repeat(51), 'préfix', 'pre\u0007']) t.deepEqual(await search({ query }), [], query)
  for (let n = 0; n < 11; n += 1) await found(ann, `eleven_${n}`)
  t.is(((await search({ query: 'eleven' })) as readonly string[]).length, 10)
  t.deepEqual((await site.post('/api/search_site_names?query=/s/prefixo')).at('names'), ['prefixOne'])
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

test.serial('a changed setting applies to the next request', async (t) => {
  const { site, ann, bob } = t.context
  const sr = await found(ann, 'steady')
  await submit(bob, 'steady')
  for (let n = 0; n < 5; n += 1) {
    await done(ann, '/api/site_admin', { sr, title: `title ${n}` })
    t.is((await site.get('/s/steady/about')).at('data.title'), `title ${n}`)
  }
  t.true(await eventually(async () => (await logOf(site, 'steady')).length === 5))
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
