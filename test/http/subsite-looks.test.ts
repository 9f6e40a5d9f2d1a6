import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import anyTest, { type ExecutionContext, type TestFn } from 'ava'
import sharp from 'sharp'
import { MOST_IMAGE_BYTES } from '../../src/domain/images.ts'
import { type Cast, startCast } from '../support/cast.ts'
import { appoint, done, logOf, unchanged } from '../support/community.ts'
import { multipart, picture, uploadTo } from '../support/pictures.ts'
import { found, refusalOf, settle } from '../support/posting.ts'
import type { Answer, TestSite } from '../support/site.ts'

type Four = Cast<'ann' | 'bob' | 'carol' | 'root'>
const test = anyTest as TestFn<Four>

test.before(async (t) => {
  t.context = await startCast(['ann', 'bob', 'carol', 'root'])
})
test.after.always((t) => t.context.site.stop())

/** Where the site serves an address that an answer names. */
const pathOf = (site: TestSite, address: unknown) => String(address).replace(site.url, '')
const bytesAt = async (site: TestSite, address: unknown) =>
  Buffer.from(await (await fetch(`${site.url}${pathOf(site, address)}`)).arrayBuffer())
const uploaded = (t: ExecutionContext, answer: Answer): string => {
  t.like(answer.body, { errors: [], errors_values: [] }, answer.text)
  return String(answer.at('img_src'))
}

/** Files that the site has stored. */
const stored = async ({ directory }: TestSite): Promise<readonly string[]> =>
  (await readdir(join(directory, 'rostra.db.blobs'), { recursive: true }).catch(() => [])).filter((name) => name.includes('/')).toSorted()

test.serial('an uploaded image is re-encoded, served under its subsite, and has a log entry', async (t) => {
  const { site, ann } = t.context
  await found(ann, 'Looks')
  const photo = await sharp(await picture({ width: 20, height: 10, format: 'jpeg' }))
    .withExif({ IFD0: { Copyright: 'where ann lives' } })
    .jpeg()
    .toBuffer()
  t.true(photo.includes('where ann lives'))
  const address = uploaded(t, await uploadTo(ann, 'looks', { upload_type: 'img', name: 'pot', img_type: 'jpg' }, photo))
  t.regex(address, /^http:\/\/[^/]+\/s\/Looks\/images\/[0-9a-f]{64}\.jpg$/)
  const answer = await site.get(pathOf(site, address))
  t.is(answer.status, 200)
  t.is(answer.headers.get('content-type'), 'image/jpeg')
  t.is(answer.headers.get('x-content-type-options'), 'nosniff')
  t.is(answer.headers.get('cache-control'), 'public, max-age=86400')
  t.truthy(answer.headers.get('content-security-policy'))
  const bytes = await bytesAt(site, address)
  t.like(await sharp(bytes).metadata(), { format: 'jpeg', width: 20, height: 10, exif: undefined, icc: undefined })
  t.false(bytes.includes('where ann lives'))

  const asPng = uploaded(t, await uploadTo(ann, 'looks', { name: 'lid', header: '0' }, photo))
  t.is((await sharp(await bytesAt(site, asPng)).metadata()).format, 'png', 'the usual format')
  t.deepEqual(await logOf(site, 'looks'), ['ann editsettings - upload_image lid', 'ann editsettings - upload_image pot'])
  t.is(uploaded(t, await uploadTo(ann, 'looks', { name: 'lid' }, photo)), asPng, 'the same content has the same address')
})

test.serial('header, icon and banner are shown in the record of the subsite, and each can be deleted once', async (t) => {
  const { site, ann, bob } = t.context
  await found(ann, 'dressed')
  const sizes = { header: [300, 40], icon: [256, 256], banner: [640, 192] } as const
  const empty = { header: null, icon: '', banner: '' } as const
  const about = async (field: string) => (await bob.get('/s/dressed/about')).at(`data.${field}`)
  for (const [use, [width, height]] of Object.entries(sizes) as ['header', readonly [number, number]][]) {
    t.is(await about(`${use}_img`), empty[use])
    const file = await picture({ width, height })
    const address = uploaded(t, await uploadTo(ann, 'dressed', { upload_type: use }, file))
    t.is(await about(`${use}_img`), address)
    t.deepEqual(await about(`${use}_size`), [width, height])
    t.is((await site.get(pathOf(site, address))).status, 200)
    await done(ann, `/s/dressed/api/delete_sr_${use}`)
    t.is(await about(`${use}_img`), empty[use])
    t.is(await about(`${use}_size`), null)
    t.is((await site.get(pathOf(site, address))).status, 404, 'what is shown no more')
    t.true(await unchanged(site, () => done(ann, `/s/dressed/api/delete_sr_${use}`)))
    t.is((await bob.post(`/s/dressed/api/delete_sr_${use}`)).status, 403)
  }
  const legacy = uploaded(t, await uploadTo(ann, 'dressed', { header: '1' }, await picture()))
  t.is(await about('header_img'), legacy, 'header=1 without a type')
  const entries = [
    'upload_image_header',
    'del_banner',
    'upload_image_banner',
    'del_icon',
    'upload_image_icon',
    'del_header',
    'upload_image_header',
  ]
  t.deepEqual(
    await logOf(site, 'dressed'),
    entries.map((entry) => `ann editsettings - ${entry}`),
  )
})

const chunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

/** A PNG of one bit a pixel that says how large it is, with so many bytes of pixels. */
const blackPng = (width: number, height: number, pixels: number): Buffer => {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head[8] = 1
  const data = chunk('IDAT', deflateSync(Buffer.alloc(pixels), { level: 9 }))
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), chunk('IHDR', head), data, chunk('IEND', Buffer.alloc(0))])
}

/** What must not be served from the site's own address. */
const html = Buffer.from('<script>alert(1)</script>')

test.serial('a file that is no complete image of an allowed type and size is refused and not stored', async (t) => {
  const { site, ann } = t.context
  await found(ann, 'hostile')
  const png = await picture({ width: 64, height: 64 })
  const jpg = await sharp(png).jpeg({ progressive: true }).toBuffer()
  const data = png.indexOf('IDAT') + 12
  const noise = (width: number): Promise<Buffer> =>
    sharp({ create: { width, height: width, channels: 3, background: '#000', noise: { type: 'gaussian', mean: 128, sigma: 60 } } })
      .jpeg({ quality: 30 })
      .toBuffer()
  const [grainy, growing] = [await noise(100), await noise(900)]
  t.true(growing.length < MOST_IMAGE_BYTES)
  const wrong: Readonly<Record<string, Buffer | undefined>> = {
    'no file': undefined,
    'an empty file': Buffer.alloc(0),
    'a PNG cut off': png.subarray(0, -20),
    'a PNG without its end': png.subarray(0, -12),
    'a PNG with its data cut out': Buffer.concat([png.subarray(0, 60), png.subarray(-12)]),
    'a PNG with a changed byte': Buffer.from(png.with(data, (png[data] ?? 0) ^ 1)),
    'a JPEG cut off': jpg.subarray(0, -2),
    'a JPEG with its data cut out': Buffer.concat([jpg.subarray(0, jpg.length - 40), Buffer.from('ffd9', 'hex')]),
    'a JPEG with data cut out of its middle': Buffer.concat([grainy.subarray(0, 1_000), grainy.subarray(1_300)]),
    'a PNG followed by a page': Buffer.concat([png, html]),
    'a JPEG followed by an archive': Buffer.concat([jpg, Buffer.from('PK\x05\x06')]),
    'a page': html,
    'a vector image': Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>alert(1)</script></svg>'),
    'a WebP': await picture({ format: 'webp' }),
    'a GIF': await picture({ format: 'gif' }),
    'a PDF': Buffer.from('%PDF-1.7\n%%EOF'),
    'a PNG of 900 million pixels': blackPng(30_000, 30_000, 30_000_000),
    'a whole PNG of 16 million pixels': blackPng(16_384, 1_024, (16_384 / 8 + 1) * 1_024),
    'a PNG that says it is large and is not': blackPng(65_535, 65_535, 100),
    'a start of an image': Buffer.from('89504e470d0a1a0a', 'hex'),
    'a start of a photo': Buffer.from('ffd8ffd9', 'hex'),
    'a small JPEG that as a PNG is too large to store': growing,
  }
  const before = await stored(site)
  t.true(
    await unchanged(site, async () => {
      for (const [what, file] of Object.entries(wrong)) {
        const answer = await uploadTo(ann, 'hostile', { name: 'pot' }, file)
        t.is(answer.status, 200, what)
        t.deepEqual(answer.body, { errors: ['IMAGE_ERROR'], errors_values: ['this image cannot be used'], img_src: '' }, what)
      }
      for (const [use, width, height] of [
        ['icon', 255, 256],
        ['icon', 512, 512],
        ['banner', 640, 200],
        ['banner', 630, 189],
        ['banner', 1290, 387],
      ] as const)
        t.deepEqual((await uploadTo(ann, 'hostile', { upload_type: use }, await picture({ width, height }))).at('errors'), ['IMAGE_ERROR'])
    }),
  )
  t.true(sharp.cache().memory.high < 100, 'megabytes that decoding ever took: a bomb is not unpacked')
  t.deepEqual(await stored(site), before)
})

test.serial('an image has a name of up to 100 letters, digits and hyphens, whatever its file is called', async (t) => {
  const { site, ann } = t.context
  await found(ann, 'labelled')
  const png = await picture()
  t.true(
    await unchanged(site, async () => {
      for (const name of ['', 'a b', '../pot', '..%2fpot', 'pot.png', 'pöt', 'x'.repeat(101), 'a/b'])
        t.deepEqual((await uploadTo(ann, 'labelled', { name }, png)).at('errors'), ['BAD_CSS_NAME'], name)
    }),
  )
  uploaded(t, await uploadTo(ann, 'labelled', { name: 'x'.repeat(100) }, png))
  uploaded(t, await uploadTo(ann, 'labelled', { name: 'pot' }, png, '../../../etc/passwd'))
})

test.serial('of an uploaded file only the pixels are stored, and no more is unpacked than its size needs', async (t) => {
  const { site, ann } = t.context
  await found(ann, 'frugal')
  const small = uploaded(t, await uploadTo(ann, 'frugal', { name: 'small' }, blackPng(8, 8, 30_000_000)))
  t.true((await bytesAt(site, small)).length < 200)
  const jpg = await sharp(await picture())
    .jpeg()
    .toBuffer()
  const exif = Buffer.concat([Buffer.from('ffe1', 'hex'), Buffer.from([0, 2 + html.length]), html])
  const inside = Buffer.concat([jpg.subarray(0, 2), exif, jpg.subarray(2)])
  const note = uploaded(t, await uploadTo(ann, 'frugal', { name: 'note', img_type: 'jpg' }, inside))
  t.false((await bytesAt(site, note)).includes('script'), 'what is inside an image is left behind')
})

test.serial('an image of 500 KiB is accepted, a larger one is 413', async (t) => {
  const { site, ann } = t.context
  await found(ann, 'large')
  const png = await picture()
  const filled = (bytes: number) =>
    Buffer.concat([png.subarray(0, 33), chunk('teXt', Buffer.alloc(bytes - png.length - 12)), png.subarray(33)])
  t.is(filled(1000).length, 1000)
  uploaded(t, await uploadTo(ann, 'large', { name: 'full' }, filled(MOST_IMAGE_BYTES)))
  for (const bytes of [MOST_IMAGE_BYTES + 1, 2 * MOST_IMAGE_BYTES, 4 * MOST_IMAGE_BYTES]) {
    const answer = await uploadTo(ann, 'large', { name: 'over' }, filled(bytes))
    t.deepEqual([answer.status, answer.at('reason')], [413, 'TOO_LARGE'], String(bytes))
  }
  t.deepEqual(await logOf(site, 'large'), ['ann editsettings - upload_image full'])
})

test.serial('only moderators with the permission config can upload images, and only to their subsite', async (t) => {
  const { site, ann, bob, carol } = t.context
  await found(ann, 'guarded')
  await appoint(ann, 'guarded', carol, '+posts,+wiki')
  const file = await picture()
  const before = await stored(site)
  for (const caller of [site, bob, carol]) t.is((await uploadTo(caller, 'guarded', { name: 'pot' }, file)).status, 403)
  t.is((await ann.request('POST', '/api/upload_sr_img', await multipart({ name: 'pot' }, file))).status, 403, 'in no subsite')
  t.deepEqual(await stored(site), before)
  const dropped = await ann.request('POST', '/api/compose', await multipart({ to: 'bob', subject: 'a', text: 'b', api_type: 'json' }, file))
  t.is(dropped.text, '{"json":{"errors":[]}}', 'files are taken nowhere else')
})

test.serial('a subsite can have fifty named images; replacing one is allowed, and deleting one makes room', async (t) => {
  const { ann, root } = t.context
  await found(ann, 'full')
  const file = await picture()
  for (let n = 0; n < 50; n += 1) uploaded(t, await uploadTo(ann, 'full', { name: `i${n}` }, file))
  t.deepEqual((await uploadTo(ann, 'full', { name: 'more' }, file)).at('errors'), ['IMAGE_ERROR'])
  uploaded(t, await uploadTo(ann, 'full', { name: 'i7' }, await picture({}, '#fff')))
  uploaded(t, await uploadTo(root, 'full', { name: 'admins' }, file))
  t.is(refusalOf(await ann.post('/s/full/api/delete_sr_img', { api_type: 'json', img_name: '../i1' })), 'BAD_CSS_NAME img_name')
  t.is(refusalOf(await ann.post('/s/full/api/delete_sr_img', { api_type: 'json' })), 'BAD_CSS_NAME img_name')
  await done(ann, '/s/full/api/delete_sr_img', { img_name: 'unknown' })
  for (const name of ['i1', 'admins']) await done(ann, '/s/full/api/delete_sr_img', { img_name: name })
  uploaded(t, await uploadTo(ann, 'full', { name: 'more' }, file))
})

test.serial('images of a private subsite are served to its members only, and under no other subsite', async (t) => {
  const { site, ann, bob } = t.context
  const id = await found(ann, 'closed', { type: 'private' })
  await found(ann, 'open')
  const address = uploaded(t, await uploadTo(ann, 'closed', { upload_type: 'header' }, await picture({}, '#123456')))
  const path = pathOf(site, address)
  const own = await ann.get(path)
  t.deepEqual([own.status, own.headers.get('cache-control')], [200, 'private, max-age=0, must-revalidate'])
  t.is((await (await ann.withScopes('identity')).get(path)).status, 403, 'a token that may not read')
  t.is((await (await ann.withScopes('modconfig')).get(path)).status, 200, 'a token that may upload')
  for (const caller of [site, bob]) {
    t.is((await caller.get(path)).status, 403)
    t.is((await caller.get(path.replace('/closed/', '/open/'))).status, 404)
  }
  for (const file of ['', '..%2f..%2frostra.db', `${'0'.repeat(64)}.png`, path.replace(/.*\/|\.png$/g, ''), `${path.split('/').at(-1)}x`])
    t.is((await ann.get(`/s/closed/images/${file}`)).status, 404, file)
  await settle(ann, id, { type: 'public' })
  t.is((await site.get(path)).status, 200)
})

test.serial('an upload repeated with the same Idempotency-Key is made once, with another file it is refused', async (t) => {
  const { site, ann } = t.context
  await found(ann, 'again')
  const send = async (file: Buffer) => {
    const { headers, body } = await multipart({ name: 'pot' }, file)
    return ann.request('POST', '/s/again/api/upload_sr_img', { body, headers: { ...headers, 'Idempotency-Key': 'upload-1' } })
  }
  const first = await send(await picture())
  t.is((await send(await picture())).text, first.text)
  t.is((await send(await picture({}, '#000'))).status, 422)
  t.is((await logOf(site, 'again')).length, 1)
})

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
  const before = await stored(site)
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
  t.deepEqual(await stored(site), before)
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
