import type { DocumentStore } from '../ports/documents.ts'
import type { Vault } from '../ports/vault.ts'

/** The same documents; each read records the collection before it happens. */
export const recording = (documents: DocumentStore, note: (collection: string) => void): DocumentStore => ({
  ...documents,
  getMany: (collection, ids) => {
    note(collection.name)
    return documents.getMany(collection, ids)
  },
  getPairs: (collection, pair, others) => {
    note(collection.name)
    return documents.getPairs(collection, pair, others)
  },
  find: (collection, query) => {
    note(collection.name)
    return documents.find(collection, query)
  },
  select: (collection, query, fields) => {
    note(collection.name)
    return documents.select(collection, query, fields)
  },
  count: (collection, where, max) => {
    note(collection.name)
    return documents.count(collection, where, max)
  },
  search: (collection, query) => {
    note(collection.name)
    return documents.search(collection, query)
  },
  walk: (collection, after, limit) => {
    note(collection.name)
    return documents.walk(collection, after, limit)
  },
  load: (collection, ids) => {
    note(collection.name)
    return documents.load(collection, ids)
  },
})

/** The same vault; each read is recorded before it happens. */
export const recordingVault = (vault: Vault, note: () => void): Vault => ({
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
