import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { LinkEdited } from '../../src/domain/link.ts'
import { FULL } from '../support/full.ts'
import { growLog, longText } from '../support/grow-log.ts'
import { registerSession, startService } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary.ts'

// Streams that one account lengthens cost the others nothing. FULL_FAULTS=1 has the 20,000 edits (500 MB); else some hundred.

const EDITS = FULL ? 20_000 : 120
const CHARACTERS = 20_000
const AT_ONCE = 30

const gauge = (text: string, name: string): number => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1])

/** Measures the cost of a vote on a post with all these edits for a service that has just started. */
const measure = async (t: ExecutionContext) => {
  const directory = temporaryDirectory(t)
  const environment = { RATE_LIMITS: 'off' }
  const first = await startService(directory, environment)
  const ann = await registerSession(first.caller, 'ann')
  const bob = await registerSession(first.caller, 'bob')
  const as = (service: typeof first, who: typeof ann) => (path: string, form: Record<string, string>) =>
    service.caller.post(path, { api_type: 'json', ...form }, who.headers)
  await as(first, ann)('/api/site_admin', { name: 'tea', title: 'All about tea' })
  const submitted = await as(first, ann)('/api/submit', { sr: 'tea', kind: 'self', title: 'On water', text: 'first' })
  const link = String(submitted.at('json.data.name'))
  const subsite = String((await first.caller.get('/s/tea/about')).at('data.name'))
  const author = `t2_${(await first.caller.get('/user/ann/about')).at('data.id')}`
  await first.end('SIGTERM')

  const edits = function* () {
    for (let n = 0; n < EDITS; n += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, EDITS - n) }, (_, i) => n + i)
      const events = some.map((i) => LinkEdited({ link, subsite, author, text: longText(i, CHARACTERS) }))
      yield { stream: `link-${link}`, after: n, author, events }
    }
  }
  await growLog(join(directory, 'rostra.db'), edits())

  const second = await startService(directory, environment) // brings the read models up to date
  await second.end('SIGTERM')
  const third = await startService(directory, environment)
  t.teardown(() => third.end('SIGTERM'))
  await sleep(500)
  await third.caller.get('/metrics') // the service begins its measures anew
  const began = performance.now()
  const voted = await as(third, bob)('/api/vote', { id: link, dir: '1' })
  const took = performance.now() - began
  await sleep(500)
  const metrics = (await third.caller.get('/metrics')).text
  const locked = await as(third, ann)('/api/lock', { id: link })
  const log = await third.caller.get('/s/tea/about/log', ann.headers)
  const memory = gauge(metrics, 'process_resident_memory_bytes') / 1024 / 1024
  const delay = gauge(metrics, 'nodejs_eventloop_lag_p99_seconds') * 1000
  t.log(
    `${EDITS} edits: vote ${took.toFixed(0)} ms, event loop p99 ${delay.toFixed(0)} ms, ${memory.toFixed(0)} MiB resident, start ${third.startedIn.toFixed(0)} ms`,
  )
  t.is(voted.status, 200, voted.text)
  t.is(locked.status, 200, locked.text)
  t.true(String(log.at('data.children.0.data.target_body')).startsWith(longText(EDITS - 1, 400)))
  return { memory, delay, took }
}

let measured: ReturnType<typeof measure> | undefined
const measuredOnce = (t: ExecutionContext) => {
  t.timeout(15 * 60_000)
  measured ??= measure(t)
  return measured
}

test('a vote on a post with very many edits needs little memory', async (t) => {
  const { memory } = await measuredOnce(t)
  t.true(memory < 350, `${memory} MiB`)
})

// full counts are for a quiet machine: a loaded one stretches times, and few edits take none
const full = FULL ? test : test.skip

full('a vote on a post with very many edits is fast and holds nobody up', async (t) => {
  const { delay, took } = await measuredOnce(t)
  t.true(delay <= 50, `event loop p99 ${delay} ms`)
  t.true(took < 500, `${took} ms`)
})
