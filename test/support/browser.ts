import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import anyTest, { type TestFn } from 'ava'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { TestSite, User } from './site.ts'
import { testOn } from './test-on.ts'

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The browser: the program that CHROMIUM names, else the `chromium` of the PATH. */
const program: string | undefined =
  process.env.CHROMIUM ??
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, 'chromium'))
    .find(isProgram)

let browser: Promise<Browser> | undefined
const openBrowser = (): Promise<Browser> => {
  browser ??= chromium.launch({ ...(program !== undefined && { executablePath: program }), args: ['--no-sandbox', '--disable-gpu'] })
  return browser
}

/**
 * AVA's `test` for a file that looks at one site in a browser, one test at a time. Where there is no browser the tests are skipped by name,
 * and nothing is started.
 */
export const testInBrowser = <Context extends { readonly site: TestSite }>(
  start: () => Promise<Context>,
): TestFn<Context>['serial'] | TestFn<Context>['skip'] => {
  if (program === undefined) {
    const { skip } = anyTest as TestFn<Context>
    skip('nothing was looked at: there is no chromium on the PATH, and CHROMIUM names none (Debian: apt-get install chromium)', (t) =>
      t.pass())
    return skip
  }
  const test = testOn(start)
  test.after.always(async () => (await browser)?.close())
  return test.serial
}

/** The browser of a person. */
type Looking = {
  readonly as?: User
  readonly scripts?: boolean
  readonly width?: number
  readonly dark?: boolean
}

/** Somebody before a browser. */
export type Person = {
  readonly page: Page
  /** The faults so far: errors of scripts, resources that the content security policy stopped, requests to other sites. */
  readonly faults: readonly string[]
  readonly leave: () => Promise<void>
}

/** A refused form has a status that the browser reports like a missing file. */
const refusedByStatus = /^Failed to load resource: the server responded with a status of 4\d\d/

const logIn = async (context: BrowserContext, site: TestSite, user: User): Promise<void> => {
  const { cookie } = await user.session()
  const [name = '', value = ''] = cookie.split('=', 2)
  await context.addCookies([{ name, value, url: site.url, httpOnly: true, sameSite: 'Lax' }])
}

/** Opens a browser for somebody, with nothing in it but their session. */
export const sitDown = async (site: TestSite, { as, scripts = true, width = 1240, dark = false }: Looking = {}): Promise<Person> => {
  const context = await (await openBrowser()).newContext({
    baseURL: site.url,
    javaScriptEnabled: scripts,
    viewport: { width, height: 900 },
    colorScheme: dark ? 'dark' : 'light',
    locale: 'en-GB',
  })
  context.setDefaultTimeout(10_000)
  if (as) await logIn(context, site, as)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !refusedByStatus.test(message.text())) faults.push(`${page.url()}: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(site.url)) faults.push(`${page.url()}: asked ${request.url()}`)
  })
  page.on('response', (response) => {
    if (response.status() >= 500) faults.push(`${response.url()}: ${response.status()}`)
  })
  return { page, faults, leave: () => context.close() }
}
