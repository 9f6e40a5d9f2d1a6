import { spawn } from 'node:child_process'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { LinkSubmitted } from '../../src/domain/link.ts'
import { FULL } from '../support/full.ts'
import { growLog, longText } from '../support/grow-log.ts'
import { temporaryDirectory } from '../support/temporary.ts'

// FULL_FAULTS=1: read models of a log of long posts are built in a small heap.

const POSTS = 60_000
const CHARACTERS = 20_000
const HEAP = '--max-old-space-size=256'
const ROOT = new URL('../../', import.meta.url)

const posts = function* () {
  for (let n = 0; n < POSTS; n++) {
    const link = `t5_${(n + 46_656).toString(36)}`
    const place = { link, subsite: 't4_1', author: `t2_${n % 100}` }
    const text = longText(n, CHARACTERS)
    const submitted = LinkSubmitted({ ...place, title: `post ${n}`, text, over18: false, sendReplies: true, filtered: false })
    yield { stream: `link-${link}`, after: 'none' as const, author: place.author, events: [submitted] }
  }
}

/** Run a program of the service in a small heap: until it is ready, or to its end; what it said. */
const inSmallHeap = (t: ExecutionContext, file: string, program: string, ready?: RegExp) =>
  new Promise<{ readonly code: number | null; readonly said: string; readonly seconds: number }>((resolve) => {
    const began = performance.now()
    const url = `sqlite:${file}`
    const child = spawn(process.execPath, [HEAP, program], {
      cwd: ROOT,
      env: { ...process.env, EVENT_STORE_URL: url, DOCUMENT_STORE_URL: url, PORT: '0', LOG_LEVEL: 'warn' },
    })
    t.teardown(() => child.kill('SIGKILL'))
    let said = ''
    const hear = (data: Buffer) => {
      said += data
      if (ready?.test(said)) child.kill('SIGTERM')
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('close', (code) => resolve({ code, said, seconds: (performance.now() - began) / 1000 }))
  })

const full = FULL ? test : test.skip

full(
  'a start after a change of versions, and a rebuild, need no more than 256 MB of heap for 60,000 posts of 20,000 characters',
  async (t) => {
    t.timeout(60 * 60_000)
    const file = join(temporaryDirectory(t), 'rostra.db')
    await growLog(file, posts())
    // no read models of this version are there, as after a change of versions
    const started = await inSmallHeap(t, file, 'src/main.ts', /^rostra listening/m)
    t.is(started.code, 0, started.said.slice(-2_000))
    const rebuilt = await inSmallHeap(t, file, 'src/cli/rebuild.ts')
    t.is(rebuilt.code, 0, rebuilt.said.slice(-2_000))
    t.regex(rebuilt.said, /60000 events/)
    t.log(`start ${started.seconds.toFixed(0)} s, rebuild ${rebuilt.seconds.toFixed(0)} s`)
  },
)
