import pino, { type Logger } from 'pino'
import type { LogLevel } from './config-variables.ts'

/** Structured lines on stderr; stdout is for the ready line. */
export const openLog = (level: LogLevel): Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, pino.destination(2))
