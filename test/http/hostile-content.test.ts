import test from 'ava'
import fc from 'fast-check'
import { found, id36, say, submit, thing } from '../support/posting.ts'
import { startSite, type TestSite, type User } from '../support/site.ts'

let site: TestSite
let ann: User
let link: string
let comment: string

test.before(async () => {
  site = await startSite({ logLevel: 'silent' })
  ann = await site.register('ann')
  await found(ann, 'tea')
  link = await submit(ann, 'tea')
  comment = await say(ann, link)
})
test.after.always(() => site.stop())

const odd = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    'NaN',
    '1e9',
    '99999999999999999999',
    'true',
    'null',
    '[]',
    '{}',
    '\u0000',
    '\ud800',
    '%',
    '%00',
    '../..',
    't5_',
    't5_zzzzzzzzzzz',
    't1_zzzzzzzzzzz',
    't9_1',
    "'; DROP TABLE links; --",
    '"',
    'ñ',
    '𝒳'.repeat(400),
    'a,b,,c',
    'all',
    'tea+tea',
    'mod-tea',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('LINK', 'COMMENT'),
)

const writes: Readonly<Record<string, readonly string[]>> = {
  '/api/submit': ['kind', 'sr', 'title', 'url', 'text', 'sendreplies', 'resubmit', 'extension'],
  '/api/comment': ['thing_id', 'parent', 'text'],
  '/api/editusertext': ['thing_id', 'text'],
  '/api/vote': ['id', 'dir', 'rank'],
  '/api/save': ['id', 'category'],
  '/api/unsave': ['id'],
  '/api/hide': ['id'],
  '/api/unhide': ['id'],
  '/api/morechildren': ['link_id', 'children', 'sort'],
}

const reads: Readonly<Record<string, readonly string[]>> = {
  '/s/tea/hot': ['after', 'before', 'limit', 'count', 'show', 'sr_detail', 'obey_over18'],
  '/s/tea/top': ['after', 't', 'limit'],
  '/new': ['after', 'before'],
  '/s/all/fun': ['t', 'before'],
  '/api/info': ['id', 'url', 'limit'],
  '/comments/ARTICLE': ['comment', 'context', 'depth', 'limit', 'sort', 'showmore', 'showedits'],
  '/user/ann/overview': ['sort', 't', 'after', 'limit'],
  '/user/ann/saved': ['category', 'sr', 'after'],
}

const filled = (value: string) => (value === 'LINK' ? link : value === 'COMMENT' ? comment : value)

test('no form of bad input is a fault', async (t) => {
  const one = (table: typeof writes) =>
    fc
      .constantFrom(...Object.entries(table))
      .chain(([path, fields]) => fc.tuple(fc.constant(path), fc.dictionary(fc.constantFrom(...fields), odd)))
  await fc.assert(
    fc.asyncProperty(one(writes), one(reads), async ([write, form], [read, query]) => {
      const fields = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, filled(value)]))
      const written = await ann.post(write, fields)
      t.true(written.status < 500, `${write} ${JSON.stringify(fields)}: ${written.text}`)
      const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, filled(value)]))
      const got = await ann.get(`${read.replace('ARTICLE', id36(link))}?${search}`)
      t.true(got.status < 500, `${read}?${search}: ${got.text}`)
    }),
    { numRuns: 250 },
  )
})

test('path parts of any kind are refused, not faults', async (t) => {
  for (const part of ['%00', '%ff', '%', '..', '%2e%2e', 'a%2fb', 'zzzzzzzzzzzzzzzzzzzz', "'", '%F0%9F%98%80', 'x'.repeat(3000)])
    for (const path of [
      `/comments/${part}`,
      `/comments/${id36(link)}/_/${part}`,
      `/s/${part}/hot`,
      `/user/${part}/overview`,
      `/by_id/${part}`,
      `/s/tea/comments/${part}/x/y`,
    ])
      t.true((await site.get(path)).status < 500, path)
})

test('whatever was written comes back as it was written', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary', minLength: 1, maxLength: 200 }), async (text) => {
      if (text.trim() === '') return
      const name = await say(ann, link, text)
      t.is((await thing(ann, name)).body, text.toWellFormed())
    }),
    { numRuns: 60 },
  )
})
