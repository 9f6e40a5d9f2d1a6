import type { AxeResults, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'

export const everyRule: RunOptions = {
  runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
  resultTypes: ['violations'],
  preload: false,
}
/** The rules that another colour scheme may break. */
const onlyColours: RunOptions = { ...everyRule, runOnly: { type: 'rule', values: ['color-contrast'] } }
/** The rules that another width may break. */
const onlySizes: RunOptions = { ...everyRule, runOnly: { type: 'rule', values: ['target-size', 'scrollable-region-focusable'] } }

/** Returns the barriers that axe finds on a page, one line for each element. */
export const barriers = async (page: Page, options: RunOptions): Promise<readonly string[]> => {
  const { violations } = await page.evaluate<AxeResults, RunOptions>((chosen) => Reflect.get(globalThis, 'axe').run(chosen), options)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}

export const PHONE = 360

/** The members of an element that the next function uses. */
type Measured = {
  readonly scrollWidth: number
  readonly tagName: string
  readonly className: string
  readonly textContent: string
  readonly getBoundingClientRect: () => { readonly right: number; readonly top: number }
  readonly querySelectorAll: (selector: string) => Iterable<Measured>
}
declare const document: { readonly documentElement: Measured }

/** Returns the elements that make a page wider than a screen. */
export const tooWide = (page: Page, width = PHONE): Promise<readonly string[]> =>
  page.evaluate((most) => {
    const { documentElement: root } = document
    if (root.scrollWidth === most) return []
    const wide = [...root.querySelectorAll('*')].filter((element) => element.getBoundingClientRect().right > most)
    return [`${root.scrollWidth} wide: ${wide.map(({ tagName, className }) => `${tagName} ${className}`).join(', ')}`]
  }, width)

/** The current ones of a row of links that a reader must scroll to. */
const outOfSight = (page: Page): Promise<readonly string[]> =>
  page.evaluate((most) => {
    const current = [...document.documentElement.querySelectorAll('nav [aria-current]')]
    return current.filter((link) => link.getBoundingClientRect().right > most).map(({ textContent }) => `out of sight: ${textContent}`)
  }, PHONE)

const MAX_LINES_OF_TABS = 2

/** The tabs of a page that take more lines of a phone than its content can spare. */
const tallTabs = (page: Page): Promise<readonly string[]> =>
  page.evaluate((most) => {
    const lines = new Set([...document.documentElement.querySelectorAll('.tabs a')].map((link) => link.getBoundingClientRect().top))
    return lines.size > most ? [`${lines.size} lines of tabs`] : []
  }, MAX_LINES_OF_TABS)

/** Waits until the page was drawn, so that its script has seen how large everything is. */
export const waitUntilDrawn = (page: Page): Promise<unknown> =>
  page.evaluate('new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen)))')

const DESK = 1240

/** Opens an address in light and dark, on a desk and on a phone. Returns what is wrong there. */
export const lookAt = async (page: Page, address: string): Promise<readonly string[]> => {
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: DESK, height: 900 })
  await page.goto(address)
  await waitUntilDrawn(page)
  const light = [...(await barriers(page, everyRule)), ...(await tooWide(page, DESK))]
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' })
  const dark = await barriers(page, onlyColours)
  await page.setViewportSize({ width: PHONE, height: 800 })
  await waitUntilDrawn(page)
  const narrow = [...(await barriers(page, onlySizes)), ...(await tooWide(page)), ...(await outOfSight(page)), ...(await tallTabs(page))]
  return [...light, ...dark, ...narrow].map((problem) => `${address}: ${problem}`)
}
