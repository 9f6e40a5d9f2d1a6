import type { ExecutionContext } from 'ava'
import { type Cast, startCast } from '../support/cast.ts'
import { appoint, done, logOf, unchanged } from '../support/community.ts'
import { picture, uploadTo } from '../support/pictures.ts'
import { found, refusalOf } from '../support/posting.ts'
import { pathOf, storedFiles, uploaded } from '../support/stored-images.ts'
import { testOn } from '../support/test-on.ts'

type Four = Cast<'ann' | 'bob' | 'carol' | 'root'>
const test = testOn(() => startCast(['ann', 'bob', 'carol', 'root']))

const styling = async (t: ExecutionContext<Four>, sub: string, contents: string, more: Record<string, string> = {}) =>
  t.context.ann.post(`/s/${sub}/api/subsite_stylesheet`, { api_type: 'json', op: 'save', stylesheet_contents: contents, ...more })

const source = '/* ann */ .side { background: url(%%pot%%) }'

test.serial('a stylesheet can be saved, published and deleted, each with a log entry', async (t) => {
  const { site, ann, bob } = t.context
  await found(ann, 'styled')
  t.is((await site.get('/s/styled/stylesheet')).status, 404)
  const pot = uploaded(t, await uploadTo(ann, 'styled', { name: 'pot' }, await picture({}, '#111111')))
  t.is((await styling(t, 'styled', source, { reason: 'a pot' })).text, '{"json":{"errors":[]}}')
  const redirect = await bob.get('/s/styled/stylesheet')
  t.is(redirect.status, 302)
  const address = String(redirect.headers.get('location'))
  const sheet = await site.get(address)
  t.is(sheet.text, `.side{background:url(${pathOf(site, pot)})}`)
  t.is(sheet.headers.get('content-type'), 'text/css; charset=UTF-8')
  t.is(sheet.headers.get('x-content-type-options'), 'nosniff')
  t.is(sheet.headers.get('cache-control'), 'public, max-age=86400')
  t.true(await unchanged(site, () => styling(t, 'styled', source)), 'the same again')
  t.is((await ann.get('/s/styled/about/stylesheet')).headers.get('location'), address)
  await styling(t, 'styled', '')
  t.is((await site.get('/s/styled/stylesheet')).status, 404)
  const wiki = 'ann wikirevise - Updated subsite stylesheet'
  t.deepEqual(
    (await logOf(site, 'styled')).filter((entry) => entry.includes('wiki')),
    [wiki, `${wiki} a pot`],
  )
})

test.serial('a published stylesheet keeps the images that it shows until it is saved again', async (t) => {
  const { site, ann } = t.context
  await found(ann, 'lasting')
  const published = async () => String((await site.get('/s/lasting/stylesheet')).headers.get('location'))
  const statusOf = async (address: string) => (await site.get(pathOf(site, address))).status
  const pot = uploaded(t, await uploadTo(ann, 'lasting', { name: 'pot' }, await picture({}, '#111111')))
  await styling(t, 'lasting', source)
  const address = await published()

  // when the image is replaced, then nothing changes until the stylesheet is saved again
  const other = uploaded(t, await uploadTo(ann, 'lasting', { name: 'pot' }, await picture({}, '#222222')))
  t.is(await published(), address)
  t.is(await statusOf(pot), 200)
  await styling(t, 'lasting', source)
  t.true((await site.get(await published())).text.includes(pathOf(site, other)))
  t.deepEqual([await statusOf(address), await statusOf(pot)], [404, 404], 'what nothing shows any more')

  // when the image is deleted, then the stylesheet can still show it, but not be saved with it
  await done(ann, '/s/lasting/api/delete_sr_img', { img_name: 'pot' })
  t.is(await statusOf(other), 200)
  t.is(refusalOf(await styling(t, 'lasting', `${source} a { color: red }`)), 'BAD_CSS stylesheet_contents')
})

test.serial('a preview of a stylesheet stores nothing and reports each error with its line', async (t) => {
  const { site, ann, bob, carol } = t.context
  await found(ann, 'previews')
  await appoint(ann, 'previews', carol, '+wiki')
  const before = await storedFiles(site)
  t.true(
    await unchanged(site, async () => {
      const shown = await styling(t, 'previews', 'a { color : red }', { op: 'preview' })
      t.is(shown.at('json.data.css'), 'a{color:red}')
      const wrong = await styling(t, 'previews', 'a { color: red }\nb { background: url(http://evil.example) }')
      t.is(refusalOf(wrong), 'BAD_CSS stylesheet_contents')
      t.like(wrong.at('json.data.errors.0'), { line: 2 })
      const large = await styling(t, 'previews', `/*${'x'.repeat(100 * 1024)}*/`)
      t.is(refusalOf(large), 'BAD_CSS stylesheet_contents')
      t.is(refusalOf(await styling(t, 'previews', 'x'.repeat(300_000))), 'TOO_LONG stylesheet_contents')
      t.is(refusalOf(await styling(t, 'previews', '', { op: 'publish' })), 'INVALID_OPTION op')
      t.is(refusalOf(await styling(t, 'previews', '', { reason: 'x'.repeat(257) })), 'TOO_LONG reason')
      t.is(refusalOf(await styling(t, 'previews', '', { reason: 'a\u0007' })), 'BAD_STRING reason')
      for (const caller of [site, bob, carol])
        t.is((await caller.post('/s/previews/api/subsite_stylesheet', { op: 'save', stylesheet_contents: '' })).status, 403)
    }),
  )
  t.deepEqual(await storedFiles(site), before)
})

test.serial('the stylesheet of a private subsite is served to its members only', async (t) => {
  const { site, ann, bob } = t.context
  await found(ann, 'veiled', { type: 'private' })
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
