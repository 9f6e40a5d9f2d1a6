import { join } from 'node:path'
import test from 'ava'
import { accounts } from '../../projections/accounts.ts'
import { links } from '../../projections/links.ts'
import { subsites } from '../../projections/subsites.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { findLinks, linkFields, linkSearch } from '../../src/queries/link-search.ts'
import { parseSearch, type SearchTree } from '../../src/queries/search-query.ts'
import fc, { anyText } from '../support/properties.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** An expression in the form `a & (b | !title:c)`. */
const shown = (wanted: SearchTree | undefined): string => {
  if (wanted === undefined) return ''
  if ('text' in wanted) return `${wanted.field === undefined ? '' : `${wanted.field}:`}${wanted.text}`
  if ('not' in wanted) return `!${shown(wanted.not)}`
  return 'all' in wanted ? `(${wanted.all.map(shown).join(' & ')})` : `(${wanted.any.map(shown).join(' | ')})`
}

const read = (query: string, syntax: Parameters<typeof parseSearch>[1] = 'lucene') => shown(parseSearch(query, syntax, linkFields))

test('adjacent words are all required, and bind more tightly than OR', (t) => {
  t.is(read('a b'), '(a & b)')
  t.is(read('a AND b OR c d'), '((a & b) | (c & d))')
  t.is(read('a (b OR c)'), '(a & (b | c))')
  t.is(read('a && b || c'), '((a & b) | c)')
  t.is(read('and or not'), '(and & or & not)', 'operators are written in capitals')
})

test('a field applies to the word, phrase or parenthesis that follows', (t) => {
  t.is(read('author:ann b'), '(author:ann & b)')
  t.is(read('TITLE:"a b" c'), '(title:a b & c)')
  t.is(read('title:(a OR "b c") d'), '((title:a | title:b c) & d)')
  t.is(read('title:(a author:b)'), '(title:a & author:b)')
  t.is(read('is_self:yes'), 'self:yes')
  t.is(read('re:zero http://a.b'), '(re & zero & http & //a.b)', 'what is no field is a word')
})

test('what every object has as members are words, neither operators nor fields', (t) => {
  t.is(read('constructor'), 'constructor')
  t.is(read('zebra OR toString'), '(zebra | toString)')
  t.is(read('-hasOwnProperty __proto__'), '(!hasOwnProperty & __proto__)')
  t.is(read('constructor:a valueOf:(b OR c)'), '(constructor & a & valueOf & (b | c))')
})

test('NOT or a minus negates a term; a double negation cancels out', (t) => {
  t.is(read('a NOT b'), '(a & !b)')
  t.is(read('a -b -"c d" -(e f) -title:g'), '(a & !b & !c d & !(e & f) & !title:g)')
  t.is(read('NOT NOT a'), 'a')
  t.is(read('a-b'), 'a-b')
})

test('the prefix syntax is read if it is announced', (t) => {
  const query = "(and title:'a b' (or author:'ann' self:1) (not c))"
  t.is(read(query, 'cloudsearch'), '(title:a b & (author:ann | self:1) & !c)')
  t.is(read('a OR b', 'cloudsearch'), '(a | b)')
  t.is(read(query, 'plain'), '(and & title & a & b & or & author & ann & self & 1 & not & c)')
})

test('emoji are plain words, with what joins them', (t) => {
  t.is(read('tea🍵 👩🏽‍💻, 🇯🇵 #️⃣ (上海)', 'plain'), '(tea🍵 & 👩🏽‍💻 & 🇯🇵 & #️⃣ & 上海)')
  t.is(read('🎉 AND (', 'lucene'), '🎉')
})

test('an invalid query is searched as plain words', (t) => {
  for (const query of ['a AND', 'a )', '(a', 'OR a', `${'('.repeat(9)}a${')'.repeat(9)}`]) t.is(read(query), 'a', query)
  for (const query of ['', '  ', '()', 'AND', '"']) t.is(read(query), '', query)
  t.is(read('!?'), '!?', 'it is the index that finds no word in it')
})

test('all texts of a query are searched', (t) => {
  for (const syntax of ['lucene', 'plain', 'cloudsearch'] as const) t.is(read('a '.repeat(200), syntax).match(/a/g)?.length, 200)
})

test('any query becomes an expression that the index accepts', async (t) => {
  const stores = await openSqlite({ file: join(temporaryDirectory(t), 'search.db') })
  t.teardown(stores.close)
  await stores.documents.prepare([links, subsites, accounts])
  const token = fc.constantFrom(
    'a',
    'b',
    '(',
    ')',
    'AND',
    'OR',
    'NOT',
    '-',
    '"',
    '"a b"',
    'title:',
    'author:',
    'self:yes',
    'nsfw:no',
    'site:a.b',
    ' ',
    "'",
  )
  const query = fc.oneof(
    fc.array(token, { maxLength: 60 }).map((some) => some.join(' ')),
    fc.array(token, { maxLength: 60 }).map((some) => some.join('')),
    anyText({ maxLength: 80 }),
  )
  await fc.assert(
    fc.asyncProperty(query, fc.constantFrom('lucene', 'plain', 'cloudsearch'), async (q, syntax) => {
      const wanted = parseSearch(q, syntax, linkFields)
      if (wanted === undefined) return
      const search = await linkSearch(stores.documents, wanted, { within: undefined, ownHost: 'localhost' })
      t.deepEqual(await findLinks(stores.documents, search, 'relevance', undefined).source.find({ limit: 5 }), [])
    }),
    { numRuns: 400 },
  )
  const deepest = (open: string) => `${open.repeat(8)}c${')'.repeat(8)}`
  for (const q of [deepest('-(a OR '), deepest('-(a '), deepest('(a OR -b '), `(and ${'(not (or a '.repeat(4)}b${'))'.repeat(4)})`]) {
    const wanted = parseSearch(q, q.startsWith('(and') ? 'cloudsearch' : 'lucene', linkFields)
    if (wanted === undefined) throw new Error(q)
    const search = await linkSearch(stores.documents, wanted, { within: { words: 'x' }, ownHost: 'localhost' })
    t.deepEqual(await findLinks(stores.documents, search, 'relevance', 1).source.find({ limit: 5 }), [], q)
  }
})
