import { spawn } from 'node:child_process'
import { once } from 'node:events'
import test from 'ava'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { startSite } from '../support/site.ts'

const server = await documentServer()

const LINE =
  'the read models are ahead of the log, so the log is a different one or was restored from a backup: run npx rostra rebuild, then start again'

if (typeof server === 'string') test.skip(`a log that is behind its read models is not tried: ${server}`, (t) => t.pass())
else
  test('on a log that is behind its read models an API process is not ready, and a worker ends with one line', async (t) => {
    t.timeout(120_000)
    const [first, other] = [await startEventStoreServer(), await startEventStoreServer()]
    t.teardown(async () => {
      await first.stop()
      await other.stop()
      await server.stop()
    })
    const shape = { documentStoreUrl: server.freshUrl(), sessionSecret: 'a secret of at least 32 characters' }
    const urlOf = ({ port }: { readonly port: number }) => `esdb://127.0.0.1:${port}?tls=false`
    const site = await startSite({ ...shape, eventStoreUrl: urlOf(first), projections: 'inline' })
    await site.register('ann')
    await site.stop()

    const alone = await startSite({ ...shape, eventStoreUrl: urlOf(other), projections: 'external', logLevel: 'silent' })
    t.teardown(alone.stop)
    await alone.running.app.freshness.refresh?.()
    const ready = await alone.get('/health/ready')
    t.is(ready.status, 503)
    t.deepEqual(ready.at('problems'), [LINE])

    const environment = { EVENT_STORE_URL: urlOf(other), DOCUMENT_STORE_URL: shape.documentStoreUrl, SESSION_SECRET: shape.sessionSecret }
    const child = spawn(process.execPath, ['src/main.ts'], {
      env: { ...process.env, ...environment, PORT: '0', PROJECTIONS: 'inline' },
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    const said: string[] = []
    child.stderr.on('data', (data) => said.push(String(data)))
    const [code] = await once(child, 'close')
    t.is(code, 1)
    t.is(said.join(''), `${LINE}\n`)
  })
