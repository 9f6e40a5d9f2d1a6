import { isDeepStrictEqual } from 'node:util'
import type { ExecutionContext } from 'ava'
import { type Cast, startCast } from '../support/cast.ts'
import { appoint, logOf, postForm, recordsNothing } from '../support/community.ts'
import { picture, uploadTo } from '../support/pictures.ts'
import { foundSubsite, refusalOf } from '../support/posting.ts'
import { pathOf, storedFiles, uploadedAddress } from '../support/stored-images.ts'
import { testOn } from '../support/test-on.ts'

type Four = Cast<'ann' | 'bob' | 'carol' | 'root'>
const test = testOn(() => startCast(['ann', 'bob', 'carol', 'root']))

const styling = async (t: ExecutionContext<Four>, sub: string, contents: string, more: Record<string, string> = {}) =>
  t.context.ann.post(`/s/${sub}/api/subsite_stylesheet`, { api_type: 'json', op: 'save', stylesheet_contents: contents, ...more })

const source = '/* ann */ .side { background: url(%%pot%%) }'

const PUBLISHED = 'ann wikirevise - Updated subsite stylesheet'

/** A subsite whose stylesheet shows an image: the addresses of both, and the answer to the save. */
const styled = async (t: ExecutionContext<Four>, name: string) => {
  const { site, ann } = t.context
  await foundSubsite(ann, name)
  const pot = uploadedAddress(t, await uploadTo(ann, name, { name: 'pot' }, await picture({}, '#111111')))
  const saved = await styling(t, name, source, { reason: 'a pot' })
  const published = async () => String((await site.get(`/s/${name}/stylesheet`)).headers.get('location'))
  const changes = async () => (await logOf(site, name)).filter((entry) => entry.includes('wiki'))
  return { pot, saved, address: await published(), published, changes }
}

test.serial('a saved stylesheet is published at an address of its own, to which that of the subsite redirects', async (t) => {
  const { site, bob } = t.context
  const { pot, saved, address } = await styled(t, 'styled')
  t.is(saved.text, '{"json":{"errors":[]}}')
  t.is((await bob.get('/s/styled/stylesheet')).status, 302)
  const sheet = await site.get(address)
  t.is(sheet.text, `.side{background:url(${pathOf(site, pot)})}`)
  t.is(sheet.headers.get('content-type'), 'text/css; charset=UTF-8')
  t.is(sheet.headers.get('x-content-type-options'), 'nosniff')
  t.is(sheet.headers.get('cache-control'), 'public, max-age=86400')
})

test.serial('the record of a stylesheet has its text and the images that it may show, published or not', async (t) => {
  const { site, ann, bob } = t.context
  const fullname = await foundSubsite(ann, 'recorded')
  const record = async () => (await bob.get('/s/recorded/about/stylesheet?raw_json=1')).body
  t.deepEqual(await record(), { kind: 'stylesheet', data: { stylesheet: '', images: [], revision_id: null, subsite_id: fullname } })
  const pot = uploadedAddress(t, await uploadTo(ann, 'recorded', { name: 'pot' }, await picture({}, '#111111')))
  await styling(t, 'recorded', source)
  const images = [{ name: 'pot', url: pot, link: 'url(%%pot%%)' }]
  const revision_id = (await ann.get('/s/recorded/wiki/config/stylesheet')).at('data.revision_id')
  t.deepEqual(await record(), { kind: 'stylesheet', data: { stylesheet: source, images, revision_id, subsite_id: fullname } })
  t.is((await bob.get('/about/stylesheet')).status, 404)
  await foundSubsite(ann, 'covered', { type: 'private' })
  t.is((await bob.get('/s/covered/about/stylesheet')).status, 403)
  t.is((await site.get('/r/recorded/about/stylesheet.json')).at('data.stylesheet'), source)
})

test.serial('a subsite without a stylesheet, or with an empty one, has none to redirect to', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'plain')
  t.is((await site.get('/s/plain/stylesheet')).status, 404)
  await styling(t, 'plain', 'a { color: red }')
  t.is((await site.get('/s/plain/stylesheet')).status, 302)
  await styling(t, 'plain', '')
  t.is((await site.get('/s/plain/stylesheet')).status, 404)
})

test.serial('each change of a stylesheet is a log entry with its reason, the same again is nothing', async (t) => {
  const { changes } = await styled(t, 'restyled')
  t.true(await recordsNothing(t.context.site, () => styling(t, 'restyled', source)))
  t.deepEqual(await changes(), [`${PUBLISHED} a pot`])
  await styling(t, 'restyled', '')
  t.deepEqual(await changes(), [PUBLISHED, `${PUBLISHED} a pot`])
})

test.serial('a stylesheet keeps an image that was replaced until it is saved again', async (t) => {
  const { site, ann } = t.context
  const { pot, address, published } = await styled(t, 'lasting')
  const statusOf = async (of: string) => (await site.get(pathOf(site, of))).status
  const other = uploadedAddress(t, await uploadTo(ann, 'lasting', { name: 'pot' }, await picture({}, '#222222')))
  t.is(await published(), address)
  t.is(await statusOf(pot), 200)
  await styling(t, 'lasting', source)
  t.true((await site.get(await published())).text.includes(pathOf(site, other)))
  t.deepEqual([await statusOf(address), await statusOf(pot)], [404, 404], 'what nothing shows any more')
})

test.serial('a stylesheet keeps an image that was deleted, but cannot be saved with it', async (t) => {
  const { site, ann } = t.context
  const { pot } = await styled(t, 'outlasting')
  await postForm(ann, '/s/outlasting/api/delete_sr_img', { img_name: 'pot' })
  t.is((await site.get(pathOf(site, pot))).status, 200)
  t.is(refusalOf(await styling(t, 'outlasting', `${source} a { color: red }`)), 'BAD_CSS stylesheet_contents')
})

/** Tells whether an act stores nothing. */
const storesNothing = async ({ site }: Four, act: () => Promise<void>) => {
  const before = await storedFiles(site)
  return (await recordsNothing(site, act)) && isDeepStrictEqual(await storedFiles(site), before)
}

test.serial('a preview of a stylesheet checks it and stores nothing', async (t) => {
  await foundSubsite(t.context.ann, 'previews')
  t.true(
    await storesNothing(t.context, async () => {
      const checked = await styling(t, 'previews', 'a { color : red }', { op: 'preview' })
      t.deepEqual(checked.body, { json: { errors: [], data: { css: 'a{color:red}' } } })
      t.is(refusalOf(await styling(t, 'previews', 'a { colour: red }', { op: 'preview' })), 'BAD_CSS stylesheet_contents')
    }),
  )
})

test.serial('an invalid stylesheet is refused with its errors, each with its line, and not stored', async (t) => {
  await foundSubsite(t.context.ann, 'invalid_css')
  t.true(
    await storesNothing(t.context, async () => {
      const wrong = await styling(t, 'invalid_css', 'a { color: red }\nb { background: url(http://evil.example) }')
      t.is(refusalOf(wrong), 'BAD_CSS stylesheet_contents')
      t.like(wrong.at('json.data.errors.0'), { line: 2 })
      const large = await styling(t, 'invalid_css', `/*${'x'.repeat(100 * 1024)}*/`)
      t.is(refusalOf(large), 'BAD_CSS stylesheet_contents')
      t.is(refusalOf(await styling(t, 'invalid_css', 'x'.repeat(300_000))), 'TOO_LONG stylesheet_contents')
    }),
  )
})

test.serial('a stylesheet is not saved with an unknown op or an invalid reason', async (t) => {
  await foundSubsite(t.context.ann, 'invalid_form')
  t.true(
    await storesNothing(t.context, async () => {
      t.is(refusalOf(await styling(t, 'invalid_form', '', { op: 'publish' })), 'INVALID_OPTION op')
      t.is(refusalOf(await styling(t, 'invalid_form', '', { reason: 'x'.repeat(257) })), 'TOO_LONG reason')
      t.is(refusalOf(await styling(t, 'invalid_form', '', { reason: 'a\u0007' })), 'BAD_STRING reason')
    }),
  )
})

test.serial('who has no permission config in a subsite cannot save its stylesheet', async (t) => {
  const { site, ann, bob, carol } = t.context
  await foundSubsite(ann, 'guarded')
  await appoint(ann, 'guarded', carol, '+wiki')
  t.true(
    await storesNothing(t.context, async () => {
      for (const caller of [site, bob, carol])
        t.is((await caller.post('/s/guarded/api/subsite_stylesheet', { op: 'save', stylesheet_contents: '' })).status, 403)
    }),
  )
})

test.serial('the stylesheet of a private subsite is served to its members only', async (t) => {
  const { site, ann, bob } = t.context
  await foundSubsite(ann, 'veiled', { type: 'private' })
  await styling(t, 'veiled', 'a { color: red }')
  const address = String((await ann.get('/s/veiled/stylesheet')).headers.get('location'))
  const own = await ann.get(address)
  t.deepEqual([own.text, own.headers.get('cache-control')], ['a{color:red}', 'private, max-age=0, must-revalidate'])
  for (const caller of [site, bob, await ann.withScopes('identity')])
    for (const path of [address, '/s/veiled/stylesheet']) t.is((await caller.get(path)).status, 403)
  const modconfig = await ann.withScopes('modconfig')
  t.deepEqual([(await modconfig.get('/s/veiled/stylesheet')).status, (await modconfig.get(address)).status], [302, 200])
  t.is((await bob.get(address.replace('veiled', 'styled'))).status, 404)
})

test.serial('a stylesheet that names the one it was made from does not replace a later one', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'twofold')
  const revision = async () => String((await ann.get('/s/twofold/about/stylesheet')).at('data.revision_id') ?? '')
  t.is(refusalOf(await styling(t, 'twofold', '.md{color:red}', { previous: '' })), '')
  const previous = await revision()
  t.is(refusalOf(await styling(t, 'twofold', '.md{color:green}', { previous })), '')
  for (const stale of [previous, '', 'unknown']) {
    const save = async () =>
      t.like((await styling(t, 'twofold', '.md{color:blue}', { previous: stale })).body, { error: 409, reason: 'CONFLICT' }, stale)
    t.true(await recordsNothing(site, save))
  }
  t.is((await ann.get('/s/twofold/about/stylesheet')).at('data.stylesheet'), '.md{color:green}')
  t.is(refusalOf(await styling(t, 'twofold', '', { previous: await revision() })), '')
  t.is(refusalOf(await styling(t, 'twofold', '.md{color:blue}', { previous: await revision() })), '', 'an emptied one has a revision')
  t.is(refusalOf(await styling(t, 'twofold', '.md{color:red}')), '', 'without it any is replaced')
})
