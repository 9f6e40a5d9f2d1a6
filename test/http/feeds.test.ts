import test from 'ava'
import { XMLParser, XMLValidator } from 'fast-xml-parser'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { startTea } from '../support/cast.ts'
import { found, names, say, submit } from '../support/posting.ts'
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

test('a listing has a feed with the same things in the same order', async (t) => {
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

test('what people write cannot break a feed', async (t) => {
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

test('a feed is read without cookies, and a token turns it to JSON', async (t) => {
  await found(ann, 'closed', { type: 'private' })
  const { cookie } = await ann.session()
  t.is((await site.request('GET', '/s/closed/new.rss', { headers: { Cookie: cookie } })).status, 403)
  t.is((await site.request('GET', '/message/inbox.rss', { headers: { Cookie: cookie } })).status, 403)
  const json = await ann.get('/s/closed/new.rss')
  t.deepEqual([json.status, names(json)], [200, []])
})

test('only what is marked so has a feed', async (t) => {
  t.true(endpoints.some(({ rss }) => rss))
  t.is((await site.get('/api/v1/scopes.rss')).status, 404)
  t.is((await site.get('/s/tea/about.rss')).status, 404)
})
