import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { comments } from '../../projections/comments.ts'
import { links } from '../../projections/links.ts'
import { getOne } from '../../src/ports/documents.ts'
import { startTea } from '../support/cast.ts'
import { postForm, waitUntilSettled } from '../support/community.ts'
import { readThing, say, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'

const directory = await mkdtemp(join(tmpdir(), 'rostra-'))
const { site, ann, bob, root } = await startTea(['root'], { directory })
let stopped = false

test.after.always(async () => {
  if (!stopped) await site.stop()
  await rm(directory, { recursive: true, force: true })
})

/** Everything that the vault keeps of answers to this account. */
const keptFor = async (...owners: readonly string[]): Promise<string> =>
  JSON.stringify(await Promise.all(owners.map((owner) => site.running.app.vault.list('idempotency', owner))))

test.serial('the text of a deleted comment is gone from its document and from responses kept for repeated requests', async (t) => {
  const link = await submit(ann, 'tea', { text: 'of tea' })
  const form = { thing_id: link, text: 'a quixotic word', api_type: 'json' }
  const said = await bob.post('/api/comment', form, { 'Idempotency-Key': 'say' })
  const comment = String(said.at('json.data.things.0.data.name'))
  const edit = { thing_id: comment, text: 'a quixotic change', api_type: 'json' }
  await bob.post('/api/editusertext', edit, { 'Idempotency-Key': 'edit' })
  t.regex(await keptFor(bob.id, comment), /a quixotic word.*a quixotic change|a quixotic change.*a quixotic word/)
  const repeated = await bob.post('/api/comment', form, { 'Idempotency-Key': 'say' })
  t.deepEqual([repeated.text, repeated.headers.get('idempotent-replayed')], [said.text, 'true'])
  t.is((await readThing(site, comment)).author_fullname, bob.id)

  await postForm(bob, '/api/del', { id: comment })
  t.notRegex(await keptFor(bob.id, comment), /quixotic/)
  await waitUntilSettled(site)
  const document = await getOne(site.running.stores.documents, comments, comment)
  t.like(document, { deleted: true, body: '' })
  for (const reader of [site, bob, ann, root])
    t.like(await readThing(reader, comment), { body: '[deleted]', author: '[deleted]', author_fullname: null })

  const before = await site.running.stores.events.head()
  const after = await bob.post('/api/comment', form, { 'Idempotency-Key': 'say' })
  t.is(after.status, 200)
  t.like(after.at('json.data.things.0.data'), { name: comment, body: '[deleted]' })
  t.is(await site.running.stores.events.head(), before, 'the command was done once')
})

test.serial('the text of a deleted link is gone from its document, its title and page stay', async (t) => {
  const form = { sr: 'tea', kind: 'self', title: 'A title', text: 'a xylographic text', api_type: 'json' }
  const made = await ann.post('/api/submit', form, { 'Idempotency-Key': 'submit' })
  const link = String(made.at('json.data.name'))
  const edit = { thing_id: link, text: 'a xylographic change', api_type: 'json' }
  await ann.post('/api/editusertext', edit, { 'Idempotency-Key': 'edit' })
  t.regex(await keptFor(ann.id, link), /a xylographic change/)
  t.like(await readThing(site, link), { author_fullname: ann.id, spoiler: false })
  await postForm(ann, '/api/del', { id: link })
  t.notRegex(await keptFor(ann.id, link), /xylographic/)
  await waitUntilSettled(site)
  const document = await getOne(site.running.stores.documents, links, link)
  t.like(document, { deleted: true, text: '', title: 'A title' })
  const query = { terms: 'xylographic', where: {}, order: 'new', page: { limit: 10 } }
  t.deepEqual(await site.running.stores.documents.search(links, query), [])
  t.like(await readThing(root, link), { selftext: '[deleted]', title: 'A title', author_fullname: null })
})

const onOneFile = servers === undefined ? test.serial : test.serial.skip
onOneFile('after a stop the data file contains deleted text only encrypted', async (t) => {
  // given texts of which one is not deleted
  const deleted = [await submit(ann, 'tea', { text: 'a xylographic post' }), await say(bob, await submit(ann, 'tea'), 'a quixotic answer')]
  for (const [n, id] of deleted.entries()) await postForm(n === 0 ? ann : bob, '/api/del', { id })
  await submit(ann, 'tea', { text: 'a saxicolous text' })
  stopped = true
  await site.stop()
  const names = await readdir(directory)
  t.true(names.includes('rostra.db'))
  const files = await Promise.all(names.map((name) => readFile(join(directory, name), 'latin1')))
  t.true(files.some((bytes) => bytes.includes('saxicolous')))
  for (const bytes of files) t.notRegex(bytes, /quixotic|xylographic/)
})
