import type { Logger } from 'pino'
import { type Config, historyKeyFileOf, lastHeadFileOf } from '../config.ts'
import { SECOND } from '../domain/time.ts'
import { type History, type HistoryPorts, type Keeping, openHistory } from '../history/history.ts'
import { openNumberedEvents } from '../history/numbered-events.ts'
import { openPlaces } from '../history/places.ts'
import { openHistoryReads } from '../history/reading.ts'
import { openStreamEvents } from '../history/stream-events.ts'
import { HEAD_UNKEPT, HISTORY_STOPPED } from './health.ts'

/** The history of these stores; undefined where no key is configured. A log that is not the one that was signed ends the process. */
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
      report: (err) => log.error({ err }, 'the history does not go on, will retry'),
      unkept: (err) => {
        log.error({ err }, `${HEAD_UNKEPT}: ${headFile} (HISTORY_HEAD_FILE)`)
      },
      stopped: (err) => log.fatal({ err }, HISTORY_STOPPED),
      broken: (err) => {
        log.fatal({ err }, 'the log is not the one that was signed')
        setImmediate(() => {
          throw err
        })
      },
    },
  )
}

/** What is read of the events by their numbers; nothing where no history is kept. */
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
