import { join } from 'node:path'
import test from 'ava'
import { projections } from '../../../projections/all.ts'
import { createProjector } from '../../../projections/engine/data-file-projector.ts'
import { checkpointOf, collectionsOf, openReadModels } from '../../../projections/engine/sets.ts'
import { openSqlite } from '../../../src/adapters/sqlite/stores.ts'
import { UserUnbanned } from '../../../src/domain/relation.ts'
import { codec } from '../../../src/log/codec.ts'
import { openKeyring } from '../../../src/log/keys.ts'
import { carol, dave, story, tea, told } from '../../support/example-history.ts'
import { inNameOf, loggedFrom, positionOf, stampedOf } from '../../support/logged-events.ts'
import { catchUp, contentsOf, openFile } from '../../support/read-models.ts'
import { temporaryDirectory } from '../../support/temporary.ts'

const projector = new URL('../../../projections/engine/data-file-projector.ts', import.meta.url)

test('the thread that writes the file keeps the read models up to date', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const stores = await openSqlite({ file, projector })
  t.teardown(() => stores.close())
  await stores.documents.prepare(collectionsOf(projections))
  const { seal } = codec(openKeyring(stores.vault))
  for (const [i, event] of (await seal(story.map(stampedOf))).entries()) {
    const { stream = '', revision = 0 } = story[i] ?? {}
    const { outcome } = await stores.events.append(stream, revision === 0 ? 'none' : revision - 1, [event])
    t.is(outcome, 'appended')
  }
  const head = await stores.events.head()
  t.true(await stores.waitUntilProjected(head, 5_000))
  t.is(stores.projected(), head)

  const alone = openFile(t)
  await alone.append(story)
  await catchUp(await openReadModels(alone.ports, projections))
  t.deepEqual(await contentsOf(stores.documents, projections), await contentsOf(alone.stores.documents, projections))
})

test('when the server is ready, its read models show the whole log found at its start', async (t) => {
  const { file, append, connection } = openFile(t)
  await append(story)
  connection.close()
  const stores = await openSqlite({ file, projector })
  t.teardown(() => stores.close())
  await stores.documents.prepare(collectionsOf(projections))
  t.is((await contentsOf(stores.documents, projections)).links?.length, 1)
})

test('documents that were written before a kill, ahead of their checkpoint, are the same after the next start', async (t) => {
  const rebuilt = openFile(t)
  await rebuilt.append(story)
  await createProjector(rebuilt.stores)
  const whole = await contentsOf(rebuilt.stores.documents, projections)
  for (const steps of [0, 1, 3, 9, 30]) {
    const { append, connection, file, writer, stores } = openFile(t)
    const projector = await createProjector(stores)
    writer.hold({ onChanged: () => {}, onFlushing: () => {}, onFlushed: () => {} })
    const half = Math.floor(story.length / 2)
    for (const part of [story.slice(0, half), story.slice(half)]) {
      await append(part)
      while ((await projector.catchUp(5)).more);
      for (let step = 0; step < steps; step += 1) writer.writeSome(1)
    }
    connection.close()
    const next = openFile(t, file)
    await createProjector(next.stores)
    t.deepEqual(await contentsOf(next.stores.documents, projections), whole, `${steps} documents were written`)
  }
})

test('tombstones are swept at the next start', async (t) => {
  const { append, stores, connection } = openFile(t)
  const tombstones = () =>
    connection.db
      .prepare('SELECT id FROM tombstone ORDER BY id')
      .all()
      .map(({ id }) => id)
  await append(story)
  const { catchUp: next } = await createProjector(stores)
  await append(loggedFrom([...told, inNameOf(carol, 'moderator')(UserUnbanned({ subsite: tea, account: dave }))]).slice(told.length))
  const { position, more } = await next(10)
  t.is(position, positionOf(story.length + 1))
  t.false(more)
  t.deepEqual(tombstones(), [`ban.${tea}.${dave}`, `${tea}.${dave}.banned`])
  await createProjector(stores)
  t.deepEqual(tombstones(), [])
})

test('collections of another version are dropped at the next start, and nothing else', async (t) => {
  const { append, stores, connection } = openFile(t)
  const { documents } = stores
  await append(story)
  await createProjector(stores)
  const before = await contentsOf(documents, projections)
  const earlier = projections.map((one) =>
    one.collection.name === 'links' ? { ...one, collection: { ...one.collection, version: 99 } } : one,
  )
  await catchUp(await openReadModels({ ...stores, open: codec(openKeyring(stores.vault)).open }, earlier))
  const tables = () =>
    connection.db
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'links_v%'")
      .all()
      .map(({ name }) => String(name))
  t.true(tables().includes('links_v99'))
  await createProjector(stores)
  t.deepEqual(
    tables().filter((name) => name.includes('99')),
    [],
  )
  t.deepEqual(await contentsOf(documents, projections), before)
  t.is(await documents.checkpoint(checkpointOf(earlier)), undefined)
})
