import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { shapeFor } from '../../bench/log-shape.ts'
import { syntheticLog } from '../../bench/synthetic-log.ts'
import { writeLog } from '../../bench/write-log.ts'
import { manifestIn } from '../support/exported.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const HEAP_MB = 48

test('an export holds no more than a bounded part of a log: in a heap that its rows would overflow, it ends', async (t) => {
  const directory = temporaryDirectory(t)
  const file = join(directory, 'rostra.db')
  const events = await writeLog(file, syntheticLog(shapeFor(2_500)))
  const url = `sqlite:${file}`
  const env = { ...process.env, EVENT_STORE_URL: url, DOCUMENT_STORE_URL: url }
  const to = join(directory, 'export')
  const args = ['src/cli/export.ts', '--to', to, '--open', '--format', 'parquet']
  await promisify(execFile)(process.execPath, [`--max-old-space-size=${HEAP_MB}`, ...args], { env })
  t.is(manifestIn(t, to).rows, events)
})
