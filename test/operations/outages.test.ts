import test from 'ava'
import { type Outage, openOutages } from '../../src/operations/outages.ts'
import { StoreFault } from '../../src/ports/faults.ts'

const start = () => {
  let now = 1_000_000
  const said: string[] = []
  const line =
    (what: string) =>
    ({ seconds, requests, attempts, why }: Outage) =>
      said.push(`${what} ${seconds} s, ${requests} requests, ${attempts} attempts: ${why}`)
  const { isKnown, look } = openOutages({ continues: line('continues'), ends: line('ends') }, () => now)
  const pass = (ms: number) => {
    now += ms
    look()
  }
  return { isKnown, pass, said }
}

const fault = (message: string) => new StoreFault('unavailable', message)

test('of an outage the first line is written, one every thirty seconds, and one when it is over', (t) => {
  const { isKnown, pass, said } = start()
  let lines = 0
  for (let n = 0; n < 2_400; n++) {
    const fields = n % 4 === 0 ? { method: 'GET', why: 'no answer' } : { err: fault('no answer') }
    if (!isKnown(fields)) lines += 1
    pass(250)
  }
  t.is(lines, 1)
  t.is(said.length, 19)
  t.is(said[0], 'continues 30 s, 31 requests, 121 attempts: no answer')
  pass(10_000)
  t.is(said.at(-1), 'ends 600 s, 600 requests, 2400 attempts: no answer')
  t.is(said.length, 20)
  t.false(isKnown({ err: fault('again') }), 'the next one begins with a line')
})

test('lines about anything else are written, also during an outage', (t) => {
  const { isKnown } = start()
  t.false(isKnown({ err: fault('no answer') }))
  t.true(isKnown({ err: new AggregateError([fault('one'), new StoreFault('unknown-outcome', 'other')]) }))
  for (const fields of [
    'a text',
    null,
    {},
    { err: new Error('a bug') },
    { err: new StoreFault('damaged', 'changed') },
    { err: new AggregateError([fault('one'), new Error('a bug')]) },
    { err: new AggregateError([]) },
  ])
    t.false(isKnown(fields))
})
