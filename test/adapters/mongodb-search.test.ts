import test from 'ava'
import { BSON } from 'mongodb'
import { connect } from '../../src/adapters/mongodb/connection.ts'
import { mongoDocuments } from '../../src/adapters/mongodb/documents.ts'
import { fitting, question, searchable } from '../../src/adapters/mongodb/search.ts'
import { allWords, type Collection, type Document, type Sought } from '../../src/ports/documents.ts'
import { soughtWords } from '../../src/ports/search-words.ts'
import fc from '../support/properties.ts'
import { scriptedMongo } from '../support/scripted-mongodb.ts'

const search = { text: ['title', 'text'], filters: [], orders: {} }

/** The words of a query, which must not be empty. */
const soughtBy = (sought: string | Sought) => {
  const found = soughtWords(typeof sought === 'string' ? allWords(sought) : sought)
  if (found === undefined) throw new Error('nothing is sought')
  return found
}

const holds = (terms: string | Sought, title: string, text = ''): boolean => {
  const document: { readonly id: string; readonly title: string; readonly text: string } = { id: 'a', title, text }
  return fitting(search, soughtBy(terms))(document)
}

test('a user’s text becomes quoted words without case, diacritics or syntax', (t) => {
  t.is(question(soughtBy('-Tea "Cérémonie" $where {"a":1} \\ a\0b')), '" tea " " ceremonie " " where " " a 1 " " a b "')
  t.is(soughtWords(allWords('  " -- * ')), undefined)
})

test('a search matches whole words only, in any text of a document', (t) => {
  t.true(holds('TEA cup', 'A cup', 'of tea'))
  t.false(holds('tea cup', 'tea', 'in the cupboard'))
  t.true(holds('cafe', 'Café!'))
})

test('words joined by punctuation must be adjacent, in one text', (t) => {
  t.true(holds('wire-protocol', 'the Wire protocol'))
  t.false(holds('wire-protocol', 'a protocol on a wire'))
  t.false(holds('wire-protocol', 'wire', 'protocol'))
})

test('texts are stored as the words that queries are split into, in every script, and no phrase spans two texts', (t) => {
  const collection = { name: 'c', version: 1, indexes: [], search: { text: ['title', 'text'], filters: [], orders: {} } }
  for (const word of ['Café', 'foo_bar', '한국어', 'हिन्दी', 'Жёлтый', 'D’été', 'ＡＢＣ', 'naïve№5']) {
    const document: { readonly id: string; readonly title: string; readonly text: string } = { id: 'a', title: 'One', text: word }
    const kept = searchable(collection, document) ?? ''
    for (const phrase of question(soughtBy(word)).split('" "')) t.true(kept.includes(phrase.replaceAll('"', '')), `${word}: ${kept}`)
    t.true(holds(word, 'One', word), word)
    t.false(kept.includes(' one caf'), kept)
  }
  t.is(searchable({ name: 'c', version: 1, indexes: [] }, { id: 'a' }), undefined)
})

const word = fc.constantFrom('tea', 'cup', 'of', 'milk', 'a')
const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((some) => some.join(' '))
const soughts = fc.letrec<{ readonly sought: Sought }>((tie) => ({
  sought: fc.oneof(
    { depthSize: 'small' },
    fc.record(
      { words, fields: fc.constantFrom(['title'], ['text'], ['title', 'text']) },
      { requiredKeys: ['words'] },
    ) as fc.Arbitrary<Sought>,
    fc.record({ all: fc.array(tie('sought'), { minLength: 1, maxLength: 3 }), except: fc.array(tie('sought'), { maxLength: 2 }) }),
    fc.record({ any: fc.array(tie('sought'), { minLength: 1, maxLength: 3 }) }),
  ),
})).sought

test('the query sent to the server matches everything sought, and perhaps more', (t) => {
  const texts = fc.array(word, { maxLength: 6 }).map((some) => some.join(' '))
  const collection = { name: 'c', version: 1, indexes: [], search }
  fc.assert(
    fc.property(soughts, texts, texts, (sought, title, text) => {
      const document: { readonly id: string; readonly title: string; readonly text: string } = { id: 'a', title, text }
      const found = soughtWords(sought)
      if (found === undefined || !fitting(search, found)(document)) return true
      // as the server does: every quoted phrase, or any of the words
      const [held, asked] = [searchable(collection, document) ?? '', question(found)]
      const phrases = asked.match(/(?<=")[^"]+(?=")/g)
      return phrases
        ? phrases.filter((phrase) => phrase.trim() !== '').every((phrase) => held.includes(phrase))
        : asked.split(' ').some((one) => held.includes(` ${one} `))
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})

test('the server sorts a bounded number of matches without a named index, and further pages replace unfit ones', async (t) => {
  type Post = Document & { readonly title: string; readonly seq: number }
  const posts: Collection<Post> = {
    name: 'posts',
    version: 1,
    unique: { seq: [] },
    indexes: [],
    search: { text: ['title'], filters: ['sub'], orders: { new: ['-seq'] } },
  }
  const titles = ['the cupboard', 'A Cup!', 'cup of tea', 'cups']
  const rows = titles.map((title, n) => ({ _id: `t${n}`, position: '1', live: true, body: { id: `t${n}`, title, seq: 9 - n } }))
  const asked: Readonly<Record<string, unknown>>[] = []
  const indexes: Readonly<Record<string, unknown>>[] = []
  const server = await scriptedMongo((command, name) => {
    if (name === 'createIndexes') indexes.push(...(command.indexes as typeof indexes))
    if (name === 'aggregate') asked.push(command)
    const stages = (command.pipeline ?? []) as readonly {
      readonly $match?: { readonly $or?: readonly { readonly 'body.seq': { $lt: number } }[] }
    }[]
    const below = stages.flatMap(({ $match }) => $match?.$or?.[0]?.['body.seq'].$lt ?? [])[0] ?? 10
    const most = Number((stages.at(-1) as { readonly $limit?: number } | undefined)?.$limit)
    const batch = name === 'aggregate' ? rows.filter(({ body }) => body.seq < below).slice(0, most) : indexes
    return { cursor: { id: BSON.Long.ZERO, ns: 'rostra.posts_v1', firstBatch: batch } }
  })
  const connection = await connect(server.url)
  const documents = mongoDocuments(connection, (use) => use(connection.db))
  await documents.prepare([posts])
  const search = async (after?: number) => {
    const page = after === undefined ? { limit: 1 } : { limit: 1, after: [after] }
    return (await documents.search(posts, { terms: 'CUP', where: { sub: 'x' }, order: 'new', page })).map(({ id }) => id)
  }
  t.deepEqual(await search(), ['t1'])
  t.is(asked.length, 2, 'the first did not fit')
  t.deepEqual(await search(8), ['t2'])
  t.deepEqual(await search(7), [])
  const found = { $text: { $search: '" cup "' }, live: { $eq: true }, 'body.sub': { $eq: 'x' } }
  t.deepEqual(asked[0]?.pipeline, [{ $match: found }, { $limit: 10_000 }, { $sort: { 'body.seq': -1 } }, { $limit: 1 }])
  const [, , following] = (asked.at(-1)?.pipeline ?? []) as readonly unknown[]
  t.deepEqual(following, { $match: { $or: [{ 'body.seq': { $lt: 6 } }] } })
  for (const { hint } of asked) t.is(hint, undefined)
  const text = indexes.find(({ name }) => name === 'search')
  t.like(text, { key: { words: 'text', 'body.sub': 1 }, default_language: 'none' })
  await connection.client.close()
  await server.close()
})
