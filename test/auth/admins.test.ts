import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { openAdmins } from '../../src/auth/admins.ts'
import { claimUsername, Username } from '../../src/domain/account.ts'
import { ADMINS_ID, Admins } from '../../src/domain/admins.ts'
import { carryOut } from '../../src/reactions/process.ts'
import { runner } from '../../src/runtime/run.ts'
import { type WriteSide, writeSide } from '../support/commanding.ts'

const [ann, bob] = ['t2_ann', 't2_bob'] as const

const claim = ({ run, by }: WriteSide, account: string, name: string) => run(Username, name, claimUsername(account, name), by(account))

/** A process with this configuration, with states and numbers of its own. */
const processOn = ({ events, log, mint }: WriteSide, configured: readonly string[]) => {
  const { run, load } = runner({ events, codec: log })
  return openAdmins({ run, load, mint, configured, warn: () => undefined, report: () => undefined })
}

const eventsOf = async ({ events }: WriteSide) =>
  (await events.read(`admins-${ADMINS_ID}`, 0, 100)).events.map(({ type, data }) => [type, data])

test('of processes that start at once, one records each admin', async (t) => {
  const side = await writeSide(t)
  await claim(side, ann, 'ann')
  await claim(side, bob, 'bob')
  const processes = Array.from({ length: 5 }, () => processOn(side, ['ann', 'bob', 'nobody']))
  await Promise.all(processes.map(({ record }) => record()))
  t.deepEqual(await side.load(Admins, ADMINS_ID), [ann, bob])
  t.is((await eventsOf(side)).length, 2)
  for (const { differing, close } of processes) {
    t.deepEqual(await differing(), [])
    close()
  }
})

test('a process without admins records nothing', async (t) => {
  const side = await writeSide(t)
  await processOn(side, []).record()
  t.deepEqual(await eventsOf(side), [])
})

test('a start records the names that are listed no more, and a process with another list says which accounts differ', async (t) => {
  const side = await writeSide(t)
  await claim(side, ann, 'ann')
  await claim(side, bob, 'bob')
  const old = processOn(side, ['ann'])
  await old.record()
  const next = processOn(side, ['bob'])
  await next.record()
  t.deepEqual(
    (await eventsOf(side)).map(([type]) => type),
    ['AdminGranted', 'AdminGranted', 'AdminRevoked'],
  )
  t.deepEqual([...(await old.differing())].toSorted(), [ann, bob])
  t.deepEqual(await next.differing(), [])
})

test('an act of an admin names the revision at which the log said the same as the configuration', async (t) => {
  const side = await writeSide(t)
  await claim(side, ann, 'ann')
  await claim(side, bob, 'bob')
  const old = processOn(side, ['ann'])
  await old.record()
  const next = processOn(side, ['bob'])
  await next.record()
  for (const [one, revision] of [
    [old, 0],
    [next, 2],
  ] as const) {
    const { seen } = side.by(ann, 'admin')
    await one.note({ seen })
    t.deepEqual([...seen], [['admins-site', revision]])
  }
})

test('a registration of a configured name is recorded by the reactions to it', async (t) => {
  const side = await writeSide(t)
  const follow = carryOut({ ...side, admins: ['ann'], open: side.log.open, hadParticipated: async () => true })
  for (const [account, name] of [
    [ann, 'Ann'],
    [bob, 'Bob'],
  ] as const) {
    const claimed = await side.run(Username, name.toLowerCase(), claimUsername(account, name), side.by(account))
    if (E.isLeft(claimed)) return t.fail()
    for (let n = 0; n < 2; n++) await follow(claimed.right.recorded)
  }
  t.deepEqual(await eventsOf(side), [['AdminGranted', `{"account":"${ann}"}`]])
  const one = processOn(side, ['ann'])
  await one.record()
  t.is((await eventsOf(side)).length, 1)
})
