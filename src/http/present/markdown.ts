import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { bytesOf } from '../../ports/size.ts'
import { escapeHtml } from '../html.ts'
import { render } from './markdown-renderer.ts'
import { type Rendered, renderInThread } from './markdown-thread.ts'

/** Characters of a text that is rendered between other requests; a longer one could keep them waiting, and has a thread of its own. */
export const LONGEST_INLINE = 4_096

// a vote makes a new document of an unchanged text, so texts are remembered by what they say
const rendered = new LRUCache<string, string>({ maxSize: 24_000_000, sizeCalculation: (html, text) => bytesOf(html) + bytesOf(text) })

/** What was rendered for the answer that is being made: all of it is shown, however little room there is for what is remembered. */
const ofThisAnswer = new AsyncLocalStorage<Map<string, string>>()

/** Makes an answer in which every text that is rendered ahead is shown rendered. */
export const rendering = <T>(make: () => Promise<T>): Promise<T> => ofThisAnswer.run(new Map(), make)

const isLong = (text: string) => text.length > LONGEST_INLINE
const wrapped = (html: string) => `<div class="md">${html}\n</div>`

/** A text as it was typed: in place of one that takes too long to render, or that was not rendered ahead. */
const asTyped = (text: string) => wrapped(`<pre><code>${escapeHtml(text)}</code></pre>`)

const htmlOf = (text: string): string => {
  const known = ofThisAnswer.getStore()?.get(text) ?? rendered.get(text)
  if (known !== undefined) return known
  if (isLong(text)) return asTyped(text)
  const html = wrapped(render(text))
  rendered.set(text, html)
  return html
}

const keep = (text: string, html: string): void => {
  rendered.set(text, html)
  ofThisAnswer.getStore()?.set(text, html)
}

/** Long texts that are being rendered: all who ask for the same page wait for one rendering. */
const underWay = new Map<string, Promise<Rendered>>()

const renderOnce = (text: string): Promise<Rendered> => {
  const begun = underWay.get(text)
  if (begun) return begun
  const work = renderInThread(text).finally(() => underWay.delete(text))
  underWay.set(text, work)
  return work
}

const renderLong = async (text: string): Promise<Rendered> => {
  const answer = await renderOnce(text)
  if (answer !== 'busy') keep(text, answer === 'too-slow' ? asTyped(text) : wrapped(answer.html))
  return answer
}

/** Why a text that is to be stored cannot be rendered; undefined when it can. Then it is, and remembered. */
export const whyUnrenderable = async (text: string): Promise<'too-slow' | 'busy' | undefined> => {
  if (!isLong(text) || rendered.has(text)) return undefined
  const answer = await renderLong(text)
  return typeof answer === 'string' ? answer : undefined
}

/** Milliseconds after which others get their turn. */
const TURN = 5

/** Renders texts that will be shown, a few at a time and long ones elsewhere, so that a page with many new ones does not delay other requests. */
export const renderAhead = async (texts: Iterable<string>): Promise<void> => {
  let started = performance.now()
  for (const text of texts) {
    if (text === '') continue
    const known = rendered.get(text)
    if (known !== undefined) {
      ofThisAnswer.getStore()?.set(text, known)
      continue
    }
    if (isLong(text)) await renderLong(text)
    else htmlOf(text)
    if (performance.now() - started < TURN) continue
    await setImmediate()
    started = performance.now()
  }
}

/** A comment's or message's text as HTML. Long texts must have been rendered ahead. */
export const bodyHtml = (text: string): string => htmlOf(text)

/** Any other text as HTML, between the markers such fields carry; null when there is no text. */
export const markedHtml = (text: string): string | null => (text === '' ? null : `<!-- SC_OFF -->${htmlOf(text)}<!-- SC_ON -->`)
