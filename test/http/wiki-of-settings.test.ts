import test from 'ava'
import { five, startCast } from '../support/cast.ts'
import { appoint, logOf, postForm, recordsNothing } from '../support/community.ts'
import { picture, uploadTo } from '../support/pictures.ts'
import { edit, lines, openWikis, reasonOf, revisionsOf, textOf } from '../support/wiki.ts'

const cast = await startCast(five)
const newWiki = openWikis(cast.ann)
test.after.always(() => cast.site.stop())

test.serial('editing a page that shows a setting changes the setting, and a changed setting is a revision', async (t) => {
  const { site, ann } = cast
  const wiki = await newWiki({ description: 'Be kind.' })
  t.is(await textOf(site, wiki, 'config/sidebar'), 'Be kind.')
  t.is(await textOf(site, wiki, 'config/submit_text'), '')
  t.is((await edit(ann, wiki, 'config/sidebar', 'Be very kind.', { reason: 'more of it' })).status, 200)
  t.is((await site.get(`/s/${wiki}/about`)).at('data.description'), 'Be very kind.')
  t.is((await edit(ann, wiki, 'config/description', 'Of tea')).status, 200)
  t.is((await site.get(`/s/${wiki}/about`)).at('data.public_description'), 'Of tea')
  const revisions = await revisionsOf(site, wiki, 'config/sidebar')
  t.deepEqual(
    revisions.map(({ reason }) => reason),
    ['more of it', null, null],
  )
  const [, kind = { id: '' }] = revisions
  t.is((await site.get(`/s/${wiki}/wiki/config/sidebar?v=${kind.id}`)).at('data.content_md'), 'Be kind.')
  t.regex(String((await site.get(`/s/${wiki}/wiki/config/sidebar?raw_json=1`)).at('data.content_html')), /^<div class="md"><p>Be very kind/)
  const conflict = await edit(ann, wiki, 'config/sidebar', 'Be rude.', { previous: kind.id })
  t.like(conflict.body, { reason: 'EDIT_CONFLICT', newcontent: 'Be very kind.', newrevision: revisions[0]?.id })
  const over = await edit(ann, wiki, 'config/description', 'x'.repeat(501))
  t.like(over.body, { reason: 'CONTENT_LENGTH_ERROR', max_length: 500 })
})

/** A wiki that carol moderates without config, whose sidebar has a second revision; the first. */
const sidebarOfTwo = async () => {
  const { ann, carol } = cast
  const wiki = await newWiki({ description: 'Be kind.' })
  await appoint(ann, wiki, carol, '+wiki')
  await edit(ann, wiki, 'config/sidebar', 'Be very kind.', { reason: 'more of it' })
  const [, kind = { id: '' }] = await revisionsOf(ann, wiki, 'config/sidebar')
  return { wiki, kind: kind.id }
}

test.serial('a page that shows a setting can be changed only with the permission config, and has no editors', async (t) => {
  const { site, ann, bob, carol } = cast
  const { wiki, kind } = await sidebarOfTwo()
  t.deepEqual(reasonOf(await edit(bob, wiki, 'config/sidebar', 'x')), [403, 'MAY_NOT_REVISE'])
  t.deepEqual(reasonOf(await edit(carol, wiki, 'config/sidebar', 'x')), [403, 'MAY_NOT_REVISE'], 'needs config')
  await postForm(carol, `/s/${wiki}/api/wiki/edit`, { page: 'index', content: 'x' })
  const revision = { page: 'config/sidebar', revision: kind }
  t.deepEqual(reasonOf(await carol.post(`/s/${wiki}/api/wiki/revert`, revision)), [403, 'MOD_REQUIRED'])
  for (const [path, form] of [
    ['api/wiki/hide', revision],
    ['api/wiki/alloweditor/add', { page: 'config/sidebar', username: 'bob' }],
  ] as const)
    t.true(await recordsNothing(site, async () => t.is((await carol.post(`/s/${wiki}/${path}`, form)).at('reason'), 'MOD_REQUIRED', path)))
  for (const page of ['config/sidebar', 'config/description', 'config/submit_text']) {
    const allow = (act: string) => ann.post(`/s/${wiki}/api/wiki/alloweditor/${act}`, { page, username: 'bob' })
    t.true(await recordsNothing(site, async () => t.deepEqual(reasonOf(await allow('add')), [403, 'PAGE_CREATED_ELSEWHERE'], page)))
    t.is((await allow('del')).status, 200)
  }
})

test.serial('a page that shows a setting can be reverted and its revisions hidden, but it is visible at any level', async (t) => {
  const { site, ann } = cast
  const { wiki, kind } = await sidebarOfTwo()
  await postForm(ann, `/s/${wiki}/api/wiki/revert`, { page: 'config/sidebar', revision: kind })
  t.is((await site.get(`/s/${wiki}/about`)).at('data.description'), 'Be kind.')
  t.true(await recordsNothing(site, () => edit(ann, wiki, 'config/sidebar', 'Be kind.')))
  t.deepEqual((await ann.post(`/s/${wiki}/api/wiki/hide`, { page: 'config/sidebar', revision: kind })).body, { status: true })
  t.deepEqual(reasonOf(await site.get(`/s/${wiki}/wiki/config/sidebar?v=${kind}`)), [403, 'HIDDEN_REVISION'])
  await postForm(ann, `/s/${wiki}/wiki/settings/config/sidebar`, { permlevel: 2 })
  t.is(await textOf(site, wiki, 'config/sidebar'), 'Be kind.', 'levels mean nothing to special pages')
  const [reverted, ...log] = (await logOf(site, wiki)).filter((line) => line.includes('wikirevise - Updated'))
  t.regex(String(reverted), /^ann wikirevise - Updated subsite sidebar reverted back \d+ (second|minute)s?$/)
  t.deepEqual(log, ['ann wikirevise - Updated subsite sidebar more of it', 'ann wikirevise - Updated subsite sidebar'])
})

const SHEET = 'config/stylesheet'
const source = lines('a { color: red }', '', '/* between */', '', 'b { color: green }')

/** A wiki whose subsite has a stylesheet; its first revision, and what is published. */
const styledWiki = async () => {
  const { site, ann } = cast
  const wiki = await newWiki()
  await postForm(ann, `/s/${wiki}/api/subsite_stylesheet`, { op: 'save', stylesheet_contents: source })
  const base = (await revisionsOf(site, wiki, SHEET))[0]?.id ?? ''
  const published = async () => {
    const address = (await site.get(`/s/${wiki}/stylesheet`)).headers.get('location')
    return address === null ? null : (await site.get(address)).text
  }
  return { wiki, base, published }
}

test.serial('the page of the stylesheet can be edited once one was saved, by moderators with config', async (t) => {
  const { ann, bob, carol } = cast
  t.deepEqual(reasonOf(await edit(ann, await newWiki(), SHEET, 'a { color: red }')), [403, 'PAGE_CREATED_ELSEWHERE'])
  const { wiki } = await styledWiki()
  await appoint(ann, wiki, carol, '+wiki')
  for (const who of [bob, carol]) t.deepEqual(reasonOf(await edit(who, wiki, SHEET, 'a { color: blue }')), [403, 'MAY_NOT_REVISE'])
  t.is((await bob.get(`/s/${wiki}/wiki/${SHEET}`)).at('data.may_revise'), false)
  t.is((await ann.get(`/s/${wiki}/wiki/${SHEET}`)).at('data.may_revise'), true)
})

test.serial('editing the page of the stylesheet publishes it, merged with what was saved since, and makes a revision', async (t) => {
  const { site, ann } = cast
  const { wiki, base, published } = await styledWiki()
  t.is((await edit(ann, wiki, SHEET, source.replace('red', 'blue'), { reason: 'calmer' })).status, 200)
  t.is(await published(), 'a{color:blue}b{color:green}')
  t.is(await textOf(site, wiki, SHEET), source.replace('red', 'blue'))
  t.is((await edit(ann, wiki, SHEET, source.replace('green', 'grey'), { previous: base })).status, 200)
  t.is(await published(), 'a{color:blue}b{color:grey}', 'merged with what was saved since')
  const overlap = await edit(ann, wiki, SHEET, source.replace('red', 'pink'), { previous: base })
  t.like(overlap.body, { reason: 'EDIT_CONFLICT', newcontent: source.replace('red', 'blue').replace('green', 'grey') })
  t.deepEqual(
    (await revisionsOf(site, wiki, SHEET)).map(({ reason }) => reason),
    [null, 'calmer', null],
  )
})

test.serial('a stylesheet that is invalid, too long or the same is not published', async (t) => {
  const { site, ann } = cast
  const { wiki } = await styledWiki()
  t.true(
    await recordsNothing(site, async () => {
      const wrong = await edit(ann, wiki, SHEET, lines('a { color: red }', 'b { background: url(//evil.example/x) }', '@import "x";'))
      t.deepEqual(reasonOf(wrong), [415, 'SPECIAL_ERRORS'])
      const [address, ...others] = wrong.at('special_errors') as readonly string[]
      t.regex(String(address), /^line 2: .*only images of the subsite/)
      t.true(others.length > 0)
      const over = await edit(ann, wiki, SHEET, `/*${'x'.repeat(102_400)}*/`)
      t.like(over.body, { reason: 'CONTENT_LENGTH_ERROR', max_length: 102_400 })
      t.is((await edit(ann, wiki, SHEET, String(await textOf(site, wiki, SHEET)))).status, 200, 'the same text')
    }),
  )
})

test.serial('reverting the page of the stylesheet publishes the earlier one, unless an image of it is gone', async (t) => {
  const { site, ann } = cast
  const { wiki, base, published } = await styledWiki()
  await edit(ann, wiki, SHEET, source.replace('red', 'blue'), { reason: 'calmer' })
  await postForm(ann, `/s/${wiki}/api/wiki/revert`, { page: SHEET, revision: base })
  t.is(await published(), 'a{color:red}b{color:green}')
  const pot = await uploadTo(ann, wiki, { name: 'pot' }, await picture())
  t.deepEqual(pot.at('errors'), [])
  t.is((await edit(ann, wiki, SHEET, 'a { background: url(%%pot%%) }')).status, 200)
  const [shown] = await revisionsOf(site, wiki, SHEET)
  t.is((await edit(ann, wiki, SHEET, '')).status, 200)
  t.is(await published(), null, 'an empty text takes the stylesheet away')
  await postForm(ann, `/s/${wiki}/api/delete_sr_img`, { img_name: 'pot' })
  t.deepEqual(reasonOf(await ann.post(`/s/${wiki}/api/wiki/revert`, { page: SHEET, revision: String(shown?.id) })), [403, 'INVALID_CSS'])
  const entries = (await logOf(site, wiki)).filter((line) => line.includes('wikirevise - Updated subsite stylesheet'))
  t.deepEqual(
    entries.toReversed().map((line) => line.replace('ann wikirevise - Updated subsite stylesheet', '').replace(/back \d+ \w+/, 'back')),
    ['', ' calmer', ' reverted back', '', ''],
  )
})
