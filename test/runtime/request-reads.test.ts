import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { Account, claimUsername, registerAccount, Username } from '../../src/domain/account.ts'
import { refuse } from '../../src/domain/decision.ts'
import { foundModeration, Moderators } from '../../src/domain/moderators.ts'
import { isBanned, Relation } from '../../src/domain/relation.ts'
import { banUser, unbanUser } from '../../src/domain/restrictions.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { watchLog } from '../../src/runtime/log-watch.ts'
import { answerConfirmed, type RequestReads } from '../../src/runtime/request-reads.ts'
import { runner } from '../../src/runtime/run.ts'
import { writeSide } from '../support/commanding.ts'

const between = { subsite: 't4_1', account: 't2_bob' }
const READ_MS = 20

/** A process that serves requests on a log whose reads take a while, beside another process that writes to it. */
const serving = async (t: ExecutionContext) => {
  const side = await writeSide(t)
  const { run, by } = side
  const streams: string[] = []
  let inFlight = 0
  let rounds = 0
  let isDown = false
  const events: EventStore = {
    ...side.events,
    read: async (stream, from, limit) => {
      if (inFlight === 0) rounds += 1
      inFlight += 1
      streams.push(stream)
      try {
        await sleep(READ_MS)
        if (isDown) throw new StoreFault('unavailable', 'no answer')
        return await side.events.read(stream, from, limit)
      } finally {
        inFlight -= 1
      }
    },
  }
  await run(Account, 't2_bob', registerAccount('t2_bob', 'Bob'), by('t2_bob'))
  await run(Moderators, 't4_1', foundModeration({ subsite: 't4_1', account: 't2_ann' }), by('t2_ann'))
  // the subscription is late, as it may be on servers
  const watch = watchLog({ ...events, subscribe: (_, signal) => silence(signal) }, () => {})
  t.teardown(watch.close)
  const process = runner({ events, codec: side.log, watch })
  /** Loads what a request to act in the subsite asks for, one after the other. */
  const look = async ({ load }: Pick<RequestReads, 'load'>) => {
    const account = await load(Account, 't2_bob')
    const moderators = await load(Moderators, 't4_1')
    const relation = await load(Relation, 't4_1.t2_bob')
    return { account, moderators, banned: isBanned(relation, Date.now()) }
  }
  await look(process)
  return {
    ...side,
    process,
    look,
    ban: () =>
      run(
        Relation,
        't4_1.t2_bob',
        banUser(between, { moderator: false, at: Date.now() }, { days: null, note: '', message: '' }),
        by('t2_ann', 'moderator'),
      ),
    setDown: (down: boolean) => {
      isDown = down
    },
    /** Returns the streams that were read meanwhile, and how many times one read waited for another. */
    readsIn: async (work: () => Promise<unknown>) => {
      streams.length = 0
      rounds = 0
      await work()
      return { streams: streams.toSorted(), rounds }
    },
  }
}

async function* silence(signal: AbortSignal): ReturnType<EventStore['subscribe']> {
  await sleep(60_000, undefined, { signal }).catch(() => undefined)
}

const warm = ['account-t2_bob', 'moderators-t4_1', 'relation-t4_1.t2_bob']

test('a request reads each stream once, and all of them at the same time', async (t) => {
  const { process, look, readsIn } = await serving(t)
  const { streams, rounds } = await readsIn(() =>
    answerConfirmed(process.openReads(true), async (reads) => {
      await look(reads)
      await look(reads)
    }),
  )
  t.deepEqual([streams, rounds], [warm, 1])
})

test('without guesses a request reads each stream once, one after the other', async (t) => {
  const { process, look, readsIn } = await serving(t)
  const reads = process.openReads(false)
  const { streams, rounds } = await readsIn(async () => {
    await look(reads)
    await look(reads)
  })
  t.deepEqual([streams, rounds], [warm, 3])
})

test('a ban that one process acknowledged binds at another in the same instant', async (t) => {
  const { process, look, ban } = await serving(t)
  for (const _ of [1, 2]) t.false((await answerConfirmed(process.openReads(true), look)).banned)
  t.true(E.isRight(await ban()))
  let attempts = 0
  const answered = await answerConfirmed(process.openReads(true), (reads) => {
    attempts += 1
    return look(reads)
  })
  t.true(answered.banned)
  t.is(attempts, 2, 'the first attempt rested on what this process knew')
})

test('an attempt on an outdated guess changes nothing, whatever of it goes on', async (t) => {
  const { process, look, ban } = await serving(t)
  await ban()
  const changed: boolean[] = []
  let straggling: Promise<unknown> | undefined
  const answered = await answerConfirmed(process.openReads(true), async (reads) => {
    const { banned } = await look(reads)
    const change = async () => {
      await reads.settle()
      changed.push(banned)
    }
    // one part of an attempt fails first, another begins its change later
    straggling ??= sleep(5 * READ_MS).then(change)
    straggling.catch(() => undefined)
    await change()
    return banned
  })
  t.true(answered)
  await t.throwsAsync(async () => straggling)
  t.deepEqual(changed, [true])
})

test('a refusal that rests on a guess is confirmed before it is given', async (t) => {
  const { process, run, by, look, ban } = await serving(t)
  await ban()
  await look(process)
  // the ban ends at another process
  await run(Relation, 't4_1.t2_bob', unbanUser(between, Date.now()), by('t2_ann', 'moderator'))
  const answer = (reads: RequestReads) => look(reads).then(({ banned }) => (banned ? refuse('FORBIDDEN') : E.right('done')))
  t.deepEqual(await answerConfirmed(process.openReads(true), answer), E.right('done'))
})

test('after a command was refused, a request reads anew', async (t) => {
  const { process, look, ban } = await serving(t)
  const reads = process.openReads(false)
  t.false((await look(reads)).banned)
  await ban()
  t.false((await look(reads)).banned, 'one request sees one state')
  reads.renew()
  t.true((await look(reads)).banned)
})

test('a state that a request read more than a second ago is read again', async (t) => {
  const { process, look, ban } = await serving(t)
  const reads = process.openReads(false)
  await look(reads)
  await ban()
  await sleep(1_050)
  t.true((await look(reads)).banned)
})

test('what this process itself wrote meanwhile is read again', async (t) => {
  const { process, look, by } = await serving(t)
  const reads = process.openReads(true)
  await look(reads)
  await reads.settle()
  await process.run(
    Relation,
    't4_1.t2_bob',
    banUser(between, { moderator: false, at: Date.now() }, { days: null, note: '', message: '' }),
    by('t2_ann', 'moderator'),
  )
  t.true((await look(reads)).banned)
})

test('a guess that cannot be confirmed is a fault, and no answer', async (t) => {
  const { process, look, setDown } = await serving(t)
  setDown(true)
  await t.throwsAsync(answerConfirmed(process.openReads(true), look), { instanceOf: StoreFault })
  setDown(false)
  await t.notThrowsAsync(answerConfirmed(process.openReads(true), look))
})

test('a name that is claimed is not read again: claims are for good', async (t) => {
  const { process, readsIn, run, by } = await serving(t)
  t.deepEqual((await readsIn(() => process.load(Username, 'bob'))).streams, ['username-bob'])
  await run(Username, 'bob', claimUsername('t2_bob', 'Bob'), by('t2_bob'))
  t.is((await process.load(Username, 'bob'))?.account, 't2_bob', 'nobody had it when it was read')
  t.deepEqual((await readsIn(() => process.load(Username, 'bob'))).streams, [])
})
