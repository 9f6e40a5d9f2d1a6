import type { Collection, Document, DocumentStore, Value } from '../../src/ports/documents.ts'
import type { Position } from '../../src/ports/event-store.ts'
import type { Cases } from './contract.ts'
import { at, type OpenedDocuments, unique } from './document-cases.ts'

type Post = Document & {
  readonly title: string
  readonly text?: string
  readonly sub: string
  readonly nsfw: boolean
  readonly at: number
  readonly score: number
}

const posts = (): Collection<Post> => ({
  name: unique(),
  version: 1,
  indexes: [{ fields: ['sub', '-id'] }],
  search: { text: ['title', 'text'], filters: ['sub', 'nsfw'], orders: { new: ['-at', '-id'], top: ['-score', '-id'] } },
})

const written = async (documents: DocumentStore) => {
  const collection = posts()
  await documents.prepare([collection])
  let from: Position | undefined
  const write = async (changes: readonly (readonly [string, number, Post | undefined])[]): Promise<void> => {
    const to = at(Number(from ?? 0) + 1_000)
    await documents.write(
      changes.map(([id, position, document]) => ({ collection, id, position: at(position), document })),
      { name: collection.name, from, to },
    )
    from = to
  }
  await write([
    ['a', 1, { id: 'a', title: 'The Tea Ceremonie', text: 'slowly', sub: 'drinks', nsfw: false, at: 1, score: 2 }],
    ['b', 2, { id: 'b', title: 'Cérémonie du thé', text: 'tea, or café?', sub: 'france', nsfw: false, at: 2, score: 1 }],
    ['c', 3, { id: 'c', title: 'tea, tea; TEA!', sub: 'drinks', nsfw: true, at: 3, score: 9 }],
    ['d', 4, { id: 'd', title: 'cafe', text: 'Coffee', sub: 'drinks', nsfw: false, at: 4, score: 5 }],
  ])
  const search = async (
    terms: string,
    where: Readonly<Record<string, Value>> = {},
    order = 'relevance',
    limit = 10,
    offset = 0,
  ): Promise<string> => {
    const found = (await documents.search(collection, { terms, where, order, limit, offset })).map(({ id }) => id)
    return (order === 'relevance' ? found.sort() : found).join(' ')
  }
  return { collection, name: collection.name, search, write }
}

/** Full-text search. */
export const searches: Cases<OpenedDocuments> = {
  'every term is required, without regard to case and diacritics, in any text field': async (t, { documents }) => {
    const { search } = await written(documents)
    t.is(await search('tea'), 'a b c')
    t.is(await search('TEA cérémonie'), 'a b')
    t.is(await search('zolw'), '')
    t.is(await search('cafe'), 'b d')
    t.is(await search('tea coffee'), '')
    t.is(await search('nothing'), '')
    t.is(await search('te'), '', 'no prefixes')
    t.is(await search('teas'), '', 'no stemming')
  },
  'whatever a user types is text, never syntax': async (t, { documents }) => {
    const { search } = await written(documents)
    for (const terms of [
      '"',
      'tea AND',
      '-tea',
      'tea*',
      'title:tea',
      '(tea',
      'tea NEAR(',
      "'; DROP TABLE",
      '$',
      '{"a":1}',
      '\\',
      'a\0b',
      '"tea" "',
    ])
      await t.notThrowsAsync(search(terms), terms)
    t.is(await search(''), '')
    t.is(await search('  " -- * '), '')
    t.is(await search('tea and'), '', 'a word like any other')
    t.is(await search('"tea" (ceremonie)'), 'a b')
  },
  'filters are equality': async (t, { documents }) => {
    const { search } = await written(documents)
    t.is(await search('tea', { sub: 'drinks' }), 'a c')
    t.is(await search('tea', { sub: 'drinks', nsfw: true }), 'c')
    t.is(await search('tea', { nsfw: false }), 'a b')
  },
  'declared orders are exact, and are cut by offset and limit': async (t, { documents }) => {
    const { search, collection } = await written(documents)
    t.is(await search('tea', {}, 'new'), 'c b a')
    t.is(await search('tea', {}, 'top'), 'c a b')
    t.is(await search('tea', {}, 'top', 1, 1), 'a')
    t.is(await search('tea', {}, 'top', 5, 3), '')
    await t.throwsAsync(documents.search(collection, { terms: 'tea', where: {}, order: 'sideways', limit: 5, offset: 0 }))
    await t.throwsAsync(documents.search(collection, { terms: 'tea', where: { at: 1 }, order: 'new', limit: 5, offset: 0 }))
  },
  'a search follows every change': async (t, { documents }) => {
    const { search, collection, name, write } = await written(documents)
    await write([
      ['a', 100, { id: 'a', title: 'Water', sub: 'drinks', nsfw: false, at: 1, score: 2 }],
      ['b', 101, undefined],
    ])
    t.is(await search('tea'), 'c')
    t.is(await search('water'), 'a')
    await write([['a', 102, { id: 'a', title: 'Water', sub: 'drinks', nsfw: false, at: 1, score: 50 }]])
    t.is(await search('water'), 'a')
    await write([['b', 103, { id: 'b', title: 'water again', sub: 'drinks', nsfw: false, at: 9, score: 0 }]])
    t.is(await search('water', {}, 'top'), 'a b')
    await documents.clear([collection], name)
    t.is(await search('water'), '')
  },
}
