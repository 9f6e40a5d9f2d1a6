import { either as E } from 'fp-ts'
import { start } from './compose.ts'
import { configOf } from './config.ts'
import { openLog } from './logging.ts'
import { StoreFault } from './ports/faults.ts'

const config = configOf(process.env)
if (E.isLeft(config)) {
  process.stderr.write(`${config.left}\n`)
  process.exit(1)
}

const log = openLog(config.right.logLevel)

/** What an operator can mend is one line; anything else is shown whole. */
const explain = (error: unknown): string =>
  error instanceof StoreFault || (error instanceof Error && 'syscall' in error)
    ? error.message
    : error instanceof Error
      ? `${error.stack}`
      : String(error)

try {
  const site = await start(config.right, log)
  process.stdout.write(`rostra listening on ${site.url}\n`)

  let stopping = false
  const stop = async (signal: NodeJS.Signals) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'stopping')
    try {
      await site.stop()
      log.info('stopped')
      process.exit(0)
    } catch (err) {
      log.fatal({ err }, 'could not stop in order')
      process.exit(1)
    }
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
} catch (error) {
  process.stderr.write(`${explain(error)}\n`)
  process.exit(1)
}
