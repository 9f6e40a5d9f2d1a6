import test from 'ava'
import { browserAs, browserOf, htmlProblems, isPage } from '../../support/browser-requests.ts'
import { startCast } from '../../support/cast.ts'
import { appoint } from '../../support/community.ts'
import { foundSubsite, settle } from '../../support/posting.ts'
import { edit, revisionsOf, textOf } from '../../support/wiki.ts'

const cast = await startCast(['ann', 'bob', 'carol', 'root'], { captcha: false })
const { site, ann, bob, carol, root } = cast
const tea = await foundSubsite(ann, 'tea')
await settle(ann, tea, { wikimode: 'anyone' })
await appoint(ann, 'tea', carol, '+wiki')
const [asAnn, asBob, asCarol, asRoot] = await Promise.all([ann, bob, carol, root].map((user) => browserAs(site, user)))
if (!asAnn || !asBob || !asCarol || !asRoot) throw new Error('nobody is logged in')
test.after.always(() => site.stop())

type Browsing = typeof asAnn
const post = (who: Browsing, path: string, page: string, fields: Readonly<Record<string, string>> = {}) =>
  who.post(path, { uh: who.modhash, form_page: page, ...fields })
const previousIn = (text: string): string => /name="previous" value="([^"]*)"/.exec(text)?.[1] ?? ''

test.serial('a page that does not exist leads who may create it to the form, and that to the new page', async (t) => {
  const missing = await asBob.get('/s/tea/wiki/brewing/green')
  t.is(missing.status, 404)
  t.true(missing.text.includes('href="/s/tea/wiki/pages?page=brewing/green#new"'))
  t.false((await browserOf(site).get('/s/tea/wiki/brewing/green')).text.includes('#new'))
  const form = await asBob.get('/s/tea/wiki/pages?page=brewing/green')
  t.deepEqual(await htmlProblems(form.text), [])
  t.regex(form.text, /id="page"[^>]*value="brewing\/green"/)
  const fields = { page: 'brewing/green', content: '# Water\r\n\r\nSoft.', previous: '', reason: 'begun' }
  const made = await post(asBob, '/s/tea/api/wiki/edit', '/s/tea/wiki/pages', fields)
  t.is(made.status, 303, made.text)
  t.is(made.headers.get('location'), '/s/tea/wiki/brewing/green')
  t.is(await textOf(bob, 'tea', 'brewing/green'), '# Water\n\nSoft.')
  const again = await post(asAnn, '/s/tea/api/wiki/edit', '/s/tea/wiki/pages', { ...fields, content: 'another' })
  t.is(again.status, 409, 'creating replaces no page')
  for (const page of ['../../evil', '..//evil', '..//evil.example', 'a\r\nb']) {
    const sent = await post(asBob, '/s/tea/api/wiki/edit', '/s/tea/wiki/pages', { ...fields, page })
    t.true(sent.status >= 400 || sent.headers.get('location') === '/s/tea/wiki/pages', page)
  }
})

test.serial(
  'a wiki without a page leads to the form for its first one, and the list of a closed wiki has a form for its moderators',
  async (t) => {
    await foundSubsite(ann, 'cups')
    for (const address of ['/s/cups/wiki', '/s/cups/wiki/index'])
      t.true((await asAnn.get(address)).text.includes('href="/s/cups/wiki/pages?page=index#new"'), address)
    t.regex((await asAnn.get('/s/cups/wiki/pages?page=index')).text, /id="page"[^>]*value="index"/)
    t.true((await asAnn.get('/s/cups/wiki/pages')).text.includes('<h2>Another page</h2>'))
    const closed = await asBob.get('/s/cups/wiki')
    t.is(closed.status, 403)
    t.true(closed.text.includes('the wiki of this subsite is disabled'))
  },
)

test.serial('two people edit the same lines: the second sees the difference, and saves again knowing it', async (t) => {
  await edit(ann, 'tea', 'index', 'one\ntwo\nthree')
  const address = '/s/tea/wiki/index?edit=1'
  const form = await asBob.get(address)
  t.deepEqual(await htmlProblems(form.text), [])
  const previous = previousIn(form.text)
  t.is(previous, String((await ann.get('/s/tea/wiki/index')).at('data.revision_id')))
  await edit(ann, 'tea', 'index', 'one\n2\nthree')
  const mine = { page: 'index', content: 'one\nTWO <b>\nthree', reason: 'louder', previous }
  const refused = await post(asBob, '/s/tea/api/wiki/edit', address, mine)
  t.is(refused.status, 409)
  t.deepEqual(await htmlProblems(refused.text), [])
  t.regex(refused.text, /<tr class="diff_gone"><td>-<\/td><td>2<\/td><\/tr><tr class="diff_new"><td>\+<\/td><td>TWO &lt;b&gt;</)
  t.regex(refused.text, /id="content"[^>]*>\none\nTWO &lt;b&gt;\nthree</)
  const theirs = previousIn(refused.text)
  t.not(theirs, previous)
  t.is((await post(asBob, '/s/tea/api/wiki/edit', address, { ...mine, previous: theirs, dest: '/s/tea/wiki/index' })).status, 303)
  t.is(await textOf(ann, 'tea', 'index'), 'one\nTWO &lt;b&gt;\nthree')
})

test.serial('an edit in other lines is merged, and another refusal keeps the text and its revision', async (t) => {
  await edit(ann, 'tea', 'steps', 'one\ntwo\nthree\nfour\nfive')
  const address = '/s/tea/wiki/steps?edit=1'
  const previous = previousIn((await asBob.get(address)).text)
  await edit(ann, 'tea', 'steps', 'ONE\ntwo\nthree\nfour\nfive')
  const mine = { page: 'steps', content: 'one\ntwo\nthree\nfour\nFIVE', previous }
  const refused = await post(asBob, '/s/tea/api/wiki/edit', address, { ...mine, reason: 'x'.repeat(300) })
  t.true(refused.status >= 400 && refused.text.includes('four\nFIVE</textarea>'), refused.text)
  t.is(previousIn(refused.text), previous)
  t.is((await post(asBob, '/s/tea/api/wiki/edit', address, mine)).status, 303)
  t.is(await textOf(ann, 'tea', 'steps'), 'ONE\ntwo\nthree\nfour\nFIVE')
})

test.serial('two revisions are compared, and moderators of the wiki go back to one and hide one', async (t) => {
  const history = '/s/tea/wiki/revisions/index'
  const shown = await asCarol.get(history)
  t.deepEqual(await htmlProblems(shown.text), [])
  const [newest, second, oldest] = (await revisionsOf(carol, 'tea', 'index')).map(({ id }) => id)
  t.true(shown.text.includes(`?v=${second}&amp;v2=${newest}">what it changed`))
  t.is([...shown.text.matchAll(/form="compare" name="v2?" value="[^"]+" aria-label="[^"]+" checked/g)].length, 2)
  const compared = await asBob.get(`/s/tea/wiki/index?v=${oldest}&v2=${newest}`)
  t.regex(compared.text, /What was changed.*<tr class="diff_gone"><td>-<\/td><td>two</s)
  t.regex(compared.text, /class="note">What changed after the revision of .*? by .*?>ann<.*?, and the text since then\./)
  t.false(compared.text.includes('Last changed'), 'the author of the revision before did not write the text')
  t.regex((await asBob.get(`/s/tea/wiki/index?v=${newest}`)).text, /class="note">The page as of one revision\..*Last changed/s)
  const buttons = (text: string, act: string) => [...text.matchAll(new RegExp(`formaction="([^"]*/api/wiki/${act}[^"]*)"`, 'g'))].length
  t.deepEqual([buttons(shown.text, 'revert'), buttons(shown.text, 'hide')], [2, 3], 'no return to the present text')
  t.false((await asBob.get(history)).text.includes('/api/wiki/'), 'others have no such buttons')
  t.is((await post(asCarol, `/s/tea/api/wiki/revert?page=index&revision=${oldest}`, history)).status, 303)
  t.is(await textOf(ann, 'tea', 'index'), 'one\ntwo\nthree')
  t.is((await post(asCarol, `/s/tea/api/wiki/hide?page=index&revision=${second}`, history)).status, 303)
  t.regex((await asCarol.get(history)).text, /class="badge">hidden<.*show it/s)
  t.false((await asBob.get(history)).text.includes(String(second)))
  t.true((await post(asBob, `/s/tea/api/wiki/hide?page=index&revision=${second}`, history)).status >= 400)
})

test.serial('an admin erases a revision, with a reason, after a page says what that does', async (t) => {
  const history = '/s/tea/wiki/revisions/steps'
  const erased = (await revisionsOf(root, 'tea', 'steps'))[1]?.id ?? ''
  const asked = await asRoot.get(`${history}?erase=${erased}`)
  t.deepEqual(await htmlProblems(asked.text), [])
  t.regex(asked.text, /unreadable for good/)
  t.false((await asCarol.get(`${history}?erase=${erased}`)).text.includes('api/wiki/erase'))
  const fields = { page: 'steps', revision: erased, dest: history }
  t.true((await post(asRoot, '/s/tea/api/wiki/erase', `${history}?erase=${erased}`, { ...fields, reason: '' })).status >= 400)
  t.is((await post(asRoot, '/s/tea/api/wiki/erase', history, { ...fields, reason: 'court order' })).status, 303)
  t.is((await bob.get(`/s/tea/wiki/steps?v=${erased}`)).at('data.content_md'), '[erased]')
})

test.serial('moderators of the wiki set who edits a page, and its editors', async (t) => {
  const page = '/s/tea/wiki/settings/index'
  t.deepEqual(await htmlProblems((await asCarol.get(page)).text), [])
  t.is((await post(asCarol, page, page, { permlevel: '1', listed: 'false', dest: page })).headers.get('location'), page)
  t.is((await post(asCarol, '/s/tea/api/wiki/alloweditor/add', page, { page: 'index', username: 'bob', dest: page })).status, 303)
  t.like((await carol.get(page)).at('data'), { permlevel: 1, listed: false })
  t.regex((await asCarol.get(page)).text, /\/user\/bob">bob<.*alloweditor\/del\?page=index&amp;username=bob/s)
  const refused = await post(asCarol, '/s/tea/api/wiki/alloweditor/add', page, { page: 'index', username: 'nobody' })
  t.true(isPage(refused) && refused.status === 404 && refused.text.includes('value="nobody"'))
  t.is((await post(asCarol, '/s/tea/api/wiki/alloweditor/del?page=index&username=bob', page)).status, 303)
  t.deepEqual((await carol.get(page)).at('data.editors'), [])
  t.is((await asBob.get(page)).status, 403)
})

test.serial('the problems of a stylesheet that is edited as a page stand beside its text', async (t) => {
  await ann.post('/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents: 'a { color: red }' })
  const address = '/s/tea/wiki/config/stylesheet?edit=1'
  const previous = previousIn((await asAnn.get(address)).text)
  const fields = { page: 'config/stylesheet', content: '@import url(x);', previous }
  const refused = await post(asAnn, '/s/tea/api/wiki/edit', address, fields)
  t.is(refused.status, 415)
  t.deepEqual(await htmlProblems(refused.text), [])
  t.regex(refused.text, /<li>line 1: @import is not allowed<\/li>/)
})
