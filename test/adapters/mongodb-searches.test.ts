import test, { type ExecutionContext } from 'ava'
import { MongoClient } from 'mongodb'
import { openMongo } from '../../src/adapters/mongodb/open.ts'
import type { Collection, Document, DocumentChange, DocumentStore, SearchQuery } from '../../src/ports/documents.ts'
import { documentServer } from '../support/document-server.ts'

type Post = Document & { readonly title: string; readonly author: string; readonly seq: number; readonly score: number }

const posts: Collection<Post> = {
  name: 'posts',
  version: 1,
  unique: { seq: [] },
  indexes: [],
  search: { text: ['title', 'author'], ids: ['author'], filters: ['seq'], orders: { new: ['-seq'], top: ['-score', '-seq'] } },
}
/** Two windows. */
const ALL = 700

/** Stops the clock, so that the time limit of a search never ends it: a slow server sorts all rows for each window. */
const stopClock = (t: ExecutionContext): void => {
  const { now } = performance
  const stopped = now.call(performance)
  performance.now = () => stopped
  t.teardown(() => {
    performance.now = now
  })
}

/** Writes a part at a time, each in much less than the time that a call has. */
const writeAll = async (documents: DocumentStore, changes: readonly DocumentChange[]): Promise<void> => {
  for (let from = 0; from < changes.length; from += 200) await documents.write(changes.slice(from, from + 200), [])
}

/** Opens a new database with the collection, which is dropped when the test ends. */
const openPosts = async (t: ExecutionContext, url: string): Promise<DocumentStore> => {
  const { documents, close } = await openMongo({ url })
  t.teardown(async () => {
    await close()
    const client = await new MongoClient(url).connect()
    await client.db().dropDatabase()
    await client.close()
  })
  await documents.prepare([posts])
  return documents
}

const server = await documentServer()

if (typeof server === 'string') test.skip(`MongoDB: searches are not run: ${server}`, (t) => t.pass())
else {
  test.after.always(server.stop)

  test.serial('a search finds every match, however far back, in pages that follow each other, and ends when it is abandoned', async (t) => {
    const documents = await openPosts(t, server.freshUrl())
    const at = (n: number) => String(n).padStart(20, '0')
    const changes = Array.from({ length: ALL }, (_, n): DocumentChange => {
      const document: Post = { id: `p${n}`, title: n === 3 ? 'a rare one' : `a ${'b '.repeat(100)}`, author: 't2_1', seq: n, score: n % 7 }
      return { collection: posts, id: document.id, position: at(n + 1), document, fresh: true }
    })
    await writeAll(documents, changes)
    const find = async (terms: SearchQuery['terms'], order: string, page: SearchQuery['page'], abandoned?: AbortSignal) =>
      (await documents.search(posts, { terms, where: {}, order, page }, abandoned)).map(({ seq }) => seq)

    stopClock(t)
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

  test.serial(
    'words beside each other are found among the newest rows that have them, the same ones for every page and order',
    async (t) => {
      const documents = await openPosts(t, server.freshUrl())
      const at = (n: number) => String(n).padStart(20, '0')
      const count = 2_100
      /** The oldest are the best. */
      const changes = Array.from({ length: count }, (_, n): DocumentChange => {
        const document: Post = { id: `p${n}`, title: n % 50 === 0 ? 'a b' : 'b a', author: 't2_1', seq: n, score: -n }
        return { collection: posts, id: document.id, position: at(n + 1), document, fresh: true }
      })
      await writeAll(documents, changes)
      const find = async (terms: SearchQuery['terms'], order: string, page: SearchQuery['page']) =>
        (await documents.search(posts, { terms, where: {}, order, page })).map(({ seq }) => seq)
      const matches = Array.from({ length: count }, (_, n) => n).filter((n) => n % 50 === 0)
      stopClock(t)
      const all = await find({ words: 'a b' }, 'top', { limit: 100 })
      t.deepEqual(
        all,
        matches.filter((n) => n >= count - 2_000),
      )
      t.deepEqual(await find({ words: 'a b' }, 'new', { limit: 100 }), all.toReversed())
      const paged: number[] = []
      for (let isEnd = false; !isEnd; ) {
        const last = paged.at(-1)
        const page = await find({ words: 'a b' }, 'top', { limit: 15, ...(last !== undefined && { after: [-last, last] }) })
        paged.push(...page)
        isEnd = page.length < 15
      }
      t.deepEqual(paged, all)
    },
  )
}
