import { Worker } from 'node:worker_threads'
import {
  type BuildingWriter,
  type CheckpointMove,
  type Collection,
  collectionKey,
  type Document,
  type DocumentChange,
  type DocumentStore,
  type VersionedDocument,
} from '../../ports/documents.ts'
import type { ChangeColumns, End, Outcome } from './build-thread.ts'
import { toError } from './protocol.ts'

/** The least changes that a thread writes. Starting one costs a twentieth of a second, so smaller batches are written here. */
const MIN_CHANGES = 5_000

const YOUNG_GENERATION_MEBIBYTES = 24

const ENTRY = new URL('./build-thread.ts', import.meta.url)

const toDeclaration = ({ name, version, indexes, search }: Collection<Document>): Collection<Document> => ({
  name,
  version,
  indexes,
  ...(search && { search }),
})

const partOf = (collection: Collection<Document>, changes: readonly DocumentChange[]): ChangeColumns => ({
  collection: toDeclaration(collection),
  fresh: Uint8Array.from(changes, ({ fresh }) => Number(fresh ?? false)),
  ids: changes.map(({ id }) => id),
  positions: changes.map(({ position }) => position),
  texts: changes.map(({ document }) => document && JSON.stringify(document)),
})

/** Starts the thread that writes one batch at a time. */
const startThread = (file: string) => {
  const worker = new Worker(ENTRY, { workerData: { file }, resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MEBIBYTES } })
  worker.unref()
  let settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined
  const fail = (error: Error): void => settle?.reject(error)
  worker.on('message', (outcome: Outcome) => {
    if (outcome === 'written') settle?.resolve()
    else if (outcome === 'fenced') fail(new Error(`another process moved the checkpoint of a build in ${file}`))
    else fail(toError(outcome))
  })
  worker.on('error', (error) => fail(new Error('the thread that writes a build died', { cause: error })))
  const exited = new Promise<void>((resolve) => worker.once('exit', () => resolve()))
  return {
    write: (changes: ReadonlyMap<Collection<Document>, readonly DocumentChange[]>, end: End): Promise<void> =>
      new Promise((resolve, reject) => {
        settle = { resolve, reject }
        worker.ref()
        // the texts of one collection at a time are in memory
        for (const [collection, documentChanges] of changes) worker.postMessage(partOf(collection, documentChanges))
        worker.postMessage(end)
      }),
    close: async (): Promise<void> => {
      worker.postMessage('close')
      await exited
    },
  }
}

/**
 * Writes a build in a thread of its own, while this one goes on with the log. At most one batch is on its way, and its documents are read
 * from here until it is committed.
 */
export const openBuildWriter = (file: string, documents: Pick<DocumentStore, 'load' | 'write'>): BuildingWriter => {
  let thread: ReturnType<typeof startThread> | undefined
  let writing: Promise<void> | undefined
  let batchUnderWay: ReadonlyMap<string, readonly DocumentChange[]> = new Map()
  let byId = new Map<string, ReadonlyMap<string, DocumentChange>>()

  const finishWriting = async (): Promise<void> => {
    const last = writing
    writing = undefined
    await last
    batchUnderWay = new Map()
    byId = new Map()
  }

  /**
   * Returns the changes of a collection that are on their way. Most of them are never asked for, so they are indexed by id only from the
   * first time on.
   */
  const holds = (key: string): ReadonlyMap<string, DocumentChange> => {
    const known = byId.get(key)
    if (known) return known
    const changesById = new Map(batchUnderWay.get(key)?.map((change) => [change.id, change]))
    byId.set(key, changesById)
    return changesById
  }

  const write = async (changes: readonly DocumentChange[], checkpoint: CheckpointMove | readonly CheckpointMove[]) => {
    await finishWriting()
    if (changes.length < MIN_CHANGES) return documents.write(changes, checkpoint)
    thread ??= startThread(file)
    const parts = Map.groupBy(changes, ({ collection }) => collection)
    writing = thread.write(parts, { checkpoint })
    writing.catch(() => undefined) // the next call reports the error
    batchUnderWay = new Map([...parts].map(([collection, documentChanges]) => [collectionKey(collection), documentChanges]))
    return 'written'
  }

  return {
    write,
    load: async (collection, ids) => {
      if (ids.length === 0) return new Map()
      const heldChanges = holds(collectionKey(collection))
      if (heldChanges.size === 0) return documents.load(collection, ids)
      const found = new Map<string, VersionedDocument<Document>>()
      const others: string[] = []
      for (const id of ids) {
        const change = heldChanges.get(id)
        if (change) found.set(id, { position: change.position, document: change.document })
        else others.push(id)
      }
      for (const [id, loaded] of await documents.load(collection, others)) found.set(id, loaded)
      return found
    },
    close: async () => {
      try {
        await finishWriting()
      } finally {
        await thread?.close()
        thread = undefined
      }
    },
  }
}
