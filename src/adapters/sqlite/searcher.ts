import { Worker } from 'node:worker_threads'
import { type Collection, collectionKey, type Document, type SearchQuery } from '../../ports/documents.ts'
import { StoreFault } from '../../ports/faults.ts'
import { type Failure, toError } from './protocol.ts'

/** `collection` comes only with the first search in it, since it is long. */
type SearchRequest = {
  readonly call: number
  readonly table: string
  readonly collection?: Collection<Document>
  readonly query: SearchQuery
}
/** A message to the thread: a search, the end of the wait for one, or the end of the thread. */
export type SearchMessage = SearchRequest | { readonly abandoned: number } | 'close'
export type SearchAnswer = { readonly call: number; readonly ids: readonly string[] } | { readonly call: number; readonly failure: Failure }

/** Searches in a thread of their own, which starts with the first. */
export type Searcher = {
  /** Returns the ids of matches in the requested order. An abandoned search ends at its next step. */
  readonly ids: (collection: Collection<Document>, query: SearchQuery, abandoned?: AbortSignal) => Promise<readonly string[]>
  readonly close: () => Promise<void>
}

/** MiB for short-lived objects. */
const YOUNG_GENERATION_MEBIBYTES = 6
const MAX_WAITING_SEARCHES = 64 // searches; further ones are refused, to be tried again

type Pending = { readonly resolve: (ids: readonly string[]) => void; readonly reject: (error: Error) => void }

export const openSearcher = (file: string): Searcher => {
  const pending = new Map<number, Pending>()
  let calls = 0
  let worker: Worker | undefined
  const announced = new Set<string>()
  let closed = false

  const startWorker = (): Worker => {
    if (worker) return worker
    const starting = new Worker(new URL('./search-thread.ts', import.meta.url), {
      workerData: file,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MEBIBYTES },
    })
    starting.on('message', (answer: SearchAnswer) => {
      const call = pending.get(answer.call)
      pending.delete(answer.call)
      if ('ids' in answer) call?.resolve(answer.ids)
      else call?.reject(toError(answer.failure))
    })
    // The thread has no data of its own: waiting searches fail, and the next search starts another thread.
    starting.on('error', (cause) => {
      worker = undefined
      for (const { reject } of pending.values()) reject(new Error('the search thread died', { cause }))
      pending.clear()
    })
    worker = starting
    announced.clear()
    return starting
  }

  return {
    ids: async (collection, query, abandoned) => {
      if (closed) throw new Error('the store is closed')
      abandoned?.throwIfAborted()
      if (pending.size >= MAX_WAITING_SEARCHES) throw new StoreFault('unavailable', `${pending.size} searches are waiting`)
      const call = ++calls
      const found = new Promise<readonly string[]>((resolve, reject) => pending.set(call, { resolve, reject }))
      const abandon = () => {
        pending.get(call)?.reject(abandoned?.reason)
        pending.delete(call)
        worker?.postMessage({ abandoned: call } satisfies SearchMessage)
      }
      abandoned?.addEventListener('abort', abandon, { once: true })
      try {
        const thread = startWorker()
        const table = collectionKey(collection)
        thread.postMessage({ call, table, query, ...(!announced.has(table) && { collection }) } satisfies SearchMessage)
        announced.add(table)
        return await found
      } finally {
        abandoned?.removeEventListener('abort', abandon)
      }
    },
    close: async () => {
      closed = true
      const ending = worker
      if (!ending) return
      const exited = new Promise((resolve) => ending.once('exit', resolve))
      ending.postMessage('close' satisfies SearchMessage)
      await exited
    },
  }
}
