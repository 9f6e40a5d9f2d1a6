import test from 'ava'
import type { Reply } from '../../src/http/contract/handler-response.ts'
import { feedReply } from '../../src/http/pipeline/feed.ts'
import { write, writeInTurn } from '../../src/http/pipeline/write-response.ts'
import { writeCached, writeInSlices } from '../../src/http/wire/json-bytes.ts'
import { Fragment, fragment, SharedFragment, stringify } from '../../src/http/wire/json-writing.ts'
import { writtenInSlices } from '../../src/http/wire/time-slices.ts'
import { longestTurn } from '../support/hostile-texts.ts'
import fc, { anyText } from '../support/properties.ts'

const writing = { encoding: 'entities', callback: undefined, modhash: null } as const

/** Milliseconds for which the event loop may be blocked. */
const BOUND = 50

const markup = '<blockquote>\n<p>a &amp; b</p>\n</blockquote>\n'.repeat(6_000)
const post = (index: number) =>
  fragment({ kind: 't5', data: { id: String(index), name: `t5_${index}`, title: 'x', permalink: '/s/tea', selftext_html: markup } })
const page = (count: number): Reply => ({
  kind: 'listing',
  children: Array.from({ length: count }, (_, index) => post(index)),
  after: null,
  before: null,
})

test('a page of long texts is written in pieces, with other requests in between', async (t) => {
  for (const [what, reply] of Object.entries<() => Reply>({
    listing: () => page(25),
    'one long text': () => ({ kind: 'json', body: { data: { content_html: markup.repeat(15) } } }),
    'plain records in a list': () => ({ kind: 'json', body: { list: Array.from({ length: 25 }, () => ({ text: markup })) } }),
  }))
    t.true((await longestTurn(async () => writeInTurn(reply(), writing, true))) < BOUND, what)
})

test('a feed of long texts is made entry by entry, with other requests in between', async (t) => {
  const context = { config: { publicUrl: 'http://127.0.0.1' }, site: { kind: 'home' } } as Parameters<typeof feedReply>[0]
  t.true((await longestTurn(() => feedReply(context, '/new.rss', page(25)))) < BOUND)
})

const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    anyText(),
    fc.constantFrom('<&>'.repeat(40_000), `${'x'.repeat(65_535)}𝒳`, '𝒳'.repeat(70_000), 'ж'.repeat(140_000)),
    fc.constantFrom<unknown>(null, 1, true, undefined, JSON.rawJSON('1.0')),
    fc.array(tie('any'), { maxLength: 4 }),
    fc.dictionary(fc.string({ maxLength: 4 }), tie('any'), { maxKeys: 4 }),
    tie('any').map((inner) => new Fragment((encoding) => stringify(inner, encoding))),
    tie('any').map((inner) => new SharedFragment((encoding) => stringify(inner, encoding))),
  ),
})).any

test('a body written in pieces equals one written at once', async (t) => {
  await fc.assert(
    fc.asyncProperty(value, async (body) => {
      for (const callback of [undefined, 'show']) {
        const inTurn = await writeInTurn({ kind: 'json', body }, { ...writing, callback }, true)
        const { digest: _, ...others } = inTurn
        t.deepEqual({ ...others, body: String(inTurn.body) }, write({ kind: 'json', body }, { ...writing, callback }))
      }
    }),
    { numRuns: 25, endOnFailure: true },
  )
})

test('a body that was written in slices has the digest of one that was written at once', async (t) => {
  await fc.assert(
    fc.asyncProperty(value, fc.constantFrom(undefined, 'show'), async (body, call) => {
      const atOnce = writeCached(body, 'entities', call)
      const inTurn = await writeInSlices(await writtenInSlices(body, 'entities'), 'entities', call)
      if (atOnce) t.deepEqual({ ...inTurn, body: String(inTurn.body) }, { ...atOnce, body: String(atOnce.body) })
    }),
    { numRuns: 50, endOnFailure: true },
  )
})

test('a body that is made of the same as the last is the same bytes, and any other is not', async (t) => {
  const pool = Array.from({ length: 3 }, (_, n) => new SharedFragment(() => `{"record":${n}}`))
  const bodies = fc.record({
    modhash: fc.constantFrom('', 'a'),
    records: fc.array(fc.constantFrom(...pool), { maxLength: 3 }),
    after: fc.constantFrom(null, 't5_1'),
  })
  await fc.assert(
    fc.property(fc.array(bodies, { minLength: 2, maxLength: 12 }), (values) => {
      for (const value of values) {
        const made = writeCached(value, 'entities', undefined)
        t.is(made?.body.toString(), stringify(value, 'entities'))
        t.is(made?.digest, writeCached(value, 'entities', undefined)?.digest)
      }
    }),
  )
  const value = { records: pool }
  const [, second, third] = Array.from({ length: 3 }, () => writeCached(value, 'entities', undefined))
  t.is(second?.body, third?.body)
  t.not(writeCached({ records: pool.toReversed() }, 'entities', undefined)?.digest, second?.digest)
})
