import pino, { type Logger } from 'pino'
import type { LogLevel } from '../config-variables.ts'

const isTerminal = process.stderr.isTTY
const pretty = isTerminal ? (await import('pino-pretty')).default : undefined

/** Writes lines of JSON to stderr, or readable ones where that is a terminal. Stdout is for the ready line. */
export const openLog = (level: LogLevel): Logger =>
  pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pretty?.({ destination: 2, sync: true, translateTime: 'SYS:HH:MM:ss' }) ?? pino.destination(2),
  )
