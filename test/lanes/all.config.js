import { mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'

// Every test file is a thread of its own that loads the service anew: what Node compiled once is kept for the others.
process.env.NODE_COMPILE_CACHE ??= new URL('../../node_modules/.cache/compile', import.meta.url).pathname

// A thread is short, and has room for most of what it ever makes: copying what is young takes an eighth of the time otherwise.
for (const flag of ['--min-semi-space-size=16', '--max-semi-space-size=32']) setFlagsFromString(flag)

/** Bytes that the data files of all suites fit into, those of `npm run test:faults` included. */
const ROOM = 8 * 2 ** 30

const bytesFree = (directory) => {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

// Data files are kept in memory where it has room: no test needs them after a power cut, and most would wait for the disk.
const MEMORY = '/dev/shm'
try {
  if (bytesFree(MEMORY) > ROOM) process.env.TMPDIR ??= MEMORY
} catch {
  // not a Linux machine: the usual directory will do
}

// What all sites of a run begin with; the first one makes it.
const ofThisRun = mkdtempSync(join(tmpdir(), 'rostra-run-'))
process.on('exit', () => rmSync(ofThisRun, { recursive: true, force: true }))
process.env.EMPTY_DATA_FILE = join(ofThisRun, 'empty.db')

// Many files wait for processes they started: a third one at a time uses the processors meanwhile.
export default {
  extensions: ['ts'],
  files: ['test/**/*.test.ts'],
  // a thread loads a thousand modules: it need not ask of each whether a part of its path is a link
  nodeArguments: ['--preserve-symlinks'],
  timeout: '2m',
  concurrency: 3,
}
