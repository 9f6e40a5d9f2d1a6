import anyTest, { type TestFn } from 'ava'
import { fullname } from '../../src/domain/ids.ts'
import { Subscription, subscribe } from '../../src/domain/subscription.ts'
import { settingNames } from '../../src/domain/subsite-settings.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { type Cast, startCast } from '../support/cast.ts'
import { appoint, dataOf, done, logOf, settled, unchanged } from '../support/community.ts'
import { found, refusalOf, settle, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import type { Answer, Caller } from '../support/site.ts'

type Four = Cast<'ann' | 'bob' | 'carol' | 'root'>
const test = anyTest as TestFn<Four>

test.before(async (t) => {
  t.context = await startCast(['ann', 'bob', 'carol', 'root'], { homeSubsite: 'home' })
})
test.after.always((t) => t.context.site.stop())

const rulesOf = (answer: Answer) => (answer.at('rules') as readonly Record<string, unknown>[]).map(({ short_name }) => short_name)

test.serial('moderators with the permission config can create, edit and delete rules, each with a log entry', async (t) => {
  const { site, ann, bob } = t.context
  await found(ann, 'rules')
  const rule = { short_name: '  Be   kind ', description: 'To *everybody*.', kind: 'all' }
  const created = await done(ann, '/s/rules/api/add_subsite_rule?raw_json=1', rule)
  const shown = { short_name: 'Be kind', description: 'To *everybody*.', kind: 'all', priority: 0, violation_reason: 'Be kind' }
  const [first] = JSON.parse(String(created.at('json.data.rules')))
  t.like(first, shown)
  t.true(String(first.description_html).includes('<em>everybody</em>'))
  await done(ann, '/api/add_subreddit_rule', { r: 'rules', short_name: 'On topic', description: '', kind: 'link' })
  const answer = await site.get('/s/rules/about/rules?raw_json=1')
  t.deepEqual(rulesOf(answer), ['Be kind', 'On topic'])
  t.like(answer.at('rules.0'), shown)
  t.true((answer.at('site_rules') as readonly string[]).length > 0)
  t.false('description_html' in (answer.at('rules.1') as object), 'without a description')
  t.is((await bob.get('/s/rules/about')).at('data.community_rules.1.short_name'), 'On topic')

  const edit = { old_short_name: 'Be kind', short_name: 'Be kinder', description: '', kind: 'comment' }
  await done(ann, '/s/rules/api/update_subsite_rule', edit)
  t.like((await site.get('/s/rules/about/rules')).at('rules.0'), { short_name: 'Be kinder', kind: 'comment', priority: 0 })
  t.true(await unchanged(site, () => done(ann, '/s/rules/api/update_subsite_rule', { ...edit, old_short_name: 'Be kinder' })))
  await done(ann, '/s/rules/api/remove_subsite_rule', { short_name: 'Be kinder' })
  t.like((await site.get('/s/rules/about/rules')).at('rules.0'), { short_name: 'On topic', priority: 0 })
  const entries = ['deleterule - Be kinder', 'editrule - Be kinder', 'createrule - On topic', 'createrule - Be kind']
  t.deepEqual(
    await logOf(site, 'rules'),
    entries.map((entry) => `ann ${entry}`),
  )
})

test.serial('an invalid rule is refused with its error and changes nothing', async (t) => {
  const { site, ann, bob, carol } = t.context
  await found(ann, 'strict')
  const good = { short_name: 'One', description: '', kind: 'all' }
  await done(ann, '/s/strict/api/add_subsite_rule', good)
  const add = (form: Record<string, string>) => ann.post('/s/strict/api/add_subsite_rule', { api_type: 'json', ...form })
  const change = (form: Record<string, string>) => ann.post('/s/strict/api/update_subsite_rule', { api_type: 'json', ...form })
  await unchanged(site, async () => {
    t.is(refusalOf(await add({ ...good, short_name: ' ' })), 'NO_TEXT short_name')
    t.is(refusalOf(await add({ ...good, short_name: 'x'.repeat(51) })), 'TOO_LONG short_name')
    t.is(refusalOf(await add(good)), 'SR_RULE_EXISTS short_name')
    t.is(refusalOf(await add({ ...good, short_name: 'Two', description: 'x'.repeat(501) })), 'TOO_LONG description')
    t.is(refusalOf(await add({ ...good, short_name: 'Two', kind: 'user' })), 'INVALID_OPTION kind')
    t.is(refusalOf(await add({ short_name: 'Two' })), 'INVALID_OPTION kind')
    t.is(refusalOf(await change({ ...good, old_short_name: 'Two' })), 'SR_RULE_DOESNT_EXIST old_short_name')
    t.is(refusalOf(await change(good)), 'SR_RULE_DOESNT_EXIST old_short_name')
    t.is(
      refusalOf(await ann.post('/s/strict/api/remove_subsite_rule', { api_type: 'json', short_name: 'one' })),
      'SR_RULE_DOESNT_EXIST short_name',
    )
    for (const act of ['add', 'update', 'remove'])
      for (const caller of [site, bob]) t.is((await caller.post(`/s/strict/api/${act}_subsite_rule`, good)).status, 403)
    t.is((await ann.post('/api/add_subsite_rule', good)).status, 403, 'in no subsite')
  })
  await appoint(ann, 'strict', carol, '+posts')
  t.is((await carol.post('/s/strict/api/add_subsite_rule', good)).status, 403, 'a moderator without config')
  for (let n = 2; n <= 10; n += 1) await done(ann, '/s/strict/api/add_subsite_rule', { ...good, short_name: `Rule ${n}` })
  t.is(refusalOf(await add({ ...good, short_name: 'Eleven' })), 'SR_RULE_TOO_MANY short_name')
  t.is((await site.get('/about/rules')).status, 404)
})

test.serial('the sidebar is that of the subsite, or else of the home subsite if the viewer may view it', async (t) => {
  const { site, ann, bob } = t.context
  const sidebar = async (path: string, reader = site as typeof site | typeof bob) => (await reader.get(path)).body
  await found(ann, 'side', { description: 'Read *this*.' })
  for (const path of ['/s/side/sidebar', '/s/side/about/sidebar']) {
    const { description, description_html } = (await sidebar(`${path}?raw_json=1`)) as Record<string, string>
    t.is(description, 'Read *this*.')
    t.true(description_html?.includes('<em>this</em>'))
  }
  t.deepEqual(await sidebar('/sidebar'), { description: '', description_html: null }, 'there is no home subsite yet')
  const home = await found(ann, 'home', { description: 'Welcome.' })
  t.like(await sidebar('/sidebar'), { description: 'Welcome.' })
  t.like(await sidebar('/about/sidebar'), { description: 'Welcome.' })
  await settle(ann, home, { type: 'private' })
  t.deepEqual(await sidebar('/sidebar'), { description: '', description_html: null })
  t.deepEqual(await sidebar('/sidebar', bob), { description: '', description_html: null })
  t.like(await sidebar('/sidebar', ann), { description: 'Welcome.' })
})

test.serial('the submission text of an over-18 subsite is null', async (t) => {
  const { site, ann } = t.context
  const id = await found(ann, 'submits', { submit_text: 'Be *brief*.' })
  const answer = await ann.get('/s/submits/api/submit_text?raw_json=1')
  t.is(answer.at('submit_text'), 'Be *brief*.')
  t.regex(String(answer.at('submit_text_html')), /<em>brief<\/em>/)
  t.deepEqual((await site.get('/api/submit_text')).body, { submit_text: '', submit_text_html: null })
  await settle(ann, id, { over_18: 'true' })
  const none = { submit_text: null, submit_text_html: null }
  t.deepEqual((await site.get('/s/submits/api/submit_text')).body, none)
  t.like((await site.get('/s/submits/api/submit_text', { Cookie: 'over18=1' })).body, { submit_text: 'Be *brief*.' })
})

// a stand-in for MongoDB may have no text search
const searching = servers === undefined ? test.serial : test.serial.skip
const namesIn = (answer: Answer) => dataOf(answer).map(({ display_name }) => display_name)

searching('subsites are sought by what everybody may read of them, the most subscribed first', async (t) => {
  const { site, ann, bob, root } = t.context
  await found(ann, 'Oolong', { title: 'Half fermented leaves', description: 'Steep sevenfold.', 'header-title': 'hovering' })
  await found(ann, 'pekoe', { title: 'Leaves in bud', public_description: 'Orange, without oranges', over_18: 'true' })
  await found(bob, 'cellar', { title: 'Secret leaves', description: 'The sevenfold key.', public_description: 'Knock.', type: 'private' })
  await done(root, '/api/subscribe', { action: 'sub', sr_name: 'pekoe' })
  const sought = async (q: string, reader: Caller = site, more = '') =>
    namesIn(await reader.get(`/subsites/search?q=${encodeURIComponent(q)}${more}`))
  t.deepEqual(await sought('leaves'), ['pekoe', 'cellar', 'Oolong'])
  t.deepEqual(await sought('LEAVES half'), ['Oolong'], 'every word')
  t.deepEqual(await sought('oolong'), ['Oolong'])
  t.deepEqual(await sought('/s/oolong'), ['Oolong'])
  t.deepEqual(await sought('oranges'), ['pekoe'])
  t.deepEqual(await sought('hovering'), ['Oolong'])
  t.deepEqual(await sought('sevenfold'), ['Oolong'], 'not by the sidebar of a private one')
  t.deepEqual(await sought('sevenfold', bob), ['Oolong'], 'not even for its moderator')
  t.deepEqual(await sought('leaves', site, '&sort=activity'), ['pekoe', 'cellar', 'Oolong'])
  t.deepEqual(await sought('leaves', site, '&obey_over18=true'), ['cellar', 'Oolong'])
  for (const q of ['', '   ', '"', '%', '*', 'nothinglikethis']) t.deepEqual(await sought(q), [], q)
  const [closed] = dataOf(await ann.get('/subsites/search?q=knock'))
  t.like(closed, { display_name: 'cellar', title: 'Secret leaves', public_description: 'Knock.', subsite_type: 'private' })
  t.like(closed, { description: null, subscribers: null, submit_text: null, header_img: null, community_rules: null })
  t.is(dataOf(await bob.get('/subsites/search?q=knock'))[0]?.description, 'The sevenfold key.')
  const first = await site.get('/subsites/search?q=leaves&limit=1')
  t.deepEqual(first.at('data.facets'), {})
  t.deepEqual(namesIn(await site.get(`/subsites/search?q=leaves&limit=5&after=${first.at('data.after')}`)), ['cellar', 'Oolong'])
  t.is((await site.get('/subsites/search.rss?q=leaves')).status, 200)
  await settle(bob, String(closed?.name), { type: 'public' })
  t.deepEqual((await sought('sevenfold')).toSorted(), ['Oolong', 'cellar'])
})

test.serial('subsites that at least two subscribers of a subsite share are recommended', async (t) => {
  const { site, ann, bob, carol } = t.context
  const likes = async (srnames: string, query = '', reader: Caller = site) =>
    ((await reader.get(`/api/recommend/sr/${srnames}${query}`)).body as { sr_name: string }[]).map(({ sr_name }) => sr_name)
  const subscribe = (who: Caller, sr_name: string) => done(who, '/api/subscribe', { action: 'sub', sr_name })
  for (const name of ['hub', 'near', 'far', 'lonely']) await found(ann, name)
  await found(ann, 'adult', { over_18: 'true' })
  await found(ann, 'apart', { allow_top: 'false' })
  await found(ann, 'vault', { type: 'private' })
  for (const name of ['adult', 'apart', 'near', 'far', 'hub']) await subscribe(bob, name)
  for (const name of ['near', 'hub']) await subscribe(carol, name)
  for (const member of [bob, carol]) {
    await done(ann, '/s/vault/api/friend', { type: 'contributor', name: member.name })
    await subscribe(member, 'vault')
  }
  t.deepEqual(await likes('hub'), ['near', 'far'], 'the most shared first; nothing that is over-18, kept apart, private or of one account')
  t.deepEqual(await likes('HUB,unknown'), ['near', 'far'])
  t.deepEqual(await likes('hub', '?omit=near,unknown'), ['far'])
  t.deepEqual(await likes('hub,near'), ['far'])
  t.deepEqual((await likes('hub,adult')).toSorted(), ['far', 'near'], 'what is asked for is not answered')
  t.deepEqual((await likes('adult')).toSorted(), ['far', 'hub', 'near'])
  t.deepEqual(await likes('hub', '', bob), ['near', 'far'], 'nor is a private subsite recommended to its members')
  t.deepEqual(await likes('vault'), [], 'what members of a private subsite share is not told to others')
  t.deepEqual((await likes('vault', '', bob)).toSorted(), ['far', 'hub', 'near'])
  t.deepEqual(await likes('unknown'), [])
  t.deepEqual(await likes('lonely'), [])
  const empty = await site.get('/api/recommend/sr/%2C')
  t.deepEqual([empty.status, empty.at('reason'), empty.at('fields')], [400, 'BAD_SR_NAME', ['srnames']])
  await done(bob, '/api/subscribe', { action: 'unsub', sr_name: 'far' })
  t.deepEqual(await likes('hub'), ['near'])
})

test.serial('only the newest fifty subscriptions of an account count for recommendations', async (t) => {
  const { site } = t.context
  const [mia, noa] = [await site.register('mia'), await site.register('noa')]
  const recommended = async () => {
    await settled(site)
    return ((await site.get('/api/recommend/sr/hive')).body as { sr_name: string }[]).map(({ sr_name }) => sr_name)
  }
  for (const name of ['earliest', 'hive']) {
    await found(mia, name) // who subscribes by that
    await done(noa, '/api/subscribe', { action: 'sub', sr_name: name })
  }
  const { app } = site.running
  const subscribeTo = async (n: number) => {
    const other = fullname('subsite', 6_000_000 + n)
    const by = commandOf(seedOf(app.mint()), { account: noa.id, as: 'user' })
    await app.run(Subscription, `${noa.id}.${other}`, subscribe(noa.id, other), by)
  }
  await Promise.all(Array.from({ length: 48 }, (_, n) => subscribeTo(n)))
  t.deepEqual(await recommended(), ['earliest'], 'the fiftieth')
  await subscribeTo(48)
  t.deepEqual(await recommended(), [], 'the fifty-first')
})

searching('archived subsites, and those that everybody begins with, are not found by topic', async (t) => {
  const { site, ann, root } = await startCast(['ann', 'root'], { defaultSubsites: ['everyday'] })
  t.teardown(site.stop)
  const ids = new Map<string, string>()
  for (const name of ['everyday', 'museum', 'garden']) {
    ids.set(name, await found(ann, name))
    await submit(ann, name, { title: 'On lichen' })
  }
  const about = async () =>
    ((await site.get('/api/subsites_by_topic?query=lichen')).body as { readonly name: string }[]).map(({ name }) => name).toSorted()
  t.deepEqual(await about(), ['garden', 'museum'])
  await done(root, '/api/site_admin', { sr: ids.get('museum'), type: 'archived' })
  t.deepEqual(await about(), ['garden'])
})

searching('a topic leads to the subsites that links about it are in', async (t) => {
  const { site, ann, bob } = t.context
  const about = async (query: string, reader: Caller = site, cookie = {}) =>
    ((await reader.get(`/api/subsites_by_topic?query=${encodeURIComponent(query)}`, cookie)).body as { name: string }[]).map(
      ({ name }) => name,
    )
  await found(ann, 'brewing')
  await found(ann, 'baking')
  await found(ann, 'hushed', { type: 'private' })
  await found(ann, 'adults', { over_18: 'true' })
  for (const name of ['brewing', 'brewing', 'baking', 'hushed', 'adults']) await submit(ann, name, { title: 'On yeast', text: 'It lives.' })
  t.deepEqual(await about('yeast'), ['brewing', 'baking'])
  t.deepEqual((await about('yeast', ann)).toSorted(), ['baking', 'brewing', 'hushed'])
  t.deepEqual((await about('yeast', site, { Cookie: 'over18=1' })).toSorted(), ['adults', 'baking', 'brewing'])
  for (const query of ['', 'y', 'the', 'x'.repeat(51), 'yeast water']) t.deepEqual(await about(query, bob), [], query)
})

type Shown = string | number | boolean
/** Each parameter with a value that is not its first, how the settings show it, how the record shows it, and its entry in the log. */
const settingTable: readonly {
  readonly param: string
  readonly value: Shown
  readonly settings: readonly string[]
  readonly about?: string
  readonly entry: string
}[] = [
  { param: 'title', value: 'Another title', settings: ['title'], about: 'title', entry: 'editsettings - title' },
  { param: 'description', value: 'Words', settings: ['description'], about: 'description', entry: 'wikirevise - Updated subsite sidebar' },
  {
    param: 'public_description',
    value: 'Blurb',
    settings: ['public_description'],
    about: 'public_description',
    entry: 'wikirevise - Updated subsite description',
  },
  { param: 'submit_text', value: 'Hint', settings: ['submit_text'], about: 'submit_text', entry: 'wikirevise - Updated submission text' },
  { param: 'type', value: 'restricted', settings: ['type', 'subsite_type'], about: 'subsite_type', entry: 'editsettings - type' },
  {
    param: 'link_type',
    value: 'self',
    settings: ['link_type', 'content_options'],
    about: 'submission_type',
    entry: 'editsettings - link_type',
  },
  { param: 'wikimode', value: 'modonly', settings: ['wikimode'], entry: 'editsettings - wikimode' },
  { param: 'wiki_edit_karma', value: 7, settings: ['wiki_edit_karma'], entry: 'editsettings - wiki_edit_karma' },
  { param: 'wiki_edit_age', value: 8, settings: ['wiki_edit_age'], entry: 'editsettings - wiki_edit_age' },
  {
    param: 'comment_score_hide_mins',
    value: 90,
    settings: ['comment_score_hide_mins'],
    about: 'comment_score_hide_mins',
    entry: 'editsettings - comment_score_hide_mins',
  },
  {
    param: 'header-title',
    value: 'Hover',
    settings: ['header-title', 'header_hover_text'],
    about: 'header_title',
    entry: 'editsettings - header_title',
  },
  {
    param: 'submit_link_label',
    value: 'Link it',
    settings: ['submit_link_label'],
    about: 'submit_link_label',
    entry: 'editsettings - submit_link_label',
  },
  {
    param: 'submit_text_label',
    value: 'Say it',
    settings: ['submit_text_label'],
    about: 'submit_text_label',
    entry: 'editsettings - submit_text_label',
  },
  { param: 'lang', value: 'de', settings: ['lang', 'language'], about: 'lang', entry: 'editsettings - lang' },
  { param: 'over_18', value: true, settings: ['over_18'], about: 'over18', entry: 'editsettings - over_18' },
  { param: 'allow_top', value: false, settings: ['allow_top', 'default_set'], entry: 'editsettings - allow_top' },
  {
    param: 'show_media',
    value: false,
    settings: ['show_media', 'show_media_preview'],
    about: 'show_media',
    entry: 'editsettings - show_media',
  },
  { param: 'public_traffic', value: false, settings: ['public_traffic'], about: 'public_traffic', entry: 'editsettings - public_traffic' },
  {
    param: 'collapse_deleted_comments',
    value: true,
    settings: ['collapse_deleted_comments'],
    about: 'collapse_deleted_comments',
    entry: 'editsettings - collapse_deleted_comments',
  },
  {
    param: 'exclude_banned_modqueue',
    value: true,
    settings: ['exclude_banned_modqueue'],
    entry: 'editsettings - exclude_banned_modqueue',
  },
  { param: 'spam_links', value: 'all', settings: ['spam_links'], entry: 'editsettings - spam_links' },
  { param: 'spam_selfposts', value: 'low', settings: ['spam_selfposts'], entry: 'editsettings - spam_selfposts' },
  { param: 'spam_comments', value: 'high', settings: ['spam_comments'], entry: 'editsettings - spam_comments' },
  {
    param: 'suggested_comment_sort',
    value: 'qa',
    settings: ['suggested_comment_sort'],
    about: 'suggested_comment_sort',
    entry: 'editsettings - suggested_comment_sort',
  },
]

test.serial('each changed setting is shown in the settings and the record, with one log entry', async (t) => {
  const { site, ann, bob } = t.context
  const sr = await found(ann, 'settings')
  for (const { param, value, settings, about, entry } of settingTable) {
    const before = (await ann.get('/s/settings/about/edit')).at('data') as Record<string, unknown>
    for (const name of settings) t.not(before[name], value, name)
    await done(ann, '/api/site_admin', { sr, [param]: value })
    const after = (await ann.get('/s/settings/about/edit')).at('data') as Record<string, unknown>
    t.deepEqual(after, { ...before, ...Object.fromEntries(settings.map((name) => [name, value])) }, `${param} and nothing else`)
    if (about !== undefined) t.is((await bob.get('/s/settings/about')).at(`data.${about}`), value, about)
    t.is((await logOf(site, 'settings'))[0], `ann ${entry}`)
    t.true(await unchanged(site, () => done(ann, '/api/site_admin', { sr, [param]: value })), 'once more is no change')
  }
  t.is((await logOf(site, 'settings')).length, settingTable.length)
  t.deepEqual(
    settingNames.filter((name) => !settingTable.some(({ entry, param }) => param === name || entry.endsWith(` ${name}`))),
    ['hide_ads'],
    'which only gold_only subsites have',
  )
  t.is(refusalOf(await ann.post('/api/site_admin', { sr, hide_ads: 'true', api_type: 'json' })), 'GOLD_ONLY_SR_REQUIRED hide_ads')
  for (const caller of [site, bob]) t.is((await caller.get('/s/settings/about/edit')).status, 404)
})
