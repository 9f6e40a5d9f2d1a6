import test from 'ava'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { parseAtomFeed } from 'feedsmith'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { startTea } from '../support/cast.ts'
import { found, id36, names, say, submit } from '../support/posting.ts'
import { servers } from '../support/shape.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob } = await startTea()
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

// alone: what the other tests write is in the same listings
test.serial('the feed of a listing has the same things in the same order', async (t) => {
  await found(ann, 'fed')
  for (let n = 0; n < 3; n += 1) await submit(bob, 'fed')
  for (const path of ['/s/fed/new', '/user/bob/submitted', '/subs/new', '/s/fed/about/log']) {
    const feed = await feedOf(site, `${path}.rss`)
    const things = (await site.get(path)).at('data.children') as readonly {
      readonly data: { readonly name?: string; readonly id: string }
    }[]
    t.deepEqual(
      idsOf(feed),
      things.map(({ data }) => data.name ?? data.id),
      path,
    )
    t.true(Date.parse(feed.updated) > 0 || things.length === 0, path)
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

test('no text of a user makes a feed malformed', async (t) => {
  await found(ann, 'broken')
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

test('a feed ignores cookies, and with a token it is JSON', async (t) => {
  await found(ann, 'closed', { type: 'private' })
  const { cookie } = await ann.session()
  t.is((await site.request('GET', '/s/closed/new.rss', { headers: { Cookie: cookie } })).status, 403)
  t.is((await site.request('GET', '/message/inbox.rss', { headers: { Cookie: cookie } })).status, 403)
  const json = await ann.get('/s/closed/new.rss')
  t.deepEqual([json.status, names(json)], [200, []])
})

test('only endpoints marked for it have a feed', async (t) => {
  t.true(endpoints.some(({ rss }) => rss))
  t.is((await site.get('/api/v1/scopes.rss')).status, 404)
  t.is((await site.get('/s/tea/about.rss')).status, 404)
})

/** Values for the variables of the addresses of feeds; closed sets bring their own. */
const variablesFor = (link: string): Readonly<Record<string, string>> => ({
  sub: 'every_feed',
  article: id36(link),
  username: 'bob',
  names: link,
})

const addresses = (link: string): readonly string[] => {
  const known = variablesFor(link)
  return endpoints
    .filter(({ rss }) => rss)
    .flatMap(({ path, values }) => {
      const bare = path.replace('[/s/{sub}]', '/s/every_feed')
      const [name, some] = Object.entries(values ?? {})[0] ?? []
      const each = name === undefined ? [bare] : (some ?? []).map((value) => bare.replace(`{${name}}`, value))
      return each.map((one) => one.replace(/\{(\w+)\}/g, (_, variable: string) => known[variable] ?? 'x1'))
    })
}

const isDate = (text: unknown) => typeof text === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)

test.serial('a feed reader can parse every public feed, with the same ids each time', async (t) => {
  await found(ann, 'every_feed', { public_description: 'all & every' })
  await found(ann, 'every_secret', { type: 'private' })
  const url = 'https://every.example/?a=1&b=<2>'
  const link = await submit(bob, 'every_feed', { url, title: 'every "one" & <two>' })
  await submit(bob, 'every_feed', { url, title: 'again' })
  await submit(bob, 'every_feed', { title: 'text', text: '*marked* & <b>up</b>' })
  await say(ann, await say(ann, link, 'a reply'), 'and another')
  await ann.post('/api/lock', { id: link })
  const hidden = await submit(ann, 'every_secret', { url, title: 'hushhush', text: 'hushhush' })
  await say(ann, hidden, 'hushhush')
  await ann.post('/api/compose', { to: 'bob', subject: 'hushhush', text: 'hushhush' })
  const read: string[] = []
  for (const path of addresses(link)) {
    if (servers !== undefined && path.endsWith('/search')) continue
    const query = path.endsWith('/search') ? '?q=every' : ''
    const answer = await site.get(`${path === '/' ? '' : path}/.rss${query}`)
    t.true(answer.status < 500, path)
    if (answer.status !== 200) {
      t.notRegex(answer.text, /<feed/, path)
      continue
    }
    t.is(XMLValidator.validate(answer.text), true, path)
    // that there is a private subsite of this name is no secret
    t.notRegex(answer.text, path === '/subsites/search' ? /hushhush/ : /hushhush|every_secret/, path)
    const feed = parseAtomFeed(answer.text)
    t.truthy(feed.id && feed.title && isDate(feed.updated), `${path}: ${answer.text}`)
    t.is(feed.links?.filter(({ rel }) => rel === 'self').length, 1, path)
    const entries = feed.entries ?? []
    for (const { id, title, updated, links } of entries)
      t.truthy(
        id && title && isDate(updated) && links?.some(({ href }) => href && URL.canParse(href)),
        `${path}: ${id} ${title} ${updated}`,
      )
    const ids = entries.map(({ id }) => id)
    t.is(new Set(ids).size, ids.length, path)
    const again = parseAtomFeed((await site.get(`${path === '/' ? '' : path}/.rss${query}`)).text)
    t.deepEqual(
      (again.entries ?? []).map(({ id }) => id),
      ids,
      path,
    )
    if (ids.length > 0) read.push(path)
  }
  const expected = [
    'hot',
    'new',
    'top',
    'insightful',
    'fun',
    `comments/${id36(link)}`,
    'about/log',
    ...(servers === undefined ? ['search'] : []),
  ]
  for (const path of [
    ...expected.map((one) => `/s/every_feed/${one}`),
    `/duplicates/${id36(link)}`,
    '/subs/new',
    '/subs/popular',
    '/user/bob/overview',
    '/user/bob/submitted',
  ])
    t.true(read.includes(path), `${path} has entries: ${read}`)
})
