import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { snapshotsProjection } from '../../projections/snapshots.ts'
import { Link, LinkEdited } from '../../src/domain/link.ts'
import { lockLink } from '../../src/domain/thing-moderation.ts'
import { castVote, Vote } from '../../src/domain/vote.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { folds, type Snapshots } from '../../src/runtime/folds.ts'
import { runner } from '../../src/runtime/run.ts'
import { writeSide } from '../support/commanding.ts'
import { project } from '../support/project.ts'
import { streamOf } from '../support/stream-of.ts'
import { teaSubmitted } from '../support/submitted-link.ts'

const EDITS = 300
const LINK = 'link-t5_1'
const edit = (n: number) => LinkEdited({ link: 't5_1', subsite: 't4_1', author: 't2_ann', text: `${n} ${'long '.repeat(1_000)}` })

/** Absent is as good as undefined. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** A link with many edits and a lock, its snapshot, and a count of the events that are read of it. */
const edited = async (t: ExecutionContext) => {
  const side = await writeSide(t)
  await side.run(Link, 't5_1', () => E.right([teaSubmitted('t5_1')]), side.by('t2_ann'))
  const append = (from: number) =>
    side.run(Link, 't5_1', () => E.right(Array.from({ length: 100 }, (_, n) => edit(from + n))), side.by('t2_ann'))
  for (let n = 0; n < EDITS; n += 100) await append(n)
  await side.run(Link, 't5_1', lockLink(Date.now()), side.by('t2_mod', 'moderator'))
  const [snapshot] = project(snapshotsProjection, await side.log.open(await streamOf(side.events, LINK)))
  if (!snapshot) throw new Error('there is none')
  let read = 0
  const counted = async (page: ReturnType<EventStore['read']>) => {
    read += (await page).events.length
    return page
  }
  const events: Pick<EventStore, 'append' | 'read' | 'readBackwards' | 'head'> = {
    head: side.events.head,
    append: side.events.append,
    read: (...args) => counted(side.events.read(...args)),
    readBackwards: (...args) => counted(side.events.readBackwards(...args)),
  }
  const cold = (snapshots: Snapshots) => folds({ events, codec: side.log, snapshots })
  const whole = await folds({ events: side.events, codec: side.log }).readState(Link, LINK)
  return { side, append, snapshot, cold, events, whole, read: () => read }
}

test('a long stream is read from its snapshot, with the state of the whole stream', async (t) => {
  const { append, snapshot, cold, whole, side, read } = await edited(t)
  t.like(whole, { revision: EDITS + 1, state: { locked: true, title: 'tea' } })
  t.regex(whole.state?.excerpt ?? '', new RegExp(`^${EDITS - 1} long`))
  t.deepEqual(plain(await cold(async () => snapshot).readState(Link, LINK)), plain(whole))
  t.true(read() < 40, String(read()))
  await append(EDITS)
  const { readState } = cold(async () => snapshot)
  t.deepEqual(plain(await readState(Link, LINK)), plain(await folds({ events: side.events, codec: side.log }).readState(Link, LINK)))
})

test('a snapshot that does not fit the log or cannot be read is ignored', async (t) => {
  const { snapshot, cold, whole } = await edited(t)
  const state = { ...(snapshot.state as object), locked: false }
  const wrong: readonly Snapshots[] = [
    async () => undefined,
    async () => ({ ...snapshot, state, event: 'of another history' }),
    async () => ({ ...snapshot, state, revision: snapshot.revision - 1 }),
    async () => ({ ...snapshot, state, revision: snapshot.revision + 1_000 }),
    async () => {
      throw new StoreFault('unavailable', 'no answer')
    },
  ]
  for (const snapshots of wrong) t.deepEqual(await cold(snapshots).readState(Link, LINK), whole)
})

test('concurrent loads of a long stream share one read', async (t) => {
  const { cold, whole, read } = await edited(t)
  const { readState } = cold(async () => undefined)
  for (const found of await Promise.all(Array.from({ length: 20 }, () => readState(Link, LINK)))) t.deepEqual(found, whole)
  t.true(read() < 2 * EDITS, String(read()))
})

test('a stream whose last event determines the state is loaded with one event', async (t) => {
  const { side, events, read } = await edited(t)
  const thing = { id: 't5_1', link: 't5_1', subsite: 't4_1', author: 't2_ann', created: Date.now(), deleted: false }
  const cast = (run: typeof side.run, direction: 1 | 11) => {
    const command = side.by('t2_bob')
    return run(Vote, 't2_bob.t5_1', castVote(thing, { voter: 't2_bob', at: command.at }, direction), command)
  }
  for (let n = 0; n < 100; n++) await cast(side.run, n % 2 === 0 ? 1 : 11)
  const before = read()
  const { run } = runner({ events, codec: side.log })
  const result = await cast(run, 1)
  t.true(E.isRight(result) && result.right.events.length === 1)
  t.is(read() - before, 1)
})

test('states are cached up to a number of bytes', async (t) => {
  const { side, whole } = await edited(t)
  const { readState, recallState } = folds({ events: side.events, codec: side.log })
  await readState(Link, LINK)
  t.is(recallState(LINK)?.revision, whole.revision)
  const long = { ...Link, category: 'long', on: { ...Link.on, LinkSubmitted: () => ({ ...whole.state, excerpt: 'x'.repeat(500_000) }) } }
  for (let n = 2; n < 30; n += 1) {
    await side.run(Link, `t5_${n}`, () => E.right([teaSubmitted(`t5_${n}`)]), side.by('t2_ann'))
    await readState(long as never, `link-t5_${n}`)
  }
  t.is(recallState('link-t5_29')?.revision, 0)
  t.is(recallState(LINK), undefined)
})
