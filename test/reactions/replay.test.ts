import test, { type ExecutionContext } from 'ava'
import { Account, registerAccount } from '../../src/domain/account.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { hadParticipated } from '../../src/queries/participation.ts'
import { seatsOf } from '../../src/queries/relations.ts'
import { dueTimers } from '../../src/queries/timers.ts'
import { recordExpiry } from '../../src/reactions/expiry.ts'
import { carryOut, type Follow } from '../../src/reactions/process.ts'
import { runner } from '../../src/runtime/run.ts'
import { readModels, type WriteSide, writeSide } from '../support/commanding.ts'
import { FULL } from '../support/full.ts'
import { type Acts, type Held, openHistory, themeNames } from '../support/history.ts'
import fc from '../support/properties.ts'

const RUNS = FULL ? 200 : 30
const SIZE = { minLength: 10, maxLength: 60, size: 'max' } as const
const AT_ONCE = 500
const YEAR = 365 * 86_400_000

/** Returns the consequences of events, with participation read from the read models as the service does. */
const reacting = (side: WriteSide) =>
  carryOut({
    ...side,
    open: side.log.open,
    seatsOf: async (account, at) => {
      if (!(await side.waitUntilProjected(at, 60_000))) throw new Error('the read models do not come')
      return seatsOf(side.documents, account)
    },
    hadParticipated: async (account, subsite, before) => {
      if (!(await side.waitUntilProjected(before, 60_000))) throw new Error('the read models do not come')
      return hadParticipated(side.documents, account, subsite, before)
    },
  })

/** Everything in the log after a position, a page at a time. */
const eventsAfter = async ({ events }: WriteSide, after: string) => {
  const all = []
  for (let page = await events.readAll(after, 500); page.length > 0; page = await events.readAll(page.at(-1)?.position ?? after, 500))
    all.push(...page)
  return all
}

const expire = async (side: WriteSide, t: ExecutionContext) => {
  if (!(await side.waitUntilProjected(await side.events.head(), 60_000))) throw new Error('the read models do not come')
  await recordExpiry({
    run: side.run,
    dueTimers: dueTimers(side.documents, 2),
    clock: () => Date.now() + YEAR,
    report: (fault) => t.fail(String(fault)),
  })()
}

const step = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom('act' as const, 'hold' as const, 'act' as const),
      act: fc.nat(),
      who: fc.constantFrom(0 as const, 0 as const, 0 as const, 1 as const),
      what: fc.constantFrom(0 as const, 0 as const, 0 as const, 1 as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('react' as const), events: fc.integer({ min: 1, max: 8 }) }) },
  { weight: 2, arbitrary: fc.constant({ do: 'release' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'replay' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'expire' as const }) },
)

/** Another log that holds the same events in the same order, at other positions; texts are opened with the same keys. */
const importedFrom = async (t: ExecutionContext, side: WriteSide): Promise<WriteSide> => {
  const copy = await writeSide(t, readModels)
  await copy.run(Account, 't2_filler', registerAccount('t2_filler', 'filler'), copy.by('t2_filler'))
  const all = await eventsAfter(side, LOG_START)
  for (let n = 0; n < all.length; n += AT_ONCE) {
    const appends = all.slice(n, n + AT_ONCE).map(({ stream, revision, position: _, ...event }) => {
      return copy.events.append(stream, revision === 0 ? 'none' : revision - 1, [event])
    })
    await Promise.all(appends)
  }
  return { ...copy, log: side.log, ...runner({ events: copy.events, codec: side.log }) }
}

type Step = typeof step extends fc.Arbitrary<infer One> ? One : never

/** Plays a history in a world of its own, with reactions that come late, twice or never; at its end all of them are done. */
const openPlay = (t: ExecutionContext, side: WriteSide, follow: Follow) => {
  let plays = 0
  return async (theme: (typeof themeNames)[number], steps: readonly Step[]) => {
    const start = await side.events.head()
    const { begin, themes } = await openHistory(side, `r${plays++}`)
    const acts: Acts = themes[theme]
    const names = Object.keys(acts)
    const trail: string[] = []
    let held: Held[] = []
    let done = start

    const act = async ({ do: how, act: which, who, what }: Extract<Step, { do: 'act' | 'hold' }>) => {
      const name = names[which % names.length] ?? ''
      trail.push(`${how} ${name} ${who} ${what}`)
      const commit = await acts[name]?.(who, what)
      if (how === 'act') await commit?.()
      else if (commit) held.push(commit)
    }
    const release = async () => {
      for (const commit of held) await commit()
      held = []
    }
    /** React to so many more events, once each, as a process does; also to those that come of it. */
    const react = async (count: number) => {
      for (let n = 0; n < count; n++) {
        const [event] = await side.events.readAll(done, 1)
        if (!event) return
        await follow([event])
        done = event.position
      }
    }
    const replay = async () => {
      await react(Number.POSITIVE_INFINITY)
      const head = await side.events.head()
      for (const event of await eventsAfter(side, start)) await follow([event])
      const appended = await eventsAfter(side, head)
      if (appended.length > 0) throw new Error(`${appended.map(({ type }) => type)} appended after ${trail.join(', ')}`)
    }

    await begin()
    for (const one of steps) {
      if (one.do === 'act' || one.do === 'hold') {
        await act(one)
        continue
      }
      trail.push(one.do)
      if (one.do === 'react') await react(one.events)
      if (one.do === 'expire') await expire(side, t)
      if (one.do === 'replay') await replay()
      if (one.do === 'release') await release()
    }
    await release()
    await replay()
  }
}

test('replaying all reactions from the first event appends nothing, after any history and however late they ran', async (t) => {
  // given histories of all themes, each of which was replayed in vain
  const side = await writeSide(t, readModels)
  const play = openPlay(t, side, reacting(side))
  await fc.assert(fc.asyncProperty(fc.constantFrom(...themeNames), fc.noBias(fc.array(step, SIZE)), play), { numRuns: RUNS })
  const original = await eventsAfter(side, LOG_START)
  t.true(original.length > RUNS * 10)
  for (const type of ['LinkUnstickied', 'MessageSent', 'ModeratorInvitationWithdrawn', 'InboxEntryRead', 'BanExpired', 'ModeratorRemoved'])
    t.true(
      original.some((event) => event.type === type),
      type,
    )

  // when all of them are imported into another log, then there too nothing is appended
  const copy = await importedFrom(t, side)
  const imported = await eventsAfter(copy, LOG_START)
  t.deepEqual(
    imported.slice(1).map(({ id }) => id),
    original.map(({ id }) => id),
  )
  await reacting(copy)(imported)
  t.is(await copy.events.head(), String(imported.at(-1)?.position))
})
