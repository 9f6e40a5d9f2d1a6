import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'

/** A directory that is gone when the test is over. */
export const temporaryDirectory = (t: Pick<ExecutionContext, 'teardown'>): string => {
  const directory = mkdtempSync(join(tmpdir(), 'rostra-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
