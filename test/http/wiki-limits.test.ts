import test from 'ava'
import { reviseWikiPage, WikiPage, wikiPageId } from '../../src/domain/wiki-page.ts'
import { commandOf, seedOf } from '../../src/runtime/command.ts'
import { joinSite, startCast } from '../support/cast.ts'
import { eventually, postForm, waitUntilSettled } from '../support/community.ts'
import { startWithMovableClock } from '../support/movable-clock.ts'
import type { Caller } from '../support/site.ts'
import { edit, openWikis, reasonOf, revisionsOf } from '../support/wiki.ts'

const MINUTE = 60 * 1000
const DAY = 24 * 60 * MINUTE

test.serial('the changes of a wiki are listed for seven days, those of a page for ever', async (t) => {
  const { site, forward } = await startWithMovableClock({ logLevel: 'silent' })
  t.teardown(site.stop)
  const { ivy } = await joinSite(site, 'ivy')
  const wiki = await openWikis(ivy)()
  const recent = async (): Promise<string> => {
    const rows = ((await site.get(`/s/${wiki}/wiki/revisions`)).at('data.children') ?? []) as readonly { readonly page: string }[]
    // the pages that show settings have a revision of their own since the subsite was founded
    return rows.flatMap(({ page }) => (page.startsWith('config/') ? [] : [page])).join(' ')
  }
  const isListed = (pages: string) => eventually(async () => (await recent()) === pages)
  await postForm(ivy, `/s/${wiki}/api/wiki/edit`, { page: 'early', content: 'leaves' })
  await waitUntilSettled(site)
  t.is(await recent(), 'early')
  forward(7 * DAY - 2 * MINUTE)
  // a token of now, since an older one ends after an hour; the first write after a leap may find that the lease of the worker number has run out
  const later = await ivy.withScopes('wikiedit')
  t.true(await eventually(async () => (await edit(later, wiki, 'late', 'roots')).status === 200))
  t.true(await isListed('late early'), 'two minutes before the end of the seventh day')
  forward(4 * MINUTE)
  t.true(await isListed('late'), 'two minutes after it')
  t.is((await revisionsOf(site, wiki, 'early')).length, 1)
})

test.serial('a wiki has at most 2,000 pages; those that it has can still be edited', async (t) => {
  const { site, ann, bob } = await startCast(['ann', 'bob'])
  t.teardown(site.stop)
  const { app } = site.running
  const wiki = await openWikis(ann)()
  const subsite = String((await site.get(`/s/${wiki}/about`)).at('data.name'))
  const MOST = 2_000
  const OF_SETTINGS = 3
  const made = MOST - OF_SETTINGS - 1
  for (let first = 0; first < made; first += 100)
    await Promise.all(
      Array.from({ length: Math.min(100, made - first) }, (_, n) => {
        const revision = { subsite, page: `page${first + n}`, author: ann.id, content: 'x', reason: '' }
        const by = commandOf(seedOf(app.mint()), { account: ann.id, as: 'user' })
        return app.run(
          WikiPage,
          wikiPageId(revision),
          reviseWikiPage(revision, null, () => true),
          by,
        )
      }),
    )
  await waitUntilSettled(site)
  const outcome = async (who: Caller, page: string) => reasonOf(await edit(who, wiki, page, 'y'))
  t.deepEqual(await outcome(bob, 'last'), [200, undefined])
  await waitUntilSettled(site)
  for (const who of [bob, ann]) t.deepEqual(await outcome(who, 'another'), [403, 'TOO_MANY_PAGES'])
  t.deepEqual(await outcome(bob, 'page7'), [200, undefined])
  t.is((await site.get(`/s/${wiki}/wiki/another`)).status, 404)
})
