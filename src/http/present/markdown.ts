// Decision 56.

import { LRUCache } from 'lru-cache'
import { isLongerThan, limits } from '../../domain/text-limits.ts'
import { boundedBy } from '../../ports/cache-bounds.ts'
import { bytesOf } from '../../ports/size.ts'
import { isOverload, type Overload, overloadCode } from '../contract/overload.ts'
import type { Refusal } from '../contract/refusals.ts'
import { callerHere, thisAnswer } from '../contract/request-state.ts'
import { escapeHtml } from '../wire/html.ts'
import { inSlices } from '../wire/time-slices.ts'
import { type LaneResult, openLane } from '../workers/worker-process.ts'
import { type Flavour, render, renderAs } from './markdown-renderer.ts'
import type { Rendering } from './markdown-worker.ts'
import { accountsLinkedIn } from './references.ts'

type RenderResult = LaneResult<string>

/** Renders a text in another process, in its turn. `too-slow`: it takes more than two seconds; `busy`: too many wait already. */
const renderElsewhere = openLane<Rendering, string>(new URL('./markdown-worker.ts', import.meta.url), {
  limit: 2_000,
  mostWaiting: 100,
  mostWaitingOfOne: 16,
  heapMegabytes: 256,
})

/** Characters of a text that is rendered between other requests; a longer one could keep them waiting, and has a process of its own. */
export const MAX_INLINE_RENDERING_CHARACTERS = 4_096

// a vote makes a new document with the same text, so renderings are cached by the text itself
const rendered = new LRUCache<string, string>(boundedBy('renderedTexts', bytesOf))

const isLong = (text: string) => text.length > MAX_INLINE_RENDERING_CHARACTERS
const wrapHtml = (html: string) => `<div class="md">${html}\n</div>`

/** Shows a text as it was typed, for one that takes too long to render or was not rendered ahead. */
const asTyped = (text: string) => wrapHtml(`<pre><code>${escapeHtml(text)}</code></pre>`)

const htmlOf = (text: string): string => {
  const known = thisAnswer()?.rendered.get(text) ?? rendered.get(text)
  if (known !== undefined) return known
  if (isLong(text)) return asTyped(text)
  const html = wrapHtml(render(text))
  rendered.set(text, html)
  return html
}

const keep = (text: string, html: string): void => {
  rendered.set(text, html)
  thisAnswer()?.rendered.set(text, html)
}

/** A long text that is being rendered: each caller waits for its own turn, and the first to have one renders it for all. */
type UnderWay = { readonly byCaller: Map<string, Promise<RenderResult>>; answer: RenderResult | undefined }
const underWay = new Map<string, UnderWay>()

const renderOnce = (flavour: Flavour, text: string): Promise<RenderResult> => {
  const key = `${flavour} ${text}`
  const caller = callerHere()
  const rendering: UnderWay = underWay.get(key) ?? { byCaller: new Map(), answer: undefined }
  underWay.set(key, rendering)
  const begun = rendering.byCaller.get(caller)
  if (begun) return begun
  const render = async () => {
    try {
      const answer = await renderElsewhere({ flavour, text }, () => rendering.answer)
      if (!isOverload(answer)) rendering.answer = answer
      return answer
    } finally {
      rendering.byCaller.delete(caller)
      if (rendering.byCaller.size === 0) underWay.delete(key)
    }
  }
  const work = render()
  rendering.byCaller.set(caller, work)
  return work
}

const renderLong = async (text: string): Promise<RenderResult> => {
  const answer = await renderOnce('post', text)
  if (!isOverload(answer)) keep(text, answer === 'too-slow' ? asTyped(text) : wrapHtml(answer.result))
  return answer
}

/**
 * Returns the reason why a text cannot be stored since it cannot be rendered, if any. A long text is rendered for this; the rendering is
 * cached.
 */
export const whyUnrenderable = async (text: string): Promise<'too-slow' | Overload | undefined> => {
  if (!isLong(text) || rendered.has(text)) return undefined
  const answer = await renderLong(text)
  return typeof answer === 'string' ? answer : undefined
}

const pages = new LRUCache<string, string>(boundedBy('renderedWikiPages', bytesOf))

const wrapPage = (html: string) => `<div class="md wiki">${html}\n</div>`

/** A wiki page as it was typed: data, code, or one that cannot be rendered. */
export const sourceHtml = (text: string): string => wrapPage(`<pre><code>${escapeHtml(text)}</code></pre>`)

/** Returns a wiki page as HTML; `too-slow` if it takes more than two seconds. The rendering is cached. */
const renderPage = async (text: string): Promise<RenderResult> => {
  const known = pages.get(text)
  if (known !== undefined) return { result: known }
  const rendered = isLong(text) ? await renderOnce('wiki', text) : { result: renderAs('wiki', text) }
  if (typeof rendered === 'string') return rendered
  const html = wrapPage(rendered.result)
  pages.set(text, html)
  return { result: html }
}

/** Returns the reason why a page cannot be stored since it cannot be rendered, if any. */
export const whyUnrenderablePage = async (text: string): Promise<'too-slow' | Overload | undefined> => {
  const answer = await renderPage(text)
  return typeof answer === 'string' ? answer : undefined
}

/** Returns a wiki page as HTML; as it was typed if it cannot be rendered. */
export const pageHtml = async (text: string): Promise<string> => {
  const answer = await renderPage(text)
  return typeof answer === 'string' ? sourceHtml(text) : answer.result
}

/**
 * Renders texts that will be shown, a few at a time and long ones elsewhere, so that a page with many new ones does not delay other
 * requests. It never throws, but rejects: callers wait for it together with other work.
 */
export const renderAhead = (texts: Iterable<string>): Promise<void> | undefined => {
  try {
    return inSlices(texts, (text) => {
      const known = rendered.get(text)
      if (known !== undefined) return thisAnswer()?.rendered.set(text, known)
      return isLong(text) ? renderLong(text) : renderMarked(text)
    })
  } catch (error) {
    return Promise.reject(error)
  }
}

/** Returns a comment's or message's text as HTML. Long texts must have been rendered ahead. */
export const bodyHtml = (text: string): string => htmlOf(text)

/**
 * Returns the names (lower case, each once) of the accounts that the rendering of a comment links to; none of a text that cannot be
 * rendered.
 */
export const accountsLinkedBy = async (text: string): Promise<readonly string[]> => {
  if (isLongerThan(limits.comment, text)) return [] // it will be refused
  await renderAhead([text])
  return accountsLinkedIn(htmlOf(text))
}

/** Renders any other text as HTML, between the markers that such fields have; null without a text. */
export const renderMarked = (text: string): string | null => (text === '' ? null : `<!-- SC_OFF -->${htmlOf(text)}<!-- SC_ON -->`)

/** Returns the refusal of texts of which one cannot be rendered. Such texts are not stored. */
export const unrenderableOf = async (texts: readonly { readonly name: string; readonly text: string }[]): Promise<Refusal | undefined> => {
  for (const { name, text } of texts) {
    const why = await whyUnrenderable(text)
    if (why === 'too-slow') return { code: 'TOO_COMPLEX', field: name }
    if (why !== undefined) return { code: overloadCode[why], field: null }
  }
  return undefined
}
