import anyTest, { type TestFn } from 'ava'
import { record } from '../../src/domain/decision.ts'
import { flairLimits } from '../../src/domain/flair.ts'
import { FlairTemplateAdded, SubsiteFlair } from '../../src/domain/subsite-flair.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { type Five, five, startCast } from '../support/cast.ts'
import { appoint, dataOf, done, logOf, unchanged } from '../support/community.ts'
import { processorTime } from '../support/hostile-texts.ts'
import { found, refusalOf, say, submit } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'

const test = anyTest as TestFn<Five>

test.before(async (t) => {
  t.context = await startCast(five)
})
test.after.always((t) => t.context.site.stop())

const parsed = ({ text }: Answer): unknown => JSON.parse(text)

let named = 0
/** A subsite of ann's in which carol moderates flair. */
const scene = async ({ ann, carol }: Five) => {
  const name = `hat${named++}`
  await found(ann, name)
  await appoint(ann, name, carol, '+flair')
  const api = (endpoint: string) => `/s/${name}/api/${endpoint}`
  const configure = (more: Record<string, string | boolean> = {}) =>
    done(carol, api('flairconfig'), { flair_enabled: true, flair_position: 'right', ...more })
  const log = async () => (await logOf(carol, name)).filter((line) => line.includes('editflair'))
  return { name, api, configure, log }
}

type Row = { readonly user: string; readonly flair_text: string | null; readonly flair_css_class: string | null }
const listed = async (reader: Caller, path: string) => (await reader.get(path)).at('users') as readonly Row[]
const worn = async (reader: Caller, thing: string) => {
  const [data] = dataOf(await reader.get(`/api/info?id=${thing}`))
  return [data?.author_flair_text, data?.author_flair_css_class, data?.link_flair_text, data?.link_flair_css_class]
}

test.serial('flair of users can be set and cleared, and is shown on their things, listed and logged', async (t) => {
  const { site, bob, carol, dave } = t.context
  const { name, api, log } = await scene(t.context)
  const link = await submit(bob, name)
  const comment = await say(bob, link, 'soft')
  t.deepEqual(await worn(site, link), [null, null, null, null])
  t.is(
    (await carol.post(api('flair'), { name: 'BOB', text: 'Brewer', css_class: 'brown  big', api_type: 'json' })).text,
    '{"json":{"errors":[]}}',
  )
  for (const reader of [site, bob, dave]) {
    t.deepEqual(await worn(reader, link), ['Brewer', 'brown big', null, null])
    t.deepEqual((await worn(reader, comment)).slice(0, 2), ['Brewer', 'brown big'])
  }
  const [, thread] = parsed(await site.get(`/comments/${link.slice(3)}`)) as readonly {
    data: { children: { data: Record<string, unknown> }[] }
  }[]
  t.is(thread?.data.children[0]?.data.author_flair_text, 'Brewer')
  const other = await submit(bob, (await scene(t.context)).name)
  t.is((await worn(site, other))[0], null, 'in this subsite only')
  const same = () => done(carol, api('flair'), { name: 'bob', text: 'Brewer', css_class: 'brown big' })
  t.true(await unchanged(site, same))
  await done(carol, api('flair'), { name: 'bob', css_class: 'red' })
  t.deepEqual(await worn(site, link), [null, 'red', null, null], 'both are replaced together')
  t.deepEqual(await listed(carol, api('flairlist')), [{ user: 'bob', flair_text: null, flair_css_class: 'red' }])
  await done(carol, api('flair'), { name: 'carol', text: 'Me' })
  await done(carol, api('deleteflair'), { name: 'bob' })
  t.true(await unchanged(site, () => done(carol, api('deleteflair'), { name: 'bob' })))
  await done(carol, api('flair'), { name: 'carol' })
  t.deepEqual(await listed(carol, api('flairlist')), [])
  t.deepEqual(await log(), [
    `carol editflair ${carol.id} flair_delete`,
    `carol editflair ${bob.id} flair_delete`,
    `carol editflair ${carol.id} flair_edit`,
    `carol editflair ${bob.id} flair_edit`,
    `carol editflair ${bob.id} flair_edit`,
  ])
})

test.serial('link flair can be set by moderators, and by authors where the subsite allows it', async (t) => {
  const { site, ann, bob, carol, dave } = t.context
  const here = await scene(t.context)
  const link = await submit(bob, here.name)
  await done(carol, here.api('flair'), { link, name: 'dave', text: 'Question', css_class: 'blue' })
  t.deepEqual(await worn(site, link), [null, null, 'Question', 'blue'])
  t.deepEqual(await listed(carol, here.api('flairlist')), [], 'the link goes before the name')
  await done(carol, here.api('flair'), { link: 't5_zzzz', name: 'dave', text: 'Guest' })
  t.is((await listed(carol, here.api('flairlist'))).length, 1, 'a link that does not exist leaves the name')
  const far = `far${named++}`
  await found(dave, far)
  const theirs = await submit(dave, far)
  t.is((await carol.post(here.api('flair'), { link: theirs, text: 'Mine' })).status, 403)
  const mine = await submit(carol, far)
  t.is((await carol.post(here.api('flair'), { link: mine, text: 'Mine' })).status, 403)
  await done(dave, `/s/${far}/api/flairconfig`, {
    flair_position: 'left',
    link_flair_self_assign_enabled: true,
    link_flair_position: 'left',
  })
  await done(carol, here.api('flair'), { link: mine, text: 'Mine' })
  t.is((await worn(site, mine))[2], 'Mine')
  t.deepEqual(
    (await logOf(ann, far)).filter((line) => line.includes(mine)),
    [],
    'as its author',
  )
  await done(carol, here.api('flair'), { link })
  t.deepEqual(await worn(site, link), [null, null, null, null])
  t.deepEqual(await here.log(), [
    `carol editflair ${link} flair_edit`,
    `carol editflair ${dave.id} flair_edit`,
    `carol editflair ${link} flair_edit`,
  ])
})

test.serial('invalid changes of flair are refused and change nothing', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { name, api } = await scene(t.context)
  const { name: other } = await scene(t.context)
  await appoint(ann, name, bob, '+access,+config,+mail,+posts,+wiki')
  const refused = async (caller: Caller, path: string, form: Record<string, string>, refusal: string) =>
    t.true(await unchanged(site, async () => t.is(refusalOf(await caller.post(path, { api_type: 'json', ...form })), refusal, path)))
  const writes = ['flair', 'deleteflair', 'flairconfig', 'flairtemplate', 'deleteflairtemplate', 'clearflairtemplates', 'flaircsv']
  for (const path of writes) {
    for (const caller of [site, bob]) await refused(caller, api(path), { name: 'bob' }, '403')
    for (const prefix of ['', '/s/all', `/s/${name}+${other}`]) await refused(carol, `${prefix}/api/${path}`, { name: 'bob' }, '403')
    const token = await carol.withScopes('flair', 'modposts')
    await refused(token, api(path), { name: 'bob' }, '403')
  }
  for (const caller of [site, bob]) t.is((await caller.get(api('flairlist'))).status, 403)
  const classes = (n: number) => Array.from({ length: n }, (_, i) => `c${i}`).join(' ')
  for (const path of ['flair', 'flairtemplate']) {
    await refused(carol, api(path), { name: 'bob', css_class: classes(11) }, 'TOO_MUCH_FLAIR_CSS css_class')
    await refused(carol, api(path), { name: 'bob', css_class: 'snake_case' }, 'BAD_CSS_NAME css_class')
    await refused(carol, api(path), { name: 'bob', css_class: 'c'.repeat(101) }, 'BAD_CSS_NAME css_class')
    await refused(carol, api(path), { name: 'bob', text: 'x'.repeat(65) }, 'TOO_LONG text')
    await refused(carol, api(path), { name: 'bob', text: 'x'.repeat(65), css_class: '_' }, 'BAD_CSS_NAME css_class')
  }
  for (const path of ['flair', 'deleteflair'])
    for (const who of ['nobody', 'not a name', '']) await refused(carol, api(path), { name: who }, 'BAD_FLAIR_TARGET name')
  await refused(carol, api('flair'), { name: 'nobody', css_class: '_' }, 'BAD_CSS_NAME css_class')
  await refused(carol, api('flairconfig'), { flair_enabled: 'true' }, 'INVALID_OPTION flair_position')
  await refused(carol, api('flairconfig'), { flair_position: 'middle' }, 'INVALID_OPTION flair_position')
  await refused(carol, api('flairconfig'), { flair_position: 'left', link_flair_position: 'top' }, 'INVALID_OPTION link_flair_position')
  for (const path of ['flairtemplate', 'clearflairtemplates'])
    await refused(carol, api(path), { flair_type: 'HAT' }, 'INVALID_OPTION flair_type')
  for (const id of ['', 'nonsense', '8b6a4b0c-6f8e-5d0e-9d2f-3f5b1c0a7e11'])
    await refused(carol, api('deleteflairtemplate'), { flair_template_id: id }, '404')
  await done(carol, api('flair'), { name: 'bob', css_class: classes(10) })
  await done(carol, api('flair'), { name: 'bob', text: '🫖'.repeat(64), css_class: 'c'.repeat(100) })
})

test.serial('flairconfig logs each value that changed', async (t) => {
  const { site } = t.context
  const { configure, log } = await scene(t.context)
  t.true(await unchanged(site, () => configure()), 'as it is at first')
  await configure({
    flair_position: 'left',
    link_flair_position: 'right',
    flair_self_assign_enabled: true,
    link_flair_self_assign_enabled: true,
  })
  await configure({ flair_enabled: false, flair_position: 'left', link_flair_position: '', flair_self_assign_enabled: true })
  const line = (setting: string) => `carol editflair - ${setting}`
  t.deepEqual((await log()).toReversed(), [
    ...['flair_position', 'link_flair_position', 'flair_self_enabled', 'link_flair_self_enabled'].map(line),
    ...['flair_enabled', 'link_flair_position', 'link_flair_self_enabled'].map(line),
  ])
})

type Choice = {
  readonly flair_template_id: string
  readonly flair_text: string
  readonly flair_css_class: string
  readonly flair_text_editable: boolean
}
const choices = (answer: Answer) => answer.at('choices') as readonly Choice[]
const templateIn = (answer: Answer) => String(answer.at('json.data.flair_template_id'))

test.serial('flair templates can be added, replaced, offered, chosen, deleted and cleared', async (t) => {
  const { site, ann, bob, carol, dave } = t.context
  const { name, api, configure, log } = await scene(t.context)
  // given templates, of which one was replaced
  const put = async (form: Record<string, string | boolean>) =>
    templateIn(await carol.post(api('flairtemplate'), { ...form, api_type: 'json' }))
  const fixed = await put({ text: 'Brewer', css_class: 'brown big' })
  const free = await put({ text: 'Any', css_class: 'free', text_editable: true })
  const bare = await put({ flair_type: 'USER_FLAIR' })
  const ofLinks = await put({ text: 'Question', css_class: 'blue', flair_type: 'LINK_FLAIR' })
  t.is(await put({ flair_template_id: free, text: 'Anything', css_class: 'free', text_editable: true, flair_type: 'LINK_FLAIR' }), free)
  t.true(await unchanged(site, () => put({ flair_template_id: free, text: 'Anything', css_class: 'free', text_editable: true })))
  t.not(await put({ flair_template_id: 'unknown', text: 'Last' }), 'unknown')
  const select = (who: Caller, form: Record<string, string>) => who.post(api('selectflair'), { api_type: 'json', ...form })
  const selector = (who: Caller, form: Record<string, string> = {}) => who.post(api('flairselector'), form)

  // when accounts can choose their own flair, then the selector offers the templates
  t.deepEqual(choices(await selector(bob)), [], 'not yet')
  t.is((await select(bob, { name: 'bob', flair_template_id: fixed })).status, 403)
  await configure({ flair_self_assign_enabled: true, link_flair_position: 'left' })
  t.deepEqual(
    choices(await selector(bob)).map((one) => [one.flair_template_id, one.flair_text, one.flair_css_class, one.flair_text_editable]),
    [
      [fixed, 'Brewer', 'flair-brown flair-big', false],
      [free, 'Anything', 'flair-free', true],
      [bare, '', '', false],
      [choices(await selector(bob))[3]?.flair_template_id, 'Last', '', false],
    ],
  )
  t.true(choices(await selector(carol)).every(({ flair_text_editable }) => flair_text_editable))

  // when one is chosen, then its text can be changed only if it is editable
  t.is(refusalOf(await select(bob, { name: 'Bob', flair_template_id: fixed, text: 'My own' })), '')
  t.deepEqual((await selector(bob)).at('current'), {
    flair_text: 'Brewer',
    flair_css_class: 'brown big',
    flair_position: 'right',
    flair_template_id: fixed,
  })
  t.is(refusalOf(await select(bob, { name: 'bob', flair_template_id: free, text: 'My own' })), '')
  t.is(choices(await selector(bob))[1]?.flair_text, 'My own')
  t.is((await selector(carol, { name: 'bob' })).at('current.flair_text'), 'My own')
  t.is((await selector(bob, { name: 'nobody' })).at('current.flair_text'), 'My own', 'an unknown name is oneself')
  t.is((await selector(dave, { name: 'bob' })).status, 403)
  t.is((await bob.post('/api/flairselector')).status, 403)
  t.is((await site.post(api('flairselector'))).status, 403)
  t.is(refusalOf(await select(bob, { name: 'bob', flair_template_id: free })), '')
  t.is((await selector(bob)).at('current.flair_text'), 'Anything', 'an empty text is the one of the template')
  t.true(
    await unchanged(site, async () => {
      t.is((await select(bob, { name: 'dave', flair_template_id: fixed })).status, 403)
      t.is((await select(bob, { flair_template_id: fixed })).status, 404)
      t.is((await select(bob, { name: 'bob', flair_template_id: ofLinks })).status, 404)
      t.is(refusalOf(await select(bob, { name: 'bob', flair_template_id: free, text: 'x'.repeat(65) })), 'TOO_LONG text')
      t.is(refusalOf(await select(site, { name: 'bob', flair_template_id: fixed })), 'USER_REQUIRED')
    }),
  )
  await done(carol, `/s/${name}/api/selectflair`, { name: 'carol', flair_template_id: fixed, text: 'Chief' })
  await done(bob, api('selectflair'), { name: 'bob', text: 'ignored' })
  t.is((await selector(bob)).at('current.flair_text'), null, 'without a template it is cleared')
  await done(ann, `/s/${name}/api/friend`, { type: 'banned', name: 'bob' })
  await done(bob, api('selectflair'), { name: 'bob', flair_template_id: fixed })

  // given a link, its author can choose its flair only where the subsite allows it
  const link = await submit(dave, name)
  t.is((await select(dave, { link, flair_template_id: ofLinks })).status, 403)
  t.is((await selector(dave, { link })).status, 403)
  await configure({ link_flair_self_assign_enabled: true, link_flair_position: 'left', flair_self_assign_enabled: true })
  t.is((await select(bob, { link, flair_template_id: ofLinks })).status, 403)
  t.is((await select(dave, { link, flair_template_id: fixed })).status, 404, 'a template for users')
  t.is(refusalOf(await dave.post('/api/selectflair', { link, flair_template_id: ofLinks, text: 'mine', api_type: 'json' })), '')
  t.deepEqual((await worn(site, link)).slice(2), ['Question', 'blue'])
  t.like((await selector(dave, { link })).at('current'), { flair_position: 'left', flair_css_class: 'blue', flair_template_id: ofLinks })
  t.is(choices(await selector(dave, { link }))[0]?.flair_css_class, 'blue', 'without a prefix')
  await done(carol, api('selectflair'), { link })

  // when templates are deleted, then flair made from them stays
  await done(carol, api('deleteflairtemplate'), { flair_template_id: fixed })
  await done(carol, api('clearflairtemplates'), { flair_type: 'LINK_FLAIR' })
  t.true(await unchanged(site, () => done(carol, api('clearflairtemplates'), { flair_type: 'LINK_FLAIR' })))
  t.is((await selector(bob)).at('current.flair_text'), 'Brewer', 'flair that was given stays')
  t.is((await selector(bob)).at('current.flair_template_id'), null)
  const settings = ['flair_self_enabled', 'link_flair_position'].map((setting) => `carol editflair - ${setting}`)
  const log1 = await log()
  t.deepEqual(log1.slice(0, 3), [
    'carol editflair - flair_clear_template',
    'carol editflair - flair_delete_template',
    `carol editflair ${link} flair_edit`,
  ])
  t.deepEqual(log1.slice(3), [
    'carol editflair - link_flair_self_enabled',
    `carol editflair ${carol.id} flair_edit`,
    ...settings,
    ...Array.from({ length: 6 }, () => 'carol editflair - flair_template'),
  ])
})

test.serial('a subsite has at most 350 templates of each type', async (t) => {
  const { site, carol } = t.context
  const { api, name } = await scene(t.context)
  const { app } = site.running
  const subsite = String((await site.get(`/s/${name}/about`)).at('data.name'))
  const many = Array.from({ length: flairLimits.templates }, (_, n) =>
    FlairTemplateAdded({ subsite, kind: 'user', template: `${n}`, text: 'x', css: '', editable: false }),
  )
  const by = commandOf(seedOf(app.mint()), { account: carol.id, as: 'moderator' })
  await app.run(SubsiteFlair, subsite, () => record(...many), by)
  t.is(refusalOf(await carol.post(api('flairtemplate'), { text: 'one more', api_type: 'json' })), 'TOO_MANY_FLAIR_TEMPLATES')
  t.is(refusalOf(await carol.post(api('flairtemplate'), { flair_template_id: '7', text: 'another', api_type: 'json' })), '')
  t.is(refusalOf(await carol.post(api('flairtemplate'), { flair_type: 'LINK_FLAIR', api_type: 'json' })), '')
})

test.serial('flaircsv returns a result for each line and applies the valid ones', async (t) => {
  const { site, bob, carol, dave } = t.context
  const { api, log } = await scene(t.context)
  const csv = [
    'bob,"Brewer, head",brown',
    'dave,Guest',
    'dave,Guest,grey,4',
    '',
    'nobody,Guest,grey',
    'dave,Guest,not_a_class',
    `DAVE,${'x'.repeat(70)},`,
    'carol,,',
    'bob,"Says ""hi""",',
    'bob,,',
  ].join('\r\n')
  const answer = await carol.post(api('flaircsv'), { flair_csv: `${csv}\n` })
  const results = parsed(answer) as readonly { ok: boolean; status: string; errors: object; warnings: object }[]
  t.deepEqual(
    results.map(({ ok, errors, warnings }) => [ok, ...Object.keys(errors), ...Object.keys(warnings)]),
    [[true], [false, 'row'], [false, 'row'], [false, 'row'], [false, 'user'], [false, 'css'], [true, 'text'], [true], [true], [true]],
  )
  t.deepEqual(
    [results[0]?.status, results[1]?.status, results[7]?.status],
    ['added flair for user bob', 'skipped', 'removed flair for user carol'],
  )
  t.deepEqual(await listed(carol, api('flairlist')), [{ user: 'dave', flair_text: 'x'.repeat(64), flair_css_class: null }])
  t.deepEqual((await log()).toSorted(), [
    `carol editflair ${bob.id} flair_csv`,
    `carol editflair ${bob.id} flair_csv`,
    `carol editflair ${bob.id} flair_delete`,
    `carol editflair ${dave.id} flair_csv`,
  ])
  t.deepEqual(parsed(await carol.post(api('flaircsv'), { flair_csv: '' })), [])
  t.deepEqual(parsed(await carol.post(api('flaircsv'))), [])
  const lines = Array.from({ length: 105 }, (_, n) => `bob,number ${n},`).join('\n')
  t.is((parsed(await carol.post(api('flaircsv'), { flair_csv: lines })) as unknown[]).length, 100)
  t.is((await listed(carol, api('flairlist?name=bob')))[0]?.flair_text, 'number 99', 'in their order')
  t.true(await unchanged(site, () => done(carol, api('flaircsv'), { flair_csv: 'bob,number 99,' })))
  const open = await carol.post(api('flaircsv'), { flair_csv: `bob,"never closed,\n${'"'.repeat(1001)}` })
  t.is(open.status, 200, open.text)
  for (const space of [' ', '\t', '\u3000', '\r'])
    for (const end of [',a,b', '\n,a']) {
      const slow = `"${'"x'.repeat(50_000)}${space.repeat(100_000)}${end}`
      const spent = await processorTime(() => carol.post(api('flaircsv'), { flair_csv: slow }))
      t.true(spent < 400, `${JSON.stringify(space + end)}: ${spent.toFixed()} ms for quotes and spaces`)
    }
  const key = { 'Idempotency-Key': 'csv' }
  const twice = () => carol.request('POST', api('flaircsv'), { form: { flair_csv: 'bob,a,\ndave,b,' }, headers: key })
  const first = await twice()
  t.true(await unchanged(site, async () => t.is((await twice()).text, first.text)))
})

test.serial('flairlist is paged by account, or shows one account', async (t) => {
  const { ann, bob, carol, dave, root } = t.context
  const { api } = await scene(t.context)
  const all = [ann, bob, carol, root].toSorted((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1))
  for (const { name } of all) await done(carol, api('flair'), { name, text: name })
  const names = (answer: Answer) => (answer.at('users') as readonly Row[]).map(({ user }) => user)
  const page = (query: string) => carol.get(api(`flairlist?${query}`))
  const ordered = all.map(({ name }) => name)
  t.deepEqual(names(await page('')), ordered)
  t.deepEqual([(await page('')).at('next'), (await page('')).at('prev')], [undefined, undefined])
  const first = await page('limit=2')
  t.deepEqual([names(first), first.at('next'), first.at('prev')], [ordered.slice(0, 2), all[1]?.id, undefined])
  const second = await page(`limit=2&after=${first.at('next')}`)
  t.deepEqual([names(second), second.at('next'), second.at('prev')], [ordered.slice(2), undefined, all[2]?.id])
  const back = await page(`limit=1&before=${second.at('prev')}`)
  t.deepEqual([names(back), back.at('next'), back.at('prev')], [ordered.slice(1, 2), all[1]?.id, all[1]?.id])
  const between = names(await page(`after=${dave.id}`))
  t.deepEqual(
    between,
    all.filter(({ id }) => id.length > dave.id.length || (id.length === dave.id.length && id > dave.id)).map(({ name }) => name),
  )
  t.deepEqual(parsed(await page('name=DAVE')), { users: [{ user: 'dave', flair_text: null, flair_css_class: null }] })
  t.deepEqual(parsed(await page('name=nobody')), { users: [] })
  t.is((await page('limit=1001&after=nonsense')).status, 200)
})

test.serial('an account can hide its own flair without losing it', async (t) => {
  const { site, bob, carol, dave } = t.context
  const { name, api, log } = await scene(t.context)
  const link = await submit(bob, name)
  await done(carol, api('flair'), { name: 'bob', text: 'Brewer' })
  const before = await log()
  await done(bob, api('setflairenabled'))
  t.true(await unchanged(site, () => done(bob, api('setflairenabled'), { flair_enabled: false })))
  for (const reader of [site, bob, carol]) t.is((await worn(reader, link))[0], null)
  t.is((await listed(carol, api('flairlist')))[0]?.flair_text, 'Brewer')
  await done(carol, api('flair'), { name: 'bob', text: 'Chief' })
  t.is((await worn(site, link))[0], null, 'whatever it becomes')
  await done(bob, api('setflairenabled'), { flair_enabled: true })
  t.is((await worn(site, link))[0], 'Chief')
  await done(dave, api('setflairenabled'), { flair_enabled: false })
  t.is((await log()).length, before.length + 1)
  for (const prefix of ['', '/s/all']) t.is((await bob.post(`${prefix}/api/setflairenabled`, { flair_enabled: true })).status, 403)
  t.is(refusalOf(await site.post(api('setflairenabled'), { api_type: 'json' })), 'USER_REQUIRED')
})

test.serial('a removed comment and a deleted link do not show the flair of their author', async (t) => {
  const { site, bob, carol, ann } = t.context
  const { name, api } = await scene(t.context)
  await done(carol, api('flair'), { name: 'bob', text: 'Brewer' })
  const [link, gone] = [await submit(bob, name), await submit(bob, name)]
  const comment = await say(bob, link, 'rude')
  await say(ann, comment, 'why?')
  await done(ann, '/api/remove', { id: comment })
  await done(bob, '/api/del', { id: gone })
  const [, thread] = parsed(await site.get(`/comments/${link.slice(3)}`)) as readonly {
    data: { children: { data: Record<string, unknown> }[] }
  }[]
  t.like(thread?.data.children[0]?.data, { author: '[deleted]', author_flair_text: null })
  t.is((await worn(site, gone))[0], null)
  t.is((await worn(site, link))[0], 'Brewer')
})

test.serial('the flair of a deleted account is not listed and not shown', async (t) => {
  const { site, carol } = t.context
  const { name, api } = await scene(t.context)
  const gone = await site.register(`gone${named}`)
  const link = await submit(gone, name)
  await done(carol, api('flair'), { name: gone.name, text: 'Brewer' })
  t.is(refusalOf(await (await gone.session()).post('/api/delete_user', { passwd: gone.password, api_type: 'json' })), '')
  t.deepEqual(await listed(carol, api('flairlist')), [])
  t.is((await carol.get(api(`flairlist?name=${gone.name}`))).status, 403)
  t.is((await carol.post(api('flairselector'), { name: gone.name })).status, 403)
  t.is((await worn(site, link))[0], null)
})
