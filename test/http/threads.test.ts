import test from 'ava'
import { joinSite, startTea } from '../support/cast.ts'
import { appoint } from '../support/community.ts'
import { commentsOf, grow, type Node, outline } from '../support/grown-threads.ts'
import { foundSubsite, id36, names, say, submit } from '../support/posting.ts'
import type { Caller } from '../support/site.ts'

const { site, ann, bob } = await startTea()
test.after.always(() => site.stop())

/** `A(a1 +2) …`: bodies with their replies, `+n` for n more, `…` for a thread that continues. */
const drawn = (nodes: readonly Node[]): string =>
  nodes
    .map(({ kind, data }) => {
      if (kind === 'more') return data.count === 0 ? '…' : `+${data.count}`
      return data.body + (data.replies === '' ? '' : `(${drawn(data.replies.data.children)})`)
    })
    .join(' ')

const shape = async (reader: Caller, path: string) => drawn(commentsOf(await reader.get(path)))

test('a thread is two listings, the link and its comments', async (t) => {
  const link = await submit(bob, 'tea', { title: 'A Thread' })
  await grow(bob, link, outline)
  const page = await site.get(`/comments/${id36(link)}`)
  t.is(page.status, 200)
  t.deepEqual(names(page, '0.data.children'), [link])
  t.is(page.at('0.data.children.0.data.upvote_ratio'), 1)
  t.true(page.text.includes('"upvote_ratio":1.0'), 'always written as a float')
  t.is(page.at('0.data.children.0.data.num_comments'), 8)
  for (const part of ['0', '1']) t.deepEqual([page.at(`${part}.data.after`), page.at(`${part}.data.before`)], [null, null])
  t.is(drawn(commentsOf(page)), 'A(a1(x y) a2) B C(c1)')
})

test('sort, limit and depth select the comments of a thread', async (t) => {
  const link = await submit(bob, 'tea')
  const made = await grow(bob, link, outline)
  for (const body of ['C', 'y', 'a2']) await ann.post('/api/vote', { id: made[body], dir: 1 })
  const page = `/s/tea/comments/${id36(link)}`
  t.is(await shape(ann, `${page}?sort=old`), 'A(a1(x y) a2) B C(c1)')
  t.is(await shape(ann, `${page}?sort=new`), 'C(c1) B A(a2 a1(y x))')
  t.is(await shape(ann, page), 'C(c1) A(a2 a1(y x)) B')
  t.is(await shape(ann, `${page}?sort=nonsense`), 'C(c1) A(a2 a1(y x)) B')
  t.is(await shape(ann, `${page}?depth=1`), 'C(…) A(…) B')
  t.is(await shape(ann, `${page}?depth=2&sort=old`), 'A(a1(…) a2) B C(c1)')
  for (const depth of [0, 10, 99, -1, 'x']) t.is(await shape(ann, `${page}?depth=${depth}&sort=old`), 'A(a1(x y) a2) B C(c1)')
  t.is(await shape(ann, `${page}?limit=3`), 'C A(a2 +3) +1'.replace('C ', 'C(+1) '))
  for (const no of ['false', '', '0', 'Off']) t.is(await shape(ann, `${page}?limit=2&showmore=${no}`), 'C A', `showmore=${no}`)
  for (const sort of ['confidence', 'insightful', 'fun', 'random', 'qa'])
    t.is((await ann.get(`${page}?sort=${sort}`)).text.match(/"kind":"t1"/g)?.length, 8, sort)
})

test('a permalink shows at most eight ancestors', async (t) => {
  const link = await submit(bob, 'tea')
  const made = await grow(bob, link, [...'abcdefghij'].map((body, level) => `${'  '.repeat(level)}${body}`).join('\n'))
  const page = `/comments/${id36(link)}/_/${id36(String(made.j))}`
  t.is(await shape(site, `${page}?context=7`), 'c(d(e(f(g(h(i(j)))))))')
  for (const context of [8, 9, 100]) t.is(await shape(site, `${page}?context=${context}`), 'b(c(d(e(f(g(h(i(j))))))))', `${context}`)
})

test('a permalink shows one comment below as many ancestors as requested', async (t) => {
  const link = await submit(bob, 'tea', { title: 'Deep' })
  const made = await grow(bob, link, 'A\n  b\n    c\n      d\n      e\n  f')
  const page = `/comments/${id36(link)}/deep/${id36(String(made.c))}`
  t.is(await shape(site, page), 'c(d e)')
  t.is(await shape(site, `${page}/?context=1`), 'b(c(d e))')
  t.is(await shape(site, `${page}?context=100`), 'A(b(c(d e)))')
  t.is(await shape(site, `${page}?context=-3`), 'c(d e)')
  t.is(await shape(site, `/comments/${id36(link)}?comment=${id36(String(made.c))}`), 'c(d e)')
  t.is(await shape(site, `/comments/${id36(link)}/_/zzzz`), 'A(b(c(d e)) f)', 'unknown: the whole thread')
  t.is(await shape(site, `/comments/${id36(link)}/_/%21%21`), 'A(b(c(d e)) f)', 'malformed too')
  const [root] = commentsOf(await site.get(`${page}?limit=1`))
  const below = root?.data.replies === '' ? [] : root?.data.replies.data.children
  t.deepEqual([root?.data.depth, below?.[0]?.kind, below?.[0]?.data.depth], [0, 'more', 1], 'depth is counted from the top of the page')
  const other = await submit(bob, 'tea')
  t.is((await site.get(`/comments/${id36(other)}/_/${id36(String(made.c))}`)).status, 404)
})

test('a removed or deleted comment with replies stays as a placeholder', async (t) => {
  const link = await submit(bob, 'tea')
  const made = await grow(bob, link, 'A\n  a1\nB\nC\n  c1\nD')
  await bob.post('/api/del', { id: made.A })
  await bob.post('/api/del', { id: made.B })
  await ann.post('/api/remove', { id: made.C })
  await ann.post('/api/remove', { id: made.D })
  const page = `/comments/${id36(link)}?sort=old`
  t.is(await shape(site, page), '[deleted](a1) [removed](c1)')
  t.is(await shape(bob, page), '[deleted](a1) C(c1) D', 'the author sees what was removed')
  t.is(await shape(ann, page), '[deleted](a1) C(c1) D', 'moderators too')
  t.false((await site.get(page)).text.includes('"author":"ann"'))
  t.is(await shape(site, `/comments/${id36(link)}/_/${id36(String(made.B))}`), '', 'a permalink to nothing is empty')
  t.is((await site.get(page)).at('0.data.children.0.data.num_comments'), 4, 'removed ones are counted, deleted ones not')
})

test('the sort random differs between requests', async (t) => {
  const link = await submit(bob, 'tea')
  for (let n = 0; n < 20; n += 1) await say(bob, link, `c${n}`)
  const orders = new Set<string>()
  for (let n = 0; n < 4; n += 1) orders.add(await shape(site, `/comments/${id36(link)}?sort=random`))
  t.is(orders.size, 4)
})

test('the sort qa shows questions and answers, and a subsite’s suggested sort applies', async (t) => {
  await foundSubsite(ann, 'asking', { suggested_comment_sort: 'old' })
  const link = await submit(bob, 'asking')
  const made = await grow(ann, link, 'A\n  a1\nB')
  await bob.post('/api/vote', { id: made.B, dir: 1 })
  const page = `/comments/${id36(link)}`
  t.is(await shape(ann, page), 'A(a1) B')
  t.is(await shape(ann, `${page}?sort=top`), 'B A(a1)')
  t.is(await shape(ann, `${page}?sort=bogus`), 'B A(a1)', 'the order one prefers, not the one suggested')
  t.is((await ann.get(page)).at('0.data.children.0.data.suggested_sort'), 'old')
  await say(bob, String(made.A), 'answer')
  t.is(await shape(ann, `${page}?sort=qa`), 'A(answer +1) B')
})

test('votes, edits, removals and new comments are shown in a thread read before', async (t) => {
  const link = await submit(bob, 'tea')
  const page = `/comments/${id36(link)}`
  t.is(await shape(ann, page), '')
  const made = await grow(bob, link, 'A\nB')
  t.is(await shape(ann, page), 'A B')
  await ann.post('/api/vote', { id: made.B, dir: 1 })
  t.is(await shape(ann, page), 'B A')
  await bob.post('/api/editusertext', { thing_id: made.A, text: 'A2' })
  await say(ann, String(made.B), 'b1')
  t.is(await shape(ann, page), 'B(b1) A2')
  t.is((await ann.get(`${page}?showedits=false&sort=new`)).at('1.data.children.1.data.edited'), false)
  t.is(typeof (await ann.get(`${page}?sort=new`)).at('1.data.children.1.data.edited'), 'number')
})

test.serial('the thread of a missing link, in another subsite or one that the viewer may not view is refused', async (t) => {
  await foundSubsite(ann, 'closed_1', { type: 'private' })
  const [link, hidden] = [await submit(bob, 'tea'), await submit(ann, 'closed_1')]
  await foundSubsite(ann, 'other_1')
  for (const article of ['zzzz', '%21', '0']) t.is((await site.get(`/comments/${article}`)).status, 404, article)
  t.is((await site.get(`/s/other_1/comments/${id36(link)}`)).status, 404)
  t.is((await site.get(`/s/tea/comments/${id36(link)}`)).status, 200)
  t.is((await site.get(`/comments/${id36(hidden)}`)).status, 403)
  t.is((await site.get(`/api/morechildren?link_id=${hidden}&children=1`)).status, 403)
})

test('moderators with any permissions see more of a thread at once than others', async (t) => {
  await foundSubsite(ann, 'crowded')
  const { clerk_1: clerk } = await joinSite(site, 'clerk_1')
  const link = await submit(bob, 'crowded')
  await appoint(ann, 'crowded', clerk, '+flair')
  for (let n = 0; n < 510; n += 30) await Promise.all(Array.from({ length: 30 }, () => say(bob, link)))
  const shown = async (reader: Caller) => (await reader.get(`/comments/${id36(link)}?limit=1000`)).text.match(/"kind":"t1"/g)?.length
  t.deepEqual([await shown(site), await shown(clerk), await shown(ann)], [500, 510, 510])
})

test('a limit beyond the cap is no error', async (t) => {
  const link = await submit(bob, 'tea')
  await say(bob, link, 'one')
  for (const limit of [100_000, 0, -4, 'x']) t.is(await shape(site, `/comments/${id36(link)}?limit=${limit}`), 'one')
})
