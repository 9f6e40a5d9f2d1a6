import type { Page } from 'playwright-core'
import { sitDown, testInBrowser } from '../support/browser.ts'
import { startFullPages } from '../support/full-pages.ts'

const test = testInBrowser(startFullPages)

/** The members of an element that the functions below use in the browser. */
type Focusable = {
  readonly matches: (selector: string) => boolean
  readonly outerHTML: string
  readonly checkVisibility: () => boolean
  readonly closest: (selector: string) => unknown
  readonly type?: string
  readonly name?: string
  readonly shadowRoot: {
    readonly activeElement: Focusable | null
    readonly querySelectorAll: (selector: string) => Iterable<Focusable>
  } | null
}
declare const document: {
  readonly activeElement: Focusable
  readonly body: Focusable
  readonly querySelectorAll: (selector: string) => Iterable<Focusable>
}
declare const getComputedStyle: (element: Focusable) => { readonly outlineStyle: string; readonly outlineWidth: string }

const ACTS = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]'

/**
 * Returns the number of acts of a page: its links, buttons and fields, also those in a subsite's own style. A group of radio buttons is one
 * stop.
 */
const countActs = (page: Page): Promise<number> =>
  page.evaluate((acts) => {
    const styled = [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) => [...(shadowRoot?.querySelectorAll(acts) ?? [])])
    const all = [...document.querySelectorAll(acts), ...styled]
    const seen = all.filter((one) => one.checkVisibility())
    const groups = new Set(seen.filter(({ type }) => type === 'radio').map(({ name }) => name))
    return seen.filter(({ type }) => type !== 'radio').length + groups.size
  }, ACTS)

/** Returns the element that has the focus, and whether it shows it; undefined past the last one. */
const focused = (page: Page): Promise<{ readonly html: string; readonly shown: boolean } | undefined> =>
  page.evaluate(() => {
    const { activeElement, body } = document
    if (activeElement === body) return undefined
    const element = activeElement.shadowRoot?.activeElement ?? activeElement
    const { outlineStyle, outlineWidth } = getComputedStyle(element)
    return { html: element.outerHTML.slice(0, 120), shown: outlineStyle !== 'none' && outlineWidth !== '0px' }
  })

test('the Tab key comes to every act of a page once, and each shows that it has the focus', async (t) => {
  t.timeout(5 * 60_000)
  const { site, long, scene } = t.context
  const { page, faults, leave } = await sitDown(site, { as: long })
  for (const address of [
    '/s/tea',
    `/comments/${scene.link}`,
    '/s/tea/about/modqueue',
    '/s/tea/about/log',
    '/s/tea/submit',
    `/report?id=t1_${scene.comment}`,
    `/message/messages/${scene.message}`,
    '/subsites/create',
  ]) {
    await page.goto(address)
    await page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))')
    const acts = await countActs(page)
    t.true(acts > 10, address)
    const stops: string[] = []
    // a date has several parts, each a stop of its own
    for (let presses = 0; presses <= acts + 20; presses += 1) {
      await page.keyboard.press('Tab')
      const stop = await focused(page)
      if (!stop || stop.html === stops[0]) break
      t.true(stop.shown, `${address}: ${stop.html}`)
      if (stop.html !== stops.at(-1) || !stop.html.includes('type="date"')) stops.push(stop.html)
    }
    t.is(stops.length, acts, address)
  }
  t.deepEqual(faults, [])
  await leave()
})
