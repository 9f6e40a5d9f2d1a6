import test from 'ava'
import { links } from '../../projections/links.ts'
import {
  isExact,
  matchAfter,
  matchesSearch,
  matchOf,
  matchUpTo,
  searchWordsOf,
  toLeadingWords,
} from '../../src/adapters/mongodb/search-words.ts'
import { allWords, type TextSearch } from '../../src/ports/documents.ts'
import { compareKeys } from '../../src/ports/orders.ts'
import { soughtWords } from '../../src/ports/search-words.ts'
import fc from '../support/properties.ts'

const search = { text: ['title', 'text'], filters: [], orders: {} }

/** The words of a query, which must not be empty. */
const soughtBy = (sought: string | TextSearch) => {
  const found = soughtWords(typeof sought === 'string' ? allWords(sought) : sought)
  if (found === undefined) throw new Error('nothing is sought')
  return found
}

const holds = (terms: string | TextSearch, title: string, text = ''): boolean => {
  const document: { readonly id: string; readonly title: string; readonly text: string } = { id: 'a', title, text }
  return matchesSearch(search, soughtBy(terms))(document)
}

test('a user’s text becomes words without case, diacritics or syntax', (t) => {
  t.deepEqual(matchOf(search, soughtBy('-Tea "Cérémonie" $where')), {
    $and: ['tea', 'ceremonie', 'where'].map((one) => ({ $or: [{ words: { $all: [`0 ${one}`] } }, { words: { $all: [`1 ${one}`] } }] })),
  })
  t.is(soughtWords(allWords('  " -- * ')), undefined)
})

test('the index is read for the longest word that every match has, and for what most documents have only where there is no other', (t) => {
  const index = { ...search, common: ['title'] }
  const yes: TextSearch = { words: 'everybody', fields: ['title'] }
  for (const [sought, leading] of [
    [allWords('a tea of'), ['0 tea', '1 tea']],
    [{ words: 'cup of tea', fields: ['text'] }, ['1 cup']],
    [{ all: [yes, { words: 'a', fields: ['text'] }] }, ['1 a']],
    [{ any: [yes, { words: 'a', fields: ['text'] }] }, ['0 everybody', '1 a']],
    [{ all: [yes], except: [{ words: 'ceremonies' }] }, ['0 everybody']],
    [{ all: [allWords('tea'), { any: [yes] }] }, ['0 tea', '1 tea']],
  ] as const)
    t.deepEqual(toLeadingWords(index, soughtBy(sought)), leading)
})

test('a search for links begins with what it looks for, not with its audience', (t) => {
  const { search: declared } = links
  if (declared === undefined) return t.fail('links are not searched')
  const title = declared.text.indexOf('title')
  const sought = { all: [{ words: 'tea', fields: ['title'] }, { any: [{ words: 'everybody', fields: ['audience'] }] }] }
  t.deepEqual(toLeadingWords(declared, soughtBy(sought)), [`${title} tea`])
})

test('what the server decides alone are single words, and ids whose words differ', (t) => {
  const withIds = { ...search, text: ['title', 'author', 'subsite'], ids: ['author', 'subsite'] }
  for (const [sought, expected] of [
    [allWords('tea pot'), true],
    [{ words: 'tea pot' }, false],
    [{ words: 't2_1a' }, false],
    [{ words: 't2_1a', fields: ['author'] }, true],
    [{ words: 't2_1a', fields: ['author', 'title'] }, false],
    [{ words: 't2_t2', fields: ['author'] }, false],
    [{ all: [allWords('tea'), { any: [{ words: 't4_1', fields: ['subsite'] }] }] }, true],
    [{ all: [allWords('tea')], except: [{ words: 'green tea' }] }, false],
  ] as const)
    t.is(isExact(withIds, soughtBy(sought)), expected, JSON.stringify(sought))
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
    const kept = searchWordsOf(collection, document) ?? []
    const sought = soughtBy(word)
    t.true('words' in sought || 'all' in sought)
    for (const leading of toLeadingWords(search, sought)) if (leading.startsWith('1 ')) t.true(kept.includes(leading), `${word}: ${kept}`)
    t.true(holds(word, 'One', word), word)
    t.true(kept.includes('0 one'))
  }
  t.is(searchWordsOf({ name: 'c', version: 1, indexes: [] }, { id: 'a' }), undefined)
})

const word = fc.constantFrom('tea', 'cup', 'of', 'milk', 'a')
const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((some) => some.join(' '))
const soughts = fc.letrec<{ readonly sought: TextSearch }>((tie) => ({
  sought: fc.oneof(
    { depthSize: 'small' },
    fc.record(
      { words, fields: fc.constantFrom(['title'], ['text'], ['title', 'text']) },
      { requiredKeys: ['words'] },
    ) as fc.Arbitrary<TextSearch>,
    fc.record({ all: fc.array(tie('sought'), { minLength: 1, maxLength: 3 }), except: fc.array(tie('sought'), { maxLength: 2 }) }),
    fc.record({ any: fc.array(tie('sought'), { minLength: 1, maxLength: 3 }) }),
  ),
})).sought

/** As the server does. */
const holdsFor = (match: unknown, words: readonly string[]): boolean => {
  const {
    $and,
    $or,
    $nor,
    words: list,
  } = match as Readonly<Record<'$and' | '$or' | '$nor', readonly unknown[] | undefined>> & {
    readonly words?: { readonly $all: readonly string[] }
  }
  if ($and) return $and.every((part) => holdsFor(part, words))
  if ($or) return $or.some((part) => holdsFor(part, words))
  if ($nor) return !$nor.some((part) => holdsFor(part, words))
  return list?.$all.every((word) => words.includes(word)) ?? false
}

test('the query sent to the server matches everything sought, and perhaps more', (t) => {
  const texts = fc.array(word, { maxLength: 6 }).map((some) => some.join(' '))
  const collection = { name: 'c', version: 1, indexes: [], search }
  fc.assert(
    fc.property(soughts, texts, texts, (sought, title, text) => {
      const document: { readonly id: string; readonly title: string; readonly text: string } = { id: 'a', title, text }
      const found = soughtWords(sought)
      if (found === undefined || !matchesSearch(search, found)(document)) return true
      const held = searchWordsOf(collection, document) ?? []
      return toLeadingWords(search, found).some((one) => held.includes(one)) && holdsFor(matchOf(search, found), held)
    }),
    { numRuns: 2_000 },
  )
  t.pass()
})

const keys = fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 3 }))
const signs = fc.constantFrom(1 as const, -1 as const)

test('what follows an anchor and what stands up to it are the two parts of an order', (t) => {
  const compared = (match: unknown, row: Readonly<Record<string, number>>): boolean =>
    Object.entries(match as Readonly<Record<string, unknown>>).every(([name, condition]) => {
      if (name === '$and') return (condition as readonly unknown[]).every((part) => compared(part, row))
      if (name === '$or') return (condition as readonly unknown[]).some((part) => compared(part, row))
      if (name === '$nor') return !(condition as readonly unknown[]).some((part) => compared(part, row))
      return Object.entries(condition as Readonly<Record<string, number>>).every(([operator, value]) => {
        const held = row[name] ?? 0
        return { $lt: held < value, $lte: held <= value, $gt: held > value, $gte: held >= value, $eq: held === value }[operator] ?? false
      })
    })
  fc.assert(
    fc.property(keys, keys, signs, signs, ([a, b], [c, d], one, two) => {
      const order = [
        { path: 'x', sign: one },
        { path: 'y', sign: two },
      ]
      const isAfter = compareKeys([one, two])([a, b], [c, d]) > 0
      return (
        compared(matchAfter(order, [c, d]), { x: a, y: b }) === isAfter && compared(matchUpTo(order, [c, d]), { x: a, y: b }) === !isAfter
      )
    }),
  )
  t.pass()
})
