import type { Logger } from 'pino'
import { type Config, historyKeyFileOf, lastHeadFileOf } from '../config.ts'
import { SECOND } from '../domain/time.ts'
import { type History, type HistoryPorts, type Keeping, openHistory } from '../history/history.ts'
import { openHistoryReads } from '../history/history-reads.ts'
import { openNumberedEvents } from '../history/numbered-events.ts'
import { openPlaces } from '../history/places.ts'
import { openStreamEvents } from '../history/stream-events.ts'
import { StoreFault } from '../ports/faults.ts'
import { HEAD_UNWRITTEN, HISTORY_STOPPED } from './health.ts'
import { oneLineAMinute } from './refused-writes.ts'

/** Logs why the history does not go on. It is tried again each second; a full disk is logged once a minute, without a stack. */
const reportHistory = (log: Logger) => {
  const noRoom = oneLineAMinute((why, left) =>
    log.error({ ...(left > 0 && { unsaid: left }) }, `the history could not be written, will retry: ${why}`),
  )
  return (err: unknown): void => {
    if (err instanceof StoreFault && err.kind === 'full') noRoom(err.message)
    else log.error({ err }, 'the history could not be written, will retry')
  }
}

/** The hour, in local time, at which a running service proves its whole log anew. */
const PROOF_HOUR = 3

/** Returns the next time that is this hour of the night. */
export const nextNight = (now: number): number => {
  const night = new Date(now)
  night.setHours(PROOF_HOUR, 0, 0, 0)
  if (night.getTime() <= now) night.setDate(night.getDate() + 1)
  return night.getTime()
}

/** Opens the history of these stores; undefined if no key is configured. A log that is not the one that was signed ends the process. */
export const openHistoryOf = (
  config: Config,
  { events, history, alone }: Pick<HistoryPorts, 'events' | 'history'> & Pick<Keeping, 'alone'>,
  log: Logger,
): Promise<History> | undefined => {
  const keyFile = historyKeyFileOf(config)
  if (keyFile === undefined) {
    log.warn('HISTORY_KEY_FILE is not set: no history is kept, and nobody can verify the moderation logs')
    return undefined
  }
  const headFile = lastHeadFileOf(config, keyFile)
  return openHistory(
    { events, history, keyFile, headFile, publicUrl: config.publicUrl, clock: Date.now },
    {
      alone,
      headIntervalMs: config.historyHeadSeconds * SECOND,
      nextProof: nextNight,
      witnesses: config.historyWitnesses,
      onUnseen: ({ name, url }, reason) => log.error(`the witness ${name} (${url}) did not cosign the last head, will retry: ${reason}`),
      report: reportHistory(log),
      onHeadUnwritten: (err) => {
        log.error({ err }, `${HEAD_UNWRITTEN}: ${headFile} (HISTORY_HEAD_FILE)`)
      },
      onStop: ({ message }) => log.fatal(`${HISTORY_STOPPED}: ${message}`),
      onBreak: ({ message }) => {
        log.fatal(message)
        process.exit(1)
      },
    },
  )
}

/** Opens reads of events by their numbers; nothing if no history is kept. */
export const openNumberedReads = (
  history: Pick<History, 'secret'> | undefined,
  ports: Omit<Parameters<typeof openHistoryReads>[0], 'secret'> & Parameters<typeof openNumberedEvents>[0],
) => {
  const numbered = history && openNumberedEvents(ports)
  const reads = history && openHistoryReads({ ...ports, secret: history.secret })
  const { events } = ports
  return {
    numberedEvents: numbered,
    history: reads,
    streamEvents: numbered && reads && openStreamEvents({ events, numbered, history: reads }),
    places: numbered && openPlaces({ events, numbered }),
  }
}
