import test from 'ava'
import { MongoClient } from 'mongodb'
import { openMongo } from '../../src/adapters/mongodb/open.ts'
import type { Collection, Document, DocumentChange, SearchQuery } from '../../src/ports/documents.ts'
import { documentServer } from '../support/document-server.ts'

type Post = Document & { readonly title: string; readonly author: string; readonly seq: number; readonly score: number }

const posts: Collection<Post> = {
  name: 'posts',
  version: 1,
  unique: { seq: [] },
  indexes: [],
  search: { text: ['title', 'author'], ids: ['author'], filters: ['seq'], orders: { new: ['-seq'], top: ['-score', '-seq'] } },
}
/** Two windows; a stand-in for MongoDB sorts all of them for each. */
const ALL = 700

const server = await documentServer()

if (typeof server === 'string') test.skip(`MongoDB: searches are not run: ${server}`, (t) => t.pass())
else {
  test.after.always(server.stop)

  test('a search finds every match, however far back, in pages that follow each other, and ends when it is abandoned', async (t) => {
    const url = server.freshUrl()
    const { documents, close } = await openMongo({ url })
    t.teardown(async () => {
      await close()
      const client = await new MongoClient(url).connect()
      await client.db().dropDatabase()
      await client.close()
    })
    await documents.prepare([posts])
    const at = (n: number) => String(n).padStart(20, '0')
    const changes = Array.from({ length: ALL }, (_, n): DocumentChange => {
      const document: Post = { id: `p${n}`, title: n === 3 ? 'a rare one' : `a ${'b '.repeat(100)}`, author: 't2_1', seq: n, score: n % 7 }
      return { collection: posts, id: document.id, position: at(n + 1), document, fresh: true }
    })
    await documents.write(changes, { name: 'posts', from: undefined, to: at(ALL) })
    const find = async (terms: SearchQuery['terms'], order: string, page: SearchQuery['page'], abandoned?: AbortSignal) =>
      (await documents.search(posts, { terms, where: {}, order, page }, abandoned)).map(({ seq }) => seq)

    t.deepEqual(await find('rare', 'top', { limit: 5 }), [3])
    t.deepEqual(await find('a rare', 'new', { limit: 5 }), [3])
    t.deepEqual(await find({ words: 'b a' }, 'new', { limit: 5 }), [])
    t.deepEqual(await find('a', 'new', { limit: 2, after: [2] }), [1, 0], 'behind all windows')
    const best = Array.from({ length: ALL }, (_, n) => n).sort((a, b) => (b % 7) - (a % 7) || b - a)
    const paged: number[] = []
    for (let after: readonly number[] | undefined; paged.length < 600; ) {
      paged.push(...(await find('a', 'top', { limit: 200, ...(after && { after }) })))
      const last = paged.at(-1) ?? 0
      after = [last % 7, last]
    }
    t.deepEqual(paged, best.slice(0, 600))
    await t.throwsAsync(find('a', 'new', { limit: 2 }, AbortSignal.abort(new Error('the client has left'))), {
      message: 'the client has left',
    })
  })

  test('words beside each other are found among the newest rows that have them, the same ones for every page and order', async (t) => {
    const url = server.freshUrl()
    const { documents, close } = await openMongo({ url })
    t.teardown(async () => {
      await close()
      const client = await new MongoClient(url).connect()
      await client.db().dropDatabase()
      await client.close()
    })
    await documents.prepare([posts])
    const at = (n: number) => String(n).padStart(20, '0')
    const count = 2_100
    /** The oldest are the best. */
    const changes = Array.from({ length: count }, (_, n): DocumentChange => {
      const document: Post = { id: `p${n}`, title: n % 50 === 0 ? 'a b' : 'b a', author: 't2_1', seq: n, score: -n }
      return { collection: posts, id: document.id, position: at(n + 1), document, fresh: true }
    })
    await documents.write(changes, { name: 'posts', from: undefined, to: at(count) })
    const find = async (terms: SearchQuery['terms'], order: string, page: SearchQuery['page']) =>
      (await documents.search(posts, { terms, where: {}, order, page })).map(({ seq }) => seq)
    const matches = Array.from({ length: count }, (_, n) => n).filter((n) => n % 50 === 0)
    const all = await find({ words: 'a b' }, 'top', { limit: 100 })
    // a slow server comes less far in the time of a search
    t.deepEqual(all, matches.slice(-all.length))
    t.true(all.length > 0 && all.every((n) => n >= count - 2_000))
    t.deepEqual(await find({ words: 'a b' }, 'new', { limit: 100 }), all.toReversed())
    const paged: number[] = []
    for (let isEnd = false; !isEnd; ) {
      const last = paged.at(-1)
      const page = await find({ words: 'a b' }, 'top', { limit: 15, ...(last !== undefined && { after: [-last, last] }) })
      paged.push(...page)
      isEnd = page.length < 15
    }
    t.deepEqual(paged, all)
  })
}
