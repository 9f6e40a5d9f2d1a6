import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { projections } from '../../projections/all.ts'
import { registerShards } from '../../projections/engine/leftovers.ts'
import { collectionsOf } from '../../projections/engine/sets.ts'
import { shardCheckpoints, workersOf } from '../../projections/engine/shards.ts'
import { openMongo } from '../../src/adapters/mongodb/open.ts'
import { openShares } from '../../src/runtime/leases.ts'
import { runCommand, runCommandWith } from '../support/command.ts'
import { documentServer } from '../support/document-server.ts'
import { startEventStoreServer } from '../support/event-store-server/server.ts'
import { positionOf } from '../support/logged-events.ts'

const earlier = projections.map((one) =>
  one.collection.name === 'links' ? { ...one, collection: { ...one.collection, version: 99 } } : one,
)

test('drop-obsolete is refused for a data file, and an unknown option is named', async (t) => {
  const file = await runCommand('drop-obsolete', '/nowhere')
  t.is(file.code, 2)
  t.regex(file.stderr, /^with a data file, the service drops obsolete read models.*\n$/)
  t.regex(
    (await runCommand('drop-obsolete', '/nowhere', '--all')).stderr,
    /^Unknown option '--all'; usage: npx rostra drop-obsolete \[--yes\]$/m,
  )
})

const server = await documentServer()

if (typeof server === 'string') test.skip(`dropping obsolete read models is not tried: ${server}`, (t) => t.pass())
else
  test('obsolete read models are listed, and dropped with --yes, but not while a process may need them', async (t) => {
    t.timeout(120_000)
    const log = await startEventStoreServer()
    const environment = {
      EVENT_STORE_URL: `esdb://127.0.0.1:${log.port}?tls=false`,
      DOCUMENT_STORE_URL: server.freshUrl(),
      LOG_LEVEL: 'error',
    }
    const { documents, vault, close } = await openMongo({ url: environment.DOCUMENT_STORE_URL })
    t.teardown(async () => {
      await close()
      await log.stop()
      await server.stop()
    })
    const run = (...args: readonly string[]) => runCommandWith(environment, 'drop-obsolete', ...args)
    const refused = async (reason: RegExp) => {
      const { code, stderr } = await run('--yes')
      t.is(code, 2)
      t.regex(stderr, reason)
      t.deepEqual(await documents.obsolete(collectionsOf(projections)), ['links_v99'])
    }

    await documents.prepare(collectionsOf(earlier))
    await registerShards(documents, earlier)
    const moved = shardCheckpoints(earlier).map((name) => ({ name, from: positionOf(0), to: positionOf(9) }))
    t.is(await documents.write([], moved), 'written')
    await refused(/not built/)

    await registerShards(documents, projections)
    await refused(/are behind those of another/)

    await documents.write(
      [],
      shardCheckpoints(projections).map((name) => ({ name, from: positionOf(0), to: positionOf(9) })),
    )
    const working = openShares({ vault, report: (fault) => t.log(fault) }, { group: workersOf(earlier), names: ['0'] })
    while (working.held().size === 0) await sleep(50)
    await refused(/workers of another version are running/)
    await working.close()

    const shown = await run()
    t.is(shown.code, 0, shown.stderr)
    t.regex(shown.stdout, /^ {2}links_v99$/m)
    t.deepEqual(await documents.obsolete(collectionsOf(projections)), ['links_v99'])
    const dropped = await run('--yes')
    t.is(dropped.code, 0, dropped.stderr)
    t.regex(dropped.stdout, /^dropped$/m)
    t.deepEqual(await documents.obsolete(collectionsOf(projections)), [])
    t.is((await documents.checkpoints(shardCheckpoints(earlier))).size, 0)
    t.is((await run()).stdout, 'nothing is obsolete\n')
  })
