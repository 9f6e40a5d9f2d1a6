import test from 'ava'
import { browserOf } from '../../support/browser-requests.ts'
import { startSite } from '../../support/site.ts'

const site = await startSite()
test.after.always(() => site.stop())

test('a page waits for the write of its browser, but for no position that the log has not reached', async (t) => {
  const asked = (position: string) => browserOf(site).get('/hot', { Cookie: `rostra_seen=${position}` })
  const head = await site.running.stores.events.head()
  t.is((await asked(head)).headers.get('x-stale'), null)
  for (const forged of ['9'.repeat(20), '9'.repeat(40)]) {
    const answer = await asked(forged)
    t.is(answer.status, 200)
    t.is(answer.headers.get('x-stale'), null, 'nobody waited')
  }
})
