import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { shapeFor } from '../../bench/log-shape.ts'
import { syntheticLog } from '../../bench/synthetic-log.ts'
import { writeLog } from '../../bench/write-log.ts'
import { projections } from '../../projections/all.ts'
import { createProjector } from '../../projections/engine/data-file-projector.ts'
import { digestOf } from '../../projections/engine/digest.ts'
import { localStores } from '../../src/adapters/sqlite/local-stores.ts'
import { openWriter } from '../../src/adapters/sqlite/schema.ts'
import { runCommand } from '../support/command.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const KILLS = Number(process.env.KILLS ?? 6)
const ROOT = new URL('../../', import.meta.url)

/** Brings the read models up to date as a starting server does, and returns their contents. */
const started = async (file: string): Promise<readonly string[]> => {
  const connection = openWriter(file)
  try {
    const { ports } = localStores(connection)
    await createProjector(ports)
    const digests: string[] = []
    for (const { collection } of projections) digests.push(`${collection.name} ${(await digestOf(ports.documents, collection)).sha256}`)
    return digests
  } finally {
    connection.close()
  }
}

/** Start a rebuild and kill it some time later; whether it was still at work. */
const killedRebuild = async (file: string, names: readonly string[], ms: number): Promise<boolean> => {
  const child = spawn(process.execPath, ['src/cli/rebuild.ts', ...names], {
    cwd: ROOT,
    env: { ...process.env, EVENT_STORE_URL: `sqlite:${file}`, DOCUMENT_STORE_URL: `sqlite:${file}` },
    stdio: 'ignore',
  })
  const ended = new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, signal) => resolve(signal)))
  await sleep(ms)
  child.kill('SIGKILL')
  return (await ended) === 'SIGKILL'
}

test('a rebuild killed at any point leaves read models that the next start completes', async (t) => {
  t.timeout(300_000)
  const file = join(temporaryDirectory(t), 'rostra.db')
  await writeLog(file, syntheticLog(shapeFor(400)))
  const expected = await started(file)
  let killed = 0
  for (let n = 0; n < KILLS; n++) {
    // Spread over the time that a rebuild takes, from before it has the lock to near its end.
    if (await killedRebuild(file, n % 2 === 0 ? [] : ['links', 'votes'], 300 + n * (1_200 / KILLS))) killed += 1
    t.deepEqual(await started(file), expected)
  }
  t.true(killed > 0)
  const { code } = await runCommand('audit', file)
  t.is(code, 0)
})
