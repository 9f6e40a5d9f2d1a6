import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { eventually, postForm } from '../support/community.ts'
import { register, speakingTo } from '../support/distributed-load.ts'
import { primaryOf } from '../support/document-address.ts'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { environmentOn, type Process, startApi, startWorker } from '../support/processes.ts'
import { openRelay } from '../support/relay.ts'

const server = await documentServer()

const OUTAGE_MS = 12_000

if (typeof server === 'string') test.skip(`the lines of an outage are not counted: ${server}`, (t) => t.pass())
else
  test('while a store is away a process writes one line when that begins and one when it is over', async (t) => {
    t.timeout(240_000)
    const log = await startEventStoreServer()
    const { host, port, by } = await primaryOf(server.freshUrl())
    const relay = await openRelay({ host, port })
    const stores = { ...environmentOn(`esdb://127.0.0.1:${log.port}?tls=false`, by(relay.port)), LOG_LEVEL: 'warn' }
    const processes: Process[] = []
    t.teardown(async () => {
      await Promise.all(processes.map(({ kill }) => kill()))
      await relay.down()
      await log.stop()
      await server.stop()
    })
    const [api, worker] = await Promise.all([startApi(stores), startWorker(stores)])
    processes.push(api, worker)
    const ann = speakingTo(api.url, await register(api.url, 'ann'))
    await postForm(ann, '/api/site_admin', { name: 'tea', title: 'Tea', type: 'public', link_type: 'any' })
    const linesOf = ({ said }: Process) =>
      said()
        .split('\n')
        .filter((line) => line.startsWith('{') && Number(JSON.parse(line).level) >= 40)

    for (const [what, leave, comeBack] of [
      ['the log', log.kill, log.restart],
      ['the documents', relay.down, relay.up],
    ] as const) {
      const before = [api, worker].map((one) => linesOf(one).length)
      await leave()
      const began = Date.now()
      for (let n = 0; Date.now() - began < OUTAGE_MS; n++) {
        await ann.post('/api/submit', { api_type: 'json', sr: 'tea', kind: 'self', title: `${what} ${n}` })
        await sleep(100)
      }
      await comeBack()
      for (const [n, one] of [api, worker].entries()) {
        const lines = () => linesOf(one).slice(before[n])
        t.true(await eventually(async () => lines().some((line) => line.includes('answer again')), 1_500), `${what}: ${lines().join('\n')}`)
        t.true(lines().length <= 4, `${what}: ${lines().join('\n')}`)
      }
    }
  })
