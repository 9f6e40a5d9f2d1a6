import test from 'ava'
import { startWithMovableClock } from '../support/movable-clock.ts'
import { foundSubsite, id36, submit } from '../support/posting.ts'

/** Milliseconds after which a worker number that was not renewed has certainly lapsed. */
const LAPSED = 120_000

test('requests that only read are answered while the process has no worker number and can make no ids', async (t) => {
  const { site, forward } = await startWithMovableClock({ logLevel: 'silent' })
  t.teardown(() => site.stop())
  const ann = await site.register('ann')
  await foundSubsite(ann, 'tea')
  const link = await submit(ann, 'tea')
  const multi = { form: { model: JSON.stringify({ subreddits: [{ name: 'tea' }], visibility: 'public' }) } }
  t.is((await ann.request('PUT', '/api/multi/user/ann/m/drinks', multi)).status, 201)
  for (const path of [
    '/api/v1/me',
    '/api/v1/me/prefs',
    '/api/multi/mine',
    '/api/multi/user/ann/m/drinks',
    '/user/ann/m/drinks/new',
    '/user/ann/overview',
    '/message/inbox',
    '/hot',
    `/comments/${id36(link)}`,
    '/s/tea/about',
    '/s/tea/about/log',
  ]) {
    forward(LAPSED)
    t.is((await ann.get(path)).status, 200, path)
  }
})
