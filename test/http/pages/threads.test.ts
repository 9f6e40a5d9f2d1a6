import test from 'ava'
import { commentSortWords } from '../../../src/http/pages/parts/comment-sorts.ts'
import { browserAs, browserOf, htmlProblems } from '../../support/browser-requests.ts'
import { newcomer, startTea } from '../../support/cast.ts'
import { postForm } from '../../support/community.ts'
import { say, submit } from '../../support/posting.ts'
import { prefer } from '../../support/preferring.ts'
import type { Caller, User } from '../../support/site.ts'

const { site, ann, bob } = await startTea([])
test.after.always(() => site.stop())

const fullnamesIn = async (reader: Caller, address: string): Promise<readonly string[]> =>
  ((await reader.get(address)).at('1.data.children') as readonly { readonly data: { readonly name: string } }[]).map(
    ({ data }) => data.name,
  )

/** Returns the words of the order that a page of a thread marks, after checking that its comments are in that order. */
const markedOrder = async (t: { readonly deepEqual: (a: unknown, b: unknown) => void }, who: User | undefined, address: string) => {
  const { text } = await (who ? await browserAs(site, who) : browserOf(site)).get(address)
  t.deepEqual(await htmlProblems(text), [])
  const [, words] = /<nav class="sorts" aria-label="Order">.*?aria-current="true">([^<]+)</s.exec(text) ?? []
  const marked = Object.entries(commentSortWords).find(([, named]) => words?.replace('&amp;', '&') === named)?.[0]
  const reader = who ?? site
  if (marked !== undefined) {
    const [path = ''] = address.split('?')
    t.deepEqual(await fullnamesIn(reader, address), await fullnamesIn(reader, `${path}?sort=${marked}`))
  }
  return marked ?? text.includes('in a random order: this is a contest')
}

test('the page of a thread marks the order in which its comments are', async (t) => {
  const [reader, other] = [await newcomer(site), await newcomer(site)]
  const link = await submit(bob, 'tea', { title: 'Which order', text: 'is it' })
  const [first, second] = [await say(ann, link, 'first'), await say(ann, link, 'second')]
  await say(bob, second, 'an answer')
  await postForm(other, '/api/vote', { id: first, dir: 1 })
  const path = `/comments/${link.slice(3)}`
  t.notDeepEqual(await fullnamesIn(site, `${path}?sort=top`), await fullnamesIn(site, `${path}?sort=new`))
  t.notDeepEqual(await fullnamesIn(site, `${path}?sort=top`), await fullnamesIn(site, `${path}?sort=qa`))
  await prefer(reader, { default_comment_sort: 'new' })
  for (const [query, ofNobody, ofReader] of [
    ['', 'top', 'new'],
    ['?sort=old', 'old', 'old'],
    ['?sort=tea', 'top', 'new'],
  ] as const) {
    t.is(await markedOrder(t, undefined, `${path}${query}`), ofNobody, query)
    t.is(await markedOrder(t, reader, `${path}${query}`), ofReader, query)
  }
  await postForm(ann, '/api/set_suggested_sort', { id: link, sort: 'qa' })
  for (const who of [undefined, reader, ann]) t.is(await markedOrder(t, who, path), 'qa')
  t.is(await markedOrder(t, bob, path), 'top', 'no questions and answers for the author')
  await prefer(reader, { ignore_suggested_sort: true })
  t.is(await markedOrder(t, reader, path), 'new')
  await postForm(ann, '/api/set_contest_mode', { id: link, state: true })
  for (const query of ['', '?sort=new'])
    for (const who of [undefined, reader, bob]) t.is(await markedOrder(t, who, `${path}${query}`), true, 'a contest')
  t.is(await markedOrder(t, ann, path), 'top', 'moderators see the result')
  t.is(await markedOrder(t, ann, `${path}?sort=old`), 'old')
})
