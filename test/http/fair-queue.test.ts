import test from 'ava'
import { runForCaller } from '../../src/http/contract/request-state.ts'
import { whyUnrenderable } from '../../src/http/present/markdown.ts'
import { openFairQueue } from '../../src/http/workers/fair-queue.ts'
import { openLane } from '../../src/http/workers/worker-process.ts'

const as = <T>(caller: string, work: () => Promise<T>): Promise<T> => runForCaller(() => caller, work)

/** Work that notes when it begins and ends when it is told to. */
const openWork = (turns: ReturnType<typeof openFairQueue>) => {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const ask = (caller: string, name: string) =>
    as(caller, () =>
      turns(() => {
        begun.push(name)
        return new Promise<string>((resolve) => ends.push(() => resolve(name)))
      }),
    )
  const endAll = async () => {
    do {
      ends.shift()?.()
      await new Promise(setImmediate)
    } while (ends.length > 0)
  }
  return { begun, ask, endAll }
}

test('callers take turns, so one with much work does not delay the others', async (t) => {
  const { begun, ask, endAll } = openWork(openFairQueue({ mostWaiting: 100, mostWaitingOfOne: 16 }))
  const asked = [...Array.from({ length: 10 }, (_, n) => ask('mallory', `m${n}`)), ask('ann', 'a0'), ask('bob', 'b0'), ask('ann', 'a1')]
  await endAll()
  await Promise.all(asked)
  t.deepEqual(begun.slice(0, 6), ['m0', 'm1', 'a0', 'b0', 'm2', 'a1'])
  t.is(begun.length, 13)
})

test('the queue is limited per caller and in total; work beyond it is refused at once', async (t) => {
  const { begun, ask, endAll } = openWork(openFairQueue({ mostWaiting: 5, mostWaitingOfOne: 3 }))
  const asked = [1, 2, 3, 4].map((n) => ask('mallory', `m${n}`))
  t.is(await ask('mallory', 'm5'), 'too-many')
  asked.push(ask('ann', 'a'), ask('bob', 'b'))
  t.is(await ask('carol', 'c'), 'busy')
  await endAll()
  await Promise.all(asked)
  t.deepEqual(begun, ['m1', 'm2', 'a', 'b', 'm3', 'm4'])
})

test('work after a failed one runs, and only work of different callers runs in parallel', async (t) => {
  const turns = openFairQueue({ atOnce: 2, mostWaiting: 9, mostWaitingOfOne: 9 })
  await t.throwsAsync(as('ann', () => turns(() => Promise.reject(new Error('no')))))
  const { begun, ask, endAll } = openWork(turns)
  const asked = [ask('ann', 'a0'), ask('ann', 'a1'), ask('bob', 'b0')]
  t.deepEqual(begun, [])
  await new Promise(setImmediate)
  t.deepEqual(begun, ['a0', 'b0'])
  await endAll()
  await Promise.all(asked)
  t.deepEqual(begun, ['a0', 'b0', 'a1'])
})

test('work that is abandoned while it waits leaves the queue, and its place', async (t) => {
  const turns = openFairQueue({ mostWaiting: 3, mostWaitingOfOne: 2 })
  const { begun, ask, endAll } = openWork(turns)
  const asked = [ask('ann', 'a')]
  const leaving = new AbortController()
  const left = ['mallory', 'mallory', 'eve'].map((caller) => as(caller, () => turns(() => Promise.resolve(caller), leaving.signal)))
  t.is(await ask('bob', 'b'), 'busy')
  leaving.abort(new Error('left'))
  for (const one of left) await t.throwsAsync(one, { message: 'left' })
  await t.throwsAsync(
    as('eve', () => turns(() => Promise.resolve('eve'), leaving.signal)),
    { message: 'left' },
  )
  asked.push(ask('bob', 'b'), ask('mallory', 'm0'), ask('mallory', 'm1'))
  await endAll()
  t.deepEqual(await Promise.all(asked), ['a', 'b', 'm0', 'm1'])
  t.deepEqual(begun, ['a', 'b', 'm0', 'm1'])
})

test('long texts of different accounts are rendered in turn', async (t) => {
  const answered: string[] = []
  const render = (caller: string, text: string) => as(caller, () => whyUnrenderable(text)).then(() => answered.push(caller))
  const slow = Array.from({ length: 6 }, (_, n) => render('mallory', `${n} ${'> a\n\n'.repeat(6_000)}`))
  await Promise.all([...slow, render('ann', '*honest* '.repeat(2_000))])
  t.is(answered.indexOf('ann'), 2, String(answered))
})

test('a long text that many callers request is rendered once', async (t) => {
  const timed = async (work: () => Promise<unknown>) => {
    const began = performance.now()
    await work()
    return performance.now() - began
  }
  /** Returns the factor by which sixty callers wait longer for one text than one caller waits for another. */
  const ratioOf = async (text: string) => {
    const once = await timed(() => as('ann', () => whyUnrenderable(`${text} first`)))
    const callers = Array.from({ length: 60 }, (_, n) => `reader ${n}`)
    return (
      (await timed(async () => {
        for (const answer of await Promise.all(callers.map((caller) => as(caller, () => whyUnrenderable(text))))) t.is(answer, undefined)
      })) / once
    )
  }
  // the best of some tries counts, since the machine may be busy with something else
  const ratios: number[] = []
  while (ratios.length < 5 && !((ratios.at(-1) ?? 60) < 20))
    ratios.push(await ratioOf(`popular ${ratios.length} ${'> a\n\n'.repeat(4_000)}`))
  t.true(Math.min(...ratios) < 20, String(ratios))
})

const openHungryLane = (options: { readonly idleMs?: number } = {}) => {
  const lane = openLane<number, number>(new URL('../support/hungry-worker.ts', import.meta.url), {
    limit: 60_000,
    heapMegabytes: 64,
    mostWaiting: 9,
    mostWaitingOfOne: 9,
    ...options,
  })
  const pidOf = async (): Promise<number> => {
    const done = await lane(1)
    return typeof done === 'string' ? Number.NaN : done.result
  }
  return { lane, pidOf }
}

test('work that fills its memory ends its own process, and what waits is done in another', async (t) => {
  const { lane, pidOf } = openHungryLane()
  const first = await pidOf()
  t.is(await pidOf(), first, 'the process stays')
  const [full, next] = await Promise.all([lane(100_000_000), pidOf()])
  t.is(full, 'too-slow')
  t.true(next > 0 && next !== first)
})

test('work that throws fails as such, and what waits is done in another process', async (t) => {
  const { lane, pidOf } = openHungryLane()
  const [failed, next] = await Promise.allSettled([lane(-1), pidOf()])
  t.regex(String((failed as PromiseRejectedResult).reason), /hungry-worker\.ts ended with exit code 1:.*RangeError: less than no entries/s)
  t.true(next.status === 'fulfilled' && next.value > 0)
})

test('a signal to all processes of a service does not end the work of one', async (t) => {
  const { pidOf } = openHungryLane()
  const pid = await pidOf()
  process.kill(pid, 'SIGTERM')
  process.kill(pid, 'SIGINT')
  t.is(await pidOf(), pid)
})

test('a process without work ends, and one that was killed meanwhile is started again', async (t) => {
  const { pidOf } = openHungryLane({ idleMs: 1 })
  const pid = await pidOf()
  const isAlive = () => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  while (isAlive()) await new Promise(setImmediate)
  t.true((await pidOf()) > 0)
})
