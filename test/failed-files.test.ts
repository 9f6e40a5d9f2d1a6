import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { temporaryDirectory } from './support/temporary.ts'

test('the gate runs the files again whose tests failed, and no others of the same name', async (t) => {
  const log = join(temporaryDirectory(t), 'log')
  await writeFile(
    log,
    '  ✘ [fail]: memory › a title add a case to test/http/<section>.test.ts\n  ✔ votes › passed\n  ✘ [fail]: comments › in a lane below one folder › a title\n',
  )
  const root = new URL('..', import.meta.url).pathname
  const { stdout } = await promisify(execFile)(process.execPath, ['.ci/failed-files.mjs', log], { cwd: root })
  t.deepEqual(stdout.trim().split('\n'), ['test/memory.test.ts', 'test/http/comments.test.ts'])
})
