import axe from 'axe-core'
import { toEndpointName } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { lookAt } from '../support/barriers.ts'
import { sitDown, testInBrowser } from '../support/browser.ts'
import { startFullPages } from '../support/full-pages.ts'
import { adminAddresses, closedAddresses, pageAddresses } from '../support/page-rows.ts'

const test = testInBrowser(startFullPages)

/** Errors have pages, too; the rows have no page for logging in, and none of a subsite without its style. */
const others = [
  '/s/tea?style=off',
  '/login',
  '/register?dest=/s/tea',
  '/nothing/here',
  '/s/nosuch',
  '/s/tea/comments/zzzzz',
  '/message/messages/zzz',
]
const isOpen = (name: string): boolean => endpoints.find((endpoint) => toEndpointName(endpoint) === name)?.login === 'anyone'

const readers = { long: 'of a moderator', root: 'of an admin', nobody: 'without an account' } as const

for (const [who, words] of Object.entries(readers))
  test(`every page ${words} has no barrier, in light and dark, fits a desk and a phone, and asks for nothing elsewhere`, async (t) => {
    t.timeout(9 * 60_000)
    const { site, scene } = t.context
    const { page, faults, leave } = await sitDown(site, who === 'nobody' ? {} : { as: t.context[who as 'long' | 'root'] })
    await page.addInitScript({ content: axe.source })
    const addresses = Object.entries(pageAddresses).flatMap(([name, addressesOf]) =>
      who === 'long' || (who === 'nobody' && isOpen(name)) ? addressesOf(scene) : [],
    )
    const found: string[] = []
    const { link } = scene
    const restricted = {
      long: closedAddresses,
      root: [...adminAddresses, `/comments/${link}?acts=t5_${link}`, `/comments/${link}?erase=t5_${link}`],
      nobody: [],
    }
    for (const address of [...addresses, ...restricted[who as keyof typeof readers], ...others]) {
      found.push(...(await lookAt(page, address)))
    }
    t.deepEqual(found, [])
    t.deepEqual(faults, [])
    await leave()
  })
