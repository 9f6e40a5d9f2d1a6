// Decision 129.

import { Worker } from 'node:worker_threads'
import type { DataFile } from './connection.ts'
import type { CopyOutcome } from './copy-thread.ts'
import { toError, toFailure } from './protocol.ts'
import type { LogLimits } from './schema.ts'

const PAGE_BYTES = 4096
/** MiB for the short-lived objects of the thread that copies. */
const YOUNG_GENERATION_MEBIBYTES = 3
/** The most pages that the thread that writes copies itself. */
const MAX_REST_PAGES = 256
/** The most copies in a row. Each finds the pages that were written during the one before. */
const MAX_COPIES_IN_A_ROW = 5
/**
 * The time that the thread that writes waits for others to end the snapshots that they are reading, and for another program to end its
 * copy.
 */
const MAX_WAIT_MS = 20
/** The time that it waits for snapshots when the log has reached its bound. */
const MAX_BOUND_WAIT_MS = 200
/** The time that it waits, then, for a copy by the other thread to end. */
const MAX_COPY_WAIT_MS = 1_000

/** The write-ahead log of a file whose read models this connection alone writes. */
export type WriteAheadLog = {
  /** Tends the log. Must be called after each write. Throws if the log cannot be copied into the file. */
  readonly tend: (isWriting: boolean) => void
  readonly close: () => Promise<void>
}

/**
 * Has a thread of its own copy the write-ahead log into the file, while this one goes on writing. That thread never reaches the end of a
 * log that grows, so this one copies the few pages that are left, after which the log begins anew. If the other thread fails, that is
 * reported, and this one copies everything.
 *
 * While a snapshot is being read, the log cannot be begun anew and grows. Its bound grows with it, since the other thread needs time to
 * copy the log afterwards. Each try to begin the log anew waits only for a moment.
 */
export const writeAheadLog = (
  connection: DataFile,
  onFailure: (error: Error) => void,
  { pages: limit, soon, bound }: LogLimits,
  entry = new URL('./copy-thread.ts', import.meta.url),
): WriteAheadLog => {
  const { db, file } = connection
  db.exec(`PRAGMA journal_size_limit = ${limit * PAGE_BYTES}`)
  let worker: Worker | undefined
  /** Resolves when the last thread that was told to end has ended. */
  let ended: Promise<unknown> = Promise.resolve()
  let isCopying = false
  let hasFailed = false
  let copies = 0
  /** The number of pages with which the log is tended again. */
  let next = limit
  /** The bound as it was moved. */
  let full = bound
  connection.copyLogFrom(full)

  const fail = (error: Error): void => {
    isCopying = false
    hasFailed = true
    onFailure(error)
  }

  const startWorker = (): Worker => {
    const starting = new Worker(entry, { workerData: file, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MEBIBYTES } })
    starting.on('message', (outcome: CopyOutcome) => {
      if (outcome === 'copied') isCopying = false
      else fail(toError(outcome))
    })
    starting.on('error', (cause) => {
      if (worker === starting) worker = undefined
      fail(new Error(`the thread that copies the write-ahead log died: ${toFailure(cause).message}`, { cause }))
    })
    return starting
  }

  const copy = (): void => {
    try {
      worker ??= startWorker()
    } catch (error) {
      fail(error as Error)
      return
    }
    isCopying = true
    copies += 1
    worker.postMessage('copy')
  }

  const end = (): void => {
    if (!worker) return
    const ending = worker
    worker = undefined
    ended = new Promise((resolve) => ending.once('exit', resolve))
    ending.postMessage('close')
  }

  return {
    tend: (isWriting) => {
      const { pages, copied } = connection.logSize()
      if (pages < next || (isWriting && pages < soon)) return
      const isFull = pages >= full
      if (!isFull && isCopying) return
      if (!isFull && !hasFailed && copies < MAX_COPIES_IN_A_ROW && pages - copied > MAX_REST_PAGES) return copy()
      const isDone = connection.restartLog(isFull ? MAX_BOUND_WAIT_MS : MAX_WAIT_MS, isCopying ? MAX_COPY_WAIT_MS : MAX_WAIT_MS)
      copies = 0
      hasFailed = false
      if (isDone) end() // the next copy is some 250 MiB away, and the thread takes 20
      const step = Math.ceil(limit / 8)
      next = isDone ? limit : pages + step
      const before = full
      full = isDone ? bound : Math.max(bound, next + Math.max(step, Math.ceil((pages - copied) / 2)))
      if (full !== before) connection.copyLogFrom(full)
    },
    close: async () => {
      end()
      await ended
    },
  }
}
