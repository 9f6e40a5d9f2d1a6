import type { Collection, Document, DocumentStore } from './documents.ts'

type Read = 'getMany' | 'getPairs' | 'find' | 'select' | 'count' | 'search' | 'walk' | 'load'

/** What is done around a read of a collection: `ask` reads it. */
export type AroundRead = <T>(read: Read, collection: Collection<Document>, args: readonly unknown[], ask: () => Promise<T>) => Promise<T>

/** The same store, with something done around some of its reads. */
export const aroundReads = (documents: DocumentStore, reads: readonly Read[], around: AroundRead): DocumentStore => ({
  ...documents,
  ...Object.fromEntries(
    reads.map((read) => {
      const ask = documents[read] as (collection: Collection<Document>, ...args: readonly unknown[]) => Promise<unknown>
      return [
        read,
        (collection: Collection<Document>, ...args: readonly unknown[]) => around(read, collection, args, () => ask(collection, ...args)),
      ]
    }),
  ),
})
