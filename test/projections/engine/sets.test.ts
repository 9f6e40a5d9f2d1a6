import test from 'ava'
import { projections } from '../../../projections/all.ts'
import type { Projection } from '../../../projections/engine/projection.ts'
import type { Ports } from '../../../projections/engine/runner.ts'
import { checkpointOf, openReadModels } from '../../../projections/engine/sets.ts'
import { type LinkDocument, links, linksProjection } from '../../../projections/links.ts'
import type { Collection, Document } from '../../../src/ports/documents.ts'
import { pot, story } from '../../support/example-history.ts'
import { positionOf } from '../../support/logged-events.ts'
import { allOf, catchUp, contentsOf, openFile } from '../../support/read-models.ts'

type Shouted = LinkDocument & { readonly shout: string }

/** The next version of a projection: links also carry their title in capitals. */
const shouting: Projection<Shouted> = {
  collection: { ...links, version: links.version + 1 } as Collection<Shouted>,
  on: {
    ...(linksProjection.on as unknown as Projection<Shouted>['on']),
    LinkSubmitted: (event) => {
      const [touch] = linksProjection.on.LinkSubmitted?.(event) ?? []
      return touch
        ? [{ id: touch.id, change: () => ({ ...(touch.change(undefined) as LinkDocument), shout: event.data.title.toUpperCase() }) }]
        : []
    },
  },
}
const next = projections.map((one) => (one.collection.name === 'links' ? (shouting as unknown as Projection) : one))

/** Note which collections are written. */
const noting = (ports: Ports, written: Set<string>, failAt = Number.POSITIVE_INFINITY): Ports => {
  let writes = 0
  return {
    ...ports,
    documents: {
      ...ports.documents,
      write: async (changes, checkpoint) => {
        if (++writes === failAt) throw new Error('killed')
        for (const { collection, id } of changes)
          if (collection.name !== 'read_model_sets') written.add(`${collection.name}_v${collection.version}/${id}`)
        return ports.documents.write(changes, checkpoint)
      },
    },
  }
}

test('a new version is built beside the old one up to the position of the others, and then replaces it', async (t) => {
  const { append, ports, stores } = openFile(t)
  await append(story.slice(0, 20))
  await catchUp(await openReadModels(ports, projections))
  const old = await contentsOf(stores.documents, projections)

  await append(story.slice(20))
  const written = new Set<string>()
  const reports: string[] = []
  const runner = await openReadModels(noting(ports, written), next, ({ position, target }) => reports.push(`${position} of ${target}`))
  t.is(runner.position(), positionOf(20))
  t.deepEqual([...written], [`links_v${links.version + 1}/${pot}`])
  t.deepEqual(reports, [`${positionOf(20)} of ${positionOf(20)}`])
  t.deepEqual(await allOf(stores.documents, links), old.links as readonly LinkDocument[])

  await catchUp(runner)
  const fresh = openFile(t)
  await fresh.append(story)
  await catchUp(await openReadModels(fresh.ports, next))
  t.deepEqual(await contentsOf(stores.documents, next), await contentsOf(fresh.stores.documents, next))
  t.is((await allOf(stores.documents, shouting.collection))[0]?.shout, 'A GOOD POT')
})

test('a build killed at any point continues at the next start', async (t) => {
  for (const failAt of [1, 2]) {
    const { append, ports, stores } = openFile(t)
    await append(story)
    await catchUp(await openReadModels(ports, projections))
    await t.throwsAsync(openReadModels(noting(ports, new Set(), failAt), next), { message: 'killed' })
    const runner = await openReadModels(ports, next)
    t.is(runner.position(), positionOf(story.length))
    t.like((await allOf(stores.documents, shouting.collection))[0], { shout: 'A GOOD POT', ups: 2, comments: 2 })
  }
})

test('a return to the old version loses nothing', async (t) => {
  const { append, ports, stores } = openFile(t)
  await append(story.slice(0, 10))
  await catchUp(await openReadModels(ports, projections))
  await append(story.slice(10, 20))
  await catchUp(await openReadModels(ports, next))
  await append(story.slice(20))
  await catchUp(await openReadModels(ports, projections))
  const fresh = openFile(t)
  await fresh.append(story)
  await catchUp(await openReadModels(fresh.ports, projections))
  t.deepEqual(await contentsOf(stores.documents, projections), await contentsOf(fresh.stores.documents, projections))
})

test('a restart continues from the checkpoint and reads no event twice', async (t) => {
  const { append, ports } = openFile(t)
  await append(story)
  await catchUp(await openReadModels(ports, projections))
  const read: string[] = []
  const events: Ports['events'] = {
    ...ports.events,
    readAll: async (after, limit) => {
      read.push(after)
      return ports.events.readAll(after, limit)
    },
  }
  await catchUp(await openReadModels({ ...ports, events }, projections))
  t.deepEqual(read, [positionOf(story.length)])
})

test('read models ahead of the log are rebuilt', async (t) => {
  const { append, ports, stores } = openFile(t)
  await append(story)
  await catchUp(await openReadModels(ports, projections))
  const restored = openFile(t)
  await restored.append(story.slice(0, 15))
  const runner = await openReadModels({ ...ports, events: restored.ports.events, open: restored.ports.open }, projections)
  t.is(runner.position(), positionOf(15))
  const fresh = openFile(t)
  await fresh.append(story.slice(0, 15))
  await catchUp(await openReadModels(fresh.ports, projections))
  t.deepEqual(await contentsOf(stores.documents, projections), await contentsOf(fresh.stores.documents, projections))
})

test('the name of a checkpoint depends on the versions in the set, not on their order', (t) => {
  t.regex(checkpointOf(projections), /^read-models-[0-9a-f]{12}$/)
  t.is(checkpointOf(projections.toReversed()), checkpointOf(projections))
  t.not(checkpointOf(next), checkpointOf(projections))
  const one: Collection<Document> = { name: 'cups', version: 1, indexes: [] }
  t.not(checkpointOf([{ collection: one, on: {} }]), checkpointOf([{ collection: { ...one, version: 2 }, on: {} }]))
})
