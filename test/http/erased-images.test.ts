import test from 'ava'
import { Images } from '../../src/domain/images.ts'
import { findingsOf } from '../support/auditing.ts'
import { startTea } from '../support/cast.ts'
import { logOf, postForm, recordsNothing, waitUntilSettled } from '../support/community.ts'
import { interpose } from '../support/interpose.ts'
import { picture, uploadTo } from '../support/pictures.ts'
import { foundSubsite, refusalOf } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'
import { pathOf, uploadedAddress } from '../support/stored-images.ts'

const { site, ann, bob, root } = await startTea(['root'])
test.after.always(() => site.stop())

const reason = 'ordered by a court'
const sized = { width: 256, height: 256 }
const upload = async (
  who: Caller,
  subsite: string,
  fields: Readonly<Record<string, string>>,
  size: Parameters<typeof picture>[0] = sized,
) => uploadTo(who, subsite, fields, await picture(size))

test.serial('an erased image is deleted with its bytes in every subsite, and cannot come again there', async (t) => {
  await foundSubsite(bob, 'pots')
  const named = uploadedAddress(t, await upload(ann, 'tea', { upload_type: 'img', name: 'pot' }))
  const icon = uploadedAddress(t, await upload(ann, 'tea', { upload_type: 'icon' }))
  const elsewhere = uploadedAddress(t, await upload(bob, 'pots', { upload_type: 'header' }))
  const other = uploadedAddress(t, await upload(ann, 'tea', { upload_type: 'img', name: 'lid' }, { width: 30, height: 20 }))
  const stylesheet = 'a { background: url(%%pot%%) } b { background: url(%%lid%%) }'
  await postForm(ann, '/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents: stylesheet, api_type: 'json' })
  await postForm(ann, '/s/tea/api/delete_sr_img', { img_name: 'pot' })
  await waitUntilSettled(site)
  const shown = [named, icon, elsewhere].map((address) => pathOf(site, address))
  for (const path of shown) t.is((await site.get(path)).status, 200, path)
  const file = String(shown[0]).replace(/^.*\//, '')

  await postForm(root, '/s/tea/api/erase_sr_img', { file, reason, api_type: 'json' })
  await waitUntilSettled(site)
  for (const path of shown) t.is((await site.get(path)).status, 404, path)
  t.is((await site.get(pathOf(site, other))).status, 200)
  t.is(await site.running.stores.blobs.get(file.replace(/\..*/, '')), undefined)
  for (const name of ['tea', 'pots']) {
    t.like((await site.get(`/s/${name}/about`)).at('data'), { icon_img: '', header_img: null })
    t.is((await logOf(site, name))[0], `root editsettings - erase_image ${reason}`)
  }
  t.is((await site.get('/s/tea/stylesheet')).status < 400, true)
  const again = await upload(ann, 'tea', { upload_type: 'icon' })
  t.is(again.status, 403, again.text)
  t.regex(again.text, /THING_ERASED/)
  t.true(await recordsNothing(site, () => root.post('/s/tea/api/erase_sr_img', { file, reason })))
  t.deepEqual(await findingsOf(t, site.running), [])
})

const fileOf = (address: string) => pathOf(site, address).replace(/^.*\//, '')
const erase = (file: string) => postForm(root, '/s/tea/api/erase_sr_img', { file, reason, api_type: 'json' })

test.serial('an image that is erased while a stylesheet with it is published is not shown by that stylesheet', async (t) => {
  const address = uploadedAddress(t, await upload(ann, 'tea', { upload_type: 'img', name: 'raced' }, { width: 41, height: 21 }))
  const style = (color: string) =>
    postForm(ann, '/s/tea/api/subsite_stylesheet', {
      op: 'save',
      stylesheet_contents: `a { color: ${color}; background: url(%%raced%%) }`,
      api_type: 'json',
    })
  interpose(site, 'before', 'stylesheet', () => erase(fileOf(address)))
  await style('red')
  await waitUntilSettled(site)
  t.is((await site.get(pathOf(site, address))).status, 404)
  t.deepEqual(await findingsOf(t, site.running), [])
})

test.serial('an image that is erased while another subsite uploads it is erased there as well, or is served', async (t) => {
  const size = { width: 42, height: 22 }
  const address = uploadedAddress(t, await upload(ann, 'tea', { upload_type: 'img', name: 'here' }, size))
  interpose(site, 'before', 'images', async () => {
    await erase(fileOf(address))
    await waitUntilSettled(site)
  })
  const there = uploadedAddress(t, await upload(bob, 'pots', { upload_type: 'img', name: 'there' }, size))
  await waitUntilSettled(site)
  const images = (await site.running.app.load(Images, String((await site.get('/s/pots/about')).at('data.name'))))?.named ?? []
  t.is((await site.get(pathOf(site, there))).status, images.length === 0 ? 404 : 200)
  t.deepEqual(await findingsOf(t, site.running), [])
})

test.serial('only admins erase images, of a subsite that shows them', async (t) => {
  const file = pathOf(
    site,
    uploadedAddress(t, await upload(ann, 'tea', { upload_type: 'img', name: 'cup' }, { width: 40, height: 20 })),
  ).replace(/^.*\//, '')
  t.true(
    await recordsNothing(site, async () => {
      t.is((await ann.post('/s/tea/api/erase_sr_img', { file, reason })).status, 403)
      t.is((await root.post('/s/pots/api/erase_sr_img', { file, reason })).status, 404)
      t.is((await root.post('/s/tea/api/erase_sr_img', { file: 'x.png', reason })).status, 404)
      t.is(refusalOf(await root.post('/s/tea/api/erase_sr_img', { file, reason: '', api_type: 'json' })), 'NO_TEXT reason')
    }),
  )
})
