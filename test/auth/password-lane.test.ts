import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { either as E } from 'fp-ts'
import { hashesAtOnce, openPasswordLane } from '../../src/auth/password-lane.ts'
import { refuse } from '../../src/domain/decision.ts'
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

const busy = refuse('TOO_BUSY')

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
  const all = ['a1', 'a2', 'b1', 'b2', 'c1'].map((name) => lane.enter(name.charAt(0), piece(name)))
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
  t.is(lane.turnedAway(), 0)
})

test('at most four passwords per address and 64 in all wait; the next is refused at once', async (t) => {
  const lane = openPasswordLane(1)
  const { piece, end } = pieces()
  const first = lane.enter('a', piece('first'))
  for (let n = 0; n < 4; n++) void lane.enter('a', piece(`a${n}`))
  t.deepEqual(await lane.enter('a', piece('a4')), busy)
  for (let n = 0; n < 60; n++) void lane.enter(`${n}`, piece(`b${n}`))
  t.is(lane.waiting(), 64)
  t.deepEqual(await lane.enter('somebody else', piece('c')), busy)
  t.is(lane.turnedAway(), 2)
  await end('first')
  t.deepEqual(await first, E.right('first'))
  t.is(lane.waiting(), 63)
})

test('a password that waited too long is refused and not hashed', async (t) => {
  const lane = openPasswordLane(1, 50)
  const { begun, piece, end } = pieces()
  const first = lane.enter('a', piece('first'))
  t.deepEqual(await Promise.all([lane.enter('b', piece('second')), lane.enter('c', piece('third'))]), [busy, busy])
  t.is(lane.waiting(), 0)
  await end('first')
  await first
  t.deepEqual(begun, ['first'])
  t.is(lane.turnedAway(), 2)
})

test('a password that waited too long is refused also after the event loop was blocked', async (t) => {
  const lane = openPasswordLane(1, 50)
  const { begun, piece, end } = pieces()
  const first = lane.enter('a', piece('first'))
  const second = lane.enter('b', piece('second'))
  await sleep(1)
  for (const until = performance.now() + 60; performance.now() < until; );
  await end('first')
  await first
  t.deepEqual(await second, busy)
  t.deepEqual(begun, ['first'])
})

test('after a failed hash the next one runs', async (t) => {
  const lane = openPasswordLane(1)
  const failing = lane.enter('a', () => Promise.reject(new Error('the vault is gone')))
  const next = lane.enter('a', async () => 'next')
  await t.throwsAsync(failing, { message: 'the vault is gone' })
  t.deepEqual(await next, E.right('next'))
})

test('for any sequence of requests the limits hold and each request ends', (t) =>
  fc
    .assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 20 }), { maxLength: 150 }), fc.integer({ min: 1, max: 4 }), async (addresses, atOnce) => {
        const lane = openPasswordLane(atOnce)
        const running: number[] = []
        const answers = addresses.map((address) =>
          lane.enter(String(address), async () => {
            running.push(address)
            t.true(running.length <= atOnce && new Set(running).size === running.length)
            await Promise.resolve()
            running.splice(running.indexOf(address), 1)
          }),
        )
        t.true(lane.waiting() <= 64)
        const refused = (await Promise.all(answers)).filter(E.isLeft).length
        t.is(refused, lane.turnedAway())
        t.is(lane.waiting(), 0)
      }),
      { numRuns: 50 },
    )
    .then(() => t.pass()))
