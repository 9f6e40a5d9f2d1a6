import test from 'ava'
import { say, submit } from '../support/posting.ts'
import { addressOf, findBy, startSearched } from '../support/searching.ts'
import type { Answer } from '../support/site.ts'

const { site, ann, bob, carol } = await startSearched()
test.after.always(() => site.stop())

const find = findBy(site)

test.serial('a caller with too many searches at once is told so, and when to come again; another caller is served', async (t) => {
  // if requests come slowly, most searches end before the next comes
  let answers: readonly Answer[] = []
  let refused: readonly Answer[] = []
  for (let round = 1; refused.length === 0 && round <= 20; round += 1) {
    answers = await Promise.all(Array.from({ length: 60 }, (_, n) => site.get(addressOf(`nothing ${round} ${n}`))))
    refused = answers.filter(({ status }) => status !== 200)
  }
  t.true(refused.length > 0)
  for (const { status, headers, at } of refused)
    t.deepEqual([status, headers.get('retry-after'), at('reason')], [429, '5', 'TOO_MANY_AT_ONCE'])
  const both = await Promise.all([...answers.map((_, n) => site.get(addressOf(`nobody ${n}`))), ann.get(addressOf('somebody'))])
  t.is(both.at(-1)?.status, 200)
})

test('words are all required, in title, text or address, whatever their case and accents', async (t) => {
  const title = await submit(bob, 'tea', { title: 'Quantum Cérémonie' })
  const text = await submit(bob, 'tea', { title: 'plain', text: 'a **quantum** of ceremonie' })
  const url = await submit(bob, 'milk', { title: 'other', url: 'https://quantum.example/ceremonie-page' })
  t.deepEqual((await find('QUANTUM ceremonie')).toSorted(), [title, text, url].toSorted())
  t.deepEqual(await find('quantum ceremonie page'), [url])
  t.deepEqual(await find('quantum nonsense'), [])
  t.is((await find('quantum'))[0], title, 'by relevance, titles come first')
  t.deepEqual(await find('quantum ceremonie', { sort: 'new' }), [url, text, title])
})

test('scripts without spaces, emoji and full-width forms are found in titles and texts, in each syntax', async (t) => {
  const title = await submit(bob, 'tea', { title: '我家在上海东边🎉' })
  const text = await submit(bob, 'milk', { title: 'plain', text: '日本語とEnglish混在、ＦＵＬＬ' })
  for (const [q, expected] of [
    ['上海', title],
    ['"上海东"', title],
    ['海 -混在', title],
    ['title:上海', title],
    ['🎉', title],
    ['上海🎉', title],
    ['English混在', text],
    ['日本語 FULL', text],
    ['日本語とEnglish', text],
    ['ｅｎｇｌｉｓｈ AND 日本', text],
  ] as const)
    t.deepEqual(await find(q), [expected], q)
  for (const q of ['上海', '🎉', '上海🎉']) t.deepEqual(await find(q, { syntax: 'plain' }), [title], q)
  t.deepEqual(await find("(and title:'上海' (not '混在'))", { syntax: 'cloudsearch' }), [title])
  t.deepEqual(await find('海上'), [])
  t.deepEqual(await find('東'.repeat(512)), [], 'a run is one word')
})

test('operators, phrases, fields and parentheses narrow what is found', async (t) => {
  const a = await submit(bob, 'tea', { title: 'zebra green leaf', text: 'stripes here' })
  const b = await submit(carol, 'milk', { title: 'zebra leaf green', url: 'https://shop.zebra.example/leaf' })
  const c = await submit(carol, 'tea', { title: 'zebra nsfw', text: 'leaf dusk' })
  await say(carol, a, 'a leaf')
  await ann.post('/api/vote', { id: b, dir: 1 })
  await ann.post('/api/vote', { id: c, dir: -1 })
  const tea = String((await site.get('/s/tea/about')).at('data.id'))
  const now = Math.floor(Date.now() / 1000)
  const cases: Readonly<Record<string, readonly string[]>> = {
    [`author_fullname:${carol.id} zebra`]: [b, c],
    [`sr_id:${Number.parseInt(tea, 36)} zebra`]: [a, c],
    [`sr_id:t4_${tea} -author_fullname:${carol.id.toUpperCase()} zebra`]: [a],
    [`fullname:${b}`]: [b],
    [`zebra -fullname:${b}`]: [a, c],
    [`zebra timestamp:${now - 3_600}..${now + 3_600}`]: [a, b, c],
    [`zebra timestamp:[${now + 3_600} TO *]`]: [],
    [`zebra timestamp:[* TO ${now + 3_600}]`]: [a, b, c],
    'zebra num_comments:1': [a],
    'zebra num_comments:..0': [b, c],
    'zebra -num_comments:1..': [b, c],
    'zebra ups:2..9': [b],
    'zebra downs:1': [c],
    'zebra ups:many': [],
    'zebra -ups:many': [],
    '(ups:2.. downs:0) zebra': [b],
    'zebra NOT (ups:2 OR num_comments:1)': [c],
    'zebra author_fullname:t2': [],
    'zebra sr_id:t4': [],
    'zebra (ups:2 OR dusk)': [c],
    zebra: [a, b, c],
    '"green leaf"': [a],
    'zebra AND stripes': [a],
    'zebra NOT green': [c],
    'zebra -green': [c],
    'zebra -"green leaf"': [b, c],
    'zebra (stripes OR dusk)': [a, c],
    'stripes OR selftext:dusk': [a, c],
    'title:leaf zebra': [a, b],
    'title:"leaf green"': [b],
    'title:(stripes OR "leaf green")': [b],
    'selftext:leaf zebra': [c],
    'url:zebra': [b],
    'author:carol zebra': [b, c],
    'author:CAROL zebra -self:yes': [b],
    'zebra NOT author:u/carol': [a],
    'subsite:milk zebra': [b],
    'subsite:/s/tea/ AND zebra': [a, c],
    'author:carol AND self:yes AND zebra': [c],
    'zebra self:no': [b],
    'zebra is_self:1': [a, c],
    'zebra nsfw:yes': [c],
    'zebra nsfw:no': [a, b],
    'zebra -nsfw:yes': [a, b],
    'zebra (nsfw:yes OR self:no)': [b, c],
    'site:zebra.example': [b],
    'site:shop.zebra.example zebra': [b],
    'site:example zebra': [b],
    'site:zebra': [],
    'site:other.example zebra': [],
    'author:nobody zebra': [],
    'author:nobody OR stripes': [a],
    'subsite:nowhere': [],
    'self:perhaps zebra': [],
    'zebra nsfw:perhaps': [],
    'zebra carol': [b, c],
    'zebra milk': [b],
  }
  for (const [q, expected] of Object.entries(cases)) {
    t.deepEqual((await find(q)).toSorted(), expected.toSorted(), q)
    t.deepEqual((await find(q, { syntax: 'solr', sort: 'top' })).toSorted(), expected.toSorted(), q)
  }
  t.deepEqual(
    (await find('NOT zebra', { limit: '100' })).filter((id) => [a, b, c].includes(id)),
    [],
  )
  t.true((await find('-zebra', { limit: '100' })).length > 0)
  const { hostname } = new URL(site.running.app.config.publicUrl)
  t.deepEqual((await find(`site:${hostname} zebra`)).toSorted(), [a, c].toSorted(), 'texts are here')
})

test('syntax says how a query is read: plain is words only, cloudsearch puts operators before their operands', async (t) => {
  const a = await submit(bob, 'tea', { title: 'yak not author bob' })
  const b = await submit(carol, 'tea', { title: 'yak' })
  t.deepEqual(await find('yak NOT author:bob', { syntax: 'lucene' }), [b])
  t.deepEqual(await find('yak NOT author:bob', { syntax: 'plain' }), [a])
  t.deepEqual(await find("(and title:'yak' (not author:'bob'))", { syntax: 'cloudsearch' }), [b])
  t.deepEqual(await find("(and yak (or author:'bob' subsite:'milk'))", { syntax: 'cloudsearch' }), [a])
  t.deepEqual(await find('yak NOT author:bob', { syntax: 'unheard-of' }), [b])
})

test('no query is an error, and one that cannot be parsed is read as words', async (t) => {
  const link = await submit(bob, 'tea', { title: 'walrus and (more)' })
  for (const q of [
    'walrus (',
    'walrus AND',
    'OR walrus',
    'walrus)',
    '((((walrus',
    '"walrus',
    'walrus ""',
    'walrus -',
    'NOT NOT walrus',
    'walrus !!! ***',
  ])
    t.deepEqual(await find(q), [link], q)
  const hostile = [
    '(',
    '"',
    '*',
    'title:',
    'title:*',
    'NEAR(a b)',
    '{title}:x',
    "'; DROP TABLE links",
    '$where',
    'a'.repeat(512),
    'x '.repeat(64),
    '('.repeat(512),
  ]
  hostile.push('-'.repeat(512), 'a:'.repeat(64), 'title:'.repeat(64), 'NOT '.repeat(64), '(a OR '.repeat(32), '\0', '\u{1f375}')
  for (const q of hostile)
    for (const syntax of ['lucene', 'plain', 'cloudsearch']) {
      const answer = await site.get(addressOf(q, { syntax }))
      t.is(answer.status, 200, `${syntax} ${q}: ${answer.text}`)
    }
})

test('an empty query finds nothing', async (t) => {
  await submit(bob, 'tea', { title: 'lonely' })
  for (const q of ['', '   ', '!!!']) t.deepEqual(await find(q), [], q)
  t.deepEqual((await site.get('/s/tea/search?q=!!!&restrict_sr=true')).at('data.children'), [], 'also in one subsite')
  t.like((await site.get('/search')).body, { kind: 'Listing', data: { children: [], after: null, before: null, facets: {} } })
})

test('a query of more than 512 characters or 64 words is refused, and q named; a shorter one is answered', async (t) => {
  await submit(bob, 'tea', { title: 'brief brief' })
  t.is((await find(`${'brief '.repeat(64)}${'!'.repeat(200)}`.slice(0, 512))).length, 1)
  t.is((await find('\u{1d306}'.repeat(506).concat(' brief'))).length, 1, 'characters, not units')
  t.deepEqual(await find('"brief brief brief"'), [])
  for (const path of ['/search', '/s/tea/search', '/subsites/search']) {
    const long = await site.get(`${path}?q=${encodeURIComponent('brief'.padEnd(513, '!'))}`)
    t.is(long.status, 400, path)
    t.like(long.body, { reason: 'TOO_LONG', fields: ['q'], explanation: 'this is too long (max: 512)' })
    for (const q of ['brief '.repeat(65), `"${'brief '.repeat(65)}"`, 'a b '.repeat(128), '\u{1f375}'.repeat(65)]) {
      const wordy = await site.get(`${path}?q=${encodeURIComponent(q)}`)
      t.is(wordy.status, 400, `${path} ${q}`)
      t.like(wordy.body, { reason: 'TOO_LONG', fields: ['q'], explanation: 'this has too many words (max: 64)' })
    }
  }
})
