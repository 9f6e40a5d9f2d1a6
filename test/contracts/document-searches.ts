import type { Collection, Document, DocumentStore, Filter, SearchQuery } from '../../src/ports/documents.ts'
import type { Position } from '../../src/ports/event-store.ts'
import type { Cases } from './contract.ts'
import { type OpenedDocuments, toPosition, unique } from './document-cases.ts'

type Post = Document & {
  readonly title: string
  readonly text?: string
  readonly sub: string
  readonly nsfw: boolean
  readonly live: boolean
  readonly at: number
  readonly score: number
}

const posts = (): Collection<Post> => ({
  name: unique(),
  version: 1,
  indexes: [{ fields: ['sub', '-id'] }],
  search: {
    text: ['title', 'text', 'nsfw'],
    only: 'live',
    filters: ['sub', 'nsfw', 'at'],
    orders: { new: ['-at', '-id'], top: ['-score', '-id'] },
  },
})

const writeDocuments = async (documents: DocumentStore) => {
  const collection = posts()
  await documents.prepare([collection])
  let from: Position | undefined
  const write = async (changes: readonly (readonly [string, number, Post | undefined])[]): Promise<void> => {
    const to = toPosition(Number(from ?? 0) + 1_000)
    await documents.write(
      changes.map(([id, position, document]) => ({ collection, id, position: toPosition(position), document })),
      { name: collection.name, from, to },
    )
    from = to
  }
  await write([
    ['a', 1, { id: 'a', title: 'The Tea Ceremonie', text: 'slowly', sub: 'drinks', nsfw: false, live: true, at: 1, score: 2 }],
    ['b', 2, { id: 'b', title: 'Cérémonie du thé', text: 'tea, or café?', sub: 'france', nsfw: false, live: true, at: 2, score: 1 }],
    ['c', 3, { id: 'c', title: 'tea, tea; TEA!', sub: 'drinks', nsfw: true, live: true, at: 3, score: 9 }],
    ['d', 4, { id: 'd', title: 'cafe', text: 'Coffee', sub: 'drinks', nsfw: false, live: true, at: 4, score: 5 }],
  ])
  /** The ids found; without an order, sorted. */
  const search = async (terms: SearchQuery['terms'], where: Filter = {}, order?: string, page: Partial<SearchQuery['page']> = {}) => {
    const found = await documents.search(collection, { terms, where, order: order ?? 'new', page: { limit: 10, ...page } })
    const ids = found.map(({ id }) => id)
    return (order === undefined ? ids.toSorted() : ids).join(' ')
  }
  return { collection, name: collection.name, search, write }
}

/** Full-text search. */
export const searches: Cases<OpenedDocuments> = {
  'every term is required, without regard to case and diacritics, in any text field': async (t, { documents }) => {
    const { search } = await writeDocuments(documents)
    t.is(await search('tea'), 'a b c')
    t.is(await search('TEA cérémonie'), 'a b')
    t.is(await search('zolw'), '')
    t.is(await search('cafe'), 'b d')
    t.is(await search('tea coffee'), '')
    t.is(await search('nothing'), '')
    t.is(await search('te'), '', 'no prefixes')
    t.is(await search('teas'), '', 'no stemming')
  },
  'a term is searched as text, never as syntax': async (t, { documents }) => {
    const { search } = await writeDocuments(documents)
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
  'filters are equalities and ranges': async (t, { documents }) => {
    const { search } = await writeDocuments(documents)
    t.is(await search('tea', { sub: 'drinks' }), 'a c')
    t.is(await search('tea', { sub: 'drinks', nsfw: true }), 'c')
    t.is(await search('tea', { nsfw: false }), 'a b')
    t.is(await search('tea', { at: { gte: 2 } }), 'b c')
    t.is(await search('tea', { at: { gt: 1, lt: 3 } }), 'b')
  },
  'terms can be restricted to fields, combined and excluded': async (t, { documents }) => {
    const { search } = await writeDocuments(documents)
    const [tea, cafe] = [{ words: 'tea' }, { words: 'cafe' }]
    t.is(await search({ words: 'tea', fields: ['title'] }), 'a c')
    t.is(await search({ words: 'tea', fields: ['title', 'text'] }), 'a b c')
    t.is(await search({ words: 'tea ceremonie' }), 'a', 'side by side')
    t.is(await search({ words: 'true', fields: ['nsfw'] }), 'c', 'a boolean is a word')
    t.is(await search({ any: [tea, { words: 'coffee' }] }), 'a b c d')
    t.is(await search({ all: [{ any: [tea, { words: 'coffee' }] }, cafe] }), 'b d')
    t.is(await search({ all: [cafe], except: [tea] }), 'd')
    t.is(await search({ any: [{ all: [tea], except: [cafe, { words: 'ceremonie' }] }, { words: 'coffee' }] }), 'c d')
    t.is(await search({ any: [{ words: 'du thé' }, { all: [tea, { words: 'slowly' }] }] }), 'a b')
  },
  'texts of scripts without spaces are found by any part, down to one character': async (t, { documents }) => {
    const { search, write } = await writeDocuments(documents)
    const texts: Readonly<Record<string, string>> = {
      han: '我家在上海东边',
      mixed: '日本語とEnglish混在',
      thai: 'ฉันชอบชาเขียวมาก',
      korean: '서울에서 차를 마신다',
      khmer: 'ខ្ញុំចូលចិត្តតែបៃតង',
      rare: 'a 𠮷野家 b',
      apart: '上 海, 5分 green 茶 leaf',
      half: 'ｶﾞｿﾘﾝ',
    }
    let position = 70
    await write(
      Object.entries(texts).map(([id, title]) => {
        position += 1
        return [id, position, { id, title, sub: 'scripts', nsfw: false, live: true, at: position, score: 1 }]
      }),
    )
    for (const [terms, expected] of [
      ['上海', 'han'],
      ['上海东边', 'han'],
      ['海上', ''],
      ['我上海', ''],
      ['上', 'apart han'],
      ['English', 'mixed'],
      ['日本語', 'mixed'],
      ['日本語とEnglish', 'mixed'],
      ['English混在', 'mixed'],
      ['混', 'mixed'],
      ['ชาเขียว', 'thai'],
      ['서울', 'korean'],
      ['차', 'korean'],
      ['차를 서울', 'korean'],
      ['តែបៃតង', 'khmer'],
      ['吉野家', ''],
      ['𠮷野', 'rare'],
      ['𠮷', 'rare'],
      ['5分', 'apart'],
      ['ガソリン', 'half'],
      ['ガ', 'half'],
      ['カ', ''],
    ] as const)
      t.is(await search(terms), expected, terms)
    t.is(await search({ words: 'green leaf' }), '', 'a character between words keeps them apart')
    t.is(await search({ words: '海东 我家' }), 'han', 'stretches of a text are sought by themselves')
    t.is(await search({ all: [{ words: '上' }], except: [{ words: '上海' }] }), 'apart')
    await write([['han', 90, { id: 'han', title: '东', sub: 'scripts', nsfw: false, live: true, at: 90, score: 1 }]])
    t.is(await search('上海'), '')
    t.is(await search('东'), 'han')
  },
  'emoji are words, and width, case, accents and invisible characters make no difference': async (t, { documents }) => {
    const { search, write } = await writeDocuments(documents)
    const texts: Readonly<Record<string, string>> = {
      emoji: 'party🎉time, 👍🏽 and 👩‍💻',
      flags: '🇯🇵🇩🇪',
      keys: 'press 1️⃣ or #️⃣',
      wide: 'ＡＢＣ１２３',
      case: 'Straße ΣΊΣΥΦΟΣ İstanbul',
      joined: 'soft\u00adware می\u200cخواهم שָׁלוֹם',
      marks: 'हिन्दी Pixel™ 5',
    }
    let position = 70
    await write(
      Object.entries(texts).map(([id, title]) => {
        position += 1
        return [id, position, { id, title, sub: 'scripts', nsfw: false, live: true, at: position, score: 1 }]
      }),
    )
    for (const [terms, expected] of [
      ['🎉', 'emoji'],
      ['party time', 'emoji'],
      ['👍', 'emoji'],
      ['👍🏻', 'emoji'],
      ['👩‍💻', 'emoji'],
      ['🍵', ''],
      ['🇩🇪', 'flags'],
      ['🇵🇩', ''],
      ['1️⃣', 'keys'],
      ['#️⃣', 'keys'],
      ['*️⃣', ''],
      ['1', ''],
      ['abc123', 'wide'],
      ['ＴＥＡ', 'a b c'],
      ['STRASSE', 'case'],
      ['σίσυφος', 'case'],
      ['σισυφοσ', 'case'],
      ['istanbul', 'case'],
      ['software', 'joined'],
      ['میخواهم', 'joined'],
      ['שלום', 'joined'],
      ['हिन्दी', 'marks'],
      ['हन्द', ''],
      ['pixel', 'marks'],
    ] as const)
      t.is(await search(terms), expected, terms)
  },
  'terms without words are ignored, and alone find nothing': async (t, { documents }) => {
    const { search } = await writeDocuments(documents)
    const nothing = { words: '!?' }
    t.is(await search({ all: [nothing, { words: 'tea' }], except: [nothing] }), 'a b c')
    t.is(await search({ any: [nothing, { words: 'slowly' }] }), 'a')
    for (const terms of [nothing, { all: [] }, { any: [] }, { all: [nothing] }, { all: [], except: [{ words: 'tea' }] }])
      t.is(await search(terms), '', JSON.stringify(terms))
  },
  'of each text, the first 64 places of a word are searched': async (t, { documents }) => {
    const { search, write } = await writeDocuments(documents)
    const text = `${'green '.repeat(63)}green tea ${'green '.repeat(10)}green cup of tea`
    await write([['e', 60, { id: 'e', title: 'green cup', text, sub: 'drinks', nsfw: false, live: true, at: 5, score: 1 }]])
    t.is(await search({ words: 'green tea' }), 'e', 'the 64th')
    t.is(await search({ words: 'green cup', fields: ['text'] }), '', 'one further on')
    t.is(await search({ words: 'green cup' }), 'e', 'another text')
    t.is(await search({ words: 'tea cup', fields: ['text'] }), '', 'what is between them keeps its place')
    t.is(await search({ words: 'cup of tea', fields: ['text'] }), 'e', 'other words')
    await write([['e', 61, { id: 'e', title: 'gone', sub: 'drinks', nsfw: false, live: true, at: 5, score: 1 }]])
    t.is(await search('green'), '')
    t.is(await search('gone'), 'e')
  },
  'of each text, the first 8,192 distinct words, pairs and characters are searched': async (t, { documents }) => {
    const { search, write } = await writeDocuments(documents)
    const characters = Array.from({ length: 8_192 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')
    const text = `${characters.slice(0, 4_095)} words, ${characters.slice(4_000)} ${characters.slice(0, 2)} late`
    await write([['e', 60, { id: 'e', title: 'long', text, sub: 'drinks', nsfw: false, live: true, at: 5, score: 1 }]])
    for (const [n, expected] of [
      [0, 'e'],
      [4_090, 'e'],
      [4_100, ''],
      [8_000, ''],
    ] as const) {
      t.is(await search(characters.slice(n, n + 2)), expected, `the pair ${n}`)
      t.is(await search(characters.slice(n, n + 1)), expected, `the character ${n}`)
    }
    t.is(await search('words'), 'e')
    t.is(await search('late'), '')
    t.is(await search('long'), 'e', 'another text')
    await write([['e', 61, { id: 'e', title: 'gone', text: 'late', sub: 'drinks', nsfw: false, live: true, at: 5, score: 1 }]])
    t.is(await search('words'), '')
    t.is(await search('late'), 'e')
  },
  'a document whose search condition is false is not found until it is true again': async (t, { documents }) => {
    const { search, write } = await writeDocuments(documents)
    const c = { id: 'c', title: 'tea again', sub: 'drinks', nsfw: true, at: 3, score: 9 }
    await write([['c', 50, { ...c, live: false }]])
    t.is(await search('tea'), 'a b')
    await write([['c', 51, { ...c, title: 'tea once more', live: false }]])
    t.is(await search('tea'), 'a b')
    await write([['c', 52, { ...c, live: true }]])
    t.is(await search('again'), 'c')
  },
  'results have the declared order exactly, in pages forwards and backwards': async (t, { documents }) => {
    const { search, collection } = await writeDocuments(documents)
    t.is(await search('tea', {}, 'new'), 'c b a')
    t.is(await search('tea', {}, 'top'), 'c a b')
    t.is(await search('tea', {}, 'top', { limit: 1 }), 'c')
    t.is(await search('tea', {}, 'top', { limit: 1, after: [9, 'c'] }), 'a')
    t.is(await search('tea', {}, 'top', { limit: 5, after: [9, 'a'] }), 'a b', 'an anchor is compared by the whole order')
    t.is(await search('tea', {}, 'top', { limit: 5, after: [1, 'b'] }), '')
    t.is(await search('tea', {}, 'top', { limit: 1, before: [1, 'b'] }), 'a')
    t.is(await search('tea', {}, 'top', { limit: 5, before: [1, 'b'] }), 'c a')
    t.is(await search('tea', {}, 'top', { limit: 0 }), '')
    const query = { terms: 'tea', where: {}, order: 'new', page: { limit: 5 } }
    await t.throwsAsync(documents.search(collection, { ...query, order: 'sideways' }))
    await t.throwsAsync(documents.search(collection, { ...query, where: { score: 1 } }))
  },
  'a search reflects every change': async (t, { documents }) => {
    const { search, collection, name, write } = await writeDocuments(documents)
    await write([
      ['a', 100, { id: 'a', title: 'Water', sub: 'drinks', nsfw: false, live: true, at: 1, score: 2 }],
      ['b', 101, undefined],
    ])
    t.is(await search('tea'), 'c')
    t.is(await search('water'), 'a')
    await write([['a', 102, { id: 'a', title: 'Water', sub: 'drinks', nsfw: false, live: true, at: 1, score: 50 }]])
    t.is(await search('water'), 'a')
    await write([['b', 103, { id: 'b', title: 'water again', sub: 'drinks', nsfw: false, live: true, at: 9, score: 0 }]])
    t.is(await search('water', {}, 'top'), 'a b')
    await documents.clear([collection], name)
    t.is(await search('water'), '')
  },
}
