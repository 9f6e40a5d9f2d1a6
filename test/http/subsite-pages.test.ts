import { settingNames } from '../../src/domain/subsite-settings.ts'
import { startCast } from '../support/cast.ts'
import { appoint, done, logOf, unchanged } from '../support/community.ts'
import { found, refusalOf, settle } from '../support/posting.ts'
import { labelOf, otherValue, plainSettings, type TextSetting, texts } from '../support/settings-oracle.ts'
import type { Answer } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(['ann', 'bob', 'carol', 'root'], { homeSubsite: 'home' }))

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

/** Each parameter with a value that is not its first, how the settings show it, how the record shows it, and its entry in the log. */
const settings = [
  ...Object.entries(plainSettings).map(([param, plain]) => {
    const { names = [param], about, entry = param } = plain
    return { param, setting: entry, value: otherValue(plain), names, about, entry: `editsettings - ${entry}` }
  }),
  ...(Object.keys(texts) as readonly TextSetting[]).map((param) => {
    return { param, setting: param, value: 'Words', names: [param], about: param, entry: `wikirevise - ${labelOf(param)}` }
  }),
]

test.serial('each changed setting is shown in the settings and the record, with one log entry', async (t) => {
  const { site, ann, bob } = t.context
  const sr = await found(ann, 'settings')
  for (const { param, value, names, about, entry } of settings) {
    const before = (await ann.get('/s/settings/about/edit')).at('data') as Record<string, unknown>
    for (const name of names) t.not(before[name], value, name)
    await done(ann, '/api/site_admin', { sr, [param]: value })
    const after = (await ann.get('/s/settings/about/edit')).at('data') as Record<string, unknown>
    t.deepEqual(after, { ...before, ...Object.fromEntries(names.map((name) => [name, value])) }, `${param} and nothing else`)
    if (about !== undefined) t.is((await bob.get('/s/settings/about')).at(`data.${about}`), value, about)
    t.is((await logOf(site, 'settings'))[0], `ann ${entry}`)
    t.true(await unchanged(site, () => done(ann, '/api/site_admin', { sr, [param]: value })), 'once more is no change')
  }
  t.is((await logOf(site, 'settings')).length, settings.length)
  const expected = [...settings.map(({ setting }) => setting), 'hide_ads'] // which only gold_only subsites have
  t.deepEqual(expected.toSorted(), settingNames.toSorted(), 'test/support/settings-oracle.ts has each of them')
  t.is(refusalOf(await ann.post('/api/site_admin', { sr, hide_ads: 'true', api_type: 'json' })), 'GOLD_ONLY_SR_REQUIRED hide_ads')
  for (const caller of [site, bob]) t.is((await caller.get('/s/settings/about/edit')).status, 404)
})
