import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { hashesAtOnce, openPasswordLane } from '../../src/auth/password-lane.ts'
import { openReservations } from '../../src/auth/password-places.ts'
import fc from '../support/properties.ts'

/** Work that is done when it is told to be. */
const pieces = () => {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const piece = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await sleep(1)
  }
  return { begun, piece, end }
}

const busy = (seconds: number) => E.left({ code: 'TOO_BUSY', field: null, extra: { ratelimit: seconds } })

for (const [threads, atOnce] of [
  [undefined, 2],
  ['4', 2],
  ['5', 2],
  ['128', 64],
  ['1', 1],
  ['0', 1],
  ['-3', 1],
  ['many', 1],
  ['5000', 512],
] as const)
  test(`with a pool of ${threads} threads, ${atOnce} passwords are hashed at once`, (t) => t.is(hashesAtOnce(threads), atOnce))

test('passwords are hashed in order of arrival, a limited number at once, one of each address', async (t) => {
  const lane = openPasswordLane(2)
  const { begun, piece, end } = pieces()
  const all = ['a1', 'a2', 'b1', 'b2', 'c1'].map((name) => lane.enter(name.charAt(0), name, piece(name)))
  await sleep(1)
  t.deepEqual(begun, ['a1', 'b1'])
  t.is(lane.waiting(), 3)
  await end('b1')
  t.deepEqual(begun, ['a1', 'b1', 'b2'], 'a2 came first, but a1 still runs')
  await end('b2')
  t.deepEqual(begun, ['a1', 'b1', 'b2', 'c1'])
  await end('a1')
  t.deepEqual(begun, ['a1', 'b1', 'b2', 'c1', 'a2'])
  await end('a2')
  await end('c1')
  t.deepEqual(await Promise.all(all), ['a1', 'a2', 'b1', 'b2', 'c1'].map(E.right))
  t.is(lane.waiting(), 0)
  t.is(lane.countRefusals(), 0)
})

test('at most 32 passwords of an address wait; the next is refused at once, and told when a place will be free', async (t) => {
  const lane = openPasswordLane(2)
  const { piece, end } = pieces()
  const first = lane.enter('a', 'first', piece('first'))
  for (let n = 0; n < 32; n++) void lane.enter('a', `a${n}`, piece(`a${n}`))
  t.deepEqual(await lane.enter('a', 'a32', piece('a32')), busy(1))
  // each hash is expected to take a quarter of a second, and those told to come again come first
  for (let n = 33; n < 40; n++) await lane.enter('a', `a${n}`, piece(`a${n}`))
  t.deepEqual(await lane.enter('a', 'a40', piece('a40')), busy(3))
  t.is(lane.countRefusals(), 9)
  void lane.enter('b', 'b', piece('b'))
  t.is(lane.waiting(), 32, 'another address has a place of its own')
  await end('first')
  t.deepEqual(await first, E.right('first'))
})

test('who comes again when told to has kept its place before those that came later', async (t) => {
  const lane = openPasswordLane(1)
  const { begun, piece, end } = pieces()
  const enter = (name: string) => lane.enter('a', name, piece(name))
  void enter('first')
  for (let n = 0; n < 32; n++) void enter(`a${n}`)
  t.true(E.isLeft(await enter('patient')))
  await end('first')
  t.true(E.isLeft(await enter('pushing')), 'the free place is kept for the patient one')
  void enter('PATIENT')
  t.is(lane.waiting(), 32)
  for (let n = 0; n < 32; n++) await end(`a${n}`)
  void enter('pushing')
  await end('PATIENT')
  t.deepEqual(begun.slice(-3), ['a31', 'PATIENT', 'pushing'])
})

test('a place that nobody comes again for is free for others after a while', (t) => {
  let now = 0
  const reservations = openReservations(() => now)
  reservations.make('a', 'gone', { arrival: 1, seconds: 2 })
  t.is(reservations.before('a', 2), 1)
  t.is(reservations.before('b', 2), 0)
  t.is(reservations.arrivalOf('a', 'gone'), 1)
  now = 7_000
  t.is(reservations.arrivalOf('a', 'gone'), undefined)
  t.is(reservations.before('a', 2), 0)
  for (let n = 0; n < 1_000; n++) reservations.make('a', `name${n}`, { arrival: n, seconds: 1 })
  t.is(reservations.before('a', 1_000), 256, 'bounded')
})

test('where 64 wait, an address of which fewer wait takes the place of the last of the address of which most wait', async (t) => {
  const lane = openPasswordLane(1)
  const { begun, piece, end } = pieces()
  void lane.enter('x', 'first', piece('first'))
  const crowds = ['a', 'b'].flatMap((address) =>
    Array.from({ length: 32 }, (_, n) => lane.enter(address, `${address}${n}`, piece(`${address}${n}`))),
  )
  t.is(lane.waiting(), 64)
  void lane.enter('c', 'c', piece('c'))
  t.deepEqual(await crowds[31], busy(1))
  t.is(lane.waiting(), 64)
  await end('first')
  await end('a0')
  await end('b0')
  t.deepEqual(begun, ['first', 'a0', 'b0', 'c'], 'addresses take turns')
})

test('a password that waited too long is refused and not hashed', async (t) => {
  const lane = openPasswordLane(1, 50)
  const { begun, piece, end } = pieces()
  const first = lane.enter('a', 'first', piece('first'))
  t.deepEqual(await Promise.all([lane.enter('b', 'second', piece('second')), lane.enter('c', 'third', piece('third'))]), [busy(1), busy(1)])
  t.is(lane.waiting(), 0)
  await end('first')
  await first
  t.deepEqual(begun, ['first'])
  t.is(lane.countRefusals(), 2)
})

test('a password that waited too long is refused also after the event loop was blocked', async (t) => {
  const lane = openPasswordLane(1, 50)
  const { begun, piece, end } = pieces()
  const first = lane.enter('a', 'first', piece('first'))
  const second = lane.enter('b', 'second', piece('second'))
  await sleep(1)
  for (const until = performance.now() + 60; performance.now() < until; );
  await end('first')
  await first
  t.deepEqual(await second, busy(1))
  t.deepEqual(begun, ['first'])
})

test('after a failed hash the next one runs', async (t) => {
  const lane = openPasswordLane(1)
  const failing = lane.enter('a', 'ann', () => Promise.reject(new Error('the vault is gone')))
  const next = lane.enter('a', 'bob', async () => 'next')
  await t.throwsAsync(failing, { message: 'the vault is gone' })
  t.deepEqual(await next, E.right('next'))
})

test('for any sequence of requests the limits hold and each request ends', (t) =>
  fc
    .assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 20 }), { maxLength: 150 }), fc.integer({ min: 1, max: 4 }), async (addresses, atOnce) => {
        const lane = openPasswordLane(atOnce)
        const running: number[] = []
        const answers = addresses.map((address, n) =>
          lane.enter(String(address), String(n), async () => {
            running.push(address)
            t.true(running.length <= atOnce && new Set(running).size === running.length)
            await Promise.resolve()
            running.splice(running.indexOf(address), 1)
          }),
        )
        t.true(lane.waiting() <= 64)
        const refused = (await Promise.all(answers)).filter(E.isLeft).length
        t.is(refused, lane.countRefusals())
        t.is(lane.waiting(), 0)
      }),
      { numRuns: 50 },
    )
    .then(() => t.pass()))
