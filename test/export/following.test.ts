import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { story } from '../support/example-history.ts'
import { linesIn, manifestIn, openDuck, tableIn } from '../support/exported.ts'
import { FULL } from '../support/full.ts'
import { openFile } from '../support/read-models.ts'
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
    for (const deadline = Date.now() + 20_000; Date.now() < deadline; await sleep(20)) {
      const { readManifest } = await import('../../src/export/manifest.ts')
      if (readManifest(directory)?.rows === written) break
    }
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
