import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import type { ExecutionContext } from 'ava'
import { temporaryDirectory } from './temporary.ts'

const FILES = new URL('../fixtures/data-files/', import.meta.url)
const ENDING = '.tar.gz'

/** The tags of the releases of which there is a data file. */
export const dataFileTags: readonly string[] = readdirSync(FILES).flatMap((name) =>
  name.endsWith(ENDING) ? [name.slice(0, -ENDING.length)] : [],
)

/** Unpacks the data file of a release into a new directory. */
export const unpackDataFile = (t: ExecutionContext, tag: string): string => {
  const directory = temporaryDirectory(t)
  const { status, stderr } = spawnSync('tar', ['-C', directory, '-xzf', new URL(`${tag}${ENDING}`, FILES).pathname])
  if (status !== 0) throw new Error(`tar ended with ${status}: ${stderr}`)
  return directory
}
