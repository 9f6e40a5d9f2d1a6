import { parentPort, workerData } from 'node:worker_threads'
import type { Connection } from './adapters/sqlite/connection.ts'
import { type Local, localStores } from './adapters/sqlite/local.ts'
import type { CreateProjector, LocalProjector } from './adapters/sqlite/projector.ts'
import {
  type Answer,
  type DurableTask,
  isDurable,
  type Notice,
  type OtherTask,
  type Request,
  type Task,
  type ThreadOptions,
  toFailure,
} from './adapters/sqlite/protocol.ts'
import { openWriter } from './adapters/sqlite/schema.ts'
import { StoreFault } from './ports/faults.ts'

// The thread that writes: everything that waits is committed together and acknowledged, then the read models follow, then again.

const BATCH = 500 // events projected before the next look at what waits to be written
const POLL = 200 // ms between looks at what another process may have appended
const RETRY = 500 // ms after a fault of the store in a projection

const port = parentPort
if (!port) throw new Error('src/store-thread.ts runs as a worker thread')
const tell = (notice: Notice): void => port.postMessage(notice)

const durably = ({ log, vault }: Local, task: DurableTask): unknown => {
  switch (task.task) {
    case 'append':
      return log.append(task.append)
    case 'put':
      return vault.put(task.kind, task.id, task.entry)
    case 'putIf':
      return vault.putIf(task.kind, task.id, task.version, task.entry)
    case 'take':
      return vault.take(task.kind, task.id)
    case 'delete':
      return vault.delete(task.kind, task.id)
    case 'deleteAll':
      return vault.deleteAll(task.kind, task.owner)
    case 'sweepVault':
      return vault.sweep(task.now)
  }
}

const otherwise = (connection: Connection, { documents }: Local, task: OtherTask): unknown => {
  switch (task.task) {
    case 'prepare':
      return documents.prepare(task.collections, task.indexes)
    case 'write':
      return documents.write(task.changes, task.checkpoint)
    case 'clear':
      return documents.clear(task.collections, task.checkpoint)
    case 'sweep':
      return documents.sweep(task.collection, task.upTo)
    case 'dropObsolete':
      return documents.dropObsolete(task.current)
    case 'scrub':
      return connection.db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    case 'close':
      return connection.close()
  }
}

const attempt = (call: number, work: () => unknown): Answer => {
  try {
    return { call, value: work() }
  } catch (error) {
    return { call, failure: toFailure(error) }
  }
}

/** One transaction for all; when it fails, each by itself, so that nobody pays for a neighbour's mistake. */
const commitTogether = (connection: Connection, local: Local, group: readonly Request[]): readonly Answer[] => {
  const run = ({ task }: Request): unknown => durably(local, task as DurableTask)
  try {
    return connection.write('FULL', () => group.map((request) => ({ call: request.call, value: run(request) })))
  } catch {
    return group.map((request) => attempt(request.call, () => connection.write('FULL', () => run(request))))
  }
}

const serve = (connection: Connection, local: Local, requests: readonly Request[]): void => {
  const flush = (group: readonly Request[]): void => {
    if (group.length === 0) return
    const appended = group.some(({ task }) => task.task === 'append')
    tell({ notice: 'answers', answers: commitTogether(connection, local, group), appended })
    if (appended) local.appended.ring()
  }
  let group: Request[] = []
  for (const request of requests) {
    if (isDurable(request.task)) {
      group.push(request)
      continue
    }
    flush(group)
    group = []
    const answer = attempt(request.call, () => otherwise(connection, local, request.task as Exclude<Task, DurableTask>))
    tell({ notice: 'answers', answers: [answer], appended: false })
  }
  flush(group)
}

const load = async (local: Local, address: string | undefined): Promise<LocalProjector | undefined> => {
  if (address === undefined) return undefined
  const module: { readonly createProjector: CreateProjector } = await import(address)
  return module.createProjector(local.ports)
}

const follow = async (connection: Connection, local: Local, projector: LocalProjector | undefined): Promise<void> => {
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

  /** Project one batch; whether there is more. A store that cannot be written now is tried again, anything else is a bug. */
  const project = async ({ catchUp }: LocalProjector): Promise<boolean> => {
    try {
      const { position, touched, more } = await catchUp(BATCH)
      tell({ notice: 'projected', position, touched })
      return more
    } catch (error) {
      if (!(error instanceof StoreFault)) throw error
      tell({ notice: 'stalled', failure: toFailure(error) })
      await pause(RETRY)
      return true
    }
  }

  tell({ notice: 'ready' })
  let behind = true
  let seen = connection.dataVersion()
  while (true) {
    const requests = waiting
    waiting = []
    serve(connection, local, requests)
    if (requests.some(({ task }) => task.task === 'close')) return
    const version = connection.dataVersion()
    const appendedElsewhere = version !== seen
    seen = version
    if (appendedElsewhere) {
      tell({ notice: 'answers', answers: [], appended: true })
      local.appended.ring()
    }
    behind ||= appendedElsewhere || requests.some(({ task }) => task.task === 'append')
    behind = behind && projector !== undefined && (await project(projector))
    if (behind)
      await new Promise((resolve) => setImmediate(resolve)) // lets messages in
    else await pause(POLL)
  }
}

const start = async ({ file, projector }: ThreadOptions): Promise<void> => {
  try {
    const connection = openWriter(file)
    const local = localStores(connection)
    const projecting = await load(local, projector)
    return follow(connection, local, projecting)
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
    tell({ notice: 'refused', failure: toFailure(error) })
  }
}

await start(workerData)
port.close()
