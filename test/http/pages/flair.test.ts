import test from 'ava'
import { browserAs, destinationOf, htmlProblems, isPage } from '../../support/browser-requests.ts'
import { startTea } from '../../support/cast.ts'
import { foundSubsite, submit } from '../../support/posting.ts'

const { site, ann, bob } = await startTea([])
const asAnn = await browserAs(site, ann)
const asBob = await browserAs(site, bob)
test.after.always(() => site.stop())

const page = '/s/tea/about/flair'
const post = (who: typeof asAnn, name: string, fields: Readonly<Record<string, string>>) =>
  who.post(`/s/tea/api/${name}`, { uh: who.modhash, form_page: page, dest: `${page}?done=1`, ...fields })
const settings = {
  flair_enabled: 'true',
  flair_position: 'left',
  link_flair_position: 'right',
  flair_self_assign_enabled: 'true',
  link_flair_self_assign_enabled: 'true',
}

test.serial('the record of flair has the settings of the subsite and the own flair of an account', async (t) => {
  t.deepEqual((await bob.get('/s/tea/about/flair')).body, {
    flair_enabled: true,
    flair_position: 'right',
    flair_self_assign_enabled: false,
    link_flair_position: '',
    link_flair_self_assign_enabled: false,
    own: { flair_text: null, flair_css_class: null, flair_enabled: true },
  })
  t.is((await site.get('/s/tea/about/flair')).status, 403)
  t.is((await bob.get('/s/nosuch/about/flair')).status, 404)
})

test.serial('moderators configure flair, and add, change and delete its templates, by forms', async (t) => {
  t.is(destinationOf(await post(asAnn, 'flairconfig', settings)), `${page}?done=1`)
  t.like((await ann.get(page)).body, { flair_position: 'left', link_flair_position: 'right', flair_self_assign_enabled: true })
  for (const [flair_type, text] of [
    ['USER_FLAIR', 'brewer'],
    ['USER_FLAIR', 'taster'],
    ['LINK_FLAIR', 'question'],
  ] as const)
    t.is((await post(asAnn, 'flairtemplate', { flair_type, text, css_class: text, text_editable: 'false' })).status, 303)
  const shown = await asAnn.get(page)
  t.deepEqual(await htmlProblems(shown.text), [])
  const [id = ''] = [...shown.text.matchAll(/\?template=([0-9a-f-]+)#user-flair/g)].map(([, name]) => name)
  const changing = await asAnn.get(`${page}?template=${id}`)
  t.regex(changing.text, /id="user_flair-text"[^>]*value="brewer"/)
  t.is(
    (await post(asAnn, 'flairtemplate', { flair_type: 'USER_FLAIR', flair_template_id: id, text: 'master', css_class: 'x' })).status,
    303,
  )
  const templates = async () => ((await ann.get('/s/tea/api/user_flair_v2')).body as { text: string }[]).map(({ text }) => text)
  t.deepEqual(await templates(), ['master', 'taster'])
  t.is((await asAnn.post(`/s/tea/api/deleteflairtemplate?flair_template_id=${id}`, { uh: asAnn.modhash, form_page: page })).status, 303)
  t.deepEqual(await templates(), ['taster'])
  const refused = await post(asAnn, 'flairtemplate', { flair_type: 'LINK_FLAIR', text: 'x', css_class: 'a_b' })
  t.is(refused.status, 400)
  t.regex(refused.text, /id="link_flair-class"[^>]*value="a_b"[^>]*aria-invalid="true"/)
  t.true((await post(asBob, 'flairtemplate', { flair_type: 'LINK_FLAIR', text: 'x' })).status >= 400)
  t.false((await asBob.get(page)).text.includes('flairconfig'), 'others have no such forms')
})

test.serial('readers choose their own flair and hide it, and authors choose that of their posts', async (t) => {
  const before = await asBob.get(page)
  const id = /<option value="([0-9a-f-]+)">taster</.exec(before.text)?.[1] ?? ''
  t.is((await post(asBob, 'selectflair', { name: 'bob', flair_template_id: id, text: '' })).status, 303)
  t.like((await bob.get(page)).at('own'), { flair_text: 'taster', flair_css_class: 'taster', flair_enabled: true })
  t.regex((await asBob.get(page)).text, new RegExp(`<option value="${id}" selected>`))
  t.is((await post(asBob, 'setflairenabled', { flair_enabled: 'false' })).status, 303)
  t.regex((await asBob.get(page)).text, /You hide it\..*Show my flair/s)
  const link = await submit(bob, 'tea', { title: 'Which pot?' })
  const thread = `/s/tea/comments/${link.slice(3)}/which_pot`
  t.true((await asBob.get(thread)).text.includes(`?flair=${link}#reply`))
  const asked = await asBob.get(`${thread}?flair=${link}`)
  t.deepEqual(await htmlProblems(asked.text), [])
  const question = /<option value="([0-9a-f-]+)">question</.exec(asked.text)?.[1] ?? ''
  const chosen = await asBob.post('/api/selectflair', { uh: asBob.modhash, form_page: thread, link, flair_template_id: question })
  t.is(chosen.status, 303)
  t.regex((await asBob.get(thread)).text, /<span class="badge flair flair-question">question</)
  t.is((await post(asAnn, 'flairconfig', { ...settings, link_flair_self_assign_enabled: 'false' })).status, 303)
  t.regex((await asBob.get(`${thread}?flair=${link}`)).text, /The moderators choose the flair of posts here/)
})

test.serial('where there is no flair for a post, its moderators are led to where it is made', async (t) => {
  await foundSubsite(ann, 'cups')
  const link = await submit(ann, 'cups', { title: 'Which cup?' })
  const form = await asAnn.get(`/s/cups/comments/${link.slice(3)}/which_cup?flair=${link}`)
  t.true(form.text.includes('<a href="/s/cups/about/flair#link-flair">Make some</a>'))
  t.true((await asAnn.get('/s/cups/about/flair')).text.includes('id="link-flair"'))
})

test.serial('moderators set the flair of one account or of many, and take it away', async (t) => {
  t.is((await post(asAnn, 'flair', { name: 'bob', text: 'Guest <b>', css_class: 'grey' })).status, 303)
  t.regex((await asAnn.get(page)).text, /\/user\/bob">bob<\/a> <span class="badge flair flair-grey">Guest &lt;b&gt;</)
  t.regex((await asAnn.get(`${page}?account=bob`)).text, /id="account-text"[^>]*value="Guest &lt;b&gt;"/)
  const lines = await asAnn.post('/s/tea/api/flaircsv', { uh: asAnn.modhash, form_page: page, flair_csv: 'bob,Head,\nnobody,x,\n' })
  t.true(isPage(lines) && lines.status === 200)
  t.deepEqual(await htmlProblems(lines.text), [])
  t.regex(lines.text, /added flair for user bob<.*skipped<\/p><p class="reason">/s)
  t.is((await asAnn.post('/s/tea/api/deleteflair?name=bob', { uh: asAnn.modhash, form_page: page })).status, 303)
  t.like((await bob.get(page)).at('own'), { flair_text: null })
  t.is((await post(asAnn, 'clearflairtemplates', { flair_type: 'USER_FLAIR' })).status, 303)
  t.deepEqual((await ann.get('/s/tea/api/user_flair_v2')).body, [])
})
