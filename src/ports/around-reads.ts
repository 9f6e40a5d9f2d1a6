import type { Collection, Document, DocumentStore } from './documents.ts'

type Read = 'getMany' | 'getPairs' | 'find' | 'select' | 'count' | 'search' | 'walk' | 'load'

/** Runs around a read of a collection; `ask` does the read. */
export type AroundRead = <T>(read: Read, collection: Collection<Document>, args: readonly unknown[], ask: () => Promise<T>) => Promise<T>

type ReadOf = (collection: Collection<Document>, ...args: readonly unknown[]) => Promise<unknown>

/** Returns a store that runs something around some of its reads. */
export const aroundReads = (documents: DocumentStore, reads: readonly Read[], around: AroundRead): DocumentStore => {
  const wrapped: DocumentStore = { ...documents }
  for (const read of reads) {
    const ask = documents[read] as ReadOf
    const askAround: ReadOf = (collection, ...args) => around(read, collection, args, () => ask(collection, ...args))
    Object.assign(wrapped, { [read]: askAround })
  }
  return wrapped
}
