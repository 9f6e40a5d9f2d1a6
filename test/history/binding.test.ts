import test, { type ExecutionContext } from 'ava'
import { readBindingStart } from '../../src/history/binding.ts'
import { copyHistory } from '../../src/history/copy-history.ts'
import { historyKeyIn } from '../../src/history/key.ts'
import { frontier } from '../../src/history/merkle.ts'
import { boundLeaf, entryLeaf, eventLeaf, ownerOfAct } from '../../src/history/records.ts'
import { leafAt, logTree, treeOf } from '../../src/history/trees.ts'
import { append, numberAll, recordedEvents } from '../support/numbered-log.ts'
import { type Opened, openDataFile, openedWith, proofOf, type Saved, savedOf, startKeeping } from './opened-stores.ts'

const LOG = logTree(1)
const HALF = Math.floor(recordedEvents.length / 2)

/** Returns a history as earlier versions made it: no leaf binds a moderation log. */
const ofEarlierVersion = async (t: ExecutionContext, log = recordedEvents.slice(0, HALF)): Promise<Saved> => {
  const opened = await openedWith(t, openDataFile, log)
  await opened.history.add([{ tree: LOG, kind: 'binding', number: 0, value: Buffer.from('1000000') }])
  await numberAll(opened.events, opened.history, opened.keyFile, log.length)
  const saved = await savedOf(opened)
  return { ...saved, rows: saved.rows.filter(({ kind }) => kind !== 'binding') }
}

/** Compares each leaf in the tree of the log with what the events make: those of acts from a number on bind the tree of their log. */
const compareLeaves = async (t: ExecutionContext, { history, keyFile }: Opened, from: number): Promise<void> => {
  const { secret } = (await historyKeyIn(keyFile)) ?? { secret: '' }
  const log = treeOf(LOG, await history.state(LOG))
  const trees = new Map<string, ReturnType<typeof frontier>>()
  let bound = 0
  for (const [n, event] of recordedEvents.entries()) {
    const leaf = eventLeaf(secret, event)
    const owner = ownerOfAct(event)
    let expected = leaf
    if (owner !== undefined) {
      const tree = trees.get(owner) ?? frontier()
      trees.set(owner, tree)
      tree.push(entryLeaf({ k: tree.size(), n, event: leaf }))
      if (n >= from) expected = boundLeaf(leaf, { size: tree.size(), root: tree.root() })
      bound += n >= from ? 1 : 0
    }
    t.deepEqual(Buffer.from((await leafAt(history, log, n)) ?? []), expected, `event ${n}`)
  }
  t.true(bound > 10)
}

test('the leaf of each act binds the moderation log up to it', async (t) => {
  const opened = await openedWith(t, openDataFile, recordedEvents)
  await numberAll(opened.events, opened.history, opened.keyFile, recordedEvents.length)
  t.is(await readBindingStart(opened.history, { number: 1 }), 0)
  await compareLeaves(t, opened, 0)
  t.deepEqual((await proofOf(opened)).findings, [])
})

test('a history of an earlier version stays as it is, and binds moderation logs from its next event on', async (t) => {
  const earlier = await ofEarlierVersion(t)
  const opened = await openedWith(t, openDataFile, recordedEvents.slice(0, HALF), earlier)
  t.is(await readBindingStart(opened.history, { number: 1 }), undefined)
  t.deepEqual((await proofOf(opened)).findings, [])
  const keeping = await startKeeping(opened, 1)
  await keeping.numbered(HALF)
  t.deepEqual(await keeping.stop(), [])
  t.is(await readBindingStart(opened.history, { number: 1 }), HALF)
  const saved = await savedOf(opened)
  const whole = await openedWith(t, openDataFile, recordedEvents, saved)
  await numberAll(whole.events, whole.history, whole.keyFile, recordedEvents.length)
  await compareLeaves(t, whole, HALF)
  t.deepEqual((await proofOf(whole)).findings, [])

  const carried = await openedWith(t, openDataFile, [], { rows: [], states: [], key: saved.key, head: undefined })
  await append(carried.events, recordedEvents)
  await copyHistory(whole.history, carried.history)
  t.deepEqual((await proofOf(carried)).findings, [], 'it is carried along with the trees')
})

test('where leaves begin to bind cannot be changed unnoticed', async (t) => {
  const opened = await openedWith(t, openDataFile, recordedEvents)
  await numberAll(opened.events, opened.history, opened.keyFile, recordedEvents.length)
  const saved = await savedOf(opened)
  const others = saved.rows.filter(({ kind }) => kind !== 'binding')
  for (const value of [undefined, String(HALF), '-1', '{}']) {
    const row = { tree: LOG, kind: 'binding', number: 0, value: Buffer.from(value ?? '') } as const
    const changed = await openedWith(t, openDataFile, recordedEvents, { ...saved, rows: value === undefined ? others : [...others, row] })
    const proof = await proofOf(changed).catch(({ message }) => message)
    t.true(typeof proof === 'string' ? /holds no number/.test(proof) : proof.findings.length > 0, String(value))
  }
})

test('an entry that is left out of a moderation log makes another leaf of the next act in the log', async (t) => {
  const act = recordedEvents.findIndex(
    (event, n) =>
      n > 50 && ownerOfAct(event) !== undefined && recordedEvents.slice(n + 1).some((later) => ownerOfAct(later) === ownerOfAct(event)),
  )
  const owner = ownerOfAct(recordedEvents[act] as (typeof recordedEvents)[number])
  const next = recordedEvents.findIndex((event, n) => n > act && ownerOfAct(event) === owner)
  const leaves = (isLeftOut: (n: number) => boolean) => {
    const tree = frontier()
    const made = new Map<number, Buffer>()
    for (const [n, event] of recordedEvents.entries()) {
      if (ownerOfAct(event) !== owner || isLeftOut(n)) continue
      const leaf = eventLeaf('5ec7e7', event)
      tree.push(entryLeaf({ k: tree.size(), n, event: leaf }))
      made.set(n, boundLeaf(leaf, { size: tree.size(), root: tree.root() }))
    }
    return made
  }
  const [whole, forged] = [leaves(() => false), leaves((n) => n === act)]
  t.notDeepEqual(forged.get(next), whole.get(next))
})
