import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import type { Position } from '../src/ports/event-store.ts'
import { type ShardWatch, watchShards } from '../src/shard-watch.ts'

const P = (place: number): Position => String(place).padStart(20, '0')

/** A generation, as soon as the watch knows one. */
const known = async ({ generation }: ShardWatch): Promise<number> => {
  for (let tries = 0; tries < 500; tries++) {
    const found = generation('links')
    if (found !== undefined) return found
    await sleep(5)
  }
  throw new Error('no generation became known')
}

test('a generation stands while no checkpoint moves, and is another one as soon as a waiting command is told that its shard moved', async (t) => {
  const places = [P(1), P(1)]
  const watch = watchShards(async () => [...places])
  t.teardown(watch.close)
  const before = await known(watch)
  await sleep(100)
  t.is(await known(watch), before)

  const told = watch.waitFor(new Set([1]), P(2), 5_000)
  places[1] = P(2)
  t.true(await told)
  t.not(watch.generation('links'), before)
  t.is(watch.position(), P(1))
})

test('nothing is known before the first look, nor while the looks fail or hang', async (t) => {
  let answer: () => Promise<readonly Position[]> = async () => [P(1)]
  const watch = watchShards(() => answer())
  t.teardown(watch.close)
  t.is(watch.generation('links'), undefined)
  await known(watch)

  answer = async () => {
    throw new Error('the server is away')
  }
  for (let tries = 0; watch.generation('links') !== undefined && tries < 500; tries++) await sleep(5)
  t.is(watch.generation('links'), undefined)
  t.is(watch.fault()?.message, 'the server is away')

  answer = async () => [P(1)]
  await known(watch)
  answer = () => new Promise(() => undefined)
  for (let tries = 0; watch.generation('links') !== undefined && tries < 500; tries++) await sleep(5)
  t.is(watch.generation('links'), undefined)
})

test('while looks are slow, one is believed until the next has come', async (t) => {
  const watch = watchShards(async () => {
    await sleep(150)
    return [P(1)]
  })
  t.teardown(watch.close)
  await known(watch)
  for (let tries = 0; tries < 40; tries++) {
    t.not(watch.generation('links'), undefined)
    await sleep(10)
  }
})

test('looks are rare while nobody asks', async (t) => {
  let looks = 0
  const watch = watchShards(async () => {
    looks++
    return [P(1)]
  })
  t.teardown(watch.close)
  await sleep(450)
  t.true(looks <= 3, `${looks} looks`)
})
