import test from 'ava'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { parseAtomFeed } from 'feedsmith'
import { linkSorts } from '../../src/domain/link-sorts.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { escapeHtml } from '../../src/http/wire/html.ts'
import { startTea } from '../support/cast.ts'
import { postForm, waitUntilSettled } from '../support/community.ts'
import { foundSubsite, id36, say, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob } = await startTea()

/** A public subsite with texts that a feed must escape, and a private one with things that only its members may see. */
const writeEvery = async (): Promise<string> => {
  await foundSubsite(ann, 'every_feed', { public_description: 'all & every' })
  await foundSubsite(ann, 'every_secret', { type: 'private' })
  const url = 'https://every.example/?a=1&b=<2>'
  const link = await submit(bob, 'every_feed', { url, title: 'every "one" & <two>' })
  await submit(bob, 'every_feed', { url, title: 'again' })
  await submit(bob, 'every_feed', { title: 'text', text: '*marked* & <b>up</b>' })
  await say(ann, await say(ann, link, 'a reply'), 'and another')
  await postForm(ann, '/api/lock', { id: link })
  const hidden = await submit(ann, 'every_secret', { url, title: 'hushhush', text: 'hushhush' })
  await say(ann, hidden, 'hushhush')
  await postForm(ann, '/api/compose', { to: 'bob', subject: 'hushhush', text: 'hushhush' })
  return link
}
const link = await writeEvery()
test.after.always(() => site.stop())

type Entry = {
  readonly id: string
  readonly title: string
  readonly link: { readonly href: string }
  readonly content?: { readonly '#text': string }
  readonly author?: { readonly name: string }
}
type Feed = {
  readonly id: string
  readonly title: string
  readonly updated: string
  readonly link: readonly { readonly rel: string; readonly href: string }[]
  readonly entry: readonly Entry[]
}

const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '', isArray: (name) => name === 'entry' })

const feedOf = async (caller: Caller, path: string): Promise<Feed> => {
  const answer = await caller.get(path)
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  const verdict = XMLValidator.validate(answer.text)
  if (verdict !== true) throw new Error(`${path}: ${verdict.err.msg}\n${answer.text}`)
  const { feed } = parser.parse(answer.text) as { readonly feed: Feed }
  return { ...feed, entry: feed.entry ?? [] }
}

const idsOf = ({ entry }: Feed): readonly string[] => entry.map(({ id }) => id.slice(id.lastIndexOf(':') + 1))

// serial, since the other tests write into the same listings
test.serial('the feed of a listing has the same things in the same order', async (t) => {
  await foundSubsite(ann, 'fed')
  for (let n = 0; n < 3; n += 1) await postForm(ann, '/api/lock', { id: await submit(bob, 'fed') })
  await waitUntilSettled(site)
  for (const path of ['/s/fed/new', '/user/bob/submitted', '/subs/new', '/s/fed/about/log']) {
    const feed = await feedOf(site, `${path}.rss`)
    const things = (await site.get(path)).at('data.children') as readonly {
      readonly data: { readonly name?: string; readonly id: string }
    }[]
    t.true(things.length >= 2, path)
    t.deepEqual(
      idsOf(feed),
      things.map(({ data }) => data.name ?? data.id),
      path,
    )
    t.true(Date.parse(feed.updated) > 0, path)
  }
  const answer = await site.get('/s/fed/new.xml?limit=1')
  t.is(answer.headers.get('content-type'), 'application/atom+xml; charset=UTF-8')
  const feed = await feedOf(site, '/s/fed/new.xml?limit=1')
  t.is(feed.entry.length, 1)
  t.deepEqual(
    feed.link.map(({ rel, href }) => [rel, new URL(href).pathname + new URL(href).search]),
    [
      ['alternate', '/s/fed/new?limit=1'],
      ['self', '/s/fed/new.xml?limit=1'],
    ],
  )
  t.is((await site.get('/s/fed/new.xml?limit=1&user=bob&feed=x')).text.includes('feed=x'), false)
})

test('a feed labels its subsite, types its addresses and gives its times without fractions', async (t) => {
  await foundSubsite(ann, 'labelled', { public_description: '<updated>2026-01-01T00:00:00.000Z</updated>' })
  await submit(bob, 'labelled', { title: '<updated>2026-01-01T00:00:00.000Z</updated> <link rel="self" >' })
  const { text } = await site.get('/s/labelled/new.rss')
  const { feed } = parser.parse(text) as {
    readonly feed: Omit<Feed, 'link'> & {
      readonly category: object
      readonly link: readonly { readonly rel: string; readonly type: string }[]
      readonly entry: readonly { readonly updated: string; readonly category: object }[]
    }
  }
  t.deepEqual(feed.category, { term: 'labelled', label: '/s/labelled' })
  t.deepEqual(feed.entry[0]?.category, { term: 'labelled', label: '/s/labelled' })
  t.deepEqual(
    feed.link.map(({ rel, type }) => [rel, type]),
    [
      ['alternate', undefined],
      ['self', 'application/atom+xml'],
    ],
  )
  for (const time of [feed.updated, feed.entry[0]?.updated]) t.regex(time ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/)
  t.is(text.match(/2026-01-01T00:00:00\.000Z/g)?.length, 2, 'texts are as they were written')
})

test('a comment in the feed of a thread is titled with the link, and addresses in texts are relative to the site', async (t) => {
  const answer = await site.get(`/comments/${id36(link)}.rss`)
  const { feed } = parser.parse(answer.text) as { readonly feed: Feed & { readonly 'xml:base': string } }
  const titles = (parseAtomFeed(answer.text).entries ?? []).map(({ title }) => title?.value)
  t.deepEqual(titles.slice(1), Array(2).fill(`/u/ann on ${titles[0]}`))
  t.is(feed['xml:base'], new URL('/', feed.link[0]?.href).href)
  t.regex(answer.text, /<a href="\/s\/every_feed\/comments\//)
})

test('no text of a user makes a feed malformed', async (t) => {
  await foundSubsite(ann, 'broken')
  const text = 'a ]]> b <script>alert(1)</script> & \u{1F600} ]]> c'
  const link = await submit(bob, 'broken', { kind: 'self', title: 'x ]]> <b>&amp; "y"', text })
  await say(ann, link, text)
  const { entry } = await feedOf(site, '/s/broken/new.rss')
  t.is(entry[0]?.author?.name, '/u/bob')
  t.false(entry[0]?.content?.['#text'].includes('<script') ?? true)
  const page = await feedOf(site, `/comments/${link.slice(3)}.rss`)
  t.is(page.entry.length, 2)
  t.is(idsOf(page)[0], link)
})

test.serial('every feed has an author, or each of its entries has one: also without entries, and of deleted accounts', async (t) => {
  await foundSubsite(ann, 'authored')
  const [eve, fay] = [await site.register('eve_authored'), await site.register('fay_authored')]
  const [ofEve, ofFay] = [await submit(eve, 'authored', { title: 'of eve' }), await submit(fay, 'authored', { title: 'of fay' })]
  await say(eve, ofFay, 'a comment of eve')
  await postForm(ann, '/s/authored/api/friend', { type: 'banned', name: 'fay_authored', duration: '1' })
  await postForm(await eve.session(), '/api/delete_user', { passwd: eve.password })
  await waitUntilSettled(site)
  const paths = ['hot', 'new', 'about/log', `comments/${id36(ofEve)}`, `comments/${id36(ofFay)}`, 'gilded']
  for (const path of [...paths.map((one) => `/s/authored/${one}.rss`), '/new.rss', '/subs/new.rss', '/user/bob/submitted.rss']) {
    const { feed } = parser.parse((await site.get(path)).text) as { readonly feed: Feed & { readonly author?: { readonly name: string } } }
    t.is(feed.author?.name, path.startsWith('/s/') ? '/s/authored' : 'Rostra', path)
    for (const { author } of feed.entry ?? []) if (author) t.regex(author.name, /^\/u\/[\w-]+$/)
  }
})

const awkward = [
  'a & b &amp; c &amp;amp; &lt;b&gt; &#38; &quot;',
  'x ]]> y ]]&gt; <![CDATA[ z ]]>',
  '<b>"bold"</b> \'quoted\' </title></feed>',
  '$& $1 $$ \u{1f375} \ufb01',
]

test('titles and subtitles of a feed are the texts as they were written, without what XML forbids', async (t) => {
  for (const [index, text] of awkward.entries()) {
    const name = `awkward_${index}`
    const cut = text.slice(0, 100)
    await foundSubsite(ann, name, { title: cut, public_description: `${text} end` })
    const title = text.slice(0, 300)
    const id = await submit(bob, name, { title })
    for (const path of [`/s/${name}/new.rss?count=1&amp;q=${encodeURIComponent(text)}`, `/s/${name}/comments/${id36(id)}.rss`]) {
      const answer = await site.get(path)
      t.is(XMLValidator.validate(answer.text), true, path)
      const feed = parseAtomFeed(answer.text)
      t.is(feed.title?.value, cut)
      t.is(feed.subtitle?.value, `${text} end`)
      t.is(feed.entries?.[0]?.title?.value, escapeHtml(title), 'a title of HTML')
      const self = feed.links?.find(({ rel }) => rel === 'self')?.href ?? ''
      t.is(feed.id, self)
      t.deepEqual([...new URL(self).searchParams], [...new URL(path, site.url).searchParams])
    }
  }
})

test('a feed ignores cookies, and with a token it shows what the account may see', async (t) => {
  await foundSubsite(ann, 'closed', { type: 'private' })
  const { cookie } = await ann.session()
  t.is((await site.request('GET', '/s/closed/new.rss', { headers: { Cookie: cookie } })).status, 403)
  t.is((await site.request('GET', '/message/inbox.rss', { headers: { Cookie: cookie } })).status, 403)
  const link = await submit(ann, 'closed', { title: 'For members' })
  for (const path of ['/s/closed/new.rss', `/comments/${id36(link)}.rss`]) {
    const feed = await ann.get(path)
    t.deepEqual([feed.status, feed.headers.get('content-type')], [200, 'application/atom+xml; charset=UTF-8'], path)
    t.true(feed.text.includes('For members'), path)
  }
})

test('only endpoints marked for it have a feed', async (t) => {
  t.true(endpoints.some(({ rss }) => rss))
  t.is((await site.get('/api/v1/scopes.rss')).status, 404)
  t.is((await site.get('/s/tea/about.rss')).status, 404)
})

/** Values for the variables of the addresses of feeds; closed sets bring their own. */
const known: Readonly<Record<string, string>> = { sub: 'every_feed', article: id36(link), username: 'bob', names: link }

/** The address of every feed. */
const addresses: readonly string[] = endpoints
  .filter(({ rss }) => rss)
  .flatMap(({ path, values }) => {
    const bare = path.replace('[/s/{sub}]', '/s/every_feed')
    const [name, some] = Object.entries(values ?? {})[0] ?? []
    const each = name === undefined ? [bare] : (some ?? []).map((value) => bare.replace(`{${name}}`, value))
    return each.map((one) => one.replace(/\{(\w+)\}/g, (_, variable: string) => known[variable] ?? 'x1'))
  })

const read = (path: string) => site.get(`${path === '/' ? '' : path}/.rss${path.endsWith('/search') ? '?q=every' : ''}`)

/** Every feed that anybody may read, and what it says. */
const publicFeeds = async () => {
  const feeds: { readonly path: string; readonly text: string }[] = []
  for (const path of addresses) {
    const { status, text } = await read(path)
    if (status >= 500 || (status !== 200 && text.includes('<feed'))) throw new Error(`${path}: ${status} ${text}`)
    if (status === 200) feeds.push({ path, text })
  }
  return feeds
}

const idsIn = (text: string) => (parseAtomFeed(text).entries ?? []).map(({ id }) => id)
const isDate = (text: unknown) => typeof text === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)

test.serial('a feed reader can parse every public feed', async (t) => {
  for (const { path, text } of await publicFeeds()) {
    t.is(XMLValidator.validate(text), true, path)
    const feed = parseAtomFeed(text)
    t.truthy(feed.id && feed.title && isDate(feed.updated), `${path}: ${text}`)
    t.is(feed.links?.filter(({ rel }) => rel === 'self').length, 1, path)
    for (const { id, title, updated, links } of feed.entries ?? []) {
      const isLinked = links?.some(({ href }) => href && URL.canParse(href))
      t.truthy(id && title && isDate(updated) && isLinked, `${path}: ${id} ${title} ${updated}`)
    }
  }
})

test.serial('the entries of a feed have ids of their own, the same each time', async (t) => {
  for (const { path, text } of await publicFeeds()) {
    const ids = idsIn(text)
    t.is(new Set(ids).size, ids.length, path)
    t.deepEqual(idsIn((await read(path)).text), ids, path)
  }
})

test.serial('no public feed tells what is in a private subsite or in a message', async (t) => {
  // the name of a private subsite is no secret
  for (const { path, text } of await publicFeeds())
    t.notRegex(text, path === '/subsites/search' ? /hushhush/ : /hushhush|every_secret/, path)
})

test.serial('the feed of every listing that has things for everybody has entries', async (t) => {
  const filled = (await publicFeeds()).flatMap(({ path, text }) => (idsIn(text).length > 0 ? [path] : []))
  const ofSubsite = [...linkSorts, `comments/${id36(link)}`, 'about/log']
  for (const path of [
    ...[...ofSubsite, ...(servers === undefined ? ['search'] : [])].map((one) => `/s/every_feed/${one}`),
    ...[`/duplicates/${id36(link)}`, '/subs/new', '/subs/popular', '/user/bob/overview', '/user/bob/submitted'],
  ])
    t.true(filled.includes(path), `${path}: ${filled}`)
})
