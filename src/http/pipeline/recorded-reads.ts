// Decision 42.

import { comments } from '../../../projections/comments.ts'
import { aroundReads } from '../../ports/around-reads.ts'
import type { DocumentStore } from '../../ports/documents.ts'
import type { Vault } from '../../ports/vault.ts'
import type { Load } from '../../runtime/load.ts'
import type { ReadParts } from '../contract/parts.ts'
import type { CacheRecord } from '../contract/request-state.ts'

const reads = ['getMany', 'getPairs', 'find', 'select', 'count', 'search', 'walk', 'load'] as const

/** Returns documents that record the collection of each read before it happens. */
export const recordReads = (documents: DocumentStore, note: (collection: string) => void): DocumentStore =>
  aroundReads(documents, reads, (_, { name }, __, ask) => {
    note(name)
    return ask()
  })

/** Returns a vault that records each read before it happens. */
const recordVault = (vault: Vault, note: () => void): Vault => ({
  ...vault,
  get: (kind, id) => {
    note()
    return vault.get(kind, id)
  },
  getMany: (kind, ids) => {
    note()
    return vault.getMany(kind, ids)
  },
  list: (kind, owner) => {
    note()
    return vault.list(kind, owner)
  },
})

/**
 * Returns the reads of a response that may be cached, from its site to its last item. Each is recorded before it happens, since a cache may
 * answer it.
 */
export const recordAllReads = (
  { documents, vault, clock, load, loadRecent, commentIndexes, readStream }: ReadParts,
  keeping: CacheRecord,
): ReadParts => {
  const noteMore = () => {
    keeping.readsMore = true
  }
  const recordLoad =
    (from: Load): Load =>
    (aggregate, id, command) => {
      keeping.noteAggregate(aggregate.category)
      return from(aggregate, id, command)
    }
  return {
    documents: recordReads(documents, keeping.note),
    vault: recordVault(vault, noteMore),
    clock: () => {
      keeping.readsClock = true
      return clock()
    },
    load: recordLoad(load),
    loadRecent: recordLoad(loadRecent),
    commentIndexes: (link) => {
      keeping.note(comments.name)
      return commentIndexes(link)
    },
    readStream: (stream) => {
      noteMore()
      return readStream(stream)
    },
  }
}
