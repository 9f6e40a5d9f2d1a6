// Decision 60.

import { diskBlobs } from '../adapters/disk/blobs.ts'
import { localStores } from '../adapters/sqlite/local-stores.ts'
import { lock } from '../adapters/sqlite/lock.ts'
import { checkAppend } from '../adapters/sqlite/log.ts'
import { openWriter } from '../adapters/sqlite/schema.ts'
import type { Blobs } from '../ports/blobs.ts'
import {
  type AppendResult,
  type EventStore,
  type ExpectedRevision,
  LOG_START,
  MAX_APPEND_BYTES,
  type Position,
  type RecordedEvent,
} from '../ports/event-store.ts'
import type { Vault } from '../ports/vault.ts'
import { REACTIONS_CHECKPOINT } from '../reactions/process.ts'
import type { Servers } from '../stores.ts'
import { Misuse } from './data-file.ts'
import type { ExportedEvent } from './export-format.ts'

const EVENTS_PER_APPEND = 500

/** The first checkpoint of reactions: a log with consequences and without it has lost it. An existing one stays as it is. */
const REACTIONS_BEGIN = { name: REACTIONS_CHECKPOINT, from: undefined, to: LOG_START }

/** The target of an import. */
export type ImportTarget = {
  /** Appends the next event of the export at the revision it had, perhaps later. An event that the log already has stays as it is. */
  readonly put: (entry: ExportedEvent) => Promise<void>
  /** Resolves once everything that was put is there. Reactions begin with the first event. */
  readonly end: () => Promise<void>
  readonly vault: Pick<Vault, 'putIf'>
  readonly blobs: Pick<Blobs, 'put'>
  readonly close: () => Promise<void>
}

const toExpectedRevision = ({ revision }: ExportedEvent): ExpectedRevision => (revision === 0 ? 'none' : revision - 1)

/** Returns the position of an event, new or existing. Throws if a different event is there. */
const toImportedPosition = ({ stream, revision, line }: ExportedEvent, result: AppendResult): Position => {
  if (result.outcome === 'conflict') throw new Misuse(`line ${line}: the log holds a different event at revision ${revision} of ${stream}`)
  return result.position
}

const OTHER_LOG = 'the log is not empty and begins with a different event'

export const fileTarget = (file: string): ImportTarget => {
  const unlock = lock(file)
  const connection = openWriter(file)
  const { log, ports } = localStores(connection)
  let begun = false
  let last = LOG_START
  let waiting: ExportedEvent[] = []

  const flush = (): void => {
    connection.write('FULL', () => {
      for (const entry of waiting) {
        const append = { stream: entry.stream, expected: toExpectedRevision(entry), events: [entry.event] }
        checkAppend(append)
        const position = toImportedPosition(entry, log.append(append))
        if (position <= last) throw new Misuse(`line ${entry.line}: the log has this event in another place than the file`)
        last = position
      }
    })
    waiting = []
  }
  return {
    put: async (entry) => {
      if (!begun) {
        const [first] = await ports.events.readAll(LOG_START, 1)
        if (first && first.id !== entry.event.id) throw new Misuse(OTHER_LOG)
        begun = true
      }
      waiting.push(entry)
      if (waiting.length === EVENTS_PER_APPEND) flush()
    },
    end: async () => {
      flush()
      await ports.documents.write([], REACTIONS_BEGIN)
    },
    vault: ports.vault,
    blobs: diskBlobs(`${file}.blobs`),
    close: async () => {
      connection.close()
      unlock()
    },
  }
}

/** Returns a function that reads the events of a log one by one from its beginning, and gives undefined at its end. */
const eventsOf = ({ readAll }: Pick<EventStore, 'readAll'>): (() => Promise<RecordedEvent | undefined>) => {
  let page: readonly RecordedEvent[] = []
  let at = 0
  let after: Position = LOG_START
  let ended = false
  return async () => {
    if (at === page.length && !ended) {
      page = await readAll(after, EVENTS_PER_APPEND)
      at = 0
      after = page.at(-1)?.position ?? after
      ended = page.length === 0
    }
    return page[at++]
  }
}

const isSame = ({ stream, revision, event }: ExportedEvent, stored: RecordedEvent): boolean =>
  stored.stream === stream &&
  stored.revision === revision &&
  stored.id === event.id &&
  stored.type === event.type &&
  stored.data === event.data &&
  stored.meta === event.meta

const bytesOfEvent = ({ event: { data, meta } }: ExportedEvent): number => Buffer.byteLength(data) + Buffer.byteLength(meta)

/**
 * Appends events after those of the same export that the log already has. Appends do not wait for each other; consecutive events of one
 * stream are one append. If positions do not increase, the log is not in the order of the file and must be discarded.
 */
export const serverTarget = ({
  events,
  documents,
  vault,
  blobs,
  close,
}: Pick<Servers, 'events' | 'documents' | 'vault' | 'blobs' | 'close'>): ImportTarget => {
  const nextThere = eventsOf(events)
  let isThere = true
  let last: { readonly line: number; readonly position: Position } = { line: 1, position: LOG_START }
  let group: ExportedEvent[] = []
  let bytes = 0

  const appends = events.inOrder<readonly [ExportedEvent, ExportedEvent]>((result, [first, final]) => {
    const position = toImportedPosition(first, result)
    if (position <= last.position)
      throw new Misuse(
        `line ${first.line}: it was written before line ${last.line}, so the order of the log differs from that of the file: discard this log and import into an empty one`,
      )
    last = { line: final.line, position }
  })

  const flush = async (): Promise<void> => {
    const [first] = group
    const final = group.at(-1)
    if (!first || !final) return
    const append = { stream: first.stream, expected: toExpectedRevision(first), events: group.map(({ event }) => event) }
    group = []
    bytes = 0
    await appends.put(append, [first, final])
  }

  return {
    put: async (entry) => {
      const stored = isThere ? await nextThere() : undefined
      if (stored) {
        if (!isSame(entry, stored))
          throw new Misuse(
            last.position === LOG_START
              ? OTHER_LOG
              : `line ${entry.line}: the log begins like the file but continues with a different event`,
          )
        last = { line: entry.line, position: stored.position }
        return
      }
      isThere = false
      const before = group.at(-1)
      const size = bytesOfEvent(entry)
      const goesOn = before?.stream === entry.stream && before.revision + 1 === entry.revision
      if (!goesOn || group.length === EVENTS_PER_APPEND || bytes + size > MAX_APPEND_BYTES) await flush()
      group.push(entry)
      bytes += size
    },
    end: async () => {
      await flush()
      await appends.end()
      await documents.write([], REACTIONS_BEGIN)
    },
    vault,
    blobs,
    close,
  }
}
