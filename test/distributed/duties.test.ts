import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { NO_DUTIES } from '../../src/operations/health.ts'
import { eventually, logEntries, postForm, waitUntilNumbered } from '../support/community.ts'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { serverStores } from '../support/server-stores.ts'
import { callerAt, keyFileIn, startSite } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

/** Looks of 30 ms in which another process notices that the duties were taken or left: it looks every ten seconds. */
const LOOKS = 1_000

const server = await documentServer()

if (typeof server === 'string') test.skip(`duties on servers are not tested: ${server}`, (t) => t.pass())
else {
  const log = await startEventStoreServer()
  const stores = serverStores(log, server)
  test.after.always(async () => {
    await log.stop()
    await server.stop()
  })

  test('a process without duties leaves them to one that has nothing else, and warns while there is none', async (t) => {
    const historyKeyFile = await keyFileIn(temporaryDirectory(t))
    const api = await startSite({ ...stores, historyKeyFile, projections: 'inline', duties: 'off' })
    t.teardown(api.stop)
    const warns = async () => ((await callerAt(api.url).get('/health/ready')).at('warnings') as readonly string[]).includes(NO_DUTIES)
    const ann = await api.register('ann')
    await postForm(ann, '/api/site_admin', { name: 'tea', title: 'Tea', type: 'public', link_type: 'any', wikimode: 'disabled' })
    await api.register('bob')
    await postForm(ann, '/s/tea/api/friend', { type: 'contributor', name: 'bob' })
    t.true(await eventually(async () => (await logEntries(ann, 'tea')).length > 0))
    t.true(await eventually(warns, LOOKS))
    await sleep(2_000)
    t.true(
      (await logEntries(ann, 'tea')).every(({ k }) => k === null),
      'numbering is a duty',
    )

    const duties = await startSite({ ...stores, historyKeyFile, projections: 'external', duties: 'only' })
    t.teardown(duties.stop)
    await waitUntilNumbered(ann, 'tea')
    t.true(await eventually(async () => !(await warns()), LOOKS))
    const there = callerAt(duties.url)
    const answers = await Promise.all(
      ['/health/live', '/metrics', '/', '/s/tea', '/api/v1/me'].map(async (path) => (await there.get(path)).status),
    )
    t.deepEqual(answers, [200, 200, 404, 404, 404])
  })
}
