import test from 'ava'
import { BSON } from 'mongodb'
import { connect } from '../../src/adapters/mongodb/connection.ts'
import { mongoDocuments } from '../../src/adapters/mongodb/documents.ts'
import { holdsAll, phrases, searchable, termsOf } from '../../src/adapters/mongodb/search.ts'
import type { Collection, Document } from '../../src/ports/documents.ts'
import { scriptedMongo } from '../support/scripted-mongodb.ts'

const search = { text: ['title', 'text'], filters: [], orders: {} }

const holds = (terms: string, title: string, text = ''): boolean => {
  const document: { readonly id: string; readonly title: string; readonly text: string } = { id: 'a', title, text }
  return holdsAll(search, termsOf(terms))(document)
}

test('whatever a user types becomes quoted words without case, diacritics or syntax', (t) => {
  t.is(phrases(termsOf('-Tea "Cérémonie" $where {"a":1} \\ a\0b')), '" tea " " ceremonie " " where " " a 1 " " a b "')
  t.deepEqual(termsOf('  " -- * '), [])
})

test('a document holds a word only as a whole word, in any of its texts', (t) => {
  t.true(holds('TEA cup', 'A cup', 'of tea'))
  t.false(holds('tea cup', 'tea', 'in the cupboard'))
  t.true(holds('cafe', 'Café!'))
})

test('words that punctuation joins must stand side by side, in one text', (t) => {
  t.true(holds('wire-protocol', 'the Wire protocol'))
  t.false(holds('wire-protocol', 'a protocol on a wire'))
  t.false(holds('wire-protocol', 'wire', 'protocol'))
})

test('texts are kept as the words that a question is cut into, in every script, and no phrase crosses from one text to the next', (t) => {
  const collection = { name: 'c', version: 1, indexes: [], search: { text: ['title', 'text'], filters: [], orders: {} } }
  for (const word of ['Café', 'foo_bar', '한국어', 'हिन्दी', 'Жёлтый', 'D’été', 'ＡＢＣ', 'naïve№5']) {
    const document: { readonly id: string; readonly title: string; readonly text: string } = { id: 'a', title: 'One', text: word }
    const kept = searchable(collection, document) ?? ''
    for (const phrase of phrases(termsOf(word)).split('" "')) t.true(kept.includes(phrase.replaceAll('"', '')), `${word}: ${kept}`)
    t.true(holds(word, 'One', word), word)
    t.false(kept.includes(' one caf'), kept)
  }
  t.is(searchable({ name: 'c', version: 1, indexes: [] }, { id: 'a' }), undefined)
})

test('the server sorts and cuts, by no index that it is told; what it found too much of is asked for again', async (t) => {
  type Post = Document & { readonly title: string; readonly seq: number }
  const posts: Collection<Post> = {
    name: 'posts',
    version: 1,
    indexes: [],
    search: { text: ['title'], filters: ['sub'], orders: { new: ['-seq'] } },
  }
  const titles = ['the cupboard', 'A Cup!', 'cup of tea', 'cups']
  const rows = titles.map((title, n) => ({ _id: `t${n}`, position: '1', live: true, body: { id: `t${n}`, title, seq: 9 - n } }))
  const asked: Readonly<Record<string, unknown>>[] = []
  const indexes: Readonly<Record<string, unknown>>[] = []
  const server = await scriptedMongo((command, name) => {
    if (name === 'createIndexes') indexes.push(...(command.indexes as typeof indexes))
    if (name === 'find') asked.push(command)
    const batch = name === 'find' ? rows.slice(0, Number(command.limit)) : indexes
    return { cursor: { id: BSON.Long.ZERO, ns: 'rostra.posts_v1', firstBatch: batch } }
  })
  const connection = await connect(server.url)
  const documents = mongoDocuments(connection, (use) => use(connection.db))
  await documents.prepare([posts])
  const search = async (offset: number) =>
    (await documents.search(posts, { terms: 'CUP', where: { sub: 'x' }, order: 'new', limit: 1, offset })).map(({ id }) => id)
  t.deepEqual(await search(0), ['t1'])
  t.deepEqual(
    asked.map(({ limit }) => limit),
    [1, 4],
  )
  t.deepEqual(await search(1), ['t2'])
  t.deepEqual(await search(2), [])
  for (const { filter, sort, hint } of asked) {
    t.deepEqual(filter, { $text: { $search: '" cup "' }, live: { $eq: true }, 'body.sub': { $eq: 'x' } })
    t.deepEqual(sort, { 'body.seq': -1 })
    t.is(hint, undefined)
  }
  const text = indexes.find(({ name }) => name === 'search')
  t.like(text, { key: { words: 'text', 'body.sub': 1 }, default_language: 'none' })
  await connection.client.close()
  await server.close()
})
