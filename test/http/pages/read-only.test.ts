import test from 'ava'
import { browserHeaders, htmlProblems, isPage } from '../../support/browser-requests.ts'
import { waitUntilSettled } from '../../support/community.ts'
import { makeCopy, serveCopy, storesOf } from '../../support/copies.ts'
import { startFullPages } from '../../support/full-pages.ts'
import { pageAddresses } from '../../support/page-rows.ts'
import { callerAt } from '../../support/site.ts'

const { site, ann, scene } = await startFullPages()
await waitUntilSettled(site)
const session = await ann.session()
test.after.always(() => site.stop())

/** Matches what would write: a form that is posted, a button of the one form of a page, and the way to an account. */
const writing =
  /<form[^>]*method="post"|formaction=|form="act"|name="pick\.|name="uh"|href="\/(?:login|register|message\/compose|subsites\/create)["?]/

test('every page of a read-only copy names its time and has no form, for every reader', async (t) => {
  const file = await makeCopy(t, storesOf(site))
  for (const as of ['anybody', 'moderator', 'admin'] as const) {
    const served = await serveCopy(t, file, as)
    const [, when = ''] = /, of (\S+)$/.exec(String((await served.get('/health/ready')).at('warnings.0'))) ?? []
    const browser = callerAt(served.url, { ...browserHeaders, Cookie: session.cookie })
    for (const address of [...Object.values(pageAddresses).flatMap((addressesOf) => addressesOf(scene)), '/nothing/here', '/login']) {
      const page = await browser.get(address)
      t.true(isPage(page) && page.status < 500, `${address} as ${as}`)
      t.regex(page.text, new RegExp(`<p class="copy">This is a copy to read, as of <time datetime="${when.slice(0, 19)}`), address)
      t.notRegex(page.text, writing, `${address} as ${as}`)
      t.deepEqual(await htmlProblems(page.text), [], address)
    }
    await served.stop()
  }
})

test('a form that is posted to a copy is refused by a page with the status of the JSON', async (t) => {
  const served = await serveCopy(t, await makeCopy(t, storesOf(site)))
  const browser = callerAt(served.url, { ...browserHeaders, Cookie: session.cookie, 'Sec-Fetch-Site': 'same-origin' })
  const answer = await browser.post('/api/vote?id=t5_1&dir=1', { uh: session.modhash, form_page: '/s/tea' })
  t.is(answer.status, 405)
  t.true(isPage(answer))
  t.regex(answer.text, /<p class="refused" role="alert">This is a read-only copy of the site/)
  t.true((await browser.post('/api/vote?id=t5_1&dir=1', { uh: session.modhash })).text.includes('READ_ONLY'))
})
