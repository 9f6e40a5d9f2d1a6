import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { type Manifest, readManifest } from '../../src/export/manifest.ts'
import { runCommand } from '../support/command.ts'
import { story } from '../support/example-history.ts'
import { linesIn, manifestIn, openDuck, tableIn } from '../support/exported.ts'
import { FULL } from '../support/full.ts'
import { catchUp, openFile } from '../support/read-models.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const KILLS = FULL ? 100 : 5
const EVENTS_PER_LIFE = 90

const votes = story.filter(({ type }) => type === 'VoteCast')

/** More votes than there are in the story: each in a stream of its own. */
const moreVotes = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const [vote] = votes
    if (!vote) throw new Error('nobody votes')
    const n = from + index
    const meta = { ...vote.meta, commandId: `00000000-0000-5000-8000-${String(n).padStart(12, '0')}` }
    return {
      ...vote,
      id: `00000000-0000-5000-9000-${String(n).padStart(12, '0')}`,
      stream: `vote-t2_v${n.toString(36)}.t5_pot`,
      revision: 0,
      meta,
    }
  })

for (const format of ['ndjson', 'parquet'])
  test(`an export that is killed at any time goes on with each event once, as ${format}`, async (t) => {
    const { file, append } = openFile(t)
    await append(story)
    const directory = join(temporaryDirectory(t), 'export')
    let written = story.length
    for (let life = 0; life < KILLS; life++) {
      const follower = spawn(process.execPath, ['test/support/export-follower.ts', file, directory, format], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const gone = once(follower, 'exit')
      await Promise.race([once(follower.stdout, 'data'), gone])
      for (let part = 0; part < 3; part++) {
        await append(moreVotes(written, EVENTS_PER_LIFE / 3))
        written += EVENTS_PER_LIFE / 3
        await sleep(Math.random() * 30)
      }
      follower.kill('SIGKILL')
      t.deepEqual(await gone, [null, 'SIGKILL'])
    }
    const last = spawn(process.execPath, ['test/support/export-follower.ts', file, directory, format], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.teardown(() => last.kill('SIGKILL'))
    while (last.exitCode === null && readManifest(directory)?.rows !== written) await sleep(20)
    last.kill('SIGKILL')
    await once(last, 'exit')
    t.is(manifestIn(t, directory).rows, written)
    const numbers =
      format === 'ndjson'
        ? linesIn(directory).map((line) => JSON.parse(line).n)
        : (await tableIn(await openDuck(t), directory, 'events')).map(({ n }) => Number(n))
    t.deepEqual(
      numbers,
      Array.from({ length: written }, (_, n) => n),
    )
  })

/** The program, which writes events and tables again and again. */
const following = (t: ExecutionContext, file: string, directory: string, ...more: readonly string[]) => {
  const args = ['--to', directory, '--open', '--tables', '--follow', '--every', '0.05', '--tables-every', '0.05', ...more]
  const env = { ...process.env, EVENT_STORE_URL: `sqlite:${file}`, DOCUMENT_STORE_URL: `sqlite:${file}` }
  const follower = spawn(process.execPath, ['src/cli/export.ts', ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  t.teardown(() => follower.kill('SIGKILL'))
  return { follower, gone: once(follower, 'exit') }
}

for (const format of ['ndjson', 'parquet'])
  test(`an export with tables that is killed at any time is whole after the next run, as ${format}`, async (t) => {
    const { file, append, ports } = openFile(t)
    await append(story)
    const runner = await openReadModels(ports, projections)
    await catchUp(runner)
    const directory = join(temporaryDirectory(t), 'export')
    let written = story.length
    for (let life = 0; life < (FULL ? 30 : 1); life++) {
      const { follower, gone } = following(t, file, directory, '--format', format)
      while (readManifest(directory) === undefined) await sleep(20)
      await sleep(life === 0 ? 0 : 1_000)
      for (const deadline = Date.now() + Math.random() * 400; Date.now() < deadline; await sleep(10)) {
        await append(moreVotes(written, 10))
        written += 10
        await catchUp(runner)
      }
      follower.kill('SIGKILL')
      await gone
    }
    const { code, stderr } = await runCommand('export', file, '--to', directory, '--open', '--tables', '--format', format)
    t.is(code, 0, stderr)
    const { rows, tables, position } = manifestIn(t, directory)
    t.is(rows, written)
    t.deepEqual([...new Set(tables.map((table) => table.position))], [position])
  })

test('while an export follows, its tables are written anew, each file in the place of the one before', async (t) => {
  const { file, append, ports } = openFile(t)
  const half = story.findIndex(({ type }) => type === 'CommentPosted')
  await append(story.slice(0, half))
  const runner = await openReadModels(ports, projections)
  await catchUp(runner)
  const directory = join(temporaryDirectory(t), 'export')
  const { follower, gone } = following(t, file, directory)
  const until = async (holds: (manifest: Manifest) => boolean) => {
    for (; follower.exitCode === null; await sleep(20)) {
      const manifest = readManifest(directory)
      if (manifest && holds(manifest)) return
    }
    throw new Error('it ended before that')
  }
  const rowsOf = ({ tables }: Manifest, name: string) => tables.find((table) => table.name === name)?.rows
  await until((manifest) => manifest.rows === half && rowsOf(manifest, 'comments') === 0)
  await append(story.slice(half))
  await catchUp(runner)
  const comments = story.filter(({ type }) => type === 'CommentPosted').length
  await until((manifest) => manifest.rows === story.length && rowsOf(manifest, 'comments') === comments)
  follower.kill('SIGTERM')
  t.deepEqual(await gone, [0, null])
  const { tables, position } = manifestIn(t, directory)
  t.deepEqual([...new Set(tables.map((table) => table.position))], [position])
  t.is(linesIn(directory, 'tables/comments').length, comments)
})

test('an export that follows writes events while read models are behind, and ends when its directory is moved away', async (t) => {
  const { file, append, ports } = openFile(t)
  await append(story.slice(0, 5))
  await catchUp(await openReadModels(ports, projections))
  const directory = join(temporaryDirectory(t), 'export')
  const { follower, gone } = following(t, file, directory)
  let said = ''
  follower.stderr.on('data', (text) => {
    said += text
  })
  while (readManifest(directory)?.rows !== 5 || readManifest(directory)?.tables.length === 0) await sleep(20)
  await append(story.slice(5, 9))
  while (readManifest(directory)?.rows !== 9) await sleep(20)
  renameSync(directory, `${directory}-moved`)
  await append(story.slice(9))
  t.deepEqual(await gone, [2, null])
  t.regex(said, /was moved away or changed/)
  t.is(readManifest(directory), undefined)
  const moved = readManifest(`${directory}-moved`)
  t.deepEqual([moved?.rows, linesIn(`${directory}-moved`).length], [9, 9])
})

test('an export that lacks a file which its manifest names is not gone on with', async (t) => {
  const { file, append } = openFile(t)
  await append(story)
  const directory = join(temporaryDirectory(t), 'export')
  const again = () => runCommand('export', file, '--to', directory, '--open')
  t.is((await again()).code, 0)
  const name = manifestIn(t, directory).parts[0]?.files[0]?.name ?? ''
  rmSync(join(directory, name))
  const { code, stderr } = await again()
  t.is(code, 2)
  t.regex(stderr, /lacks events\/0+\.ndjson\.gz, which its manifest names/)
})
