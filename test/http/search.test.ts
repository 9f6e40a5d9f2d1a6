import test from 'ava'
import { EPOCH, fullname } from '../../src/domain/ids.ts'
import { Link, LinkSubmitted } from '../../src/domain/link.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { startCast } from '../support/cast.ts'
import { found, names, say, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import type { Caller } from '../support/site.ts'

// a stand-in for MongoDB may have no text search
const searching = servers === undefined ? test : test.skip

const { site, ann, bob, carol, dave } = await startCast(['ann', 'bob', 'carol', 'dave'])
await found(ann, 'tea', { title: 'All about leaves' })
await found(ann, 'milk')
test.after.always(() => site.stop())

const addressOf = (q: string, more: Readonly<Record<string, string>> = {}) => `/search?${new URLSearchParams({ q, ...more })}`
const find = async (q: string, more: Readonly<Record<string, string>> = {}, reader: Caller = site, prefix = '') =>
  names(await reader.get(prefix + addressOf(q, more)))

/** A link as if it had been submitted some time ago. */
const submitAgo = async (ms: number, subsite: string, author: string, title: string): Promise<string> => {
  const { app } = site.running
  const mint = (app.clock() - ms - EPOCH) * 4096 + (app.mint() % 4096)
  const link = fullname('link', mint)
  const command = commandOf(seedOf(mint), { account: author, as: 'user' })
  const fields = { link, subsite, author, title, text: '', over18: false, sendReplies: false, filtered: false }
  await app.run(Link, link, () => ({ _tag: 'Right', right: [LinkSubmitted(fields)] }), command)
  return link
}

test('a store without text search refuses searches as unavailable, any other answers them', async (t) => {
  const { status } = await site.get(addressOf('quantum'))
  t.true(status === 200 || (servers !== undefined && status === 503), String(status))
})

searching('words are all required, in title, text or address, whatever their case and accents', async (t) => {
  const title = await submit(bob, 'tea', { title: 'Quantum Cérémonie' })
  const text = await submit(bob, 'tea', { title: 'plain', text: 'a **quantum** of ceremonie' })
  const url = await submit(bob, 'milk', { title: 'other', url: 'https://quantum.example/ceremonie-page' })
  t.deepEqual((await find('QUANTUM ceremonie')).toSorted(), [title, text, url].toSorted())
  t.deepEqual(await find('quantum ceremonie page'), [url])
  t.deepEqual(await find('quantum nonsense'), [])
  t.is((await find('quantum'))[0], title, 'by relevance, titles come first')
  t.deepEqual(await find('quantum ceremonie', { sort: 'new' }), [url, text, title])
})

searching('operators, phrases, fields and parentheses narrow what is found', async (t) => {
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

searching('what a deleted account wrote is not found by its name or its id', async (t) => {
  const gone = await site.register('gone')
  const link = await submit(gone, 'tea', { title: 'saiga' })
  const byId = `saiga author_fullname:${gone.id}`
  t.deepEqual(await find(byId), [link])
  const { status } = await (await gone.session()).post('/api/delete_user', { passwd: gone.password, confirm: true })
  t.is(status, 200)
  t.deepEqual(await find('saiga'), [link])
  t.deepEqual(await find(byId), [])
  t.deepEqual(await find('saiga author:gone'), [])
  t.deepEqual(await find(`saiga -author_fullname:${gone.id}`), [link])
})

searching('syntax says how a query is read: as words only, or written from the outside in', async (t) => {
  const a = await submit(bob, 'tea', { title: 'yak not author bob' })
  const b = await submit(carol, 'tea', { title: 'yak' })
  t.deepEqual(await find('yak NOT author:bob', { syntax: 'lucene' }), [b])
  t.deepEqual(await find('yak NOT author:bob', { syntax: 'plain' }), [a])
  t.deepEqual(await find("(and title:'yak' (not author:'bob'))", { syntax: 'cloudsearch' }), [b])
  t.deepEqual(await find("(and yak (or author:'bob' subsite:'milk'))", { syntax: 'cloudsearch' }), [a])
  t.deepEqual(await find('yak NOT author:bob', { syntax: 'unheard-of' }), [b])
})

searching('whatever is typed is no error, and what cannot be read is read as words', async (t) => {
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
    '('.repeat(512),
  ]
  hostile.push(
    '-'.repeat(512),
    'a:'.repeat(256),
    'title:'.repeat(85),
    'NOT '.repeat(128),
    '(a OR '.repeat(80),
    'x '.repeat(256),
    '\0',
    '\u{1f375}',
  )
  for (const q of hostile)
    for (const syntax of ['lucene', 'plain', 'cloudsearch']) {
      const answer = await site.get(addressOf(q, { syntax }))
      t.is(answer.status, 200, `${syntax} ${q}: ${answer.text}`)
    }
})

searching('an empty query, and one that is too long, find nothing', async (t) => {
  await submit(bob, 'tea', { title: 'lonely' })
  for (const q of ['', '   ', '!!!', `lonely ${'x'.repeat(506)}`, `lonely${' '.repeat(600)}`.slice(0, 0), 'lonely '.repeat(74)])
    t.deepEqual(await find(q), [], q)
  t.is((await find('lonely '.repeat(73).trim())).length, 1, 'up to 512 characters')
  t.like((await site.get('/search')).body, { kind: 'Listing', data: { children: [], after: null, before: null, facets: {} } })
  t.is((await site.get(`/search?q=${'x'.repeat(9_000)}`)).status, 200)
})

searching('a search is restricted to the subsites of the path only where that is asked for', async (t) => {
  await found(carol, 'juice')
  const [tea, milk, juice] = [
    await submit(bob, 'tea', { title: 'marmot' }),
    await submit(bob, 'milk', { title: 'marmot' }),
    await submit(carol, 'juice', { title: 'marmot' }),
  ]
  const all = [tea, milk, juice].toSorted()
  const within = async (path: string, restrict_sr: string, reader: Caller = bob) =>
    (await find('marmot', { restrict_sr }, reader, path)).toSorted()
  t.deepEqual(await within('/s/tea', 'false'), all)
  t.deepEqual(await within('/s/tea', 'on'), [tea])
  t.deepEqual(await within('/s/tea+milk', 'true'), [tea, milk].toSorted())
  t.deepEqual(await within('/s/all-tea', 'true'), [milk, juice].toSorted())
  t.deepEqual(await within('', 'true'), all)
  t.deepEqual(await within('/s/mod', 'true', carol), [juice])
  await dave.request('PUT', '/api/v1/me/friends/carol', { json: {} })
  t.deepEqual(await within('/s/friends', 'true', dave), [juice])
  t.is((await site.get(`/s/friends${addressOf('marmot', { restrict_sr: '1' })}`)).status, 403)
  t.is((await site.get(`/s/friends${addressOf('marmot')}`)).status, 200)
  t.is((await site.get(`/s/nowhere${addressOf('marmot')}`)).status, 404)
})

searching('orders are those asked for; relevance is the default', async (t) => {
  const [low, high, talked] = [
    await submit(bob, 'tea', { title: 'gecko one' }),
    await submit(bob, 'tea', { title: 'two', text: 'gecko' }),
    await submit(bob, 'tea', { title: 'gecko three' }),
  ]
  for (const voter of [ann, carol]) await voter.post('/api/vote', { id: high, dir: 1 })
  await ann.post('/api/vote', { id: low, dir: -1 })
  for (let n = 0; n < 2; n += 1) await say(ann, talked)
  await say(ann, low)
  t.deepEqual(await find('gecko', { sort: 'new' }), [talked, high, low])
  t.deepEqual(await find('gecko', { sort: 'top' }), [high, low, talked])
  t.deepEqual(await find('gecko', { sort: 'comments' }), [talked, low, high])
  t.is((await find('gecko', { sort: 'hot' }))[0], high)
  t.is((await find('gecko', { sort: 'relevance' })).at(-1), high)
  for (const sort of ['', 'sideways']) t.deepEqual(await find('gecko', { sort }), await find('gecko', { sort: 'relevance' }))
})

searching('windows of time hold what was made within them, whatever the order', async (t) => {
  const subsite = await found(ann, 'aged')
  const day = 24 * 3_600_000
  const ages = { hour: 50 * 60_000, day: day - 60_000, week: 7 * day - 60_000, month: 31 * day - 60_000, older: 32 * day }
  const made: string[] = []
  for (const age of Object.values(ages)) made.push(await submitAgo(age, subsite, bob.id, 'ammonite'))
  for (const sort of ['new', 'top', 'relevance'])
    for (const [place, span] of Object.keys(ages).slice(0, 4).entries())
      t.deepEqual((await find('ammonite', { t: span, sort })).toSorted(), made.slice(0, place + 1).toSorted(), `${span} ${sort}`)
  for (const span of ['all', 'year', 'decade', '']) t.is((await find('ammonite', { t: span })).length, 5, span)
})

searching('pages follow one another in every order, there and back', async (t) => {
  for (let n = 0; n < 7; n += 1)
    await submit(n % 2 ? ann : bob, 'tea', n % 3 ? { title: `pangolin ${n}` } : { title: `n ${n}`, text: 'pangolin' })
  for (const sort of ['relevance', 'hot', 'top', 'new', 'comments']) {
    const all = await find('pangolin', { sort })
    t.is(all.length, 7)
    for (const reader of [site, carol])
      for (const limit of ['1', '2', '3']) {
        const there: string[] = []
        for (let after: unknown = ''; after !== null; ) {
          const page = await reader.get(addressOf('pangolin', { sort, limit, after: String(after) }))
          there.push(...names(page))
          after = page.at('data.after')
        }
        t.deepEqual(there, all, `${sort} by ${limit}`)
        const back: string[] = []
        for (let before: unknown = all.at(-1); before !== null; ) {
          const page = await reader.get(addressOf('pangolin', { sort, limit, before: String(before) }))
          back.unshift(...names(page))
          before = page.at('data.before')
        }
        t.deepEqual([...back, all.at(-1)], all, `${sort} by ${limit}, back`)
      }
  }
  const [first, ...rest] = await find('pangolin')
  t.deepEqual(await find('pangolin', { after: String(first) }, dave), rest, 'an anchor that this viewer was never handed')
})

searching('what is removed or deleted is not found, and what is approved again is', async (t) => {
  const [kept, removed, deleted] = [
    await submit(bob, 'tea', { title: 'okapi' }),
    await submit(bob, 'tea', { title: 'okapi' }),
    await submit(bob, 'tea', { title: 'okapi' }),
  ]
  await ann.post('/api/remove', { id: removed })
  await bob.post('/api/del', { id: deleted })
  for (const reader of [site, ann, bob]) t.deepEqual(await find('okapi', {}, reader), [kept])
  t.deepEqual(await find('author:bob okapi', {}, bob), [kept])
  await ann.post('/api/approve', { id: removed })
  t.deepEqual(await find('okapi', { sort: 'new' }), [removed, kept])
  await bob.post('/api/hide', { id: kept })
  t.true((await find('okapi', {}, bob)).includes(kept), 'hidden links are found')
})

searching('closed subsites show nothing to strangers: no link, no facet, no subsite, no page', async (t) => {
  await found(carol, 'vault', { type: 'private', public_description: 'axolotls' })
  const secret = await submit(carol, 'vault', { title: 'axolotl', url: 'https://axolotl.example/' })
  const open = await submit(bob, 'tea', { title: 'axolotl' })
  for (const q of ['axolotl', 'author:carol axolotl', 'subsite:vault', 'https://axolotl.example/'])
    for (const reader of [site, bob, dave]) t.false((await find(q, {}, reader)).includes(secret), q)
  t.deepEqual((await find('axolotl', {}, carol)).toSorted(), [secret, open].toSorted())
  t.deepEqual(await find('https://axolotl.example/', {}, carol), [secret])
  const answer = await bob.get(addressOf('axolotl', { include_facets: 'true' }))
  t.deepEqual(answer.at('data.facets'), { subsites: [{ name: 'tea', url: '/s/tea/', count: 1 }] })
  t.deepEqual(await find('axolotls', { type: 'sr' }, bob), [])
  t.is((await find('axolotls', { type: 'sr' }, carol)).length, 1)
  t.is((await bob.get(addressOf('axolotl', { after: secret }))).status, 403)
  t.is((await bob.get(`/s/vault${addressOf('axolotl')}`)).status, 403)
  const { text } = await site.get('/search.rss?q=axolotl')
  t.regex(text, new RegExp(open))
  t.notRegex(text, /vault/)
})

searching('what is for adults is found, unless the client obeys the viewer', async (t) => {
  await found(ann, 'late', { over_18: true })
  const [plain, marked, placed] = [
    await submit(bob, 'tea', { title: 'ocelot' }),
    await submit(bob, 'tea', { title: 'ocelot nsfw' }),
    await submit(bob, 'late', { title: 'ocelot' }),
  ]
  t.deepEqual((await find('ocelot')).toSorted(), [plain, marked, placed].toSorted())
  t.deepEqual(await find('ocelot', { obey_over18: 'true' }), [plain])
  t.is(names(await site.get(addressOf('ocelot', { obey_over18: 'true' }), { Cookie: 'over18=1' })).length, 3)
  t.deepEqual((await find('ocelot nsfw:yes')).toSorted(), [marked, placed].toSorted(), 'a subsite makes its links so')
})

searching('flair is found by its text and its class, and links of those whom the viewer blocked are not found', async (t) => {
  const link = await submit(carol, 'tea', { title: 'numbat' })
  const other = await submit(bob, 'tea', { title: 'numbat' })
  await ann.post('/s/tea/api/flair', { link, text: 'Seldom Seen', css_class: 'marsupial' })
  for (const q of ['flair:marsupial', 'flair:"seldom seen"', 'flair_text:seldom', 'flair_css_class:marsupial', 'numbat seldom'])
    t.deepEqual(await find(q), [link], q)
  t.deepEqual(await find('flair:numbat'), [])
  const reader = await site.register('blocker')
  t.is((await find('numbat', {}, reader)).length, 2)
  await carol.post('/api/compose', { to: 'blocker', subject: 'x', text: 'y' })
  await reader.post('/api/block', { id: String((await reader.get('/message/inbox')).at('data.children.0.data.name')) })
  t.deepEqual(await find('numbat', {}, reader), [other])
})

searching('a whole URL finds the links with that URL', async (t) => {
  const link = await submit(bob, 'tea', { title: 'x', url: 'https://www.ibis.example/Path?q=1#top' })
  await submit(bob, 'tea', { title: 'https ibis example path q 1' })
  t.deepEqual(await find('https://ibis.example/path?q=1'), [link])
  t.deepEqual(await find('https://ibis.example/path?q=1', { sort: 'comments' }), [link])
  t.deepEqual(await find('https://ibis.example/path?q=1', { restrict_sr: 'true' }, site, '/s/milk'), [])
  await ann.post('/api/remove', { id: link })
  t.deepEqual(await find('https://ibis.example/path?q=1', {}, bob), [])
})

searching('type says whether links, subsites or both are found', async (t) => {
  await found(ann, 'narwhals', { public_description: 'tusks' })
  const link = await submit(bob, 'tea', { title: 'narwhals' })
  const srs = await site.get(addressOf('narwhals', { type: 'sr' }))
  t.deepEqual([srs.at('kind'), srs.at('data.children.0.kind'), srs.at('data.children.0.data.display_name')], ['Listing', 't4', 'narwhals'])
  t.deepEqual(await find('tusks', { type: 'sr,other' }), names(srs))
  for (const type of ['', 'link', 'other']) t.deepEqual(await find('narwhals', { type }), [link], type)
  const both = await site.get(addressOf('narwhals', { type: 'sr, link' }))
  t.deepEqual([names(both, '0.data.children'), names(both, '1.data.children')], [names(srs), [link]])
  t.deepEqual(names(await site.get(addressOf('narwhals', { type: 'link,sr', limit: '2' })), '0.data.children'), [], 'a third of the limit')
  t.deepEqual(await find('title:narwhals', { type: 'link,sr' }), [link])
  t.deepEqual(await find('narwhals', { type: 'link,sr', restrict_sr: 'true' }, site, '/s/tea'), [link])
  t.deepEqual(await find('narwhals', { type: 'link,sr', after: link }), [])
})

searching('facets count the subsites of what is found, where they are asked for', async (t) => {
  for (const sr of ['tea', 'tea', 'milk']) await submit(bob, sr, { title: 'tapir' })
  const answer = await site.get(addressOf('tapir', { include_facets: '1', limit: '1' }))
  t.deepEqual(answer.at('data.facets'), {
    subsites: [
      { name: 'tea', url: '/s/tea/', count: 2 },
      { name: 'milk', url: '/s/milk/', count: 1 },
    ],
  })
  t.deepEqual((await site.get(addressOf('tapir'))).at('data.facets'), {})
})

searching('a token restricted to subsites finds only what is in them', async (t) => {
  await submit(bob, 'milk', { title: 'dugong' })
  const here = await submit(bob, 'tea', { title: 'dugong' })
  t.is((await find('dugong')).length, 2)
  t.deepEqual(await find('dugong', { restrict_sr: 'true' }, bob, '/s/tea'), [here])
})
