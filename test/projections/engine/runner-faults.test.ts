import test from 'ava'
import { projections } from '../../../projections/all.ts'
import { parked } from '../../../projections/engine/parked.ts'
import { collection, type Projection, putDocument } from '../../../projections/engine/projection.ts'
import type { Runner } from '../../../projections/engine/runner.ts'
import { openReadModels } from '../../../projections/engine/sets.ts'
import { StoreFault } from '../../../src/ports/faults.ts'
import { ann, story, tea } from '../../support/example-history.ts'
import { inNameOf, loggedFrom, positionOf } from '../../support/logged-events.ts'
import { allOf, catchUp, openFile } from '../../support/read-models.ts'

test('more than a hundred parked documents stop the runner', async (t) => {
  const { append, ports, stores } = openFile(t)
  const cups: Projection = {
    collection: collection({ name: 'cups', version: 1, indexes: [{ fields: ['id'] }] }),
    on: {
      Subscribed: ({ data }) => [
        {
          id: data.account,
          change: () => {
            throw new Error('no such cup')
          },
        },
      ],
      AccountRegistered: ({ data }) => [putDocument({ id: data.account })],
    },
  }
  const runner: Runner = await openReadModels(ports, [cups])
  const subscribed = (n: number) => inNameOf(ann)({ type: 'Subscribed', data: { account: `t2_${n.toString(36)}`, subsite: tea } })
  const many = loggedFrom(Array.from({ length: 101 }, (_, n) => subscribed(n)))
  await append(many.slice(0, 100))
  await catchUp(runner)
  t.is(runner.parked().length, 100)
  await append(many.slice(100))
  await t.throwsAsync(catchUp(runner), { message: /101 documents are parked/ })
  t.is(runner.position(), positionOf(100))
  t.is((await allOf(stores.documents, parked)).length, 100)
})

test('a fault of the store parks nothing, and the batch can be retried', async (t) => {
  const { append, ports, stores } = openFile(t)
  let full = true
  const runner = await openReadModels(
    {
      ...ports,
      documents: {
        ...ports.documents,
        write: async (changes, checkpoint) => {
          if (full && changes.length > 10) throw new StoreFault('full', 'no space left')
          return ports.documents.write(changes, checkpoint)
        },
      },
    },
    projections,
  )
  await append(story)
  await t.throwsAsync(runner.next(1_000), { instanceOf: StoreFault })
  t.is(runner.position(), positionOf(0))
  full = false
  await catchUp(runner)
  t.is(runner.position(), positionOf(story.length))
  t.deepEqual(await allOf(stores.documents, parked), [])
})

test('an error in opening events that is not their own parks nothing, and the batch can be retried', async (t) => {
  const { append, ports, stores } = openFile(t)
  let failing = true
  const open: typeof ports.open = async (recorded) => {
    if (failing) throw new TypeError('the keys cannot be read just now')
    return ports.open(recorded)
  }
  const runner = await openReadModels({ ...ports, open }, projections)
  await append(story)
  const fault = await t.throwsAsync(runner.next(1_000), { instanceOf: StoreFault })
  t.is((fault as StoreFault).kind, 'unavailable')
  t.regex(String(fault?.message), /the keys cannot be read just now/)
  t.is(runner.position(), positionOf(0))
  failing = false
  await catchUp(runner)
  t.is(runner.position(), positionOf(story.length))
  t.deepEqual(await allOf(stores.documents, parked), [])
})

test('the second of two runners on one checkpoint stops', async (t) => {
  const { append, ports } = openFile(t)
  const one = await openReadModels(ports, projections)
  const two = await openReadModels(ports, projections)
  await append(story)
  await one.next(5)
  await t.throwsAsync(two.next(5), { message: /another projection runner/ })
})
