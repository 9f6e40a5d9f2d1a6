import test from 'ava'
import { syntheticLog } from '../../bench/synthetic-log.ts'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { describe } from '../../src/audit/finding.ts'
import { eventDefinitions, type Logged } from '../../src/domain/events.ts'
import { findingsInLog } from '../support/auditing.ts'
import { everyEvent } from '../support/every-event/every-event.ts'
import { positionOf } from '../support/logged-events.ts'
import { everyLongText } from '../support/long-texts.ts'
import fc from '../support/properties.ts'
import { catchUp, contentsOf, openFile } from '../support/read-models.ts'

test('the audit finds no difference in a history in which every event happens', async (t) => {
  const happened = new Set<string>(everyEvent.map(({ type }) => type))
  t.deepEqual(
    [...eventDefinitions.keys()].filter((type) => !happened.has(type)),
    [],
    'let it happen in test/support/every-event',
  )
  t.deepEqual(await findingsInLog(t, everyEvent), [])
})

test('the audit finds no difference in a history in which every text is long', async (t) => {
  t.deepEqual((await findingsInLog(t, everyLongText())).map(describe), [])
})

test('every read model has documents in that history', async (t) => {
  const { ports, append } = openFile(t)
  await append(everyEvent)
  await catchUp(await openReadModels(ports, projections))
  const contents = await contentsOf(ports.documents, projections)
  t.deepEqual(
    Object.keys(contents).filter((name) => contents[name]?.length === 0),
    [],
  )
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
