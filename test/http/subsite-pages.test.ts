import { settingNames } from '../../src/domain/subsite-settings.ts'
import { type Cast, startCast } from '../support/cast.ts'
import { appoint, logOf, postForm, recordsNothing } from '../support/community.ts'
import { foundSubsite, refusalOf, settle } from '../support/posting.ts'
import { labelOf, otherValue, plainSettings, type TextSetting, texts } from '../support/settings-oracle.ts'
import type { Answer, Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(['ann', 'bob', 'carol', 'root'], { homeSubsite: 'home' }))

const rulesOf = (answer: Answer) => (answer.at('rules') as readonly Record<string, unknown>[]).map(({ short_name }) => short_name)

const rule = { short_name: 'Be kind', description: 'To *everybody*.', kind: 'all' }
const edit = { old_short_name: 'Be kind', short_name: 'Be kinder', description: '', kind: 'comment' }

/** A subsite with the rules "Be kind" for all and "On topic" for links. */
const withRules = async ({ ann }: Cast<'ann'>, name: string) => {
  await foundSubsite(ann, name)
  await postForm(ann, `/s/${name}/api/add_subsite_rule`, rule)
  await postForm(ann, '/api/add_subreddit_rule', { r: name, short_name: 'On topic', description: '', kind: 'link' })
}

test.serial('a new rule is returned with its description as HTML, and its name without superfluous spaces', async (t) => {
  const { ann } = t.context
  await foundSubsite(ann, 'first_rule')
  const created = await postForm(ann, '/s/first_rule/api/add_subsite_rule?raw_json=1', { ...rule, short_name: '  Be   kind ' })
  const [first] = JSON.parse(String(created.at('json.data.rules')))
  t.like(first, { ...rule, priority: 0, violation_reason: 'Be kind' })
  t.true(String(first.description_html).includes('<em>everybody</em>'))
})

test.serial('the rules of a subsite are listed in their order, beside those of the site, and in its record', async (t) => {
  const { site, bob } = t.context
  await withRules(t.context, 'rules')
  const answer = await site.get('/s/rules/about/rules?raw_json=1')
  t.deepEqual(rulesOf(answer), ['Be kind', 'On topic'])
  t.like(answer.at('rules.0'), { ...rule, priority: 0, violation_reason: 'Be kind' })
  t.true((answer.at('site_rules') as readonly string[]).length > 0)
  t.false('description_html' in (answer.at('rules.1') as object), 'without a description')
  t.is((await bob.get('/s/rules/about')).at('data.community_rules.1.short_name'), 'On topic')
})

test.serial('an edited rule keeps its place; the same edit again changes nothing', async (t) => {
  const { site, ann } = t.context
  await withRules(t.context, 'edited')
  await postForm(ann, '/s/edited/api/update_subsite_rule', edit)
  t.like((await site.get('/s/edited/about/rules')).at('rules.0'), { short_name: 'Be kinder', kind: 'comment', priority: 0 })
  t.true(await recordsNothing(site, () => postForm(ann, '/s/edited/api/update_subsite_rule', { ...edit, old_short_name: 'Be kinder' })))
})

test.serial('the rule after a deleted one takes its place', async (t) => {
  const { site, ann } = t.context
  await withRules(t.context, 'deleted')
  await postForm(ann, '/s/deleted/api/remove_subsite_rule', { short_name: 'Be kind' })
  t.deepEqual(rulesOf(await site.get('/s/deleted/about/rules')), ['On topic'])
  t.like((await site.get('/s/deleted/about/rules')).at('rules.0'), { short_name: 'On topic', priority: 0 })
})

test.serial('rules can be put in another order, named by their names, percent-encoded or not', async (t) => {
  const { site, ann, bob } = t.context
  await withRules(t.context, 'ordered')
  await postForm(ann, '/s/ordered/api/add_subsite_rule', { short_name: 'No, 100% tea', description: '', kind: 'link' })
  const reorder = (who: Caller, new_rule_order: string) =>
    who.post('/api/reorder_subreddit_rules', { r: 'ordered', new_rule_order, api_type: 'json' })
  const answer = await reorder(ann, 'No,%20100%25%20tea,On%20topic,Be%20kind')
  const order = ['No, 100% tea', 'On topic', 'Be kind']
  t.deepEqual(
    JSON.parse(String(answer.at('json.data.rules'))).map((one: Record<string, unknown>) => [one.short_name, one.priority]),
    order.map((name, priority) => [name, priority]),
  )
  t.deepEqual(rulesOf(await site.get('/s/ordered/about/rules')), order)
  t.like((await site.get('/s/ordered/about/rules?raw_json=1')).at('rules.2'), { ...rule, priority: 2 })
  t.true(await recordsNothing(site, () => reorder(ann, 'No, 100% tea,On topic,Be kind')))
  t.true(await recordsNothing(site, async () => t.is(refusalOf(await reorder(ann, 'Be kind')), 'INVALID_OPTION new_rule_order')))
  t.is((await reorder(bob, order.join(','))).status, 403)
  t.deepEqual((await logOf(site, 'ordered'))[0], 'ann editrule - reordered No, 100% tea, On topic, Be kind')
})

test.serial('each change of the rules is an entry of the log', async (t) => {
  const { site, ann } = t.context
  await withRules(t.context, 'logged')
  await postForm(ann, '/s/logged/api/update_subsite_rule', edit)
  await postForm(ann, '/s/logged/api/remove_subsite_rule', { short_name: 'Be kinder' })
  const entries = ['deleterule - Be kinder', 'editrule - Be kinder', 'createrule - On topic', 'createrule - Be kind']
  t.deepEqual(
    await logOf(site, 'logged'),
    entries.map((entry) => `ann ${entry}`),
  )
})

const good = { short_name: 'One', description: '', kind: 'all' }

test.serial('an invalid rule is refused with its error and changes nothing', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'strict')
  await postForm(ann, '/s/strict/api/add_subsite_rule', good)
  const refusal = async (act: string, form: Record<string, string>) =>
    refusalOf(await ann.post(`/s/strict/api/${act}_subsite_rule`, { api_type: 'json', ...form }))
  t.true(
    await recordsNothing(site, async () => {
      t.is(await refusal('add', { ...good, short_name: ' ' }), 'NO_TEXT short_name')
      t.is(await refusal('add', { ...good, short_name: '\u2060\u2800\u00ad' }), 'NO_TEXT short_name')
      t.is(await refusal('add', { ...good, short_name: 'x'.repeat(51) }), 'TOO_LONG short_name')
      t.is(await refusal('add', good), 'SR_RULE_EXISTS short_name')
      t.is(await refusal('add', { ...good, short_name: 'Two', description: 'x'.repeat(501) }), 'TOO_LONG description')
      t.is(await refusal('add', { ...good, short_name: 'Two', kind: 'user' }), 'INVALID_OPTION kind')
      t.is(await refusal('add', { short_name: 'Two' }), 'INVALID_OPTION kind')
      t.is(await refusal('update', { ...good, old_short_name: 'Two' }), 'SR_RULE_DOESNT_EXIST old_short_name')
      t.is(await refusal('update', good), 'SR_RULE_DOESNT_EXIST old_short_name')
      t.is(await refusal('remove', { short_name: 'one' }), 'SR_RULE_DOESNT_EXIST short_name')
    }),
  )
})

test.serial('only moderators with the permission config change the rules of a subsite', async (t) => {
  const { site, ann, bob, carol } = t.context
  await foundSubsite(ann, 'guarded')
  await postForm(ann, '/s/guarded/api/add_subsite_rule', good)
  await appoint(ann, 'guarded', carol, '+posts')
  t.true(
    await recordsNothing(site, async () => {
      for (const act of ['add', 'update', 'remove'])
        for (const caller of [site, bob, carol]) t.is((await caller.post(`/s/guarded/api/${act}_subsite_rule`, good)).status, 403, act)
    }),
  )
})

test.serial('outside subsites rules can be neither added nor read', async (t) => {
  const { site, ann } = t.context
  t.true(await recordsNothing(site, async () => t.is((await ann.post('/api/add_subsite_rule', good)).status, 403)))
  t.is((await site.get('/about/rules')).status, 404)
})

test.serial('a subsite can have ten rules, not eleven', async (t) => {
  const { ann } = t.context
  await foundSubsite(ann, 'ten')
  for (let n = 1; n <= 10; n += 1) await postForm(ann, '/s/ten/api/add_subsite_rule', { ...good, short_name: `Rule ${n}` })
  const refused = await ann.post('/s/ten/api/add_subsite_rule', { ...good, short_name: 'Eleven', api_type: 'json' })
  t.is(refusalOf(refused), 'SR_RULE_TOO_MANY short_name')
})

test.serial('the sidebar of a subsite is shown as written and as HTML', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'side', { description: 'Read *this*.' })
  for (const path of ['/s/side/sidebar', '/s/side/about/sidebar']) {
    const { description, description_html } = (await site.get(`${path}?raw_json=1`)).body as Record<string, string>
    t.is(description, 'Read *this*.')
    t.true(description_html?.includes('<em>this</em>'))
  }
})

test.serial('the sidebar outside subsites is that of the home subsite, if it exists and the viewer may view it', async (t) => {
  const { site, ann, bob } = t.context
  const sidebar = async (reader: Caller, path = '/sidebar') => (await reader.get(path)).body
  const none = { description: '', description_html: null }
  t.deepEqual(await sidebar(site), none, 'there is no home subsite yet')
  const home = await foundSubsite(ann, 'home', { description: 'Welcome.' })
  t.like(await sidebar(site), { description: 'Welcome.' })
  t.like(await sidebar(site, '/about/sidebar'), { description: 'Welcome.' })
  await settle(ann, home, { type: 'private' })
  for (const reader of [site, bob]) t.deepEqual(await sidebar(reader), none)
  t.like(await sidebar(ann), { description: 'Welcome.' })
})

test.serial('the submission text of a subsite is shown as written and as HTML, and is empty outside subsites', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'submits', { submit_text: 'Be *brief*.' })
  const answer = await ann.get('/s/submits/api/submit_text?raw_json=1')
  t.is(answer.at('submit_text'), 'Be *brief*.')
  t.regex(String(answer.at('submit_text_html')), /<em>brief<\/em>/)
  t.deepEqual((await site.get('/api/submit_text')).body, { submit_text: '', submit_text_html: null })
})

test.serial('the submission text of a subsite for adults is null for those who have not said that they are', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'submits_adult', { submit_text: 'Be *brief*.', over_18: 'true' })
  const none = { submit_text: null, submit_text_html: null }
  t.deepEqual((await site.get('/s/submits_adult/api/submit_text')).body, none)
  t.like((await site.get('/s/submits_adult/api/submit_text', { Cookie: 'over18=1' })).body, { submit_text: 'Be *brief*.' })
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
  const sr = await foundSubsite(ann, 'settings')
  for (const { param, value, names, about, entry } of settings) {
    const before = (await ann.get('/s/settings/about/edit')).at('data') as Record<string, unknown>
    for (const name of names) t.not(before[name], value, name)
    await postForm(ann, '/api/site_admin', { sr, [param]: value })
    const after = (await ann.get('/s/settings/about/edit')).at('data') as Record<string, unknown>
    t.deepEqual(after, { ...before, ...Object.fromEntries(names.map((name) => [name, value])) }, `${param} and nothing else`)
    if (about !== undefined) t.is((await bob.get('/s/settings/about')).at(`data.${about}`), value, about)
    t.is((await logOf(site, 'settings'))[0], `ann ${entry}`)
    t.true(await recordsNothing(site, () => postForm(ann, '/api/site_admin', { sr, [param]: value })), 'once more is no change')
  }
  t.is((await logOf(site, 'settings')).length, settings.length)
  const expected = [...settings.map(({ setting }) => setting), 'hide_ads'] // only gold_only subsites have this setting
  t.deepEqual(expected.toSorted(), settingNames.toSorted(), 'test/support/settings-oracle.ts has each of them')
  t.is(refusalOf(await ann.post('/api/site_admin', { sr, hide_ads: 'true', api_type: 'json' })), 'GOLD_ONLY_SR_REQUIRED hide_ads')
  for (const caller of [site, bob]) t.is((await caller.get('/s/settings/about/edit')).status, 404)
})
