import { type BatchRow, batchRowOf, toBatchRecord } from '../../src/adapters/mongodb/batch-records.ts'
import { type Checkpoint, progressIn, toStoredBatch } from '../../src/adapters/mongodb/checkpoints.ts'
import { indexedFields } from '../../src/adapters/mongodb/query.ts'
import type { DocumentStore, SharedDocumentStore } from '../../src/ports/documents.ts'
import type { FieldValues } from '../../src/ports/orders.ts'

/**
 * A store that records its batches in memory, as the one on servers does, small ones also with a checkpoint. `isLost` tells whether a
 * record gets lost.
 */
export const recordedStore = (documents: DocumentStore, isLost: () => boolean = () => false): SharedDocumentStore => {
  const rows: BatchRow[] = []
  const lasts = new Map<string, Checkpoint['last']>()
  return {
    ...documents,
    write: async (changes, checkpoint, isCurrent, rewritten) => {
      const row = rewritten && batchRowOf([...changes, ...rewritten], [checkpoint].flat(), new Date())
      const recordedRow = row && !isLost() ? row : undefined
      if (recordedRow) rows.push(recordedRow)
      const outcome = await documents.write(changes, checkpoint, isCurrent)
      const [first] = [checkpoint].flat()
      const last = recordedRow && toStoredBatch(recordedRow)
      if (outcome === 'written' && first && last) lasts.set(first.name, last)
      return outcome
    },
    progress: async (names, beyond) => {
      const found = [...(await documents.checkpoints(names))].map(([_id, position]): Checkpoint => {
        const last = lasts.get(_id)
        return { _id, position, ...(last && { last }) }
      })
      const { positions, records } = progressIn(found, beyond)
      const isBeyond = (row: BatchRow) => row.names.some((name) => row.to > (beyond.get(name) ?? ''))
      return { positions, records: records ?? rows.filter(isBeyond).map(toBatchRecord) }
    },
    getIndexed: async (collection, ids) => {
      const fields = ['id', ...indexedFields(collection)]
      const found = await documents.getMany(collection, ids)
      const part = (document: FieldValues) =>
        Object.fromEntries(fields.flatMap((field) => (field in document ? [[field, document[field]]] : [])))
      return new Map([...found].map(([id, document]) => [id, { ...part(document as unknown as FieldValues), id }]))
    },
  }
}
