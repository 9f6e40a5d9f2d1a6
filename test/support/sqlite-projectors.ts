import { threadId } from 'node:worker_threads'
import type { CreateProjector } from '../../src/adapters/sqlite/projector.ts'
import type { Collection, Document, DocumentChange } from '../../src/ports/documents.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'

/** The number of events of each stream: the simplest read model there is. */
export type Counter = Document & { readonly events: number }

export const counters: Collection<Counter> = { name: 'counters', version: 1, indexes: [{ fields: ['-events', 'id'] }] }

const CHECKPOINT = 'counters'
const BUILT = 'built'

/**
 * Counts events; at an event named `Stall` the store fails a few times, at one named `Stop` always, at one named `Break` the projection has
 * a bug, `Slow` takes its time. On a log that begins with `Build` it has built much at first, and each thread leaves its number.
 */
export const createProjector: CreateProjector = async ({ events, documents }) => {
  await documents.prepare([counters])
  const [first] = await events.readAll(LOG_START, 1)
  const isBuilt = (await documents.checkpoint(BUILT)) !== undefined
  if (first?.type === 'Build') {
    const document: Counter = { id: isBuilt ? 'serves' : 'built', events: threadId }
    const change = { collection: counters, id: document.id, position: first.position, document }
    await documents.write([change], { name: BUILT, from: isBuilt ? first.position : undefined, to: first.position })
  }
  let failures = 2
  return {
    hasBuiltMany: first?.type === 'Build' && !isBuilt,
    catchUp: async (limit) => {
      const from = await documents.checkpoint(CHECKPOINT)
      const batch = await events.readAll(from ?? LOG_START, limit)
      const last = batch.at(-1)
      if (!last) return { position: from ?? LOG_START, more: false }
      for (const { type } of batch) {
        if (type === 'Stop') throw new StoreFault('damaged', 'a row cannot be read')
        if (type === 'Break') throw new TypeError('this projection has a bug')
        if (type === 'Stall' && failures-- > 0) throw new StoreFault('full', 'no space left')
      }
      if (batch.some(({ type }) => type === 'Slow')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
      const known = await documents.load(counters, [...new Set(batch.map(({ stream }) => stream))])
      const counts = new Map<string, number>()
      for (const { stream, position } of batch) {
        if (position <= (known.get(stream)?.position ?? '')) continue // a process was killed before it moved the checkpoint
        const before = known.get(stream)?.document as Counter | undefined
        counts.set(stream, (counts.get(stream) ?? before?.events ?? 0) + 1)
      }
      const changes = [...counts].map(
        ([id, count]): DocumentChange => ({
          collection: counters,
          id,
          position: last.position,
          document: { id, events: count } as Counter,
        }),
      )
      if ((await documents.write(changes, { name: CHECKPOINT, from, to: last.position })) === 'fenced') throw new Error('fenced')
      return { position: last.position, more: batch.length === limit }
    },
  }
}
