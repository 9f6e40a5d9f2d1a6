import test from 'ava'
import { renderPage } from '../../../src/http/pages/frame.ts'
import { threadPage } from '../../../src/http/pages/listings/threads.ts'
import { startTea } from '../../support/cast.ts'
import { longestTurn, processorTime } from '../../support/hostile-texts.ts'
import { say, submit } from '../../support/posting.ts'

type Comment = { readonly kind: 't1'; readonly data: { readonly name: string; replies: unknown } }

const { site, ann, bob } = await startTea([])
const link = await submit(ann, 'tea')
await say(bob, await say(bob, link, 'a **fine** comment'), 'and its reply')
const path = `/comments/${link.slice(3)}`
const [lead, comments] = (await ann.get(`${path}?raw_json=1`)).body as readonly [
  unknown,
  { readonly data: { readonly children: Comment[] } },
]
const [comment] = comments.data.children
test.after.always(() => site.stop())

/** The arguments of a page of so many comments, each with a reply. */
const threadOf = (count: number) => {
  const children = Array.from({ length: count }, () => structuredClone(comment))
  const at = {
    target: path,
    path,
    query: new URLSearchParams(),
    sub: undefined,
    publicUrl: '',
    back: path,
    position: '',
    copyOf: undefined,
  }
  const body = [lead, { ...comments, data: { ...comments.data, children } }]
  return { body, also: {}, subsite: undefined, styling: undefined, viewer: undefined, at, form: undefined }
}

const stepsOf = (count: number): number => {
  const work = threadPage.main(threadOf(count) as never)
  let steps = 0
  if ('next' in work) while (!work.next().done) steps += 1
  return steps
}

test('the page of a thread is rendered in a step for each comment and each reply', (t) => {
  t.is(stepsOf(1), 2)
  t.is(stepsOf(300), 600)
})

test('other requests get their turn while the page of a long thread is rendered', async (t) => {
  const shown = threadOf(3_000)
  const whole = await processorTime(() => renderPage(threadPage, shown))
  const longest = await longestTurn(() => renderPage(threadPage, shown))
  t.log(`${longest.toFixed(1)} of ${whole.toFixed(1)} ms at once`)
  t.true(longest < whole / 3)
})
