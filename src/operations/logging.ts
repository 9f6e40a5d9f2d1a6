import pino, { type Logger } from 'pino'
import type { LogLevel } from '../config-variables.ts'
import { rememberWarning } from './recent-warnings.ts'

const isTerminal = process.stderr.isTTY
const pretty = isTerminal ? (await import('pino-pretty')).default : undefined

/**
 * Writes lines of JSON to stderr, or readable ones where that is a terminal. Stdout is for the ready line. The last warnings are remembered for
 * operators.
 */
export const openLog = (level: LogLevel): Logger =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(args, write, number) {
          rememberWarning(number, args)
          write.apply(this, args)
        },
      },
    },
    pretty?.({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss' }) ?? pino.destination(2),
  )
