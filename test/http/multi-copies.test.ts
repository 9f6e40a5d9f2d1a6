import test from 'ava'
import { projections } from '../../projections/all.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { findingsOf } from '../support/auditing.ts'
import { eventually, postForm, waitUntilSettled } from '../support/community.ts'
import { copy, modelOf, put, refusal, rename, show, startMultis, subsitesOf } from '../support/multis.ts'
import { contentsOf } from '../support/read-models.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob, carol, root, Fay_1: fay } = await startMultis()
test.after.always(() => site.stop())

test.before(async () => {
  await put(bob, 'user/bob/m/source', {
    ...modelOf('tea', 'coffee'),
    display_name: 'The source',
    description_md: 'Mine.',
    visibility: 'public',
    icon_name: 'ask',
    key_color: '#112233',
  })
  await put(bob, 'user/bob/m/closed', modelOf('tea'))
})

test('a copy of a public multi has its subsites and texts, is private, and names its source', async (t) => {
  const copied = await copy(ann, { from: '/user/bob/m/source/', to: 'user/ann/m/first' })
  t.is(copied.status, 200, copied.text)
  t.like(copied.at('data'), {
    path: '/user/ann/m/first',
    display_name: 'The source',
    visibility: 'private',
    icon_name: 'ask',
    key_color: '#112233',
    copied_from: '/user/bob/m/source',
    description_md: 'Mine.\n\ncopied from [/user/bob/m/source](/user/bob/m/source)',
    can_edit: true,
  })
  t.deepEqual(subsitesOf(copied), ['Tea', 'coffee'])
})

test('a copy without a path is named after its display name, with a number if that is taken', async (t) => {
  const second = await copy(bob, { from: 'user/bob/m/closed', display_name: 'Closed' })
  t.like(second.at('data'), {
    path: '/user/bob/m/closed1',
    display_name: 'Closed',
    description_md: 'copied from [/user/bob/m/closed](/user/bob/m/closed)',
  })
})

test('a copy names its source only to those who can edit it, and stays when the source is deleted', async (t) => {
  await put(bob, 'user/bob/m/passing', { ...modelOf('tea'), visibility: 'public' })
  await copy(ann, { from: 'user/bob/m/passing', to: 'user/ann/m/copy_of_bobs' })
  t.is((await show(ann, 'user/ann/m/copy_of_bobs')).at('data.copied_from'), '/user/bob/m/passing')
  await put(ann, 'user/ann/m/copy_of_bobs', { visibility: 'public' })
  t.is((await show(bob, 'user/ann/m/copy_of_bobs')).at('data.copied_from'), null)
  t.deepEqual(
    [(await bob.request('DELETE', '/api/multi/user/bob/m/passing')).text, (await show(bob, 'user/bob/m/passing')).status],
    ['', 404],
  )
  t.is((await bob.request('DELETE', '/api/multi/user/bob/m/passing')).status, 404)
  t.is((await show(ann, 'user/ann/m/copy_of_bobs')).status, 200)
})

test('a copy to a taken or invalid path, of another account, or from a multi that is not visible is refused', async (t) => {
  await put(ann, 'user/ann/m/taken', modelOf('coffee'))
  t.is(refusal(await copy(ann, { from: 'user/bob/m/source', to: 'user/ann/m/taken' })), '409 MULTI_EXISTS multipath')
  t.is(refusal(await copy(ann, { from: 'user/bob/m/source', display_name: 'New' })), '403 MULTI_CANNOT_EDIT to')
  t.is(refusal(await copy(ann, { from: 'user/bob/m/source', to: 'user/bob/m/other' })), '403 MULTI_CANNOT_EDIT to')
  t.is(refusal(await copy(ann, { from: 'user/bob/m/source' })), '400 BAD_MULTI_PATH to')
  t.is(refusal(await copy(ann, { from: 'user/bob/m/source', to: 'user/ann/f/all' })), '400 BAD_MULTI_PATH to')
  t.is(
    refusal(await copy(ann, { from: 'user/bob/m/source', to: 'user/ann/m/ok', display_name: 'x'.repeat(51) })),
    '400 TOO_LONG display_name',
  )
  for (const from of ['user/bob/m/closed', 'user/bob/m/missing', 'user/bob/f/all', 'nonsense'])
    t.is(refusal(await copy(ann, { from, to: 'user/ann/m/ok' })), '404 MULTI_NOT_FOUND from', from)
})

test('a copy, also of a copy, does not name the owner of its source once that account is deleted', async (t) => {
  await put(fay, 'user/fay_1/m/source', { ...modelOf('tea'), visibility: 'public', description_md: 'By me, /u/Fay_1.' })
  await copy(ann, { from: '/user/fay_1/m/source', to: 'user/ann/m/first_copy' })
  await put(ann, 'user/ann/m/first_copy', { visibility: 'public' })
  await copy(bob, { from: '/user/ann/m/first_copy', to: 'user/bob/m/second_copy' })
  const described = async () => [
    (await show(ann, 'user/ann/m/first_copy')).at('data.description_md'),
    (await bob.get('/api/multi/user/bob/m/second_copy/description')).at('data.body_md'),
  ]
  const line = (who: string) => `copied from [/user/${who}/m/source](/user/${who}/m/source)`
  const copied = `By me, /u/Fay_1.\n\n${line('Fay_1')}`
  t.deepEqual(await described(), [copied, `${copied}\n\ncopied from [/user/ann/m/first_copy](/user/ann/m/first_copy)`])
  t.true((await ann.get('/api/multi/mine')).text.includes('/user/Fay_1'))
  await postForm(await fay.session(), '/api/delete_user', { passwd: fay.password })
  const after = 'By me, /u/Fay_1.\n\ncopied from /user/[deleted]/m/source'
  t.deepEqual(await described(), [after, `${after}\n\ncopied from [/user/ann/m/first_copy](/user/ann/m/first_copy)`])
  t.is((await show(ann, 'user/ann/m/first_copy')).at('data.copied_from'), '/user/[deleted]/m/source')
  t.false((await ann.get('/api/multi/mine')).text.includes('/user/Fay_1'))
})

test('a description sent back as it was shown after its author was deleted is still theirs, and goes with their erasure', async (t) => {
  const hal = await site.register('hal')
  await put(hal, 'user/hal/m/pears', { ...modelOf('tea'), description_md: 'MEDLAR.', visibility: 'public' })
  await copy(carol, { from: '/user/hal/m/pears', to: 'user/carol/m/pears' })
  await copy(carol, { from: '/user/hal/m/pears', to: 'user/carol/m/plums' })
  await postForm(await hal.session(), '/api/delete_user', { passwd: hal.password })
  const shown = async (name: string) => (await show(carol, `user/carol/m/${name}`)).at('data') as Readonly<Record<string, string>>
  t.is((await shown('pears')).description_md, 'MEDLAR.\n\ncopied from /user/[deleted]/m/pears')
  await put(carol, 'user/carol/m/pears', { ...(await shown('pears')), visibility: 'public' })
  const { description_md: body_md } = await shown('plums')
  const model = JSON.stringify({ body_md })
  t.is((await carol.request('PUT', '/api/multi/user/carol/m/plums/description', { form: { model } })).status, 200)
  await postForm(root, '/api/erase_user', { name: 'hal' })
  for (const name of ['pears', 'plums']) {
    t.true(await eventually(async () => !/MEDLAR/.test((await shown(name)).description_md ?? '')), name)
    t.is((await shown(name)).description_md, '[erased]\n\ncopied from /user/[deleted]/m/pears')
  }
})

test('a name sent with the request for a copy or another path as it was shown is still that of its author', async (t) => {
  const ivy = await site.register('ivy')
  const display_name = 'SLOE'
  await put(ivy, 'user/ivy/m/sloe', { ...modelOf('tea'), display_name, visibility: 'public' })
  await copy(carol, { from: '/user/ivy/m/sloe', to: 'user/carol/m/of_ivy', display_name })
  await copy(carol, { from: '/user/carol/m/of_ivy', display_name })
  await copy(carol, { from: '/user/carol/m/of_ivy', to: 'user/carol/m/before' })
  await rename(carol, { from: '/user/carol/m/before', to: 'user/carol/m/moved', display_name })
  await copy(carol, { from: '/user/ivy/m/sloe', to: 'user/carol/m/named', display_name: 'Berries' })
  const shown = async (name: string) => (await show(carol, `user/carol/m/${name}`)).at('data.display_name')
  const copies = ['of_ivy', 'sloe', 'moved']
  for (const name of copies) t.is(await shown(name), display_name, name)
  await postForm(root, '/api/erase_user', { name: 'ivy' })
  for (const name of copies) t.true(await eventually(async () => (await shown(name)) === '[erased]'), name)
  t.is(await shown('named'), 'Berries')
})

test('a renamed multi keeps everything but its path, and its old name is free again', async (t) => {
  const made = await put(ann, 'user/ann/m/old_name', {
    ...modelOf('tea'),
    visibility: 'public',
    description_md: 'kept',
    display_name: 'Old',
  })
  const renamed = await rename(ann, { from: '/user/ann/m/old_name', to: '/user/ann/m/new_name' })
  t.is(renamed.status, 200, renamed.text)
  t.deepEqual(renamed.at('data'), { ...(made.at('data') as object), name: 'new_name', path: '/user/ann/m/new_name' })
  const plain = await put(ann, 'user/ann/m/plain', modelOf('tea'))
  const kept = await rename(ann, { from: '/user/ann/m/plain', to: '/user/ann/m/plainer' })
  t.deepEqual(kept.at('data'), { ...(plain.at('data') as object), name: 'plainer', path: '/user/ann/m/plainer' }, 'shown by its first name')
  t.is(refusal(await show(ann, 'user/ann/m/old_name')), '404 MULTI_NOT_FOUND multipath')
  t.is(refusal(await rename(ann, { from: '/user/ann/m/old_name', to: '/user/ann/m/newer' })), '404 MULTI_NOT_FOUND from')
  t.is((await put(ann, 'user/ann/m/old_name', modelOf('coffee'))).status, 201)
  t.is(refusal(await rename(ann, { from: 'user/ann/m/old_name', to: 'user/ann/m/new_name' })), '409 MULTI_EXISTS multipath')
  t.is(refusal(await rename(ann, { from: 'user/ann/m/old_name', to: 'user/bob/m/new_name' })), '400 MULTI_CANNOT_EDIT to')
  t.is(refusal(await rename(bob, { from: 'user/ann/m/new_name', to: 'user/bob/m/mine_now' })), '403 MULTI_CANNOT_EDIT from')
  t.is(refusal(await rename(ann, { from: 'user/ann/m/new_name' })), '400 BAD_MULTI_PATH to')
  const again = await rename(ann, { from: 'user/ann/m/new_name', display_name: 'Old name' })
  t.like(again.at('data'), { path: '/user/ann/m/old_name1', display_name: 'Old name', visibility: 'public' })
  t.deepEqual(subsitesOf(await show(ann, 'user/ann/m/old_name')), ['coffee'])
})

test('a rename repeated with the same Idempotency-Key gets the first response', async (t) => {
  await put(ann, 'user/ann/m/repeated', modelOf('tea'))
  const key = { 'Idempotency-Key': 'rename-once' }
  const form = { from: 'user/ann/m/repeated', display_name: 'Repeated twice' }
  const first = await ann.post('/api/multi/rename', form, key)
  const second = await ann.post('/api/multi/rename', form, key)
  t.is(first.status, 200)
  t.deepEqual(second.body, first.body)
})

const inDocuments = async () => /QUINCE/i.test(JSON.stringify(await contentsOf(site.running.stores.documents, projections)))
const textsOf = async (who: Caller, path: string) => {
  const { display_name, description_md } = (await show(who, path)).at('data') as Record<string, string>
  return [display_name, description_md]
}

/** Copies of a multi of gus, and a copy of a copy, from before gus is erased; and the request for the first of them, to repeat. */
const erase = async () => {
  const source = 'user/gus/m/teas'
  const gus = await site.register('gus')
  await put(gus, source, { ...modelOf('tea'), display_name: 'QUINCE teas', description_md: 'QUINCE.', visibility: 'public' })
  const form = { from: source, to: 'user/carol/m/first' }
  const copying = () => carol.request('POST', '/api/multi/copy', { form, headers: { 'Idempotency-Key': 'copying-quince' } })
  const copied = await copying()
  // a text that is sent back as it was shown is not the copier's own
  await put(carol, 'user/carol/m/first', { ...(copied.at('data') as object), visibility: 'public' })
  await rename(carol, { from: 'user/carol/m/first', to: 'user/carol/m/renamed' })
  await copy(bob, { from: 'user/carol/m/renamed', to: 'user/bob/m/second' })
  await copy(bob, { from: source, to: 'user/bob/m/third' })
  await put(bob, 'user/bob/m/third', { display_name: 'Of bob', description_md: 'Of bob.' })
  const before = await textsOf(bob, 'user/bob/m/second')
  await waitUntilSettled(site)
  await postForm(root, '/api/erase_user', { name: 'gus' })
  await eventually(async () => !(await inDocuments()))
  return { source, copying, copied, before }
}

let erased: ReturnType<typeof erase> | undefined
/** The one erasure of this file. */
const theErasure = () => {
  erased ??= erase()
  return erased
}

test.serial('the erasure of an account removes its texts from copies of its multis, and of copies, wherever they are stored', async (t) => {
  const { source, copied, before } = await theErasure()
  t.is(copied.status, 200, copied.text)
  t.like(copied.at('data'), { display_name: 'QUINCE teas', description_md: `QUINCE.\n\ncopied from [/${source}](/${source})` })
  t.is(before[0], 'QUINCE teas')
  t.false(await inDocuments())
  const logged = await codec(openKeyring(site.running.app.vault)).open(await site.running.stores.events.readAll(LOG_START, 1_000))
  t.notRegex(JSON.stringify(logged), /QUINCE/i)
})

test.serial('after an erasure copies show what their copiers wrote, and where they came from', async (t) => {
  await theErasure()
  const line = 'copied from /user/[deleted]/m/teas'
  const inTurn = 'copied from [/user/carol/m/renamed](/user/carol/m/renamed)'
  t.deepEqual(await textsOf(carol, 'user/carol/m/renamed'), ['[erased]', `[erased]\n\n${line}`])
  t.deepEqual(await textsOf(bob, 'user/bob/m/second'), ['[erased]', `[erased]\n\n${line}\n\n${inTurn}`])
  t.deepEqual(await textsOf(bob, 'user/bob/m/third'), ['Of bob', 'Of bob.'])
})

test.serial('a copy requested again with the same Idempotency-Key after an erasure is answered without the erased text', async (t) => {
  const { copying } = await theErasure()
  t.like((await copying()).at('data'), { path: '/user/carol/m/first', display_name: '[erased]' })
})

test.serial('an audit without the key of an erased account finds no difference in copies of its multis', async (t) => {
  await theErasure()
  t.deepEqual(await findingsOf(t, site.running), [])
})
