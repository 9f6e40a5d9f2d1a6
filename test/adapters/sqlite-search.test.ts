import { join } from 'node:path'
import test from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { type Change, type Collection, type Document, MOST_CANDIDATES } from '../../src/ports/documents.ts'
import { temporaryDirectory } from '../support/temporary.ts'

type Post = Document & { readonly title: string; readonly seq: number; readonly score: number }

const posts: Collection<Post> = {
  name: 'posts',
  version: 1,
  unique: { seq: [] },
  indexes: [],
  search: { text: ['title'], filters: ['seq'], orders: { new: ['-seq'], top: ['-score', '-seq'] } },
}
const MORE = 500
const ALL = MOST_CANDIDATES + MORE

test('a search for a very frequent word considers the newest matches only; a rare word is found in every document', async (t) => {
  const stores = await openSqlite({ file: join(temporaryDirectory(t), 'search.db') })
  t.teardown(stores.close)
  const { documents } = stores
  await documents.prepare([posts])
  const at = (n: number) => String(n).padStart(20, '0')
  const changes = Array.from({ length: ALL }, (_, n): Change => {
    const document: Post = { id: `p${n}`, title: n === 3 ? 'a rare one' : 'a', seq: n, score: ALL - n }
    return { collection: posts, id: document.id, position: at(n + 1), document }
  })
  await documents.write(changes, { name: 'posts', from: undefined, to: at(ALL) })
  const find = async (terms: string, order: string, page: { readonly limit: number; readonly after?: readonly number[] }) =>
    (await documents.search(posts, { terms, where: {}, order, page })).map(({ seq }) => seq)

  t.deepEqual(await find('a', 'new', { limit: 2 }), [ALL - 1, ALL - 2])
  t.deepEqual(await find('a', 'top', { limit: 2 }), [MORE, MORE + 1], 'the best of the newest')
  t.deepEqual(await find('a', 'new', { limit: 5, after: [MORE + 2] }), [MORE + 1, MORE])
  t.deepEqual(await find('rare', 'top', { limit: 5 }), [3])
  t.deepEqual(await find('rare a', 'top', { limit: 5 }), [3])
})
