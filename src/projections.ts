import { either as E } from 'fp-ts'
import { configOf } from './config.ts'
import { openLog } from './logging.ts'
import { connectStores, workOn } from './stores.ts'

/* A projection worker: any number of these keep the read models of an EventStoreDB in a MongoDB. */

const config = configOf(process.env)
if (E.isLeft(config)) {
  process.stderr.write(`${config.left}\n`)
  process.exit(1)
}
if (config.right.eventStoreUrl.startsWith('sqlite:')) {
  process.stderr.write('with SQLite the server keeps the read models itself: set EVENT_STORE_URL and DOCUMENT_STORE_URL\n')
  process.exit(1)
}

const log = openLog(config.right.logLevel)
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort())

const stores = await connectStores(config.right, log)
process.stdout.write('rostra projections working\n')
await workOn(stores, log, stopping.signal)
await stores.close()
process.exit(0)
