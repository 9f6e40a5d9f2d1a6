// Decision 37.

import { parentPort, workerData } from 'node:worker_threads'
import { StoreFault } from '../../ports/faults.ts'
import { useSmallSlabs } from '../../ports/own-bytes.ts'
import type { DataFile } from './connection.ts'
import { knownValues } from './known-values.ts'
import { type Local, localStores } from './local-stores.ts'
import type { CreateProjector, LocalProjector } from './projector.ts'
import { type Failure, type Notice, type Request, type Task, type ThreadAnswer, type ThreadOptions, toFailure } from './protocol.ts'
import { openWriter } from './schema.ts'
import { runTasks } from './tasks.ts'
import { type WriteAheadLog, writeAheadLog } from './write-ahead-log.ts'
import type { HoldListener } from './write-behind.ts'

// The thread that writes. It commits and acknowledges all waiting tasks together, then the read models follow, then some of them are
// written, and so on.

const BATCH_EVENTS = 500 // events projected before the next look at waiting tasks
const POLL_INTERVAL_MS = 200 // ms between looks at appends of another process
const CACHE_MEBIBYTES = 16 // MiB of pages while serving; building takes more
const RETRY_PAUSE_MS = 500 // ms after a fault of the store in a projection

useSmallSlabs()
const port = parentPort
if (!port) throw new Error('src/adapters/sqlite/store-thread.ts runs as a worker thread')
const { file, projector: address, hold, log: logLimits, values: memory, notices, sent }: ThreadOptions = workerData

const values = memory && knownValues(memory)
/** Changes that go with the next notice. */
let changes: Notice[] = []
const send = (all: readonly Notice[]): void => {
  notices.postMessage(all)
  Atomics.add(sent, 0, 1) // readers that see a later write in the file also see the message
}
const post = (notice: Notice): void => {
  send([...changes, notice])
  changes = []
}
const toReaders: HoldListener = {
  onHeld: ({ table, byId }) => {
    if (table.collection.seldomFound === undefined) return
    for (const { parsed } of byId.values()) if (parsed) values?.add(table, parsed)
  },
  onChanged: (changed, number) => changes.push({ notice: 'changed', changed, number }),
  onFlushing: () => {
    if (changes.length > 0) send(changes)
    changes = []
  },
  onFlushed: (upTo) => post({ notice: 'flushed', upTo }),
}

const load = async (local: Local): Promise<LocalProjector | undefined> => {
  if (address === undefined) return undefined
  const module: { readonly createProjector: CreateProjector } = await import(address)
  return module.createProjector(local.ports)
}

const follow = async (
  connection: DataFile,
  local: Local,
  projector: LocalProjector | undefined,
  log: WriteAheadLog | undefined,
): Promise<void> => {
  let waiting: Request[] = []
  let wake = (): void => {}
  port.on('message', (requests: readonly Request[]) => {
    waiting.push(...requests)
    wake()
  })
  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (waiting.length > 0) wake()
    })

  const answer = (answers: readonly ThreadAnswer[], appended: boolean): void => {
    post({ notice: 'answers', answers, appended })
    if (appended) local.appended.ring()
  }

  /** The flushes that wait for an answer: until everything held at their request is written. */
  const flushes: { readonly call: number; readonly holds: number }[] = []
  const answerFlushes = (): void => {
    const isWritten = ({ holds }: { readonly holds: number }) => local.documents.areWritten(holds)
    const waits = flushes.findIndex((one) => !isWritten(one))
    for (const { call } of flushes.splice(0, waits === -1 ? flushes.length : waits)) answer([{ call, value: undefined }], false)
  }
  const refuseFlushes = (failure: Failure): void => {
    for (const { call } of flushes.splice(0)) answer([{ call, failure }], false)
  }

  let retryAt = 0
  /** True if held changes could not be written. */
  let isRefused = false
  const fail = (error: unknown, isWriting = true): void => {
    if (!(error instanceof StoreFault)) throw error
    const failure = toFailure(error)
    post({ notice: 'stalled', failure, isWriting })
    if (isWriting) refuseFlushes(failure)
    retryAt = performance.now() + RETRY_PAUSE_MS
  }

  /**
   * Writes some changes that were held for long enough, or that somebody waits for. Returns whether there is more. A store that cannot be
   * written now is tried again after a pause, however many requests come meanwhile, and nothing more is held until then. Any other error is
   * a bug.
   */
  const writeHeld = (): boolean => {
    const { documents } = local
    try {
      if (flushes.length > 0 || documents.isDue()) documents.writeSome()
      isRefused = false
      answerFlushes()
    } catch (error) {
      isRefused = true
      fail(error)
    }
    return flushes.length > 0 || documents.isDue()
  }

  /** Projects one batch. Returns whether there is more to project. */
  const project = async (): Promise<boolean> => {
    if (projector === undefined) return false
    if (local.documents.isFull() || isRefused) return true
    try {
      const { position, more } = await projector.catchUp(BATCH_EVENTS)
      post({ notice: 'projected', position })
      return more
    } catch (error) {
      fail(error, false)
      return true
    }
  }

  /** True if the write-ahead log could not be copied. */
  let isStuck = false
  const tend = (isWriting: boolean): void => {
    try {
      log?.tend(isWriting)
      if (isStuck && !isRefused) post({ notice: 'recovered' })
      isStuck = false
    } catch (error) {
      isStuck = true
      fail(error)
    }
  }

  let filling: Generator<void, void> | undefined
  /** Begins to fill the known values anew: tables that are prepared may have rows. Without indexes they cannot be read in steps. */
  const prepareValues = ({ indexes }: Pick<Extract<Task, { task: 'prepare' }>, 'indexes'>): void => {
    const steps = values?.fill(connection, local.tables)
    filling = indexes === 'later' ? undefined : steps
  }
  /** Adds some known values. Returns whether there are more. Those that cannot be read now stay incomplete until the next start. */
  const fillValues = (): boolean => {
    try {
      if (filling?.next().done === false) return true
      if (filling) connection.shrink(CACHE_MEBIBYTES)
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
    }
    filling = undefined
    return false
  }

  post({ notice: 'ready' })
  let behind = true
  let knownVersion = connection.dataVersion()
  while (true) {
    const requests = waiting
    waiting = []
    const isClosing = requests.some(({ task }) => task.task === 'close')
    for (const { task } of requests) if (task.task === 'prepare') prepareValues(task)
    if (isClosing) await log?.close() // closes it first, so that this connection is the last
    runTasks(connection, local, requests, answer, (call) => flushes.push({ call, holds: local.documents.holds() }))
    if (isClosing) {
      answerFlushes()
      refuseFlushes(toFailure(new StoreFault('unavailable', 'the store was closed before all was written')))
      return
    }
    const version = connection.dataVersion()
    const appendedElsewhere = version !== knownVersion
    knownVersion = version
    if (appendedElsewhere) answer([], true)
    behind ||= appendedElsewhere || requests.some(({ task }) => task.task === 'append')
    const mayRetry = retryAt <= performance.now()
    if (behind && mayRetry) behind = await project()
    const isWriting = (mayRetry || !isRefused) && writeHeld()
    if (mayRetry) tend(isWriting)
    const isFilling = fillValues()
    const wait = retryAt - performance.now()
    if (wait > 0 && (isRefused || !isWriting)) await pause(wait)
    else if (!behind && !isWriting && !isFilling) await pause(POLL_INTERVAL_MS)
    // Lets all messages in: the pause ends at the first, and messages that came with it share one commit.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const start = async (): Promise<void> => {
  try {
    const connection = openWriter(file)
    const local = localStores(connection)
    const projecting = await load(local)
    if (projecting?.hasBuiltMany) {
      connection.close()
      post({ notice: 'built' })
      return
    }
    connection.shrink(CACHE_MEBIBYTES)
    if (hold) local.documents.hold(toReaders, hold)
    const log = hold && writeAheadLog(connection, (error) => process.emitWarning(error), logLimits)
    return follow(connection, local, projecting, log)
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    post({ notice: 'refused', failure: toFailure(error) })
  }
}

await start()
notices.close()
port.close()
