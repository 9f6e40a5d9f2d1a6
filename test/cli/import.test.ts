import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { collectUnused } from '../../src/cli/blob-use.ts'
import { codec } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { REACTIONS_CHECKPOINT } from '../../src/reactions/process.ts'
import { runCommand, spawnCommand } from '../support/command.ts'
import { eventually, postForm } from '../support/community.ts'
import { story } from '../support/example-history.ts'
import { picture, uploadTo } from '../support/pictures.ts'
import { foundSubsite, submit } from '../support/posting.ts'
import { openFile } from '../support/read-models.ts'
import { startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const exportOf = async (t: ExecutionContext, file: string, ...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await runCommand('export', file, ...args)
  t.is(code, 0, stderr)
  return stdout
}

const written = (directory: string, text: string): string => {
  const file = join(directory, 'export.ndjson')
  writeFileSync(file, text)
  return file
}

test('an imported log is exported identically, and importing it again changes nothing', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = temporaryDirectory(t)
  const copy = join(directory, 'copy.db')
  const original = await exportOf(t, file, '--with-keys')
  const carried = written(directory, original)
  for (let times = 0; times < 2; times++) {
    const { code, stdout, stderr } = await (times === 0 ? spawnCommand : runCommand)('import', copy, carried)
    t.is(code, 0, stderr)
    t.is(stdout, `${story.length} events imported\n`)
    t.is(await exportOf(t, copy, '--with-keys'), original)
  }
  t.is(await exportOf(t, copy, '--open'), await exportOf(t, file, '--open'), 'with the keys the texts came too')
})

test('an import skips what npm writes before an export', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = temporaryDirectory(t)
  const banner = '\n> rostra@0.1.0 export\n> node src/cli/export.ts --with-vault\n\n'
  const { code, stdout, stderr } = await runCommand(
    'import',
    join(directory, 'copy.db'),
    written(directory, banner + (await exportOf(t, file))),
  )
  t.is(code, 0, stderr)
  t.is(stdout, `${story.length} events imported\n`)
  t.regex(
    (await runCommand('import', join(directory, 'none.db'), written(directory, banner))).stderr,
    /^the file holds no events to import\n$/,
  )
})

test('importing a log without the keys leaves its texts erased', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = temporaryDirectory(t)
  const copy = join(directory, 'copy.db')
  t.is((await runCommand('import', copy, written(directory, await exportOf(t, file)))).code, 0)
  const opened = await exportOf(t, copy, '--open')
  t.true(opened.includes('[erased]'))
  t.false(opened.includes('A good pot'))
})

test('a damaged export is not imported at all', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = temporaryDirectory(t)
  const original = await exportOf(t, file)
  const copy = join(directory, 'copy.db')
  const lines = original.split('\n')
  const broken: readonly (readonly [string, RegExp])[] = [
    [lines.slice(0, -2).join('\n'), /incomplete/],
    [original.replace('"revision":0', '"revision":1'), /line 2: UsernameClaimed .* its id does not follow from its stream, its revision/],
    [original.replace('"position":"', '"position":"9'), /incomplete/],
    [lines.slice(1).join('\n'), /first line/],
    ['', /holds no events/],
    [`${lines[0]}\nnonsense\n`, /line 2 is not JSON/],
    [await exportOf(t, file, '--open'), /made with --open/],
  ]
  for (const [text, why] of broken) {
    const { code, stderr } = await runCommand('import', copy, written(directory, text))
    t.is(code, 2)
    t.regex(stderr, why)
    t.is(stderr.split('\n').length, 2, stderr)
  }
  t.is((await runCommand('import', copy, written(directory, original))).code, 0)
})

/** An export of these lines, with a first line that fits them. */
const exportWith = (lines: readonly string[]): string => {
  const body = lines.map((line) => `${line}\n`).join('')
  const sha256 = createHash('sha256').update(body).digest('hex')
  return `${JSON.stringify({ format: 'rostra-log', version: 1, opened: false, events: lines.length, sha256 })}\n${body}`
}

test('a file that is not an export is refused with one line', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = temporaryDirectory(t)
  const [first = '', second = '', ...rest] = (await exportOf(t, file)).trimEnd().split('\n').slice(1)
  const inFirst = (text: string) => [first.replace('"data":{', `"data":{"extra":${text},`), second, ...rest]
  const hostile: readonly (readonly [what: string, text: string, why: RegExp])[] = [
    ['a number beyond all numbers', exportWith(inFirst('1e999')), /line 2 cannot be stored/],
    ['half a character', exportWith(inFirst('"\\ud800"')), /line 2 cannot be stored/],
    ['depths without end', exportWith(inFirst('['.repeat(200_000) + ']'.repeat(200_000))), /line 2 cannot be stored/],
    ['half a revision', exportWith([first.replace('"revision":0', '"revision":0.5')]), /line 2: 0.5 is not a revision/],
    ['a revision before the first', exportWith([first.replace('"revision":0', '"revision":-1')]), /line 2: -1 is not a revision/],
    ['an event of a later version', exportWith([first.replace(/"type":"\w+"/, '"type":"TeaPoured"')]), /line 2: .*TeaPoured/],
    ['an event without data', exportWith([first.replace('"data":', '"date":')]), /line 2 is neither an event nor a record/],
    ['an event whose metadata is a text', exportWith([first.replace('"meta":', '"meta":"none","met":')]), /line 2 is neither/],
    ['an event twice', exportWith([first, second, first]), /line 4: the log has this event in another place/],
    ['a line of many megabytes', `${exportWith([]).trimEnd()}${' '.repeat(8 * 1024 * 1024)}`, /line 1 is longer than/],
  ]
  for (const [what, text, why] of hostile) {
    const copy = join(directory, 'copy.db')
    const { code, stderr } = await runCommand('import', copy, written(directory, text))
    t.is(code, 2, what)
    t.regex(stderr, why)
    t.is(stderr.split('\n').length, 2, stderr)
    if (existsSync(copy)) t.is((await exportOf(t, copy)).split('\n').length, 2, `${what}: the log is empty`)
  }
})

test('an import refuses a log that has the file’s events in another order', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = temporaryDirectory(t)
  const [first = '', ...rest] = (await exportOf(t, file)).trimEnd().split('\n').slice(1)
  const streamOf = (line: string) => JSON.parse(line).stream
  const at = rest.findIndex((line, i) => i > 0 && streamOf(line) !== streamOf(rest[i - 1] ?? line))
  const swapped = rest.with(at, rest[at - 1] ?? '').with(at - 1, rest[at] ?? '')
  const { code, stderr } = await runCommand('import', file, written(directory, exportWith([first, ...swapped])))
  t.is(code, 2)
  t.regex(stderr, /another place/)
})

test('images and stylesheets in use are exported with the vault, and unused ones are collected', async (t) => {
  const site = await startSite()
  const ann = await site.register('ann')
  await foundSubsite(ann, 'tea')
  const file = join(site.directory, 'rostra.db')
  const image = async (name: string, colour: string) =>
    String((await uploadTo(ann, 'tea', { name }, await picture({}, colour))).at('img_src')).replace(site.url, '')
  const [pot, lid, gone] = [await image('pot', '#111111'), await image('lid', '#222222'), await image('gone', '#333333')]
  await postForm(ann, '/s/tea/api/subsite_stylesheet', { op: 'save', stylesheet_contents: 'a { background: url(%%lid%%) }' })
  for (const img_name of ['lid', 'gone']) await postForm(ann, '/s/tea/api/delete_sr_img', { img_name })
  const sheet = String((await site.get('/s/tea/stylesheet')).headers.get('location'))
  const { stores } = site.running
  const hashOf = (address: string) => address.replace(/.*\/|\.\w+$/g, '')
  const [refused = ''] = [await stores.blobs.put(Buffer.from('of an upload that was broken off'))]
  const parts = { events: stores.events, blobs: stores.blobs, open: codec(openKeyring(stores.vault)).open }
  t.deepEqual(await collectUnused(parts, Date.now() - 60_000), { kept: 4, deleted: 0 }, 'for a while, nothing goes')
  t.regex((await spawnCommand('collect-images', file)).stdout, /^0 deleted, 4 in use\n$/)
  t.deepEqual(await collectUnused(parts, Date.now() + 60_000), { kept: 3, deleted: 2 })
  for (const hash of [hashOf(gone), refused]) t.is(await stores.blobs.get(hash), undefined)
  const shown = [pot, lid, sheet]
  const before = await Promise.all(shown.map((address) => site.get(address)))
  t.deepEqual(
    before.map(({ status }) => status),
    [200, 200, 200],
  )
  const original = await exportOf(t, file, '--with-vault')
  t.is(JSON.parse(original.slice(0, original.indexOf('\n'))).blobs, 3)
  t.false((await exportOf(t, file, '--with-keys')).includes('"blob"'), 'without the vault, it is the log')
  await site.stop()

  const directory = temporaryDirectory(t)
  const bent = original.replace(/"base64":"(.)/, (_, first) => `"base64":"${first === 'A' ? 'B' : 'A'}`)
  t.is((await runCommand('import', join(directory, 'bent.db'), written(directory, bent))).code, 2)
  for (let times = 0; times < 2; times++)
    t.is((await runCommand('import', join(directory, 'rostra.db'), written(directory, original))).code, 0)
  const moved = await startSite({ directory })
  t.teardown(() => moved.stop())
  for (const [n, address] of shown.entries()) {
    const answer = await moved.get(address)
    t.deepEqual([answer.status, answer.text], [200, before[n]?.text], address)
  }
  t.is(await exportOf(t, join(directory, 'rostra.db'), '--with-vault'), original)
})

test('an image that a subsite uploaded after its erasure elsewhere is still there after an import', async (t) => {
  const site = await startSite()
  const [ann, bob, root] = [await site.register('ann'), await site.register('bob'), await site.register('root')]
  await foundSubsite(ann, 'tea')
  await foundSubsite(bob, 'pots')
  const icon = await picture({ width: 256, height: 256 })
  const upload = async (who: typeof ann, subsite: string) =>
    String((await uploadTo(who, subsite, { upload_type: 'icon' }, icon)).at('img_src')).replace(site.url, '')
  const erased = await upload(ann, 'tea')
  await postForm(root, '/s/tea/api/erase_sr_img', { file: erased.replace(/.*\//, ''), reason: 'ordered', api_type: 'json' })
  t.is((await site.get(erased)).status, 404)
  const shown = await upload(bob, 'pots')
  t.is((await site.get(shown)).status, 200)
  const original = await exportOf(t, join(site.directory, 'rostra.db'), '--with-vault')
  await site.stop()
  const directory = temporaryDirectory(t)
  t.is((await runCommand('import', join(directory, 'rostra.db'), written(directory, original))).code, 0)
  const moved = await startSite({ directory })
  t.teardown(() => moved.stop())
  const { stores } = moved.running
  const erasure = (await stores.events.readAll(LOG_START, 1_000)).find(({ type }) => type === 'ImageErased')
  t.true(
    await eventually(async () => ((await stores.documents.checkpoint(REACTIONS_CHECKPOINT)) ?? LOG_START) >= (erasure?.position ?? '')),
  )
  t.is((await moved.get(shown)).status, 200)
  t.is(await exportOf(t, join(directory, 'rostra.db'), '--with-vault'), original)
})

test('texts with Unicode line separators are exported and imported unchanged', async (t) => {
  const site = await startSite()
  const ann = await site.register('ann')
  const description = 'leaves\u2028and\u2029water'
  await foundSubsite(ann, 'tea', { description })
  const original = await exportOf(t, join(site.directory, 'rostra.db'), '--with-keys')
  await site.stop()
  const directory = temporaryDirectory(t)
  const copy = join(directory, 'copy.db')
  const { code, stderr } = await runCommand('import', copy, written(directory, original))
  t.is(code, 0, stderr)
  t.is(await exportOf(t, copy, '--with-keys'), original)
  t.true(original.includes(description))
})

test('an import changes neither a log that begins with other events nor one in use by a server', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const carried = written(temporaryDirectory(t), await exportOf(t, file))
  const site = await startSite()
  t.teardown(() => site.stop())
  await site.register('ann')
  const inUse = await spawnCommand('import', join(site.directory, 'rostra.db'), carried)
  t.is(inUse.code, 2)
  t.regex(inUse.stderr, /in use/)
  const other = openFile(t)
  await other.append(story.slice(2, 4))
  const { code, stderr } = await runCommand('import', other.file, carried)
  t.is(code, 2)
  t.regex(stderr, /begins with a different event/)
})

test('no reaction runs on imported events', async (t) => {
  const site = await startSite()
  const [ann, bob] = [await site.register('ann'), await site.register('bob')]
  await foundSubsite(ann, 'tea')
  const post = await submit(ann, 'tea', { kind: 'self', title: 'tea', text: 'leaves' })
  await postForm(ann, '/api/remove', { id: post })
  await postForm(ann, '/api/approve', { id: post })
  await postForm(ann, '/api/set_subsite_sticky', { id: post, state: true })
  await postForm(ann, '/s/tea/api/friend', { type: 'banned', name: 'bob' })
  await postForm(bob, '/api/subscribe', { sr_name: 'tea', action: 'sub' })
  const ends = await site.running.stores.events.head()
  const original = await exportOf(t, join(site.directory, 'rostra.db'), '--with-vault')
  await site.stop()
  const directory = temporaryDirectory(t)
  t.is((await runCommand('import', join(directory, 'rostra.db'), written(directory, original))).code, 0)
  const moved = await startSite({ directory })
  t.teardown(() => moved.stop())
  const { documents, events } = moved.running.stores
  t.true(await eventually(async () => ((await documents.checkpoint('reactions')) ?? '') >= ends))
  t.is(await events.head(), ends)
})

test('after an import with the vault accounts can log in and see their texts', async (t) => {
  const site = await startSite()
  await site.register('ann')
  const file = join(site.directory, 'rostra.db')
  const original = await exportOf(t, file, '--with-vault')
  await site.stop()
  const directory = temporaryDirectory(t)
  t.is((await runCommand('import', join(directory, 'rostra.db'), written(directory, original))).code, 0)
  const moved = await startSite({ directory })
  t.teardown(() => moved.stop())
  const answer = await moved.post('/api/login', { user: 'ann', passwd: 'correct horse', api_type: 'json' })
  t.is(answer.at('json.errors.0'), undefined)
  t.is((await moved.get('/u/ann/about')).at('data.name'), 'ann')
})
