import { join } from 'node:path'
import test from 'ava'
import { openReader } from '../../src/adapters/sqlite/schema.ts'
import { searchIds } from '../../src/adapters/sqlite/search.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { describeTable } from '../../src/adapters/sqlite/tables.ts'
import { HOLD_LIMITS } from '../../src/adapters/sqlite/write-behind.ts'
import {
  allWords,
  type Collection,
  type Document,
  type DocumentChange,
  MAX_SEARCH_CANDIDATES,
  type SearchQuery,
  type TextSearch,
} from '../../src/ports/documents.ts'
import { openSearchEnds } from '../../src/ports/search-ends.ts'
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
const ALL = MAX_SEARCH_CANDIDATES + MORE

test('a search for a very frequent word considers the newest matches only; a rare word is found in every document', async (t) => {
  const stores = await openSqlite({ file: join(temporaryDirectory(t), 'search.db') })
  t.teardown(stores.close)
  const { documents } = stores
  await documents.prepare([posts])
  const at = (n: number) => String(n).padStart(20, '0')
  const changes = Array.from({ length: ALL }, (_, n): DocumentChange => {
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

const openWith = async (directory: string, some: readonly Post[]) => {
  const { documents, close } = await openSqlite({ file: join(directory, 'search.db') })
  await documents.prepare([posts])
  const at = (n: number) => String(n).padStart(20, '0')
  const changes = some.map((document, n): DocumentChange => ({ collection: posts, id: document.id, position: at(n + 1), document }))
  await documents.write(changes, { name: 'posts', from: undefined, to: at(some.length) })
  const search = async (terms: SearchQuery['terms'], abandoned?: AbortSignal) => {
    const found = await documents.search(posts, { terms, where: {}, order: 'top', page: { limit: 5 } }, abandoned)
    return found.map(({ id }) => id)
  }
  return { search, close }
}

const repeated = (text: string, count: number, from: number) =>
  Array.from({ length: count }, (_, n): Post => ({ id: `r${from + n}`, title: text, seq: from + n, score: from + n }))

const ordinary: Post = { id: 'x', title: 'ordinary', seq: -1, score: -1 }

const letters = [...'abcdefghijklmnopqrstuvwxyz']
const line = [...letters, ...letters.map((letter) => `z${letter}`)].join(' ')
const pairs = letters.map((letter, n) => ({ words: `${letter} ${letters[n + 1] ?? 'za'}` }))

/** The dearest that 64 words can look for: places of the same few words, in every row, compared again and again. */
const dearest: readonly (readonly [string, TextSearch])[] = [
  ['a phrase of one word', { words: 'a '.repeat(64) }],
  ['a phrase of two words', { words: 'a b '.repeat(32) }],
  ['a phrase of all words', { words: line }],
  ['a phrase that nearly fits', { words: `${'a b c d e f g h '.repeat(7)} h g f e d c b a` }],
  ['many words', allWords(line)],
  ['alternatives of phrases', { any: Array.from({ length: 8 }, (_, n) => ({ words: line.slice(2 * n, 2 * n + 15) })) }],
  ['alternatives of two words', { any: pairs }],
  ['many phrases of two words', { all: pairs }],
  ['a run of one character', { words: '茶'.repeat(512) }],
  ['a run of two characters', { words: '茶水'.repeat(256) }],
  ['many runs', allWords('茶水茶水茶水茶 '.repeat(64))],
  ['many characters', allWords('茶 水 '.repeat(32))],
]

test.serial('whatever is stored, a search delays another by less than 300 ms', async (t) => {
  const texts = [...repeated('a b c d e f g h '.repeat(2_500), 500, 0), ...repeated('a '.repeat(20_000), 200, 500)]
  const { search, close } = await openWith(temporaryDirectory(t), [ordinary, ...texts])
  t.teardown(close)
  await search('ordinary')
  for (const [name, terms] of dearest) {
    // the shortest of some tries counts, since the machine may be busy with something else
    const delays: number[] = []
    while (delays.length < 8 && !((delays.at(-1) ?? 300) < 300)) {
      const dear = search(terms)
      const started = performance.now()
      t.deepEqual(await search('ordinary'), ['x'])
      delays.push(performance.now() - started)
      await dear
    }
    t.true(Math.min(...delays) < 300, `${name}: ${delays}`)
  }
})

test.serial('no statement of the dearest search takes longer than 50 ms of work', async (t) => {
  const directory = temporaryDirectory(t)
  const { close } = await openWith(directory, [
    ...repeated(`${line} ${'a b '.repeat(64)}${`${line} `.repeat(20)}`, 700, 0),
    ...repeated(`${'a b '.repeat(64)}${'茶'.repeat(65)}${'茶水'.repeat(65)}`, 600, 700),
  ])
  t.teardown(close)
  const connection = openReader(join(directory, 'search.db'))
  t.teardown(() => connection.close())
  const table = describeTable(connection, posts)
  // ranked by relevance, a search compares its words twice
  for (const [name, sought] of dearest)
    for (const terms of [sought, { all: [sought, { any: [sought] }] }, { all: [sought], except: [sought] }]) {
      // the shortest of some tries counts: in the others the processor had other work between
      const tries: number[] = []
      while (tries.length < 8 && !((tries.at(-1) ?? 50) < 50)) {
        const steps = searchIds(connection, table, { terms, where: {}, order: 'top', page: { limit: 5 } }, openSearchEnds<number>())
        let longest = 0
        for (let isDone = false; !isDone; ) {
          const before = process.threadCpuUsage()
          isDone = steps.next().done === true
          const { user, system } = process.threadCpuUsage()
          longest = Math.max(longest, (user - before.user + system - before.system) / 1_000)
        }
        tries.push(longest)
      }
      t.true(Math.min(...tries) < 50, `${name}: ${tries}`)
    }
})

test('pages of a search that ran out of time continue exactly, whatever is written between them', async (t) => {
  const directory = temporaryDirectory(t)
  const { documents, close } = await openSqlite({ file: join(directory, 'search.db') })
  t.teardown(close)
  await documents.prepare([posts])
  const at = (n: number) => String(n).padStart(20, '0')
  let written = 0
  const write = async (count: number) => {
    const changes = Array.from({ length: count }, (_, n): DocumentChange => {
      const seq = written + n
      const document: Post = { id: `p${seq}`, title: seq % 32 === 0 ? 'a b c' : 'c a b', seq, score: seq }
      return { collection: posts, id: document.id, position: at(seq + 1), document }
    })
    await documents.write(changes, { name: 'posts', from: written === 0 ? undefined : at(written), to: at(written + count) })
    await documents.checkpoint('posts') // as the file has it, so everything is written before
    written += count
  }
  await write(3_000)
  const connection = openReader(join(directory, 'search.db'))
  t.teardown(() => connection.close())
  const ends = openSearchEnds<number>()
  /** Its time is over after the first block of rows. */
  const find = (limit: number, after?: string) => {
    const anchor = Number(after?.slice(1))
    const page = { limit, ...(after !== undefined && { after: [anchor, anchor] }) }
    const query = { terms: { words: 'a b c' }, where: {}, order: 'top', page }
    const steps = searchIds(connection, describeTable(connection, posts), query, ends, 0)
    for (;;) {
      const step = steps.next()
      if (step.done) return step.value
    }
  }
  const all = find(1_000)
  t.true(all.length > 0 && !all.includes('p0'), 'it did not look at all rows')
  const paged: string[] = []
  for (let isEnd = false; !isEnd; ) {
    const page = find(5, paged.at(-1))
    paged.push(...page)
    isEnd = page.length < 5
    await write(1_024)
  }
  t.deepEqual(paged, all)
})

test('a search that is abandoned ends, whether it waits or has begun, and others go on', async (t) => {
  const { search, close } = await openWith(temporaryDirectory(t), [ordinary, ...repeated('a b', 30_000, 0)])
  t.teardown(close)
  const leaving = new AbortController()
  const left = Array.from({ length: 40 }, () => search(allWords('a b c'), leaving.signal))
  const staying = search('ordinary')
  leaving.abort(new Error('the client has left'))
  for (const one of left) await t.throwsAsync(one, { message: 'the client has left' })
  await t.throwsAsync(search('a', leaving.signal), { message: 'the client has left' })
  t.deepEqual(await staying, ['x'])
  t.is((await search('a')).length, 5)
})

test('a store that is closed finishes the searches that have begun', async (t) => {
  const stores = await openSqlite({ file: join(temporaryDirectory(t), 'search.db') })
  await stores.documents.prepare([posts])
  const searches = Array.from({ length: 10 }, () =>
    stores.documents.search(posts, { terms: 'a', where: {}, order: 'top', page: { limit: 5 } }),
  )
  await stores.close()
  t.deepEqual(
    await Promise.all(searches),
    searches.map(() => []),
  )
})

test('a search finds what is stored now, whatever it found before', async (t) => {
  const { documents, close } = await openSqlite({ file: join(temporaryDirectory(t), 'search.db') })
  t.teardown(close)
  await documents.prepare([posts])
  const at = (n: number) => String(n).padStart(20, '0')
  let written = 0
  const write = async (titles: Readonly<Record<string, string | undefined>>) => {
    const changes = Object.entries(titles).map(([id, title], n): DocumentChange => {
      const document: Post | undefined = title === undefined ? undefined : { id, title, seq: Number(id.slice(1)), score: 0 }
      return { collection: posts, id, position: at(written + n + 1), document }
    })
    await documents.write(changes, { name: 'posts', from: written === 0 ? undefined : at(written), to: at(written + changes.length) })
    written += changes.length
  }
  const find = async (terms: SearchQuery['terms']) =>
    (await documents.search(posts, { terms, where: {}, order: 'new', page: { limit: 10 } })).map(({ id }) => id).join(' ')
  const tea = { all: [{ any: [{ words: 'tea' }, { words: 'mate' }] }], except: [{ words: 'ice' }] }
  await write({ p1: 'tea', p2: 'ale', p3: 'mate ice', p4: 'tea ice' })
  t.is(await find(tea), 'p1')
  // as many rows and words as before, each time
  await write({ p1: 'ale', p2: 'tea' })
  t.is(await find(tea), 'p2')
  await write({ p2: undefined, p5: 'tea' })
  t.is(await find(tea), 'p5')
  await write({ p3: 'ice mate', p4: 'tea tea' })
  t.is(await find(tea), 'p5 p4')
  await write({ p4: undefined })
  t.is(await find(tea), 'p5')
  await write({ p5: undefined })
  t.is(await find(tea), '')
  await write({ p6: 'mate' })
  t.is(await find(tea), 'p6')
})

type Placed = Post & { readonly place: string }
const placed: Collection<Placed> = {
  name: 'placed',
  version: 1,
  unique: { seq: [] },
  indexes: [{ fields: ['place', '-score', '-seq'] }],
  search: { text: ['title', 'place'], filters: ['seq'], orders: { top: ['-score', '-seq'] } },
}

test('what is known of all that a search finds changes nothing of it', async (t) => {
  const { documents, close } = await openSqlite({ file: join(temporaryDirectory(t), 'search.db') })
  t.teardown(close)
  await documents.prepare([placed])
  const at = (n: number) => String(n).padStart(20, '0')
  const changes = Array.from({ length: 4_000 }, (_, n): DocumentChange => {
    const [title, place] = [n % 3 === 0 ? 'tea' : 'ale', n % 5 === 0 ? 'attic' : n % 5 === 1 ? 'bar' : 'cellar']
    const document: Placed = { id: `p${n}`, title, place, seq: n, score: (n * 7_919) % 997 }
    return { collection: placed, id: document.id, position: at(n + 1), document }
  })
  await documents.write(changes, { name: 'placed', from: undefined, to: at(4_000) })
  const places = {
    any: [
      { words: 'attic', fields: ['place'] },
      { words: 'cellar', fields: ['place'] },
    ],
  }
  const among = { place: { in: ['attic', 'cellar'] } }
  for (const where of [{}, { seq: { gte: 3_900 } }])
    for (const page of [{}, { after: [500, 2_000] }, { before: [500, 2_000] }, { after: [3, 0] }, { before: [990, 0] }]) {
      const query = { terms: { all: [{ words: 'tea' }, places] }, where, order: 'top', page: { limit: 30, ...page } }
      const usual = await documents.search(placed, query)
      t.true(usual.length > 0 || 'seq' in where)
      t.deepEqual(await documents.search(placed, { ...query, among }), usual)
    }
})

test('what was found without waiting for changes of the order counts as changed once these are in the file', async (t) => {
  const hold = { ...HOLD_LIMITS, ms: 60_000 }
  const { documents, generation, close } = await openSqlite({ file: join(temporaryDirectory(t), 'search.db'), hold })
  t.teardown(close)
  await documents.prepare([posts])
  const write = (round: number, score: (n: number) => number) =>
    documents.write(
      Array.from({ length: 60 }, (_, n): DocumentChange => {
        const document: Post = { id: `p${n}`, title: 'a', seq: n, score: score(n) }
        return { collection: posts, id: document.id, position: String(round).padStart(20, '0'), document }
      }),
      [],
    )
  const best = async () => (await documents.search(posts, { terms: 'a', where: {}, order: 'top', page: { limit: 1 } }))[0]?.seq
  for (let round = 1; ; round += 2) {
    await write(round, (n) => n)
    await documents.checkpoint('posts')
    await write(round + 1, (n) => -n)
    const before = generation(posts.name)
    // the first search waits; the next one does so only if it is a fifth of a second later
    if ((await best()) === 0) continue
    t.is(generation(posts.name), before)
    await documents.checkpoint('posts')
    t.true(generation(posts.name) > before)
    t.is(await best(), 0)
    break
  }
})
