import test from 'ava'
import { runForCaller } from '../../../src/http/contract/request-state.ts'
import { bodyHtml, MAX_INLINE_RENDERING_CHARACTERS, renderAhead, whyUnrenderable } from '../../../src/http/present/markdown.ts'
import { render } from '../../../src/http/present/markdown-renderer.ts'
import { hostileTexts, processorTime } from '../../support/hostile-texts.ts'

const BOUND = 50

test.serial('rendering a text in the main thread takes at most 50 ms', async (t) => {
  const names = ['_a '.repeat(600) + '/u/ab_ '.repeat(300), `/u/abc/${'_'.repeat(4_000)}é`, `http://a.b/${'_'.repeat(4_000)}é`]
  for (const [what, text] of [
    ...hostileTexts(MAX_INLINE_RENDERING_CHARACTERS),
    ...names.map((name) => [name.slice(0, 12), name] as const),
  ]) {
    const spent = await processorTime(() => render(text))
    t.true(spent <= BOUND, `${what}: ${spent.toFixed()} ms`)
  }
})

test.serial('a long text is rendered in another process, with the same result', async (t) => {
  const texts = [...hostileTexts(160_000).values()].slice(0, 6)
  const spent = await processorTime(() => renderAhead(texts))
  t.true(spent <= BOUND * texts.length, `${spent.toFixed()} ms`)
  for (const text of ['*a* '.repeat(5_000), `> ${'/u/ann '.repeat(3_000)}`]) {
    await renderAhead([text])
    t.is(bodyHtml(text), `<div class="md">${render(text)}\n</div>`)
  }
})

test.serial('a text that takes more than two seconds to render is refused, shown unrendered, and delays no other', async (t) => {
  const endless = '[a](<'.repeat(4_000_000)
  const started = performance.now()
  const [slow, other] = await Promise.all([whyUnrenderable(endless), whyUnrenderable('*b* '.repeat(2_000))])
  t.is(slow, 'too-slow')
  t.is(other, undefined)
  t.true(performance.now() - started < 20_000)
  t.regex(bodyHtml('*b* '.repeat(2_000)), /<em>b<\/em>/)
})

test.serial('many responses with the same long text share one rendering, and other texts are rendered meanwhile', async (t) => {
  const popular = '*popular* '.repeat(1_000)
  const answers = await Promise.all([...Array.from({ length: 300 }, () => whyUnrenderable(popular)), whyUnrenderable('*c* '.repeat(2_000))])
  t.deepEqual(new Set(answers), new Set([undefined]))
})

test.serial('all long texts of a response are rendered, also more than the cache holds', async (t) => {
  const texts = Array.from({ length: 40 }, (_, n) => `**${n}** ${'word '.repeat(40_000)}`)
  const isRendered = (text: string) => bodyHtml(text).startsWith('<div class="md"><p><strong>')
  await runForCaller(
    () => 'ann',
    async () => {
      await renderAhead(texts)
      t.deepEqual(texts.map(isRendered), Array(40).fill(true))
    },
  )
  t.false(texts.every(isRendered), 'not all of them are remembered')
})

test.serial('a long text that was not rendered in advance is shown unrendered', (t) => {
  t.is(bodyHtml(`${'*x*<'.repeat(2_000)}`), `<div class="md"><pre><code>${'*x*&lt;'.repeat(2_000)}</code></pre>\n</div>`)
})
