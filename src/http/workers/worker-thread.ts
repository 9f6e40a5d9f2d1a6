import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Overload } from '../contract/overload.ts'
import { openFairQueue } from './fair-queue.ts'

type Options = Parameters<typeof openFairQueue>[0] & {
  /** Milliseconds that one piece of work may take. */
  readonly limit: number
  /** More than work may take within its time: a thread that comes to the end of its heap can end the process. */
  readonly heapMegabytes: number
}

export type LaneResult<Result> = { readonly result: Result } | 'too-slow' | Overload

const isOutOfMemory = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

/**
 * Work that is done in a thread of its own, one piece after the other; callers take turns. The thread's file answers each message with
 * one, after a first one that says that it is ready. `too-slow`: a piece took more than its time, and its thread was ended; `busy`: too
 * many wait already; `too-many`: too many of its caller.
 */
export const openLane = <Input, Result>(file: URL, { limit, heapMegabytes, ...waiting }: Options) => {
  let thread: Promise<Worker> | undefined
  const inTurn = openFairQueue(waiting)

  const start = async (): Promise<Worker> => {
    const worker = new Worker(file, { resourceLimits: { maxOldGenerationSizeMb: heapMegabytes } })
    worker.unref()
    // the caller that waits gets the error of its work; an error after the time limit must not end the process
    worker.on('error', () => undefined)
    await once(worker, 'message')
    return worker
  }

  const doNow = async (input: Input): Promise<LaneResult<Result>> => {
    thread ??= start()
    const current = thread
    let late: AbortSignal | undefined
    try {
      const worker = await current
      late = AbortSignal.timeout(limit)
      worker.ref() // a process does not end while somebody waits
      worker.postMessage(input)
      const [result] = (await once(worker, 'message', { signal: late })) as [Result]
      worker.unref()
      return { result }
    } catch (error) {
      // the next piece has a new thread
      thread = undefined
      const worker = await current.catch(() => undefined)
      await worker?.terminate()
      if (late?.aborted || isOutOfMemory(error)) return 'too-slow'
      throw error
    }
  }

  /** `known`: asked when its turn has come, since somebody else may have asked for the same meanwhile. */
  return (input: Input, known: () => LaneResult<Result> | undefined = () => undefined): Promise<LaneResult<Result>> =>
    inTurn(async () => known() ?? doNow(input))
}
