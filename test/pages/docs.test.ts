import axe, { type RunOptions } from 'axe-core'
import { docsFiles } from '../../src/http/openapi/docs-page.ts'
import { barriers, everyRule, lookAt, PHONE, tooWide, waitUntilDrawn } from '../support/barriers.ts'
import { sitDown, testInBrowser } from '../support/browser.ts'
import { startSite } from '../support/site.ts'

const test = testInBrowser(async () => ({ site: await startSite() }))

const REFERENCE = '/docs/reference'
const addresses = ['/docs', '/docs?q=rate+limit', ...docsFiles.filter((name) => !name.includes('.')).map((name) => `/docs/${name}`)]
/** The rules for what is ours on the page of the reference: Swagger UI nests links in buttons, and skips levels of headings. */
const ofReference: RunOptions = {
  ...everyRule,
  runOnly: {
    type: 'rule',
    values: ['color-contrast', 'region', 'landmark-one-main', 'scrollable-region-focusable', 'select-name', 'target-size'],
  },
}

test('no guide has a barrier, in light and dark, and each fits a phone', async (t) => {
  t.timeout(9 * 60_000)
  const { page, faults, leave } = await sitDown(t.context.site)
  await page.addInitScript({ content: axe.source })
  const found: string[] = []
  for (const address of addresses.filter((one) => one !== REFERENCE)) {
    found.push(...(await lookAt(page, address)))
  }
  t.deepEqual(found, [])
  t.deepEqual(faults, [])
  await leave()
})

test('the reference can be read in light and dark, and fits a phone', async (t) => {
  t.timeout(5 * 60_000)
  const { page, faults, leave } = await sitDown(t.context.site)
  await page.addInitScript({ content: axe.source })
  await page.goto(REFERENCE)
  await page.locator('.opblock').first().waitFor({ timeout: 90_000 })
  const background = () => page.evaluate("getComputedStyle(document.querySelector('.swagger-ui')).backgroundColor")
  t.deepEqual(await barriers(page, ofReference), [])
  const light = await background()
  await page.emulateMedia({ colorScheme: 'dark' })
  t.deepEqual(await barriers(page, ofReference), [])
  t.not(await background(), light)
  await page.setViewportSize({ width: PHONE, height: 800 })
  await waitUntilDrawn(page)
  t.deepEqual(await tooWide(page), [])
  t.deepEqual(faults, [])
  await leave()
})

for (const scripts of [false, true])
  test(`a reader searches the guides, turns pages, and copies an example, with scripts ${scripts ? 'on' : 'off'}`, async (t) => {
    const { page, faults, leave } = await sitDown(t.context.site, { scripts })
    await page.goto('/docs')
    await page.getByRole('searchbox').fill('anchor page')
    await page.getByRole('searchbox').press('Enter')
    await page.locator('.hits').getByRole('link', { name: 'The form of a page' }).click()
    await page.waitForURL('/docs/paging#the-form-of-a-page')
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'To the end' }).click()
    await page.waitForURL('/docs/paging#to-the-end')
    const copy = page.getByRole('button', { name: 'Copy' })
    if (scripts) {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await copy.first().click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      t.is(await page.evaluate('navigator.clipboard.readText()'), await page.locator('main pre').first().textContent())
    } else t.is(await copy.count(), 0)
    await page.getByRole('navigation', { name: 'Previous and next page' }).getByRole('link', { name: 'Follow what is new' }).click()
    t.is(await page.getByRole('heading', { level: 1 }).innerText(), 'Follow what is new')
    t.deepEqual(faults, [])
    await leave()
  })
