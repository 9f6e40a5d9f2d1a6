import test from 'ava'
import { holdsAll, phrases, searchable, termsOf } from '../../src/adapters/mongodb/search.ts'

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
