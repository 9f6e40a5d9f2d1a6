import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { claimUsername, Username } from '../../src/domain/account.ts'
import { refuse } from '../../src/domain/decision.ts'
import { Link } from '../../src/domain/link.ts'
import { approveLink, lockLink, removeLink } from '../../src/domain/thing-moderation.ts'
import type { EventStore, ExpectedRevision, ProposedEvent } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { runner } from '../../src/runtime/run.ts'
import { writeSide } from '../support/commanding.ts'
import { streamOf } from '../support/stream-of.ts'
import { rightOf, submit } from '../support/submitted-link.ts'

/** A store that answers appends as it is told, and otherwise as the real one does. */
const unreliable = (
  events: EventStore,
  answer: (append: () => ReturnType<EventStore['append']>, tries: number) => ReturnType<EventStore['append']>,
) => {
  const appends: { readonly expected: ExpectedRevision; readonly events: readonly ProposedEvent[] }[] = []
  return {
    appends,
    read: events.read,
    readBackwards: events.readBackwards,
    head: events.head,
    append: (stream: string, expected: ExpectedRevision, proposed: readonly ProposedEvent[]) => {
      appends.push({ expected, events: proposed })
      return answer(() => events.append(stream, expected, proposed), appends.length)
    },
  }
}

test('an append whose response was lost is repeated identically, and counts once', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  const events = unreliable(side.events, async (append, tries) => {
    const result = await append()
    if (tries === 1) throw new StoreFault('unknown-outcome', 'the answer was lost')
    if (tries === 2) throw new StoreFault('unavailable', 'not now')
    return result
  })
  const { run } = runner({ events, codec: side.log })
  const result = rightOf(await run(Link, 't5_1', lockLink(Date.now()), side.by('t2_mod')))
  t.is(result.position, await side.events.head())
  t.deepEqual(events.appends[1], events.appends[0])
  t.is((await streamOf(side.events, 'link-t5_1', 0)).length, 2)
})

test('an append whose outcome stays unknown fails after five seconds', async (t) => {
  const side = await writeSide(t)
  const events = unreliable(side.events, () => Promise.reject(new StoreFault('unknown-outcome', 'no answer')))
  const { run } = runner({ events, codec: side.log })
  const begun = performance.now()
  t.deepEqual(await run(Username, 'ann', claimUsername('t2_1', 'ann'), side.by('t2_1')), refuse('OUTCOME_UNKNOWN'))
  const seconds = (performance.now() - begun) / 1000
  t.true(seconds >= 5 && seconds < 20, `${seconds} s`)
})

test('waiting in the queue of a stream does not count as a try, so many commands succeed on a slow store', async (t) => {
  const side = await writeSide(t)
  await submit(side)
  const slow = unreliable(side.events, async (append) => {
    await new Promise((resolve) => setTimeout(resolve, 150))
    return append()
  })
  const { run } = runner({ events: slow, codec: side.log })
  const crowd = Array.from({ length: 40 }, (_, n) =>
    run(Link, 't5_1', n % 2 ? approveLink : removeLink(true), side.by('t2_mod', 'moderator')),
  )
  t.true((await Promise.all(crowd)).every(E.isRight))
  t.is((await streamOf(side.events, 'link-t5_1', 0)).length, 41)
})

test('other faults are thrown unchanged, and later commands on the stream succeed', async (t) => {
  const side = await writeSide(t)
  const events = unreliable(side.events, (append, tries) =>
    tries === 1 ? Promise.reject(new StoreFault('full', 'the disk is full')) : append(),
  )
  const { run } = runner({ events, codec: side.log })
  const claim = () => run(Username, 'ann', claimUsername('t2_1', 'ann'), side.by('t2_1'))
  await t.throwsAsync(claim(), { instanceOf: StoreFault, message: 'the disk is full' })
  t.true(E.isRight(await claim()))
})
