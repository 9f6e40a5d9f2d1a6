import { five, startCast } from '../support/cast.ts'
import { appoint, logOf, postForm, recordsNothing } from '../support/community.ts'
import { type FlairRow, flairList, flairOf, flairScene } from '../support/flair.ts'
import { foundSubsite, refusalOf, say, submit } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

const parsed = ({ text }: Answer): unknown => JSON.parse(text)

type Shown = { readonly data: { readonly children: readonly { readonly data: Readonly<Record<string, unknown>> }[] } }
/** The first comment of a thread. */
const firstComment = async (reader: Caller, link: string) => {
  const [, thread] = parsed(await reader.get(`/comments/${link.slice(3)}`)) as readonly Shown[]
  return thread?.data.children[0]?.data
}

test.serial('flair of a user is shown to everybody on all its things in the subsite, and on no others', async (t) => {
  const { site, bob, carol, dave } = t.context
  const { name, api } = await flairScene(t.context)
  const link = await submit(bob, name)
  const comment = await say(bob, link, 'soft')
  const other = await submit(bob, (await flairScene(t.context)).name)
  t.deepEqual(await flairOf(site, link), [null, null, null, null])
  const flair = { name: 'BOB', text: 'Brewer', css_class: 'brown  big', api_type: 'json' }
  t.is((await carol.post(api('flair'), flair)).text, '{"json":{"errors":[]}}')
  for (const reader of [site, bob, dave]) {
    t.deepEqual(await flairOf(reader, link), ['Brewer', 'brown big', null, null])
    t.deepEqual((await flairOf(reader, comment)).slice(0, 2), ['Brewer', 'brown big'])
  }
  t.is((await firstComment(site, link))?.author_flair_text, 'Brewer')
  t.is((await flairOf(site, other))[0], null)
})

test.serial('text and class of a flair are replaced together, and without both the flair is cleared', async (t) => {
  const { site, bob, carol } = t.context
  const { name, api } = await flairScene(t.context)
  const link = await submit(bob, name)
  await postForm(carol, api('flair'), { name: 'bob', text: 'Brewer', css_class: 'brown' })
  await postForm(carol, api('flair'), { name: 'bob', css_class: 'red' })
  t.deepEqual(await flairOf(site, link), [null, 'red', null, null])
  t.deepEqual(await flairList(carol, api('flairlist')), [{ user: 'bob', flair_text: null, flair_css_class: 'red' }])
  await postForm(carol, api('flair'), { name: 'bob' })
  t.deepEqual(await flairList(carol, api('flairlist')), [])
})

test.serial('each change of the flair of a user is a log entry, and a repeated one changes nothing', async (t) => {
  const { site, bob, carol } = t.context
  const { api, log } = await flairScene(t.context)
  const brewer = () => postForm(carol, api('flair'), { name: 'bob', text: 'Brewer', css_class: 'brown big' })
  await brewer()
  t.true(await recordsNothing(site, brewer))
  await postForm(carol, api('flair'), { name: 'bob', css_class: 'red' })
  await postForm(carol, api('flair'), { name: 'carol', text: 'Me' })
  await postForm(carol, api('deleteflair'), { name: 'bob' })
  t.true(await recordsNothing(site, () => postForm(carol, api('deleteflair'), { name: 'bob' })))
  await postForm(carol, api('flair'), { name: 'carol' })
  t.deepEqual(await flairList(carol, api('flairlist')), [])
  t.deepEqual(await log(), [
    `carol editflair ${carol.id} flair_delete`,
    `carol editflair ${bob.id} flair_delete`,
    `carol editflair ${carol.id} flair_edit`,
    `carol editflair ${bob.id} flair_edit`,
    `carol editflair ${bob.id} flair_edit`,
  ])
})

test.serial('each change of link flair by a moderator is a log entry', async (t) => {
  const { site, bob, carol } = t.context
  const { name, api, log } = await flairScene(t.context)
  const link = await submit(bob, name)
  await postForm(carol, api('flair'), { link, text: 'Question', css_class: 'blue' })
  t.deepEqual(await flairOf(site, link), [null, null, 'Question', 'blue'])
  await postForm(carol, api('flair'), { link })
  t.deepEqual(await flairOf(site, link), [null, null, null, null])
  t.deepEqual(await log(), [`carol editflair ${link} flair_edit`, `carol editflair ${link} flair_edit`])
})

test.serial('of a link and a name the link gets the flair, but the name if there is no such link', async (t) => {
  const { site, bob, carol, dave } = t.context
  const { name, api, log } = await flairScene(t.context)
  const link = await submit(bob, name)
  await postForm(carol, api('flair'), { link, name: 'dave', text: 'Question' })
  t.is((await flairOf(site, link))[2], 'Question')
  t.deepEqual(await flairList(carol, api('flairlist')), [])
  await postForm(carol, api('flair'), { link: 't5_zzzz', name: 'dave', text: 'Guest' })
  t.is((await flairList(carol, api('flairlist'))).length, 1)
  t.is((await log())[0], `carol editflair ${dave.id} flair_edit`)
})

test.serial('authors can set the flair of their links where the subsite allows it, which is no log entry', async (t) => {
  const { site, ann, carol, dave } = t.context
  const here = await flairScene(t.context)
  const far = 'far'
  await foundSubsite(dave, far)
  const [theirs, mine] = [await submit(dave, far), await submit(carol, far)]
  for (const link of [theirs, mine]) t.is((await carol.post(here.api('flair'), { link, text: 'Mine' })).status, 403)
  await postForm(dave, `/s/${far}/api/flairconfig`, {
    flair_position: 'left',
    link_flair_self_assign_enabled: true,
    link_flair_position: 'left',
  })
  await postForm(carol, here.api('flair'), { link: mine, text: 'Mine' })
  t.is((await flairOf(site, mine))[2], 'Mine')
  t.deepEqual(
    (await logOf(ann, far)).filter((line) => line.includes(mine)),
    [],
  )
})

test.serial('invalid changes of flair are refused and change nothing', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { name, api } = await flairScene(t.context)
  const { name: other } = await flairScene(t.context)
  await appoint(ann, name, bob, '+access,+config,+mail,+posts,+wiki')
  const refused = async (caller: Caller, path: string, form: Record<string, string>, refusal: string) =>
    t.true(await recordsNothing(site, async () => t.is(refusalOf(await caller.post(path, { api_type: 'json', ...form })), refusal, path)))
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
  await postForm(carol, api('flair'), { name: 'bob', css_class: classes(10) })
  await postForm(carol, api('flair'), { name: 'bob', text: '🫖'.repeat(64), css_class: 'c'.repeat(100) })
})

test.serial('flairconfig logs each value that changed', async (t) => {
  const { site } = t.context
  const { configure, log } = await flairScene(t.context)
  t.true(await recordsNothing(site, () => configure()), 'as it is at first')
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

test.serial('flairlist is paged by account, or shows one account', async (t) => {
  const { ann, bob, carol, dave, root } = t.context
  const { api } = await flairScene(t.context)
  const all = [ann, bob, carol, root].toSorted((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1))
  for (const { name } of all) await postForm(carol, api('flair'), { name, text: name })
  const names = (answer: Answer) => (answer.at('users') as readonly FlairRow[]).map(({ user }) => user)
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
  const { name, api, log } = await flairScene(t.context)
  const link = await submit(bob, name)
  await postForm(carol, api('flair'), { name: 'bob', text: 'Brewer' })
  const before = await log()
  await postForm(bob, api('setflairenabled'))
  t.true(await recordsNothing(site, () => postForm(bob, api('setflairenabled'), { flair_enabled: false })))
  for (const reader of [site, bob, carol]) t.is((await flairOf(reader, link))[0], null)
  t.is((await flairList(carol, api('flairlist')))[0]?.flair_text, 'Brewer')
  await postForm(carol, api('flair'), { name: 'bob', text: 'Chief' })
  t.is((await flairOf(site, link))[0], null, 'whatever it becomes')
  await postForm(bob, api('setflairenabled'), { flair_enabled: true })
  t.is((await flairOf(site, link))[0], 'Chief')
  await postForm(dave, api('setflairenabled'), { flair_enabled: false })
  t.is((await log()).length, before.length + 1)
  for (const prefix of ['', '/s/all']) t.is((await bob.post(`${prefix}/api/setflairenabled`, { flair_enabled: true })).status, 403)
  t.is(refusalOf(await site.post(api('setflairenabled'), { api_type: 'json' })), 'USER_REQUIRED')
})

test.serial('a removed comment and a deleted link do not show the flair of their author, a removed link does', async (t) => {
  const { site, bob, carol, ann } = t.context
  const { name, api } = await flairScene(t.context)
  await postForm(carol, api('flair'), { name: 'bob', text: 'Brewer' })
  const [link, gone] = [await submit(bob, name), await submit(bob, name)]
  const comment = await say(bob, link, 'rude')
  await say(ann, comment, 'why?')
  await postForm(ann, '/api/remove', { id: comment })
  await postForm(bob, '/api/del', { id: gone })
  t.like(await firstComment(site, link), { author: '[deleted]', author_flair_text: null })
  t.is((await flairOf(site, gone))[0], null)
  t.is((await flairOf(site, link))[0], 'Brewer')
  await postForm(ann, '/api/remove', { id: link })
  t.is((await flairOf(site, link))[0], 'Brewer')
})

test.serial('the flair of a deleted account is not listed and not shown', async (t) => {
  const { site, carol } = t.context
  const { name, api } = await flairScene(t.context)
  const gone = await site.register('gone')
  const link = await submit(gone, name)
  await postForm(carol, api('flair'), { name: gone.name, text: 'Brewer' })
  t.is(refusalOf(await (await gone.session()).post('/api/delete_user', { passwd: gone.password, api_type: 'json' })), '')
  t.deepEqual(await flairList(carol, api('flairlist')), [])
  t.is((await carol.get(api(`flairlist?name=${gone.name}`))).status, 403)
  t.is((await carol.post(api('flairselector'), { name: gone.name })).status, 403)
  t.is((await flairOf(site, link))[0], null)
})
