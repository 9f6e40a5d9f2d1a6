import { join } from 'node:path'
import test from 'ava'
import { openBuildWriter } from '../../src/adapters/sqlite/build-ahead.ts'
import { localStores } from '../../src/adapters/sqlite/local-stores.ts'
import { toPosition } from '../../src/adapters/sqlite/log.ts'
import { openWriter } from '../../src/adapters/sqlite/schema.ts'
import type { Collection, Document, DocumentChange, DocumentStore } from '../../src/ports/documents.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const things: Collection<Document> = {
  name: 'things',
  version: 1,
  indexes: [{ fields: ['group', '-rank', 'id'] }],
  search: { text: ['text'], filters: [], orders: { top: ['-rank', 'id'] } },
}
const marks: Collection<Document> = { name: 'marks', version: 1, indexes: [{ fields: ['on', 'id'] }] }

const COUNT = 2_600

const thing = (n: number, rank: number): Document =>
  ({ id: `t${n.toString(36)}`, group: n % 3 ? `g${n % 3}` : null, rank, text: `word${n % 50} \u{1d4d0}` }) as Document
const mark = (n: number, on: boolean): Document => ({ id: `m${n.toString(36)}`, on, weight: n / 3 }) as Document

const put = (collection: Collection<Document>, document: Document, at: number, fresh: boolean): DocumentChange => ({
  collection,
  id: document.id,
  position: toPosition(at),
  document,
  fresh,
})

/** New documents; then some of them changed, some deleted, and new ones; then few. */
const batches: readonly (readonly DocumentChange[])[] = [
  Array.from({ length: COUNT }, (_, n) => [
    put(things, thing(COUNT - n, n), n + 1, true),
    put(marks, mark(n, n % 2 === 0), n + 1, true),
  ]).flat(),
  Array.from({ length: COUNT }, (_, n) => [
    n % 5 === 0
      ? { collection: things, id: thing(COUNT - n, 0).id, position: toPosition(COUNT + n + 1), document: undefined }
      : put(things, thing(COUNT - n, -n), COUNT + n + 1, false),
    put(marks, mark(COUNT + n, true), COUNT + n + 1, true),
  ]).flat(),
  [put(marks, mark(0, false), 3 * COUNT, false), put(things, thing(9 * COUNT, 1.5), 3 * COUNT, true)],
]

const opened = async (file: string) => {
  const connection = openWriter(file)
  const { documents } = localStores(connection).ports
  await documents.prepare([things, marks], 'later')
  return { connection, documents }
}

const contents = async (documents: DocumentStore) => {
  await documents.prepare([things, marks])
  return {
    rows: await Promise.all([things, marks].map((collection) => documents.inspect(collection, undefined, 9 * COUNT))),
    checkpoint: await documents.checkpoint('build'),
    differences: await documents.differences([things, marks]),
    found: (await documents.search(things, { terms: 'word7', where: {}, order: 'top', page: { limit: 9 * COUNT } })).map(({ id }) => id),
  }
}

const checkpointOf = (n: number) => ({ name: 'build', from: n === 0 ? undefined : toPosition(n), to: toPosition(n + 1) })

const byId = (loaded: ReadonlyMap<string, unknown>) => Object.fromEntries(loaded)

test('what a build writes in a thread of its own is what the same calls write here, and shows while it is written', async (t) => {
  const directory = temporaryDirectory(t)
  const here = await opened(join(directory, 'here.db'))
  const there = await opened(join(directory, 'there.db'))
  const writer = openBuildWriter(there.connection.file, there.documents)
  for (const [n, changes] of batches.entries()) {
    t.is(await here.documents.write(changes, checkpointOf(n)), 'written')
    t.is(await writer.write(changes, checkpointOf(n)), 'written')
    for (const collection of [things, marks]) {
      const ids = changes.filter((change) => change.collection === collection).map(({ id }) => id)
      const some = [...ids.slice(0, 900), 'missing']
      t.deepEqual(byId(await writer.load(collection, some)), byId(await here.documents.load(collection, some)))
    }
  }
  await writer.close()
  const expected = await contents(here.documents)
  t.deepEqual(await contents(there.documents), expected)
  t.deepEqual(expected.differences, [])
  t.true(expected.found.length > 0)
  here.connection.close()
  there.connection.close()
})

test('a build whose checkpoint another has moved ends with an error', async (t) => {
  const { connection, documents } = await opened(join(temporaryDirectory(t), 'rostra.db'))
  const writer = openBuildWriter(connection.file, documents)
  await writer.write(batches[0] ?? [], checkpointOf(1))
  await t.throwsAsync(writer.close(), { message: /another process moved the checkpoint/ })
  t.is(await documents.checkpoint('build'), undefined)
  connection.close()
})
