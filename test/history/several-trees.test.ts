import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { ownerOfAct } from '../../src/history/records.ts'
import { subsiteTree } from '../../src/history/trees.ts'
import type { RecordedEvent } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { recordedEvents } from '../support/numbered-log.ts'
import { openDataFile, openedWith, proofOf, startKeeping } from './opened-stores.ts'

const SUBSITES = Array.from({ length: 8 }, (_, n) => `t4_place${n}`)
const TREES = SUBSITES.map((subsite) => subsiteTree(1, subsite))
const PATIENCE_MS = 5_000

const anAct = recordedEvents.find((event) => ownerOfAct(event) === 't4_tea')

/** An act of a moderator in each subsite. */
const acts: readonly RecordedEvent[] = SUBSITES.flatMap((subsite) =>
  anAct ? [{ ...anAct, id: randomUUID(), stream: `${anAct.stream}-${subsite}`, data: anAct.data.replaceAll('t4_tea', subsite) }] : [],
)

test('trees of several subsites grow at once', async (t) => {
  const opened = await openedWith(t, openDataFile, acts)
  const { history } = opened
  const together = Promise.withResolvers<void>()
  let waiting = 0
  const keeping = await startKeeping({
    ...opened,
    history: {
      ...history,
      grow: async (from, state) => {
        if (TREES.includes(state.tree)) {
          waiting += 1
          if (waiting === TREES.length) together.resolve()
          await Promise.race([together.promise, sleep(PATIENCE_MS, undefined, { ref: false })])
          t.is(waiting, TREES.length, state.tree)
        }
        return history.grow(from, state)
      },
    },
  })
  await keeping.numbered(acts.length)
  t.deepEqual(await keeping.stop(), [])
  t.deepEqual((await proofOf(opened)).findings, [])
})

test('a tree that cannot be stored leaves the trees that grow beside it whole', async (t) => {
  const opened = await openedWith(t, openDataFile, acts)
  const { history } = opened
  let fails = 1
  let others = 0
  const keeping = await startKeeping({
    ...opened,
    history: {
      ...history,
      grow: async (from, state) => {
        if (fails > 0 && state.tree === TREES[0]) {
          fails -= 1
          throw new StoreFault('unavailable', 'not now')
        }
        if (others < TREES.length - 1) await sleep(100)
        others += 1
        return history.grow(from, state)
      },
    },
  })
  await keeping.numbered(acts.length)
  t.is(keeping.faults.length, 1)
  const sizes = await Promise.all(TREES.map(async (tree) => (await history.state(tree))?.size ?? 0))
  t.deepEqual(sizes, [0, ...SUBSITES.slice(1).map(() => 1)])
  while (((await history.state('1/log'))?.size ?? 0) < acts.length) await sleep(10)
  t.deepEqual(await keeping.stop(), ['not now'])
  t.deepEqual((await proofOf(opened)).findings, [])
})
