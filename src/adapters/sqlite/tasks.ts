import { StoreFault } from '../../ports/faults.ts'
import type { DataFile } from './connection.ts'
import type { Local } from './local-stores.ts'
import { type DurableTask, isDurable, type OtherTask, type Request, type ThreadAnswer, toFailure } from './protocol.ts'

const runDurableTask = ({ log, vault }: Local, task: DurableTask): unknown => {
  switch (task.task) {
    case 'append':
      return log.append(task.append)
    case 'put':
      return vault.put(task.kind, task.id, task.entry)
    case 'putIf':
      return vault.putIf(task.kind, task.id, task.version, task.entry)
    case 'add':
      return vault.add(task.additions)
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

/** Writes the held changes and closes. Changes that cannot be written now are folded from the log again at the next start. */
const close = (connection: DataFile, documents: Local['documents']): void => {
  try {
    documents.flush()
  } catch (error) {
    if (!(error instanceof StoreFault)) throw error
  } finally {
    connection.close()
  }
}

const runOtherTask = (connection: DataFile, { documents }: Local, task: Exclude<OtherTask, { readonly task: 'flush' }>): unknown => {
  switch (task.task) {
    case 'prepare':
      return documents.prepare(task.collections, task.indexes)
    case 'write':
      return documents.write(task.changes, task.checkpoint)
    case 'clear':
      return documents.clear(task.collections, task.checkpoint)
    case 'sweep':
      return documents.sweep(task.collection, task.upTo, task.limit)
    case 'obsolete':
      return documents.obsolete(task.current)
    case 'drop':
      return documents.drop(task.name)
    case 'scrub':
      documents.flush()
      return connection.emptyLog()
    case 'close':
      return close(connection, documents)
  }
}

type DurableRequest = { readonly call: number; readonly task: DurableTask }

/** Does some work by itself. Answers with its value or its failure. */
const attempt = (call: number, work: () => unknown): ThreadAnswer => {
  try {
    return { call, value: work() }
  } catch (error) {
    return { call, failure: toFailure(error) }
  }
}

/** Tells whether a refusal was found before anything was written, so that the other tasks of its transaction are not affected. */
const isRefusal = (error: unknown): boolean => error instanceof StoreFault && error.kind === 'changed-retry'

/** Runs a task in the transaction of its group. A refusal is its answer; any other failure is thrown and fails the transaction. */
const runInGroup = (local: Local, { call, task }: DurableRequest): ThreadAnswer => {
  try {
    return { call, value: runDurableTask(local, task) }
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { call, failure: toFailure(error) }
  }
}

/** Commits all tasks in one transaction. If it fails, commits each by itself, so that one failure does not affect the others. */
const commitTogether = (connection: DataFile, local: Local, group: readonly DurableRequest[]): readonly ThreadAnswer[] => {
  try {
    return connection.write('FULL', () => group.map((request) => runInGroup(local, request)))
  } catch {
    return group.map(({ call, task }) => attempt(call, () => connection.write('FULL', () => runDurableTask(local, task))))
  }
}

/**
 * Runs tasks in order: durable ones in as few transactions as the order allows, each group answered at once. Flushes are left to `onFlush`.
 */
export const runTasks = (
  connection: DataFile,
  local: Local,
  requests: readonly Request[],
  answer: (answers: readonly ThreadAnswer[], appended: boolean) => void,
  onFlush: (call: number) => void,
): void => {
  let group: DurableRequest[] = []
  const flush = (): void => {
    if (group.length === 0) return
    const waiting = group
    group = []
    answer(
      commitTogether(connection, local, waiting),
      waiting.some(({ task }) => task.task === 'append'),
    )
  }
  for (const { call, task } of requests) {
    if (isDurable(task)) {
      group.push({ call, task })
      continue
    }
    if (task.task === 'flush') {
      onFlush(call)
      continue
    }
    flush()
    answer([attempt(call, () => runOtherTask(connection, local, task))], false)
  }
  flush()
}
