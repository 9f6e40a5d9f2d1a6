import test from 'ava'
import { startTea } from '../support/cast.ts'
import { type childrenOf, dataOf } from '../support/community.ts'
import { foundSubsite, id36, say, submit } from '../support/posting.ts'

/*
 * A hundred of the longest texts, as HTML within JSON, would be forty megabytes and more in one answer. A page holds as much as fits, and
 * names the anchor of the next one.
 */

const POSTS = 130
const COMMENTS = 150

const { site, ann, bob } = await startTea([], { logLevel: 'silent' })
await foundSubsite(bob, 'milk')

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)))

const text = 'long '.repeat(8_000)
const posts = await times(POSTS, (index) => submit(ann, 'tea', { title: `post ${index}`, text }))
test.after.always(() => site.stop())

const names = (some: readonly Readonly<Record<string, unknown>>[]) => some.map(({ name }) => String(name))

/** All pages of a listing, from its start, and back again. */
const walked = async (path: string) => {
  const pages: string[][] = []
  let query = 'limit=100'
  let before: unknown
  do {
    const page = await ann.get(`${path}?${query}`)
    t200(page.status)
    pages.push(names(dataOf(page)))
    query = `limit=100&after=${page.at('data.after')}`
    before = page.at('data.before')
    if (page.at('data.after') === null) break
  } while (pages.length < 50)
  const back: string[][] = []
  while (before !== null && back.length < 50) {
    const page = await ann.get(`${path}?limit=100&before=${before}`)
    back.unshift(names(dataOf(page)))
    before = page.at('data.before')
  }
  return { pages, back }
}
const t200 = (status: number) => {
  if (status !== 200) throw new Error(`status ${status}`)
}

for (const path of ['/s/tea/new', '/user/ann/submitted', '/user/ann/upvoted'])
  test(`pages of ${path} contain as many long texts as fit, and together all of them`, async (t) => {
    const { pages, back } = await walked(path)
    t.true(pages.slice(0, -1).every((page) => page.length >= 25 && page.length < 40))
    t.is(pages.flat().length, POSTS)
    t.deepEqual(pages.flat().toSorted(), posts.toSorted())
    t.deepEqual([...back.flat(), ...(pages.at(-1) ?? [])], pages.flat())
  })

test('a hundred of the longest links can be requested by name; more than fit in one response are refused', async (t) => {
  const hundred = await site.get(`/by_id/${posts.slice(0, 100).join(',')}`)
  t.deepEqual(names(dataOf(hundred)), posts.slice(0, 100))
  const all = await site.get(`/by_id/${posts.join(',')}`)
  t.deepEqual([all.status, all.at('reason')], [400, 'TOO_LONG'])
})

test('a thread shows as many long comments as fit; the others are in a more stub', async (t) => {
  const link = await submit(bob, 'milk')
  const said: string[] = []
  while (said.length < COMMENTS)
    said.push(...(await times(10, (index) => say(bob, link, `${said.length + index} `.padEnd(10_000, 'long ')))))
  const page = await bob.get(`/comments/${id36(link)}?limit=500`)
  const things = page.at('1.data.children') as ReturnType<typeof childrenOf>
  const shown = things.filter(({ kind }) => kind === 't1').map(({ data }) => String(data.name))
  const more = things.filter(({ kind }) => kind === 'more').flatMap(({ data }) => data.children as string[])
  t.true(shown.length > 100 && shown.length < 130, String(shown.length))
  t.deepEqual([...shown, ...more.map((id) => `t1_${id}`)].toSorted(), said.toSorted())
})

test('a long conversation shows its first message and the newest ones', async (t) => {
  const sent = await bob.post('/api/compose', { to: 'bob', subject: 'long', text: 'first' })
  t200(sent.status)
  const first = String(dataOf(await bob.get('/message/sent?limit=1'))[0]?.name)
  for (let index = 0; index < COMMENTS; index += 1)
    await bob.post('/api/comment', { thing_id: first, text: `${index} `.padEnd(10_000, 'long ') })
  const [message] = dataOf(await bob.get(`/message/messages/${id36(first)}`))
  const { body, replies: listing } = message ?? {}
  const replies = (listing as { data?: { children?: ReturnType<typeof childrenOf> } } | undefined)?.data?.children ?? []
  t.is(body, 'first')
  t.true(replies.length > 100 && replies.length < 130, String(replies.length))
  t.true(String(replies.at(-1)?.data.body).startsWith(`${COMMENTS - 1} `))
})
