import test from 'ava'
import { fullname, ID_EPOCH_MS } from '../../src/domain/ids.ts'
import { Link, LinkSubmitted } from '../../src/domain/link.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { foundSubsite, names, say, submit } from '../support/posting.ts'
import { addressOf, findBy, startSearched } from '../support/searching.ts'

const { site, ann, bob, carol, dave } = await startSearched()
test.after.always(() => site.stop())

const find = findBy(site)

/** A link as if it had been submitted some time ago. */
const submitAgo = async (ms: number, subsite: string, author: string, title: string): Promise<string> => {
  const { app } = site.running
  const mint = (app.clock() - ms - ID_EPOCH_MS) * 4096 + (app.mint() % 4096)
  const link = fullname('link', mint)
  const command = commandOf(seedOf(mint), { account: author, as: 'user' })
  const fields = { link, subsite, author, title, text: '', over18: false, sendReplies: false, filtered: false }
  await app.run(Link, link, () => ({ _tag: 'Right', right: [LinkSubmitted(fields)] }), command)
  return link
}

test('results are in the requested order, by relevance if none is requested', async (t) => {
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

test('a time window contains the links made within it, in every order', async (t) => {
  const subsite = await foundSubsite(ann, 'aged')
  const day = 24 * 3_600_000
  const ages = { hour: 50 * 60_000, day: day - 60_000, week: 7 * day - 60_000, month: 31 * day - 60_000, older: 32 * day }
  const made: string[] = []
  for (const age of Object.values(ages)) made.push(await submitAgo(age, subsite, bob.id, 'ammonite'))
  for (const sort of ['new', 'top', 'relevance'])
    for (const [place, span] of Object.keys(ages).slice(0, 4).entries())
      t.deepEqual((await find('ammonite', { t: span, sort })).toSorted(), made.slice(0, place + 1).toSorted(), `${span} ${sort}`)
  for (const span of ['all', 'year', 'decade', '']) t.is((await find('ammonite', { t: span })).length, 5, span)
})

test('results are paged in every order, forwards and backwards', async (t) => {
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

test('a whole URL finds the links with that URL', async (t) => {
  const link = await submit(bob, 'tea', { title: 'x', url: 'https://www.ibis.example/Path?q=1#top' })
  await submit(bob, 'tea', { title: 'https ibis example path q 1' })
  t.deepEqual(await find('https://ibis.example/path?q=1'), [link])
  t.deepEqual(await find('https://ibis.example/path?q=1', { sort: 'comments' }), [link])
  t.deepEqual(await find('https://ibis.example/path?q=1', { restrict_sr: 'true' }, site, '/s/milk'), [])
  await ann.post('/api/remove', { id: link })
  t.deepEqual(await find('https://ibis.example/path?q=1', {}, bob), [])
})

test('a URL finds what /api/info finds by it, however it is written', async (t) => {
  const address = 'https://münchen.example/Straße?q=ü'
  const links = {
    [address]: [address, 'HTTPS://www.MÜNCHEN.example:443/Straße?q=ü', ' https://xn--mnchen-3ya.example:/Straße?q=ü#top'],
    'http://kiwi.example:80/p': ['http://kiwi.example:80/p', 'http://kiwi.example/p', 'http://KIWI.example:080/p'],
    'https://kiwi.example:80/p': ['https://kiwi.example:80/p', 'https://www.kiwi.example:80/p'],
    'https://kiwi.example/a b': ['https://kiwi.example/a b', 'https://kiwi.example/a%20b', 'https://kiwi.example:443/A B'],
    'ftp://kiwi.example:21/x': ['ftp://kiwi.example/x'],
    'http://localhost:3000/kiwi': ['http://localhost:3000/kiwi'],
    'http://192.0.2.7/kiwi?next=https://a.example:443/': ['http://192.0.2.7:80/kiwi?next=https://a.example:443/'],
  }
  for (const [url, queries] of Object.entries(links)) {
    const link = await submit(bob, 'tea', { title: 'elsewhere', url })
    for (const query of queries) {
      t.deepEqual(names(await site.get(`/api/info?${new URLSearchParams({ url: query })}`)), [link], `info ${query}`)
      t.deepEqual(await find(query), [link], query)
      t.deepEqual(await find(query, { sort: 'comments' }), [link], query)
    }
  }
  for (const host of ['münchen.example', 'MÜNCHEN.example', 'www.münchen.example', 'xn--mnchen-3ya.example'])
    t.is((await find(`site:${host}`)).length, 1, host)
  t.is((await find('url:"https://münchen.example/Straße"')).length, 1)
  for (const host of ['kiwi.example/p', 'a@kiwi.example', 'kiwi..example']) t.deepEqual(await find(`site:${host}`), [], host)
})

test('an address and a word beside it find the links that have both, where no link has that address', async (t) => {
  const link = await submit(bob, 'tea', { title: 'okapi', url: 'https://okapi.example/leaf' })
  t.deepEqual(await find('https://okapi.example/leaf okapi'), [link])
  t.deepEqual(await find('https://okapi.example/leaf giraffe'), [])
})

test('type says whether links, subsites or both are found', async (t) => {
  await foundSubsite(ann, 'narwhals', { public_description: 'tusks' })
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

test('facets count the subsites of the links found, if they are requested', async (t) => {
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
