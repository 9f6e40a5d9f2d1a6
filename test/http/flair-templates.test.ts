import { decideEvents } from '../../src/domain/decision.ts'
import { flairLimits } from '../../src/domain/flair.ts'
import { FlairTemplateAdded, SubsiteFlair } from '../../src/domain/subsite-flair.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { type Five, five, startCast } from '../support/cast.ts'
import { postForm, recordsNothing } from '../support/community.ts'
import { flairOf, flairScene, putTemplate } from '../support/flair.ts'
import { readThing, refusalOf, submit } from '../support/posting.ts'
import type { Answer, Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(five))

type Choice = {
  readonly flair_template_id: string
  readonly flair_text: string
  readonly flair_css_class: string
  readonly flair_text_editable: boolean
}
const choices = (answer: Answer) => answer.at('choices') as readonly Choice[]

/** A subsite in which carol has no templates yet, and what is sent there. */
const scene = async (cast: Five) => {
  const { name, api, configure, log } = await flairScene(cast)
  const put = (form: Record<string, string | boolean>) => putTemplate(cast.carol, name, form)
  const select = (who: Caller, form: Record<string, string>) => who.post(api('selectflair'), { api_type: 'json', ...form })
  const selector = (who: Caller, form: Record<string, string> = {}) => who.post(api('flairselector'), form)
  return { name, api, configure, log, put, select, selector }
}

/** A subsite with a template whose text is fixed, one whose text can be changed, and one for links; accounts choose their own flair. */
const templates = async (cast: Five) => {
  const here = await scene(cast)
  const fixed = await here.put({ text: 'Brewer', css_class: 'brown big' })
  const free = await here.put({ text: 'Anything', css_class: 'free', text_editable: true })
  const ofLinks = await here.put({ text: 'Question', css_class: 'blue', flair_type: 'LINK_FLAIR' })
  await here.configure({ flair_self_assign_enabled: true, link_flair_position: 'left' })
  const before = (await here.log()).length
  const logged = async () => (await here.log()).slice(0, -before)
  return { ...here, fixed, free, ofLinks, logged }
}

test.serial('templates are listed for those who may choose them, and put under the newer spelling', async (t) => {
  const { site, bob, carol } = t.context
  const { name, api, fixed, free, ofLinks } = await templates(t.context)
  const listed = async (who: Caller, kind: string) =>
    ((await who.get(`/s/${name}${kind}`)).body as readonly Record<string, unknown>[]).map(({ id }) => id)
  t.deepEqual(await listed(bob, '/api/user_flair_v2'), [fixed, free])
  t.is((await bob.get(api('link_flair_v2'))).status, 403, 'authors choose none here')
  t.deepEqual(await listed(carol, '/api/link_flair_v2'), [ofLinks])
  t.is((await site.get(api('user_flair_v2'))).status, 403)
  await postForm(carol, api('flairtemplate_v2'), { flair_template_id: fixed, text: 'Master', css_class: 'gold', text_editable: true })
  t.like(((await bob.get(api('user_flair_v2'))).body as readonly object[])[0], {
    id: fixed,
    text: 'Master',
    css_class: 'gold',
    text_editable: true,
  })
})

test.serial('a template sent with the id of another replaces it, one with an unknown id is new, and each change is logged', async (t) => {
  const { site, bob, carol } = t.context
  const { api, put, configure, selector, log } = await scene(t.context)
  const free = await put({ text: 'Any', css_class: 'free', text_editable: true })
  const again = { flair_template_id: free, text: 'Anything', css_class: 'free', text_editable: true }
  t.is(await put({ ...again, flair_type: 'LINK_FLAIR' }), free, 'its type stays')
  t.deepEqual((await carol.post(api('flairtemplate'), again)).body, { json: { errors: [] } })
  t.true(await recordsNothing(site, () => put(again)))
  t.not(await put({ flair_template_id: 'unknown', text: 'Last' }), 'unknown')
  t.deepEqual(
    await log(),
    Array.from({ length: 3 }, () => 'carol editflair - flair_template'),
  )
  await configure({ flair_self_assign_enabled: true })
  t.deepEqual(
    choices(await selector(bob)).map(({ flair_text }) => flair_text),
    ['Anything', 'Last'],
  )
})

test.serial(
  'the templates for users are offered once accounts can choose their own flair, to moderators with editable texts',
  async (t) => {
    const { bob, carol } = t.context
    const { api, put, configure, select, selector, log } = await scene(t.context)
    const fixed = await put({ text: 'Brewer', css_class: 'brown big' })
    const free = await put({ text: 'Anything', css_class: 'free', text_editable: true })
    const bare = await put({ flair_type: 'USER_FLAIR' })
    await put({ text: 'Question', css_class: 'blue', flair_type: 'LINK_FLAIR' })
    t.deepEqual(choices(await selector(bob)), [], 'not yet')
    t.is((await select(bob, { name: 'bob', flair_template_id: fixed })).status, 403)
    await configure({ flair_self_assign_enabled: true, link_flair_position: 'left' })
    t.deepEqual(
      choices(await selector(bob)).map((one) => [one.flair_template_id, one.flair_text, one.flair_css_class, one.flair_text_editable]),
      [
        [fixed, 'Brewer', 'flair-brown flair-big', false],
        [free, 'Anything', 'flair-free', true],
        [bare, '', '', false],
      ],
    )
    const stored = (await bob.get(api('user_flair_v2'))).body as readonly Record<string, unknown>[]
    t.deepEqual(
      stored.map(({ css_class }) => css_class),
      ['brown big', 'free', ''],
      'as they are stored, without the prefix of a choice',
    )
    t.deepEqual(
      choices(await selector(carol)).map(({ flair_text_editable }) => flair_text_editable),
      [true, true, true],
    )
    t.deepEqual((await log()).slice(0, 2), ['carol editflair - flair_self_enabled', 'carol editflair - link_flair_position'])
  },
)

test.serial('the chosen template gives the text of a flair, unless it lets accounts write their own', async (t) => {
  const { bob, carol } = t.context
  const { select, selector, fixed, free } = await templates(t.context)
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
  t.is(refusalOf(await select(bob, { name: 'bob', flair_template_id: free })), '')
  t.is((await selector(bob)).at('current.flair_text'), 'Anything', 'an empty text is the one of the template')
})

test.serial('an account can choose flair only for itself, from the templates for users', async (t) => {
  const { site, bob, dave } = t.context
  const { api, select, selector, fixed, free, ofLinks } = await templates(t.context)
  t.is((await selector(dave, { name: 'bob' })).status, 403)
  t.is((await bob.post('/api/flairselector')).status, 403)
  t.is((await site.post(api('flairselector'))).status, 403)
  t.true(
    await recordsNothing(site, async () => {
      t.is((await select(bob, { name: 'dave', flair_template_id: fixed })).status, 403)
      t.is((await select(bob, { flair_template_id: fixed })).status, 404)
      t.is((await select(bob, { name: 'bob', flair_template_id: ofLinks })).status, 404)
      t.is(refusalOf(await select(bob, { name: 'bob', flair_template_id: free, text: 'x'.repeat(65) })), 'TOO_LONG text')
      t.is(refusalOf(await select(site, { name: 'bob', flair_template_id: fixed })), 'USER_REQUIRED')
    }),
  )
})

test.serial('a submission sets the flair of its link, for authors where the subsite lets them choose and for moderators', async (t) => {
  const { site, ann, bob, carol } = t.context
  const { name, configure, put, log, fixed, ofLinks } = await templates(t.context)
  const free = await put({ text: 'Any', css_class: 'any', flair_type: 'LINK_FLAIR', text_editable: true })
  const send = (who: Caller, form: Record<string, string>) =>
    who.post('/api/submit', { sr: name, kind: 'self', title: 'Which clay?', api_type: 'json', ...form })
  const shown = async (answer: Answer) => (await flairOf(ann, String(answer.at('json.data.name')))).slice(2)
  t.true(await recordsNothing(site, async () => t.is((await send(bob, { flair_id: ofLinks })).status, 403)))
  t.deepEqual(await shown(await send(carol, { flair_id: ofLinks, flair_text: 'My own' })), ['My own', 'blue'])
  t.regex(String((await log())[0]), /^carol editflair t5_\w+ flair_edit$/)
  const entries = (await log()).length
  await configure({ link_flair_self_assign_enabled: true, flair_self_assign_enabled: true, link_flair_position: 'left' })
  const before = (await log()).length
  t.true(before > entries)
  t.deepEqual(await shown(await send(bob, { flair_id: ofLinks.toUpperCase(), flair_text: 'My own' })), ['Question', 'blue'])
  t.deepEqual(await shown(await send(bob, { flair_id: free, flair_text: 'My own' })), ['My own', 'any'])
  t.deepEqual(await shown(await send(bob, { flair_id: free })), ['Any', 'any'])
  t.deepEqual(await shown(await send(bob, { flair_id: '', flair_text: 'My own' })), [null, null])
  t.is((await log()).length, before, 'an author’s flair is no act of moderation')
  for (const flair_id of [fixed, 'unknown', 'x'.repeat(100)])
    t.true(await recordsNothing(site, async () => t.is((await send(bob, { flair_id })).status, 404)))
  t.true(
    await recordsNothing(site, async () =>
      t.is(refusalOf(await send(bob, { flair_id: free, flair_text: 'x'.repeat(65) })), 'TOO_LONG flair_text'),
    ),
  )
  const once = { flair_id: free, flair_text: 'Once' }
  const sent = await Promise.all(
    [1, 2].map(() =>
      bob.request('POST', '/api/submit', {
        form: { sr: name, kind: 'self', title: 'Once', api_type: 'json', ...once },
        headers: { 'Idempotency-Key': `flaired in ${name}`.replaceAll(' ', '-') },
      }),
    ),
  )
  t.is(new Set(sent.map((answer) => answer.at('json.data.name'))).size, 1)
  for (const answer of sent) t.deepEqual(await shown(answer), ['Once', 'any'])
})

test.serial('a choice without a template clears flair, and a banned account can still choose', async (t) => {
  const { ann, bob } = t.context
  const { name, select, selector, fixed } = await templates(t.context)
  const chosen = async () => (await selector(bob)).at('current.flair_text')
  t.is(refusalOf(await select(bob, { name: 'bob', flair_template_id: fixed })), '')
  t.is(await chosen(), 'Brewer')
  t.is(refusalOf(await select(bob, { name: 'bob', text: 'ignored' })), '')
  t.is(await chosen(), null)
  await postForm(ann, `/s/${name}/api/friend`, { type: 'banned', name: 'bob' })
  t.is(refusalOf(await select(bob, { name: 'bob', flair_template_id: fixed })), '')
  t.is(await chosen(), 'Brewer')
})

test.serial('a moderator can give a chosen template any text, and only choices of moderators are logged', async (t) => {
  const { bob, carol } = t.context
  const { select, selector, fixed, logged } = await templates(t.context)
  t.is(refusalOf(await select(carol, { name: 'carol', flair_template_id: fixed, text: 'Chief' })), '')
  t.is((await selector(carol)).at('current.flair_text'), 'Chief')
  t.is(refusalOf(await select(bob, { name: 'bob', flair_template_id: fixed })), '')
  t.deepEqual(await logged(), [`carol editflair ${carol.id} flair_edit`])
})

test.serial('an author can choose the flair of a link only where the subsite allows it', async (t) => {
  const { site, bob, carol, dave } = t.context
  const { name, configure, select, selector, fixed, ofLinks, logged } = await templates(t.context)
  const link = await submit(dave, name)
  t.is((await select(dave, { link, flair_template_id: ofLinks })).status, 403)
  t.is((await selector(dave, { link })).status, 403)
  await configure({ link_flair_self_assign_enabled: true, link_flair_position: 'left', flair_self_assign_enabled: true })
  t.is((await select(bob, { link, flair_template_id: ofLinks })).status, 403)
  t.is((await select(dave, { link, flair_template_id: fixed })).status, 404, 'a template for users')
  t.is(refusalOf(await dave.post('/api/selectflair', { link, flair_template_id: ofLinks, text: 'mine', api_type: 'json' })), '')
  t.deepEqual((await flairOf(site, link)).slice(2), ['Question', 'blue'])
  t.like((await selector(dave, { link })).at('current'), { flair_position: 'left', flair_css_class: 'blue', flair_template_id: ofLinks })
  t.is(choices(await selector(dave, { link }))[0]?.flair_css_class, 'blue', 'without a prefix')
  t.is((await readThing(site, link)).link_flair_template_id, ofLinks)
  t.is(refusalOf(await select(carol, { link })), '')
  t.deepEqual((await flairOf(site, link)).slice(2), [null, null])
  t.is((await readThing(site, link)).link_flair_template_id, null)
  t.deepEqual(await logged(), [`carol editflair ${link} flair_edit`, 'carol editflair - link_flair_self_enabled'])
})

test.serial('flair stays when its template is deleted, and clearing no templates is not recorded', async (t) => {
  const { site, bob, carol } = t.context
  const { api, select, selector, fixed, logged } = await templates(t.context)
  t.is(refusalOf(await select(bob, { name: 'bob', flair_template_id: fixed })), '')
  await postForm(carol, api('deleteflairtemplate'), { flair_template_id: fixed })
  await postForm(carol, api('clearflairtemplates'), { flair_type: 'LINK_FLAIR' })
  t.true(await recordsNothing(site, () => postForm(carol, api('clearflairtemplates'), { flair_type: 'LINK_FLAIR' })))
  t.is((await selector(bob)).at('current.flair_text'), 'Brewer')
  t.is((await selector(bob)).at('current.flair_template_id'), null)
  t.deepEqual(await logged(), ['carol editflair - flair_clear_template', 'carol editflair - flair_delete_template'])
})

test.serial('a subsite has at most 350 templates of each type', async (t) => {
  const { site, carol } = t.context
  const { api, name } = await flairScene(t.context)
  const { app } = site.running
  const subsite = String((await site.get(`/s/${name}/about`)).at('data.name'))
  const many = Array.from({ length: flairLimits.templates }, (_, n) =>
    FlairTemplateAdded({ subsite, kind: 'user', template: `${n}`, text: 'x', css: '', editable: false }),
  )
  const by = commandOf(seedOf(app.mint()), { account: carol.id, as: 'moderator' })
  await app.run(SubsiteFlair, subsite, () => decideEvents(...many), by)
  t.is(refusalOf(await carol.post(api('flairtemplate'), { text: 'one more', api_type: 'json' })), 'TOO_MANY_FLAIR_TEMPLATES')
  t.is(refusalOf(await carol.post(api('flairtemplate'), { flair_template_id: '7', text: 'another', api_type: 'json' })), '')
  t.is(refusalOf(await carol.post(api('flairtemplate'), { flair_type: 'LINK_FLAIR', api_type: 'json' })), '')
})
