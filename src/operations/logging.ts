import pino, { type Logger } from 'pino'
import type { LogLevel } from '../config-variables.ts'
import { openOutages } from './outages.ts'
import { rememberWarning } from './recent-warnings.ts'

const isTerminal = process.stderr.isTTY
const pretty = isTerminal ? (await import('pino-pretty')).default : undefined

/**
 * Writes lines of JSON to stderr, or readable ones where that is a terminal. Stdout is for the ready line. The last warnings are remembered
 * for operators. Of the attempts during an outage of a store only the first is a warning, and the others are written at `debug`.
 */
export const openLog = (level: LogLevel): Logger => {
  const outages = openOutages({
    continues: ({ why, ...outage }) => log.warn(outage, `a store still does not answer: ${why}`),
    ends: ({ why, ...outage }) => log.warn(outage, `the stores answer again; before, ${why}`),
  })
  const log: Logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(args, write, number) {
          const isWarning = number === pino.levels.values.warn || number === pino.levels.values.error
          if (isWarning && outages.isKnown(args[0])) return this.debug(...args)
          rememberWarning(number, args)
          write.apply(this, args)
        },
      },
    },
    pretty?.({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss' }) ?? pino.destination(2),
  )
  return log
}
