import { join } from 'node:path'
import test from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import type { Collection, Document } from '../../src/ports/documents.ts'
import { recording } from '../../src/queries/recording.ts'
import { temporaryDirectory } from '../support/temporary.ts'

type Thing = Document & { readonly group: string; readonly seq: number }
const things: Collection<Thing> = { name: 'things', version: 1, indexes: [{ fields: ['group', '-seq'] }] }

test('every read of a collection is recorded, and no write', async (t) => {
  const { documents, close } = await openSqlite({ file: join(temporaryDirectory(t), 'data.db') })
  t.teardown(close)
  await documents.prepare([things])
  const noted: string[] = []
  const read = recording(documents, (collection) => noted.push(collection))
  const query = { where: { group: 'a' }, order: ['-seq'], page: { limit: 1 } }
  const reads: readonly (() => Promise<unknown>)[] = [
    () => read.getMany(things, ['x']),
    () => read.getPairs(things, { one: 'a', idOf: (other) => `a.${other}` }, ['x']),
    () => read.find(things, query),
    () => read.select(things, query, ['group', 'seq']),
    () => read.count(things, { group: 'a' }, 1),
    () => read.walk(things, undefined, 1),
    () => read.load(things, ['x']),
  ]
  for (const [n, one] of reads.entries()) {
    await one()
    t.is(noted.length, n + 1)
  }
  t.deepEqual([...new Set(noted)], ['things'])
  await read.write([], { name: 'c', from: undefined, to: '0'.repeat(20) })
  t.is(noted.length, reads.length)
})
