import { type Cast, startCast } from '../support/cast.ts'
import { appoint, dataOf, eventually, logOf, postForm, recordsNothing } from '../support/community.ts'
import { foundSubsite, readThing, refusalOf, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { testOn } from '../support/test-on.ts'

const people = ['ann', 'bob', 'carol', 'root'] as const
const test = testOn(() => startCast(people))

/** A subsite of ann's of which she changes most settings, twice in the same way. */
const edited = async ({ ann }: Cast<'ann'>, name: string) => {
  const sr = await foundSubsite(ann, name, { description: 'old', spam_links: 'all' })
  const form = {
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
  const edit = () => postForm(ann, '/api/site_admin', form)
  await edit()
  return { sr, edit }
}

test.serial('an edit changes the settings sent, and no others', async (t) => {
  const { ann } = t.context
  const { sr } = await edited(t.context, 'coffee')
  t.like((await ann.get('/s/coffee/about/edit')).at('data'), {
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
})

test.serial('each setting that an edit changes is a log entry, and a repeated edit changes nothing', async (t) => {
  const { site } = t.context
  const { edit } = await edited(t.context, 'espresso')
  t.true(await recordsNothing(site, edit))
  t.deepEqual(
    (await logOf(site, 'espresso')).toReversed(),
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
})

test.serial('the description of a subsite is shown as HTML, too', async (t) => {
  const { ann } = t.context
  await foundSubsite(ann, 'cups', { description: 'the *sidebar*' })
  t.is(
    (await ann.get('/s/cups/about')).at('data.description_html'),
    '&lt;!-- SC_OFF --&gt;&lt;div class="md"&gt;&lt;p&gt;the &lt;em&gt;sidebar&lt;/em&gt;&lt;/p&gt;\n&lt;/div&gt;&lt;!-- SC_ON --&gt;',
  )
})

test.serial('an empty text clears a setting, and an unknown language is the default one', async (t) => {
  const { ann } = t.context
  const sr = await foundSubsite(ann, 'mugs', { title: 'Mugs', description: 'old', suggested_comment_sort: 'new', lang: 'de' })
  await postForm(ann, '/api/site_admin', { sr, description: '', suggested_comment_sort: '', lang: 'xx' })
  t.like((await ann.get('/s/mugs/about/edit')).at('data'), { description: '', suggested_comment_sort: '', lang: 'en', title: 'Mugs' })
})

test.serial('a language has a script and a region', async (t) => {
  const { ann } = t.context
  const sr = await foundSubsite(ann, 'thermos')
  for (const [lang, recorded] of [
    ['es-419', 'es_419'],
    ['zh-Hans-CN', 'zh_Hans_CN'],
    ['pt_BR', 'pt_BR'],
    ['de-', 'en'],
    ['de-DE-1996-x', 'en'],
  ] as const) {
    await postForm(ann, '/api/site_admin', { sr, lang })
    t.is((await ann.get('/s/thermos/about/edit')).at('data.lang'), recorded, lang)
  }
})

test.serial('only moderators with the permission config can read and change settings', async (t) => {
  const { site, ann, bob, carol } = t.context
  const sr = await foundSubsite(ann, 'cocoa')
  await appoint(ann, 'cocoa', carol, '+posts,+access,+flair,+mail,+wiki')
  const callers: Readonly<Record<string, Caller>> = { stranger: bob, 'without config': carol }
  for (const [who, caller] of Object.entries(callers)) {
    t.true(await recordsNothing(site, async () => t.is((await caller.post('/api/site_admin', { sr, title: 'mine' })).status, 403)), who)
    t.is((await caller.get('/s/cocoa/about/edit')).status, 404, who)
  }
  t.is((await site.get('/s/cocoa/about/edit')).status, 404)
  t.is(refusalOf(await site.post('/api/site_admin', { sr, title: 'mine' })), 'USER_REQUIRED')
})

test.serial('settings sent as a JSON object are changed, those that are null or absent are not', async (t) => {
  const { site, ann, bob } = t.context
  const sr = await foundSubsite(ann, 'rooibos', { title: 'Rooibos', description: 'old' })
  const update = (who: Caller, json: unknown, path = '/api/v1/subsite/update_settings') => who.request('PATCH', path, { json })
  const read = async () => (await ann.get('/s/rooibos/about/edit')).at('data') as Readonly<Record<string, unknown>>
  const changed = await update(ann, { sr, over_18: true, comment_score_hide_mins: 60, description: null, wikimode: 'anyone' })
  t.is(changed.text, '{"json":{"errors":[]}}')
  t.like(await read(), { title: 'Rooibos', description: 'old', over_18: true, comment_score_hide_mins: 60, wikimode: 'anyone' })
  t.is(refusalOf(await update(ann, { ...(await read()), title: 'Red' }, '/api/v1/subreddit/update_settings/')), '')
  t.like(await read(), { title: 'Red', description: 'old', over_18: true })
  for (const [json, refusal] of [
    [{ sr, title: 'x'.repeat(101) }, 'TOO_LONG title'],
    [{ sr, wikimode: 'x' }, 'INVALID_OPTION wikimode'],
    [{ title: 'x' }, 'SUBSITE_NOEXIST sr'],
    [{ sr: 't4_zzzz', title: 'x' }, 'SUBSITE_NOEXIST sr'],
  ] as const)
    t.true(await recordsNothing(site, async () => t.is(refusalOf(await update(ann, json)), refusal, JSON.stringify(json))))
  t.is((await update(bob, { sr, title: 'mine' })).status, 403)
  t.is(refusalOf(await update(site, { sr, title: 'mine' })), 'USER_REQUIRED')
})

test.serial('settings are changed by the fullname of the subsite', async (t) => {
  const { ann } = t.context
  await foundSubsite(ann, 'chai')
  for (const sr of ['t4_zzzz', 'chai']) t.is(refusalOf(await ann.post('/api/site_admin', { sr, title: 'x' })), 'SUBSITE_NOEXIST sr', sr)
})

test.serial('an edit with an invalid setting, or one that moderators cannot set, is refused and changes nothing', async (t) => {
  const { site, ann } = t.context
  const sr = await foundSubsite(ann, 'latte')
  for (const [form, refusal] of [
    [{ type: 'gold_only' }, 'CANT_CONVERT_TO_GOLD_ONLY type'],
    [{ type: 'archived' }, 'ADMIN_REQUIRED type'],
    [{ hide_ads: 'true' }, 'GOLD_ONLY_SR_REQUIRED hide_ads'],
    [{ title: 'x'.repeat(101) }, 'TOO_LONG title'],
    [{ wikimode: 'x' }, 'INVALID_OPTION wikimode'],
  ] as const)
    t.true(await recordsNothing(site, async () => t.is(refusalOf(await ann.post('/api/site_admin', { sr, ...form })), refusal)))
})

test.serial('an admin can archive any subsite, which is a log entry by an admin', async (t) => {
  const { site, ann, root } = t.context
  const sr = await foundSubsite(ann, 'mocha')
  await postForm(root, '/api/site_admin', { sr, type: 'archived' })
  t.is((await logOf(site, 'mocha'))[0], 'root editsettings - type')
  t.is(dataOf(await site.get('/s/mocha/about/log?mod=a')).length, 1, 'with the authority of an admin')
})

test.serial('settings of media, label, language and wiki are shown in the records', async (t) => {
  const { site, ann } = t.context
  const sr = await foundSubsite(ann, 'plain')
  const link = await submit(ann, 'plain')
  t.is((await readThing(site, link)).thumbnail, 'self')
  t.is((await site.get('/s/plain/about')).at('data.wiki_enabled'), false)
  await postForm(ann, '/api/site_admin', { sr, show_media: 'false', lang: 'de', submit_link_label: 'Verweisen', wikimode: 'modonly' })
  t.is((await readThing(site, link)).thumbnail, '')
  t.like((await site.get('/s/plain/about')).at('data'), {
    lang: 'de',
    submit_link_label: 'Verweisen',
    show_media: false,
    wiki_enabled: false,
  })
  t.is((await ann.get('/s/plain/about')).at('data.wiki_enabled'), true)
})

test.serial('a changed setting applies to the next request', async (t) => {
  const { site, ann, bob } = t.context
  const sr = await foundSubsite(ann, 'steady')
  await submit(bob, 'steady')
  for (let n = 0; n < 5; n += 1) {
    await postForm(ann, '/api/site_admin', { sr, title: `title ${n}` })
    t.is((await site.get('/s/steady/about')).at('data.title'), `title ${n}`)
  }
  t.true(await eventually(async () => (await logOf(site, 'steady')).length === 5))
})

test.serial('of settings sent with those that were seen, only the ones that differ are changed, unless somebody was first', async (t) => {
  const { site, ann, carol } = t.context
  const sr = await foundSubsite(ann, 'matcha', { title: 'Matcha', description: 'old' })
  await appoint(ann, 'matcha', carol, '+all')
  const read = async () =>
    (await ann.get('/s/matcha/about/edit?raw_json=1')).at('data') as Readonly<Record<string, string | number | boolean>>
  const seen = await read()
  const expected = JSON.stringify(seen)
  const send = (changes: object) => carol.post('/api/site_admin', { ...seen, ...changes, expected, api_type: 'json' })
  await postForm(ann, '/api/site_admin', { sr, title: 'Green', type: 'restricted', 'header-title': 'hover' })
  t.is(refusalOf(await send({ description: 'new' })), '')
  t.like(await read(), { title: 'Green', type: 'restricted', 'header-title': 'hover', description: 'new' })
  t.deepEqual((await logOf(ann, 'matcha')).slice(0, 2), ['carol wikirevise - Updated subsite sidebar', 'ann editsettings - header_title'])
  const late = [{ title: 'Powder' }, { 'header-title': 'words' }, { description: 'newer' }, { type: 'private', over_18: true }]
  for (const changes of late)
    t.true(await recordsNothing(site, async () => t.is((await send(changes)).status, 409, JSON.stringify(changes))))
  t.like((await send({ title: 'Powder' })).body, { reason: 'CONFLICT', fields: ['title'] })
  t.is(refusalOf(await send({ title: 'Green', over_18: true })), '', 'both meant the same')
  const patched = await carol.request('PATCH', '/api/v1/subsite/update_settings', { json: { ...seen, lang: 'de', expected: seen } })
  t.is(refusalOf(patched), '')
  t.like(await read(), { title: 'Green', type: 'restricted', description: 'new', over_18: true, lang: 'de' })
  for (const [text, refusal] of [
    ['{', 'JSON_PARSE_ERROR expected'],
    ['[]', 'JSON_INVALID expected'],
  ] as const)
    t.is(refusalOf(await carol.post('/api/site_admin', { sr, title: 'x', expected: text, api_type: 'json' })), refusal)
})
