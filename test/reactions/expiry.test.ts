import test from 'ava'
import { Account, suspendAccount } from '../../src/domain/account.ts'
import { expiringEffects } from '../../src/domain/expiring-effects.ts'
import { extendGold, Gold } from '../../src/domain/gold.ts'
import { Relation } from '../../src/domain/relation.ts'
import { recordExpiry } from '../../src/reactions/expiry.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { runner } from '../../src/runtime/run.ts'
import { ban, between, moderatorOf, readAllOpened, site } from '../support/reaction-site.ts'
import { openRestricting } from '../support/restricting.ts'
import { streamOf } from '../support/stream-of.ts'

const DAY = 86_400_000
test('the expiry of a ban is recorded once, at its end, as an act of the service', async (t) => {
  const side = await site(t)
  await ban(side, 1)
  const [set] = await side.log.open(await streamOf(side.events, 'relation-t4_1.t2_bob', 0))
  if (set?.type !== 'UserBanned') return t.fail()
  const due = set.data.until ?? 0
  const timer = { id: 'bob', effect: 'ban', aggregate: 't4_1.t2_bob', cause: set.id, due } as const
  const dueTimers = async (now: number, after: unknown) => (now >= due && !after ? [timer] : [])
  const report = (fault: unknown) => t.fail(String(fault))
  const look = (now: number) => recordExpiry({ run: side.run, dueTimers, clock: () => now, report })()
  await look(due - 1)
  t.is((await streamOf(side.events, 'relation-t4_1.t2_bob', 0)).length, 1)
  await Promise.all([look(due + 5 * DAY), look(due + 6 * DAY)])
  await look(due + 7 * DAY)
  const [, expired, ...more] = await side.log.open(await streamOf(side.events, 'relation-t4_1.t2_bob', 0))
  t.like(expired, { type: 'BanExpired', at: due, by: { account: null, as: 'system' }, data: { bannedBy: 't2_ann' } })
  t.is(expired?.meta.causationId, set.id)
  t.deepEqual(more, [])
  t.is((await side.load(Relation, 't4_1.t2_bob'))?.banned, undefined)
})

test('two concurrent processes record the expiry of one effect once', async (t) => {
  const side = await site(t)
  const at = Date.now()
  const relation = 't4_1.t2_bob'
  const { run } = side
  const { ban, mute, wikiBan } = openRestricting(side)
  await ban(between, moderatorOf(side), { days: 1 })
  await wikiBan(between, moderatorOf(side), 1)
  await mute(between, moderatorOf(side))
  await run(Account, 't2_bob', suspendAccount({ days: 1, at, note: '' }), side.by('t2_root', 'admin'))
  await run(Gold, 't2_bob', extendGold('t2_bob', 1, at), commandOf(seedOf(side.mint()), { account: null, as: 'system' }))
  const set = await readAllOpened(side)
  const timers = (['ban', 'wikiBan', 'mute', 'suspension', 'gold'] as const).map((effect) => {
    const event = set.find(({ type }) => (expiringEffects[effect].setBy as readonly string[]).includes(type))
    if (!event || !('until' in event.data)) throw new Error(`${effect} was not set`)
    const aggregate = effect === 'suspension' || effect === 'gold' ? 't2_bob' : relation
    return { id: effect, effect, aggregate, cause: event.id, due: Number(event.data.until) }
  })
  for (const timer of timers) {
    // both have decided before either appends
    let arrived = 0
    const both = Promise.withResolvers<void>()
    const process = () => {
      const append: typeof side.events.append = async (...proposal) => {
        arrived += 1
        if (arrived === 2) both.resolve()
        await both.promise
        return side.events.append(...proposal)
      }
      const events = { ...side.events, append }
      const report = (fault: unknown) => t.fail(String(fault))
      const dueTimers = async (_: number, after: unknown) => (after ? [] : [timer])
      return recordExpiry({ run: runner({ events, codec: side.log }).run, dueTimers, clock: () => timer.due, report })
    }
    await Promise.all([process()(), process()()])
    t.is(arrived, 2, timer.effect)
  }
  const recorded = (await readAllOpened(side)).slice(set.length)
  t.deepEqual(
    recorded.map(({ type, by }) => [type, by.as]),
    ['BanExpired', 'WikiBanExpired', 'MuteExpired', 'AccountSuspensionExpired', 'GoldExpired'].map((type) => [type, 'system']),
  )
})

test('a ban whose expiry cannot be recorded does not prevent others from expiring', async (t) => {
  const side = await site(t)
  const at = Date.now() - 5 * DAY
  const bans = await Promise.all(
    Array.from({ length: 6 }, async (_, n) => {
      const account = `t2_${n}`
      await openRestricting(side).ban({ subsite: 't4_1', account }, moderatorOf(side), { days: 1, at })
      return {
        id: account,
        cause: `00000000-0000-5000-8000-00000000000${n}`,
        due: at + DAY,
        effect: 'ban',
        aggregate: `t4_1.${account}`,
      } as const
    }),
  )
  for (const n of [0, 1, 2]) {
    const unreadable = { id: `00000000-0000-5000-8000-0000000000f${n}`, type: 'TeaSpilt', data: '{}', meta: '{}' }
    await side.events.append(`relation-t4_1.t2_${n}`, 0, [unreadable])
  }
  const faults: unknown[] = []
  const pages = (_: number, after: { readonly id: string } | undefined) => {
    const from = after ? bans.findIndex(({ id }) => id === after.id) + 1 : 0
    return Promise.resolve(bans.slice(from, from + 2))
  }
  const look = recordExpiry({ run: side.run, dueTimers: pages, clock: Date.now, report: (fault) => faults.push(fault) })
  await look()
  await look()
  t.is(faults.length, 3, 'each is tried again after a while only')
  for (const n of [3, 4, 5]) t.is((await side.load(Relation, `t4_1.t2_${n}`))?.banned, undefined)
})
