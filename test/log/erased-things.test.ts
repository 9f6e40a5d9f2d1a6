import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { CommentEdited, CommentRemoved } from '../../src/domain/comment.ts'
import type { AnyEvent } from '../../src/domain/event.ts'
import { LinkFlairChanged } from '../../src/domain/flair.ts'
import { Friended } from '../../src/domain/friends-and-blocks.ts'
import { MessageSent } from '../../src/domain/message.ts'
import { codec, isIntact } from '../../src/log/codec.ts'
import { isKeyRecord, listErasedThings, openKeyring } from '../../src/log/keys.ts'
import { formerSecret } from '../support/fixed-keys.ts'
import { formerGolden, goldenData } from '../support/golden.ts'
import { comment, id, stamp, toRecorded } from '../support/sealing.ts'
import { teaSubmitted } from '../support/submitted-link.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const openVault = async (t: ExecutionContext) => {
  const stores = await openSqlite({ file: join(temporaryDirectory(t), 'log.db') })
  t.teardown(stores.close)
  return stores.vault
}

const place = { comment: 't1_1', link: 't5_1', subsite: 't4_1', author: 't2_ann' }
const target = { id: 't1_1', author: 't2_ann', excerpt: 'TEA in a target', link: 't5_1' }
const link = { id: 't5_1', author: 't2_ann', title: 'TEA', excerpt: 'TEA' }
const message = { ...goldenData('MessageSent'), author: 't2_ann', message: 't6_1', root: 't6_1', subject: 'TEA?', body: 'TEA!' }
const { quotedSubject: _, ...first } = message
const reply = {
  ...first,
  author: 't2_bob',
  message: 't6_2',
  subject: '',
  body: 'TEA of bob',
  quotedSubject: { author: 't2_ann', text: 'TEA?' },
}

/** Texts of a comment, of another one, of a link, and of a conversation. */
const decided: Readonly<Record<string, AnyEvent>> = {
  posted: comment('TEA'),
  edited: CommentEdited({ ...place, body: 'TEA again', notified: [], withdrawn: [] }),
  removed: CommentRemoved({ subsite: 't4_1', target, link: 't5_1', before: false, spam: false, notified: [] }),
  other: CommentEdited({ ...place, comment: 't1_2', body: 'TEA of another comment', notified: [], withdrawn: [] }),
  link: teaSubmitted('t5_1'),
  flair: LinkFlairChanged({
    subsite: 't4_1',
    target: link,
    author: 't2_ann',
    text: 'TEA',
    css: '',
    before: { account: 't2_ann', text: 'TEA', css: '' },
  }),
  friend: Friended({ account: 't2_ann', other: 't2_bob', note: 'TEA' }),
  asked: MessageSent(first),
  reply: MessageSent(reply),
}

const written = Object.entries(decided).map(([name, event], n) => ({ name, stamped: stamp(event, { id: `${id.slice(0, -2)}${10 + n}` }) }))

/** The log with one thing of ann's erased, and which of its events have how many texts less. */
const erasedWith = async (t: ExecutionContext, thing: string) => {
  const vault = await openVault(t)
  const keys = openKeyring(vault)
  const { seal, open } = codec(keys)
  const proposed = await seal(written.map(({ stamped }) => stamped))
  const events = proposed.map((event) => toRecorded(event))
  t.deepEqual<unknown, unknown>(
    (await open(events)).map(({ data }) => data),
    written.map(({ stamped }) => stamped.event.data),
  )
  await keys.eraseThing('t2_ann', thing)
  const after = await open(events)
  t.true(proposed.every(isIntact))
  const blank = after.flatMap(({ data }, n) => {
    const count = JSON.stringify(data).split('[erased]').length - 1
    return count === 0 ? [] : [[written[n]?.name, count]]
  })
  return { vault, keys, seal, open, events, blank }
}

test('erasing a comment makes all its texts unreadable, also where an act of a moderator quotes it, and no other text', async (t) => {
  const { blank } = await erasedWith(t, 't1_1')
  t.deepEqual(blank, [
    ['posted', 1],
    ['edited', 1],
    ['removed', 1],
  ])
})

test('erasing a link makes title, text and flair unreadable', async (t) => {
  const { blank } = await erasedWith(t, 't5_1')
  t.deepEqual(blank, [
    ['link', 2],
    ['flair', 4],
  ])
})

test('erasing a message makes its subject unreadable in replies, too; what others wrote stays', async (t) => {
  const { blank } = await erasedWith(t, 't6_1')
  t.deepEqual(blank, [
    ['asked', 2],
    ['reply', 1],
  ])
})

test('a text that belongs to no thing is erased by the id of its event', async (t) => {
  const friend = written.find(({ name }) => name === 'friend')?.stamped.id ?? ''
  t.deepEqual((await erasedWith(t, friend)).blank, [['friend', 1]])
})

test('what is sealed for an erased thing later is [erased] as well, in every process; other things can still be written', async (t) => {
  const { vault, keys, seal, open } = await erasedWith(t, 't1_1')
  await keys.eraseThing('t2_ann', 't1_1')
  t.is((await listErasedThings(vault, 't2_ann')).size, 1)
  const later = await seal([
    stamp(comment('COFFEE')),
    stamp(CommentEdited({ ...place, comment: 't1_3', body: 'COFFEE', notified: [], withdrawn: [] })),
  ])
  const opened = await open(later.map((event) => toRecorded(event)))
  t.like(opened, [{ data: { body: '[erased]' } }, { data: { body: 'COFFEE' } }])
  t.deepEqual(await codec(openKeyring(vault)).open(later.map((event) => toRecorded(event))), opened)
})

test('things of an erased account, and an account after its things, can be erased', async (t) => {
  const { vault, keys, open, events } = await erasedWith(t, 't1_1')
  await keys.eraseAccount('t2_ann')
  await keys.eraseThing('t2_ann', 't5_1')
  t.is((await vault.get('key', 't2_ann'))?.value, null)
  t.is((await listErasedThings(vault, 't2_ann')).size, 0)
  const own = (await open(events)).filter((_, n) => written[n]?.name !== 'reply')
  t.false(JSON.stringify(own).includes('TEA'))
})

test('erasures of several things at once, by several processes, lose none', async (t) => {
  const vault = await openVault(t)
  const rings = [openKeyring(vault), openKeyring(vault), openKeyring(vault)]
  await Promise.all(Array.from({ length: 12 }, (_, n) => rings[n % 3]?.eraseThing('t2_ann', `t1_${n}`)))
  t.is((await listErasedThings(vault, 't2_ann')).size, 12)
})

test('a record of a key survives storing, and a damaged one is recognized', async (t) => {
  const { vault } = await erasedWith(t, 't1_1')
  const value = (await vault.get('key', 't2_ann'))?.value as { readonly tree: object }
  t.true(isKeyRecord(JSON.parse(JSON.stringify(value))))
  t.true(isKeyRecord(null))
  t.true(isKeyRecord(formerSecret('t2_ann').toString('base64')))
  const bad = [
    'no key',
    7,
    {},
    { tree: {} },
    { ...value, direct: 'x' },
    { tree: { ...value.tree, id: '' } },
    { tree: { ...value.tree, erased: ['8'] } },
    { tree: { ...value.tree, nodes: { 9: 'x' } } },
  ]
  t.deepEqual(bad.filter(isKeyRecord), [])
})

test('texts that earlier versions sealed stay readable when the account gets keys for its things, and read [erased] once their thing is', async (t) => {
  const vault = await openVault(t)
  const posted = formerGolden.find(({ opened }) => opened.type === 'CommentPosted')
  const { author = '', comment: thing = '' } = (posted?.opened.data ?? {}) as { readonly author?: string; readonly comment?: string }
  if (!posted) return t.fail()
  await vault.put('key', author, { value: formerSecret(author).toString('base64'), owner: author })
  const keys = openKeyring(vault)
  const { seal, open } = codec(keys)
  const read = async () => (await open([toRecorded(posted.stored)]))[0]?.data as { readonly body: string } | undefined
  t.is((await read())?.body, 'I prefer coffee. 😀')
  const [edited] = await seal([stamp(CommentEdited({ ...place, author, comment: thing, body: 'tea', notified: [], withdrawn: [] }))])
  t.is((await read())?.body, 'I prefer coffee. 😀')
  await keys.eraseThing(author, 't1_another')
  t.is((await read())?.body, 'I prefer coffee. 😀')
  await keys.eraseThing(author, thing)
  t.is((await read())?.body, '[erased]')
  t.like(await open(edited ? [toRecorded(edited)] : []), [{ data: { body: '[erased]' } }])
  t.true(isIntact(posted.stored))
})

test('a process that still has the key of an erased thing in memory reads what another sealed for it since', async (t) => {
  const vault = await openVault(t)
  const [late, other] = [openKeyring(vault), openKeyring(vault)]
  const edited = stamp(comment('TEA'), { id })
  await codec(late).seal([edited])
  await other.eraseThing('t2_ann', 't1_1')
  const sealed = await codec(other).seal([edited])
  const [opened] = await codec(late).open(sealed.map((event) => toRecorded(event)))
  t.false(JSON.stringify(opened).includes('TEA'))
  t.true(JSON.stringify(opened).includes('[erased]'))
})
