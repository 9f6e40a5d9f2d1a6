import type { DocumentStore } from '../ports/documents.ts'

/** The same documents; whichever collection is read is noted just before it is. */
export const recording = (documents: DocumentStore, note: (collection: string) => void): DocumentStore => ({
  ...documents,
  getMany: (collection, ids) => {
    note(collection.name)
    return documents.getMany(collection, ids)
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
