import * as E from 'fp-ts/lib/Either.js'
import { commandLine } from './cli/command-line.ts'
import { configOf, withoutCredentials } from './config.ts'
import { misspeltVariables, urlOf, variablesInWords } from './config-variables.ts'
import { explain } from './operations/error-message.ts'
import { openLog } from './operations/logging.ts'
import { SERVICE_VERSION } from './operations/version.ts'
import { useSmallSlabs } from './ports/own-bytes.ts'

useSmallSlabs()

commandLine({
  usage: 'npx rostra worker',
  help: `Runs a projection worker: keeps the read models of an EventStoreDB in a MongoDB. Any number can run. Everything is configured by
environment variables:\n\n${variablesInWords()}`,
})

const config = configOf(process.env, 'work')
if (E.isLeft(config)) {
  process.stderr.write(`${config.left}\n`)
  process.exit(1)
}
const { eventStoreUrl, documentStoreUrl, host, workerPort, logLevel } = config.right
if (eventStoreUrl.startsWith('sqlite:')) {
  process.stderr.write(
    'EVENT_STORE_URL is a data file, whose server updates the read models itself; workers need esdb://… and mongodb://…\n',
  )
  process.exit(1)
}

const log = openLog(logLevel)
for (const warning of misspeltVariables(process.env)) log.warn(warning)
const stopping = new AbortController()
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stopping.abort())

try {
  const began = performance.now()
  // loads after the configuration was read, so that a problem of it is reported at once
  const { connectStores, workOn } = await import('./stores.ts')
  const { serveWorkerPage } = await import('./operations/worker-page.ts')
  const { workerPage } = await import('./http/pages/site/worker.ts')
  const stores = await connectStores(config.right, log, stopping.signal)
  const worker = workOn(stores, log, stopping.signal)
  const page = await serveWorkerPage({ worker, events: stores.events, clock: Date.now, render: workerPage }, host, workerPort)
  log.info(
    {
      version: SERVICE_VERSION,
      eventStore: withoutCredentials(eventStoreUrl),
      documentStore: withoutCredentials(documentStoreUrl),
      position: await stores.events.head(),
      ms: Math.round(performance.now() - began),
    },
    'started',
  )
  process.stdout.write(`rostra worker is running, metrics on ${urlOf(host, page.port)}/metrics\n`)
  await worker.done
  await page.close()
  await stores.close()
  process.exit(0)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
}
