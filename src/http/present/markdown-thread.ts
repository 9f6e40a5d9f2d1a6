import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

/** Milliseconds that rendering one text may take. */
const LIMIT = 2_000
/** Texts that may wait for their turn. */
const MOST_WAITING = 100

export type Rendered = { readonly html: string } | 'too-slow' | 'busy'

const start = async (): Promise<Worker> => {
  const worker = new Worker(new URL('./markdown-worker.ts', import.meta.url), { resourceLimits: { maxOldGenerationSizeMb: 128 } })
  worker.unref()
  // a text that is waited for hears of an error itself; one that comes after its time limit must not end the process
  worker.on('error', () => undefined)
  await once(worker, 'message')
  return worker
}

const isOutOfMemory = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

let thread: Promise<Worker> | undefined
let turn: Promise<unknown> = Promise.resolve()
let waiting = 0

/** A thread that was too slow is ended; the next text has a new one. */
const renderNow = async (text: string): Promise<Rendered> => {
  thread ??= start()
  const current = thread
  let late: AbortSignal | undefined
  try {
    const worker = await current
    late = AbortSignal.timeout(LIMIT)
    worker.ref() // a process does not end while somebody waits
    worker.postMessage(text)
    const [html] = (await once(worker, 'message', { signal: late })) as [string]
    worker.unref()
    return { html }
  } catch (error) {
    thread = undefined
    const worker = await current.catch(() => undefined)
    await worker?.terminate()
    if (late?.aborted || isOutOfMemory(error)) return 'too-slow'
    throw error
  }
}

/** Renders a text in another thread, in its turn. `too-slow`: it takes more than two seconds; `busy`: too many wait already. */
export const renderInThread = async (text: string): Promise<Rendered> => {
  if (waiting >= MOST_WAITING) return 'busy'
  waiting += 1
  const mine = turn.then(() => renderNow(text))
  turn = mine.catch(() => undefined)
  try {
    return await mine
  } finally {
    waiting -= 1
  }
}
