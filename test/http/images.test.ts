import sharp from 'sharp'
import { startCast } from '../support/cast.ts'
import { appoint, logOf, postForm, recordsNothing } from '../support/community.ts'
import { multipart, picture, uploadTo } from '../support/pictures.ts'
import { foundSubsite, refusalOf, settle } from '../support/posting.ts'
import { bytesAt, pathOf, storedFiles, uploadedAddress } from '../support/stored-images.ts'
import { testOn } from '../support/test-on.ts'

const test = testOn(() => startCast(['ann', 'bob', 'carol', 'root']))

test.serial('an uploaded image is re-encoded, served under its subsite, and has a log entry', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'Looks')
  const photo = await sharp(await picture({ width: 20, height: 10, format: 'jpeg' }))
    .withExif({ IFD0: { Copyright: 'where ann lives' } })
    .jpeg()
    .toBuffer()
  t.true(photo.includes('where ann lives'))
  const address = uploadedAddress(t, await uploadTo(ann, 'looks', { upload_type: 'img', name: 'pot', img_type: 'jpg' }, photo))
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

  const asPng = uploadedAddress(t, await uploadTo(ann, 'looks', { name: 'lid', header: '0' }, photo))
  t.is((await sharp(await bytesAt(site, asPng)).metadata()).format, 'png', 'the usual format')
  t.deepEqual(await logOf(site, 'looks'), ['ann editsettings - upload_image lid', 'ann editsettings - upload_image pot'])
  t.is(uploadedAddress(t, await uploadTo(ann, 'looks', { name: 'lid' }, photo)), asPng, 'the same content has the same address')
  t.deepEqual((await logOf(site, 'looks')).slice(0, 2), Array(2).fill('ann editsettings - upload_image lid'), 'each upload is an entry')
})

const sizes = { header: [300, 40], icon: [256, 256], banner: [640, 192] } as const

test.serial('header, icon and banner are shown in the record of the subsite until they are deleted, each with a log entry', async (t) => {
  const { site, ann, bob } = t.context
  await foundSubsite(ann, 'dressed')
  const empty = { header: null, icon: '', banner: '' } as const
  const about = async (field: string) => (await bob.get('/s/dressed/about')).at(`data.${field}`)
  for (const [use, [width, height]] of Object.entries(sizes) as ['header', readonly [number, number]][]) {
    t.is(await about(`${use}_img`), empty[use])
    const address = uploadedAddress(t, await uploadTo(ann, 'dressed', { upload_type: use }, await picture({ width, height })))
    t.is(await about(`${use}_img`), address)
    t.deepEqual(await about(`${use}_size`), [width, height])
    t.is((await site.get(pathOf(site, address))).status, 200)
    await postForm(ann, `/s/dressed/api/delete_sr_${use}`)
    t.is(await about(`${use}_img`), empty[use])
    t.is(await about(`${use}_size`), null)
    t.is((await site.get(pathOf(site, address))).status, 404, 'what is shown no more')
  }
  t.deepEqual(
    (await logOf(site, 'dressed')).toReversed(),
    Object.keys(sizes).flatMap((use) => [`ann editsettings - upload_image_${use}`, `ann editsettings - del_${use}`]),
  )
})

test.serial('an image is uploaded as the header by header=1 instead of a type', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'hatted')
  const address = uploadedAddress(t, await uploadTo(ann, 'hatted', { header: '1' }, await picture()))
  t.is((await ann.get('/s/hatted/about')).at('data.header_img'), address)
  t.deepEqual(await logOf(site, 'hatted'), ['ann editsettings - upload_image_header'])
})

test.serial('deleting a header, icon or banner that is not there changes nothing, and only moderators may', async (t) => {
  const { site, ann, bob } = t.context
  await foundSubsite(ann, 'bare')
  for (const use of Object.keys(sizes)) {
    t.true(await recordsNothing(site, () => postForm(ann, `/s/bare/api/delete_sr_${use}`)), use)
    t.is((await bob.post(`/s/bare/api/delete_sr_${use}`)).status, 403, use)
  }
})

test.serial('an image has a name of up to 100 letters, digits and hyphens, whatever its file is called', async (t) => {
  const { site, ann } = t.context
  await foundSubsite(ann, 'labelled')
  const png = await picture()
  t.true(
    await recordsNothing(site, async () => {
      for (const name of ['', 'a b', '../pot', '..%2fpot', 'pot.png', 'pöt', 'x'.repeat(101), 'a/b'])
        t.deepEqual((await uploadTo(ann, 'labelled', { name }, png)).at('errors'), ['BAD_CSS_NAME'], name)
    }),
  )
  uploadedAddress(t, await uploadTo(ann, 'labelled', { name: 'x'.repeat(100) }, png))
  uploadedAddress(t, await uploadTo(ann, 'labelled', { name: 'pot' }, png, '../../../etc/passwd'))
})

test.serial('only moderators with the permission config can upload images, and only to their subsite', async (t) => {
  const { site, ann, bob, carol } = t.context
  await foundSubsite(ann, 'guarded')
  await appoint(ann, 'guarded', carol, '+posts,+wiki')
  const file = await picture()
  const before = await storedFiles(site)
  for (const caller of [site, bob, carol]) t.is((await uploadTo(caller, 'guarded', { name: 'pot' }, file)).status, 403)
  t.is((await ann.request('POST', '/api/upload_sr_img', await multipart({ name: 'pot' }, file))).status, 403, 'in no subsite')
  t.deepEqual(await storedFiles(site), before)
  const dropped = await ann.request('POST', '/api/compose', await multipart({ to: 'bob', subject: 'a', text: 'b', api_type: 'json' }, file))
  t.is(dropped.text, '{"json":{"errors":[]}}', 'files are taken nowhere else')
})

test.serial('a subsite can have fifty named images; replacing one is allowed, and deleting one makes room', async (t) => {
  const { ann, root } = t.context
  await foundSubsite(ann, 'full')
  const file = await picture()
  for (let n = 0; n < 50; n += 1) uploadedAddress(t, await uploadTo(ann, 'full', { name: `i${n}` }, file))
  t.deepEqual((await uploadTo(ann, 'full', { name: 'more' }, file)).at('errors'), ['IMAGE_ERROR'])
  uploadedAddress(t, await uploadTo(ann, 'full', { name: 'i7' }, await picture({}, '#fff')))
  uploadedAddress(t, await uploadTo(root, 'full', { name: 'admins' }, file))
  t.is(refusalOf(await ann.post('/s/full/api/delete_sr_img', { api_type: 'json', img_name: '../i1' })), 'BAD_CSS_NAME img_name')
  t.is(refusalOf(await ann.post('/s/full/api/delete_sr_img', { api_type: 'json' })), 'BAD_CSS_NAME img_name')
  await postForm(ann, '/s/full/api/delete_sr_img', { img_name: 'unknown' })
  for (const name of ['i1', 'admins']) await postForm(ann, '/s/full/api/delete_sr_img', { img_name: name })
  uploadedAddress(t, await uploadTo(ann, 'full', { name: 'more' }, file))
})

test.serial('images of a private subsite are served to its members only, and under no other subsite', async (t) => {
  const { site, ann, bob } = t.context
  const id = await foundSubsite(ann, 'closed', { type: 'private' })
  await foundSubsite(ann, 'open')
  const address = uploadedAddress(t, await uploadTo(ann, 'closed', { upload_type: 'header' }, await picture({}, '#123456')))
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
  await foundSubsite(ann, 'again')
  const send = async (file: Buffer) => {
    const { headers, body } = await multipart({ name: 'pot' }, file)
    return ann.request('POST', '/s/again/api/upload_sr_img', { body, headers: { ...headers, 'Idempotency-Key': 'upload-1' } })
  }
  const first = await send(await picture())
  t.is((await send(await picture())).text, first.text)
  t.is((await send(await picture({}, '#000'))).status, 422)
  t.is((await logOf(site, 'again')).length, 1)
})
