import test from 'ava'
import { syntheticLog } from '../../../bench/synthetic-log.ts'
import { projections } from '../../../projections/all.ts'
import { digestOf } from '../../../projections/engine/digest.ts'
import { openRunner, type Ports } from '../../../projections/engine/runner.ts'
import { collectionsOf, openReadModels, rebuild } from '../../../projections/engine/sets.ts'
import type { Logged } from '../../../src/domain/events.ts'
import { bob, pot, praise, story, thanks } from '../../support/example-history.ts'
import { positionOf } from '../../support/logged-events.ts'
import fc from '../../support/properties.ts'
import { catchUp, contentsOf, openFile } from '../../support/read-models.ts'

const history = (seed: number): readonly Logged[] =>
  [...syntheticLog({ seed, links: 12, subsites: 2, accounts: 9 })].map((event, i) => ({ ...event, position: positionOf(i + 1) }) as Logged)

/** Writes that fail now and then, before or after they took effect. */
const failing = (ports: Ports, faults: readonly ('none' | 'before' | 'after')[]): Ports => {
  let writes = 0
  return {
    ...ports,
    documents: {
      ...ports.documents,
      write: async (changes, checkpoint) => {
        const fault = faults[writes++ % faults.length]
        if (fault === 'before') throw new Error('crash')
        const result = await ports.documents.write(changes, checkpoint)
        if (fault === 'after') throw new Error('crash')
        return result
      },
    },
  }
}

/** Walk through the log under some checkpoint, starting over from it after each crash. */
const walk = async (ports: Ports, checkpoint: string, limit: number, batches: number, faults: readonly ('none' | 'before' | 'after')[]) => {
  const crashing = failing(ports, faults)
  let runner = await openRunner(crashing, projections, { checkpoint, onPoison: 'stop' })
  for (let n = 0; n < batches; n++) {
    try {
      await runner.next(limit)
    } catch (error) {
      if (!(error instanceof Error && error.message === 'crash')) throw error
      runner = await openRunner(crashing, projections, { checkpoint, onPoison: 'stop' })
    }
  }
}

const leg = fc.record({
  // Several checkpoints: what one has passed is delivered again under another.
  checkpoint: fc.constantFrom('one', 'two', 'three'),
  limit: fc.integer({ min: 1, max: 120 }),
  batches: fc.integer({ min: 1, max: 12 }),
  faults: fc.array(fc.constantFrom('none', 'none', 'before', 'after'), { minLength: 1, maxLength: 5 }),
})

test('any batches, redeliveries and interruptions of the log give the same documents', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(1_000), fc.array(leg, { maxLength: 6 }), async (seed, legs) => {
      const straight = openFile(t)
      const crooked = openFile(t)
      for (const { append, ports } of [straight, crooked]) {
        await append(history(seed))
        await ports.documents.prepare(collectionsOf(projections))
      }
      await catchUp(await openRunner(straight.ports, projections, { checkpoint: 'one', onPoison: 'stop' }), 1_000)
      for (const { checkpoint, limit, batches, faults } of legs) await walk(crooked.ports, checkpoint, limit, batches, faults)
      await catchUp(await openRunner(crooked.ports, projections, { checkpoint: 'last', onPoison: 'stop' }), 77)
      t.deepEqual(await contentsOf(crooked.stores.documents, projections), await contentsOf(straight.stores.documents, projections))
    }),
    { numRuns: 12 },
  )
})

test('following the log event by event and building anew from it give identical digests', async (t) => {
  const { append, ports, stores } = openFile(t)
  const events = history(3)
  await append(events.slice(0, 40))
  const runner = await openReadModels(ports, projections)
  await append(events.slice(40))
  await catchUp(runner, 1)
  const digests = () => Promise.all(projections.map(({ collection }) => digestOf(stores.documents, collection)))
  const live = await digests()
  await rebuild(ports, projections, [])
  t.deepEqual(await digests(), live)
  await rebuild(ports, projections, ['links', 'votes'])
  t.deepEqual(await digests(), live)
  t.true(live.every(({ sha256 }) => sha256.length === 64) && live.some(({ documents }) => documents > 100))
})

test('a rebuild keeps the positions of documents', async (t) => {
  const { append, ports, stores } = openFile(t)
  await append(story)
  await catchUp(await openReadModels(ports, projections))
  const positions = async () => {
    const all: Record<string, string> = {}
    for (const { collection } of projections) {
      const ids = (await contentsOf(stores.documents, projections))[collection.name]?.map(({ id }) => id) ?? []
      for (const [id, { position }] of await stores.documents.load(collection, ids)) all[`${collection.name}/${id}`] = position
    }
    return all
  }
  const live = await positions()
  await rebuild(ports, projections, [])
  t.deepEqual(await positions(), live)
})

test('when an account’s key is destroyed its texts read [erased] after a rebuild, and nothing else changes', async (t) => {
  const { append, ports, stores, keys } = openFile(t)
  await append(story)
  await catchUp(await openReadModels(ports, projections))
  const before = await contentsOf(stores.documents, projections)
  await keys.eraseAccount(bob)
  await rebuild(ports, projections, [])
  const after = await contentsOf(stores.documents, projections)

  const blank = (collection: string, id: string, fields: object) =>
    before[collection]?.map((document) => (document.id === id ? { ...document, ...fields } : document)) ?? []
  t.deepEqual(after, {
    ...before,
    comments: blank('comments', praise, { body: '[erased]', length: 8 }),
    messages: blank('messages', 't6_hello', { subject: '[erased]', body: '[erased]' }),
    shelves: blank('shelves', `${bob}.${pot}`, { category: '[erased]' }),
    mod_log:
      before.mod_log?.map((entry) =>
        JSON.stringify(entry).includes('What a pot!') ? JSON.parse(JSON.stringify(entry).replace('What a pot!', '[erased]')) : entry,
      ) ?? [],
  })
  t.true(after.links?.some(({ id }) => id === pot))
  t.true(after.comments?.some(({ id }) => id === thanks))
})
