import { setFlagsFromString } from 'node:v8'
import * as E from 'fp-ts/lib/Either.js'
import { commandLine } from './cli/command-line.ts'
import type { RunningSite } from './compose.ts'
import { configOf, withoutCredentials } from './config.ts'
import { misspeltVariables, variablesInWords } from './config-variables.ts'
import { explain } from './operations/error-message.ts'
import { openLog } from './operations/logging.ts'
import { SERVICE_VERSION } from './operations/version.ts'
import { useSmallSlabs } from './ports/own-bytes.ts'

// Lets the heap grow by a fifth between two collections. The engine alone lets it grow fourfold while the machine has memory.
setFlagsFromString('--heap-growing-percent=20')
// Bytes outside of the heap, such as those of responses, then count when the next collection is due. Node before 26 need not know the flag.
if (Number.parseInt(process.versions.node, 10) >= 26) setFlagsFromString('--external-memory-accounted-in-global-limit')
useSmallSlabs()

// `npx rostra duties` sets it
const isDutiesOnly = process.env.DUTIES === 'only'

commandLine({
  usage: `npx rostra ${isDutiesOnly ? 'duties' : 'start'}`,
  help: `${isDutiesOnly ? 'Does the work beside requests on servers, and serves /health and /metrics alone.' : 'Serves Rostra.'} Everything is configured by environment variables:\n\n${variablesInWords()}`,
})

const config = configOf(process.env)
if (E.isLeft(config)) {
  process.stderr.write(`${config.left}\n`)
  process.exit(1)
}

const log = openLog(config.right.logLevel)
for (const warning of misspeltVariables(process.env)) log.warn(warning)

/** The time for which connections that are kept alive may still bring requests after a signal. */
const DRAIN_MS = 1_000

const starting = new AbortController()
let site: RunningSite | undefined
let stopping = false

const stop = async (signal: NodeJS.Signals) => {
  if (stopping) return
  stopping = true
  starting.abort()
  if (site === undefined) return
  log.info({ signal }, 'stopping')
  try {
    await site.stop(DRAIN_MS)
    log.info('stopped')
    process.exit(0)
  } catch (err) {
    log.fatal({ err }, 'graceful shutdown failed')
    process.exit(1)
  }
}
process.on('SIGTERM', stop)
process.on('SIGINT', stop)

try {
  const began = performance.now()
  // loads after the configuration was read, so that a problem of it is reported at once
  const { start } = await import('./compose.ts')
  site = await start(config.right, log, starting.signal)
  const { eventStoreUrl, documentStoreUrl } = config.right
  log.info(
    {
      version: SERVICE_VERSION,
      eventStore: withoutCredentials(eventStoreUrl),
      documentStore: withoutCredentials(documentStoreUrl),
      position: site.app.freshness.position(),
      ms: Math.round(performance.now() - began),
    },
    'started',
  )
  process.stdout.write(
    process.stdout.isTTY
      ? `Rostra ${SERVICE_VERSION}\nkeeps its data in ${withoutCredentials(eventStoreUrl).replace('sqlite:', '')}\nopen ${site.url}\n`
      : `rostra listening on ${site.url}\n`,
  )
  if (stopping) {
    await site.stop()
    process.exit(0)
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
}
