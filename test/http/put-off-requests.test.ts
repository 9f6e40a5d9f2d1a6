import { Writable } from 'node:stream'
import test, { type ExecutionContext } from 'ava'
import pino from 'pino'
import { answerRefusal, retryAfter } from '../../src/http/contract/error-responses.ts'
import { type RefusalCode, refusals } from '../../src/http/contract/refusals.ts'
import { openRateLimit } from '../../src/limits/rate-limit.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { idGenerator } from '../../src/runtime/mint.ts'
import { serviceOf } from '../support/answering.ts'
import { startSite } from '../support/site.ts'

const site = await startSite({})
test.after.always(() => site.stop())

/** The status of a request whose handling fails, and what is logged of it. */
const failing = async (t: ExecutionContext, handle: () => Promise<never>) => {
  const lines: string[] = []
  const log = pino({ level: 'info' }, new Writable({ write: (line, _, done) => done(void lines.push(String(line))) }))
  const { app } = site.running
  const report = (fault: unknown) => {
    throw fault
  }
  const limit = openRateLimit({ clock: () => 0, enforced: false, report })
  const ask = await serviceOf(t, { ...app, log, limit, handle })
  const { status, headers } = await ask('/hot')
  return { status, retryAfter: headers['retry-after'], lines: lines.map((line) => JSON.parse(line)) }
}

test('a request that cannot be answered just now, as after a leap of the clock, is put off with a warning of one line', async (t) => {
  const afterLeap = idGenerator(0, 0, () => Date.now() + 3_600_000)
  const { status, retryAfter, lines } = await failing(t, async () => {
    afterLeap.next(Date.now())
    throw new Error('an id beyond the lease')
  })
  t.deepEqual([status, retryAfter], [503, '1'])
  t.is(lines.length, 1)
  t.like(lines[0], {
    level: 40,
    msg: 'a request was answered 503: a store is unavailable',
    why: 'this process could not renew its lease for making ids in time (worker number 0)',
    method: 'GET',
    path: '/hot',
  })
  t.false('err' in lines[0])
})

test('any other failure is an error with its stack', async (t) => {
  for (const error of [new Error('a bug'), new StoreFault('damaged', 'a broken file')]) {
    const { status, lines } = await failing(t, () => Promise.reject(error))
    t.is(status, 500)
    t.like(lines[0], { level: 50, msg: 'a request failed' })
    t.regex(lines[0].err.stack, /\n {4}at /)
  }
})

test('every refusal with status 429 or 503 has Retry-After and the words of its rule, in each family of endpoints', (t) => {
  const families = ['form', 'silent', 'plain', 'coded'] as const
  const all = Object.entries(refusals) as [RefusalCode, (typeof refusals)[RefusalCode]][]
  const putOff = all.filter(([, { status }]) => status === 429 || status === 503).map(([code]) => code)
  t.true(putOff.length >= 7)
  for (const code of putOff)
    for (const family of families) {
      const { status, headers } = answerRefusal(family, { code, field: null }, '')
      t.is(status === 200 || /^[1-9]\d*$/.test(headers['Retry-After'] ?? ''), true, `${code} ${family}`)
      const worded = answerRefusal(family, { code, field: null, text: 'words of its rule', extra: { ratelimit: 6.5 } }, '')
      if (worded.status === 200) continue
      t.is(worded.headers['Retry-After'], '7', `${code} ${family}`)
      t.is(worded.body.explanation, 'words of its rule', `${code} ${family}`)
    }
  const others = all.map(([code]) => code).filter((code) => !putOff.includes(code))
  t.deepEqual(
    others.filter((code) => 'Retry-After' in retryAfter({ code, field: null })),
    [],
  )
})
