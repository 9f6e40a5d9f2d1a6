import axe, { type AxeResults, type RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { nameOf } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { sitDown, testInBrowser } from '../support/browser.ts'
import { startFullPages } from '../support/full-pages.ts'
import { closedAddresses, pageAddresses } from '../support/page-rows.ts'

const test = testInBrowser(startFullPages)

const everyRule: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  preload: false,
}
/** The rules that another colour scheme may break. */
const colours: RunOptions = { ...everyRule, runOnly: { type: 'rule', values: ['color-contrast'] } }
/** The rules that another width may break. */
const sizes: RunOptions = { ...everyRule, runOnly: { type: 'rule', values: ['target-size', 'scrollable-region-focusable'] } }

/** The barriers that axe finds on a page, one line for each element. */
const barriers = async (page: Page, options: RunOptions): Promise<readonly string[]> => {
  const { violations } = await page.evaluate<AxeResults, RunOptions>((chosen) => Reflect.get(globalThis, 'axe').run(chosen), options)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}

const PHONE = 360

/** The members of an element that the next function uses. */
type Measured = {
  readonly scrollWidth: number
  readonly tagName: string
  readonly className: string
  readonly getBoundingClientRect: () => { readonly right: number }
  readonly querySelectorAll: (selector: string) => Iterable<Measured>
}
declare const document: { readonly documentElement: Measured }

/** The elements that make a page wider than a phone. */
const tooWide = (page: Page): Promise<readonly string[]> =>
  page.evaluate((most) => {
    const { documentElement: root } = document
    if (root.scrollWidth === most) return []
    const wide = [...root.querySelectorAll('*')].filter((element) => element.getBoundingClientRect().right > most)
    return [`${root.scrollWidth} wide: ${wide.map(({ tagName, className }) => `${tagName} ${className}`).join(', ')}`]
  }, PHONE)

/** Waits until the page was drawn, so that its script has seen how large everything is. */
const drawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))')

/** Errors have pages, too, and the pages for logging in are none of the rows. */
const others = ['/login', '/register?dest=/s/tea', '/nothing/here', '/s/nosuch', '/s/tea/comments/zzzzz', '/message/messages/zzz']
const isOpen = (name: string): boolean => endpoints.find((endpoint) => nameOf(endpoint) === name)?.login === 'anyone'

for (const who of ['long', undefined] as const)
  test(`every page ${who ? 'of a moderator' : 'without an account'} has no barrier, in light and dark, fits a phone, and asks for nothing elsewhere`, async (t) => {
    t.timeout(9 * 60_000)
    const { site, scene } = t.context
    const { page, faults, leave } = await sitDown(site, who && { as: t.context[who] })
    await page.addInitScript({ content: axe.source })
    const addresses = Object.entries(pageAddresses).flatMap(([name, addressesOf]) => (who || isOpen(name) ? addressesOf(scene) : []))
    const found: string[] = []
    for (const address of [...addresses, ...(who ? closedAddresses : []), ...others]) {
      await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
      await page.setViewportSize({ width: 1240, height: 900 })
      await page.goto(address)
      await drawn(page)
      const light = await barriers(page, everyRule)
      await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
      const dark = await barriers(page, colours)
      await page.setViewportSize({ width: PHONE, height: 800 })
      await drawn(page)
      const narrow = [...(await barriers(page, sizes)), ...(await tooWide(page))]
      found.push(...[...light, ...dark, ...narrow].map((problem) => `${address}: ${problem}`))
    }
    t.deepEqual(found, [])
    t.deepEqual(faults, [])
    await leave()
  })
