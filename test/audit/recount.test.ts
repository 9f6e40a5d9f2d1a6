import test from 'ava'
import { syntheticLog } from '../../bench/synthetic-log.ts'
import { projections } from '../../projections/all.ts'
import { RECOUNTED } from '../../src/audit/recount.ts'
import { eventDefinitions, type Logged } from '../../src/domain/events.ts'
import { findingsInLog } from '../support/auditing.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { positionOf } from '../support/logged-events.ts'
import fc from '../support/properties.ts'

test('the audit recounts every collection', (t) => {
  t.deepEqual(
    projections.map(({ collection }) => collection.name),
    [...RECOUNTED],
  )
})

test('the audit finds no difference in a history in which every event happens', async (t) => {
  const happened = new Set<string>(everyEvent.map(({ type }) => type))
  t.deepEqual(
    [...eventDefinitions.keys()].filter((type) => !happened.has(type)),
    [],
  )
  t.deepEqual(await findingsInLog(t, everyEvent), [])
})

test('the audit finds no difference in generated histories', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(1_000), async (seed) => {
      const log = syntheticLog({ seed, links: 12, subsites: 2, accounts: 9 })
      t.deepEqual(
        await findingsInLog(
          t,
          [...log].map((event, i) => ({ ...event, position: positionOf(i + 1) }) as Logged),
        ),
        [],
      )
    }),
    { numRuns: 3 },
  )
})
