import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { isIntact } from '../../src/log/codec.ts'
import { call, type Finished, onFile, runCommand, spawnCommand } from '../support/command.ts'
import { ann, pot, story } from '../support/example-history.ts'
import { positionOf } from '../support/logged-events.ts'
import { openFile } from '../support/read-models.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const exported = async (file: string, ...args: readonly string[]) => readExport(await runCommand('export', file, ...args))

const readExport = ({ code, stdout, stderr }: Finished) => {
  const [header = '', ...lines] = stdout.split('\n').slice(0, -1)
  return { code, stderr, header: JSON.parse(header || '{}'), lines, events: lines.map((line) => JSON.parse(line)) }
}

test('an export is the log, event by event, sealed as it was hashed, after a header with count and checksum', async (t) => {
  const { file, append, stores } = openFile(t)
  await append(story)
  const { code, header, lines, events } = readExport(await spawnCommand('export', file))
  t.is(code, 0)
  t.deepEqual(header, {
    format: 'rostra-log',
    version: 1,
    opened: false,
    events: story.length,
    first: positionOf(1),
    last: positionOf(story.length),
    vault: 0,
    content: createHash('sha256')
      .update(lines.map((line) => `${line.replace(/^\{"position":"\d+",/, '')}\n`).join(''))
      .digest('hex'),
    sha256: createHash('sha256')
      .update(lines.map((line) => `${line}\n`).join(''))
      .digest('hex'),
  })
  t.deepEqual(
    events.map(({ position, stream, revision, id, type }) => ({ position, stream, revision, id, type })),
    story.map(({ position, stream, revision, id, type }) => ({ position, stream, revision, id, type })),
  )
  const recorded = await stores.events.readAll(positionOf(0), 1_000)
  t.true(recorded.every(isIntact))
  for (const [i, line] of lines.entries()) t.true(line.endsWith(`"data":${recorded[i]?.data},"meta":${recorded[i]?.meta}}`))
  t.false(lines.join().includes('A good pot'))
})

test('an export with --open contains readable texts', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const { events } = await exported(file, '--open')
  t.deepEqual(events, story)
})

test('an export can end at a time or a position', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const submitted = story.findIndex(({ type }) => type === 'LinkSubmitted')
  const { at = 0, position = '' } = story[submitted] ?? {}
  t.is((await exported(file, '--until', new Date(at).toISOString())).events.at(-1)?.stream, `link-${pot}`)
  t.is((await exported(file, '--until', position)).header.events, submitted + 1)
  t.is((await exported(file, '--until', '2020-01-01')).header.events, 0)
})

test('an export that ends at a time is a prefix of the log, also if times step back, and can be imported', async (t) => {
  const { file, append } = openFile(t)
  const late = story.findIndex(({ type }) => type === 'LinkSubmitted')
  const { at: end = 0 } = story[late - 1] ?? {}
  // One process was an hour ahead of the others when it wrote the link; what was said of it bears earlier times.
  await append(story.map((event, i) => (i === late ? { ...event, at: end + 3_600_000 } : i > late ? { ...event, at: end - 1 } : event)))
  const until = new Date(end).toISOString()
  const { events } = await exported(file, '--until', until)
  t.deepEqual(
    events.map(({ id }) => id),
    story.slice(0, late).map(({ id }) => id),
  )
  const carried = join(temporaryDirectory(t), 'export.ndjson')
  writeFileSync(carried, (await runCommand('export', file, '--until', until)).stdout)
  const { code, stdout, stderr } = await runCommand('import', join(temporaryDirectory(t), 'copy.db'), carried)
  t.is(code, 0, stderr)
  t.is(stdout, `${late} events imported\n`)
})

test('an invalid option of an export is an error that names it', async (t) => {
  const { file } = openFile(t)
  for (const args of [['--all'], ['--until', 'soon'], ['--until']]) {
    const { code, stderr } = await exported(file, ...args)
    t.is(code, 2)
    t.regex(stderr, /^[^\n]+; usage: npx rostra export[^\n]+\n$/)
  }
})

test('an export to a file is the same as to stdout, for its owner alone, and replaces an earlier one as a whole', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = temporaryDirectory(t)
  const target = join(directory, 'site.ndjson')
  const { stdout } = await runCommand('export', file, '--with-keys')
  for (const before of [undefined, 'an earlier one']) {
    if (before !== undefined) writeFileSync(target, before)
    t.deepEqual(await runCommand('export', file, '--with-keys', '--file', target), { code: 0, stdout: '', stderr: '' })
    t.is(readFileSync(target, 'utf8'), stdout)
    t.is(statSync(target).mode & 0o777, 0o600)
  }
  t.deepEqual(readdirSync(directory), ['site.ndjson'])
})

test('an export to a file that cannot be written is one line, and leaves nothing', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = temporaryDirectory(t)
  const taken = join(directory, 'taken')
  mkdirSync(taken)
  for (const target of [join(directory, 'nowhere', 'x'), taken]) {
    const { code, stderr } = await runCommand('export', file, '--file', target)
    t.is(code, 2)
    t.regex(stderr, /^\S+ cannot be written: [^\n]+\n$/)
    t.false(existsSync(`${target}.part`))
  }
})

for (const [args, code, problem] of [
  [['--open'], 2, 'a text was erased during the export: start it again\n'],
  [['--with-keys'], 0, ''],
] as const)
  test(`an export ${args.join(' ')} during which an account is erased ${code === 0 ? 'is whole' : 'says that it is not whole'}`, async (t) => {
    const { file, append, keys } = openFile(t)
    await append(story)
    let isErased = false
    const result = await call('export', { env: onFile(file), args }, async () => {
      if (isErased) return
      isErased = true
      await keys.eraseAccount(ann)
    })
    t.true(isErased)
    t.deepEqual([result.code, result.stderr], [code, problem])
    if (code !== 0) return
    const carried = join(temporaryDirectory(t), 'export.ndjson')
    writeFileSync(carried, result.stdout)
    t.is((await runCommand('import', join(temporaryDirectory(t), 'copy.db'), carried)).code, 0)
  })
