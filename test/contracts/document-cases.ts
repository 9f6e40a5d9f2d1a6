import { randomBytes } from 'node:crypto'
import type { ExecutionContext } from 'ava'
import type { Collection, Document, DocumentChange, DocumentStore, Query } from '../../src/ports/documents.ts'
import { LOG_START, type Position } from '../../src/ports/event-store.ts'
import { type Thing, things } from './document-model.ts'

/** A document store; `served` runs some reads and fails unless an index answered them, alone if `covering`, without a scan or a sort. */
export type OpenedDocuments = {
  readonly documents: DocumentStore
  readonly served?: (
    t: ExecutionContext,
    collection: Collection<Document>,
    covering: boolean,
    reads: (documents: DocumentStore) => Promise<unknown>,
  ) => Promise<void>
}

export const unique = (): string => `c${randomBytes(6).toString('hex')}`
export const toPosition = (n: number): Position => String(n).padStart(LOG_START.length, '0')
export const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T
export const listedOf = (documents: readonly Document[]): string => documents.map(({ id }) => id).join(' ')

const base: Omit<Thing, 'id'> = { listed: true, sub: 'x', kind: 'k', hot: 0, score: 0, at: 0, rank: null, title: '' }
export const make = (id: string, over: Partial<Thing> = {}): Thing => ({ id, ...base, ...over })

/** A prepared collection of its own, and a writer whose checkpoint moves along. */
export const prepareThings = async (documents: DocumentStore, collection: Collection<Thing> = things(unique())) => {
  await documents.prepare([collection])
  const name = `checkpoint-${collection.name}`
  let from: Position | undefined
  const change = (document: Thing, position: number): DocumentChange => ({
    collection,
    id: document.id,
    position: toPosition(position),
    document,
  })
  const gone = (id: string, position: number): DocumentChange => ({ collection, id, position: toPosition(position), document: undefined })
  const write = async (...changes: readonly DocumentChange[]): Promise<void> => {
    const to = toPosition(Number(from ?? 0) + 1_000)
    if ((await documents.write(changes, { name, from, to })) !== 'written') throw new Error('fenced')
    from = to
  }
  const put = (...all: readonly Thing[]): Promise<void> => write(...all.map((document, i) => change(document, i + 1)))
  const find = async (where: Query['where'], order: Query['order'], page: Query['page']): Promise<string> =>
    listedOf(await documents.find(collection, { where, order, page }))
  return { collection, name, change, gone, write, put, find }
}
