import { setImmediate } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Collection, Document } from '../../ports/documents.ts'
import { useSmallSlabs } from '../../ports/own-bytes.ts'
import { openSearchEnds } from '../../ports/search-ends.ts'
import { toFailure } from './protocol.ts'
import { openReader } from './schema.ts'
import { searchIds } from './search.ts'
import type { SearchAnswer, SearchMessage } from './searcher.ts'
import { describeTable, type TableLayout } from './tables.ts'

// Runs searches in a thread of their own, since a word that is in every document makes the engine look at very many of them. Searches take
// turns in it.

/** The time after which the next search has its turn. A step that has begun is finished. */
const TURN_MS = 20

type Steps = ReturnType<typeof searchIds>

useSmallSlabs()
const port = parentPort
if (!port) throw new Error('search-thread.ts runs as a worker thread')
const connection = openReader(workerData)
const ends = openSearchEnds<number>()
const collections = new Map<string, Collection<Document>>()
const tables = new Map<string, TableLayout>()
/** The searches that have begun, by their calls, in the order of their turns. */
const searches = new Map<number, Steps>()
let isWorking = false
let isClosing = false

/** Takes steps of one search until its turn ends. Returns the answer, if it is finished. */
const turnOf = (call: number, steps: Steps): SearchAnswer | undefined => {
  const started = performance.now()
  try {
    do {
      const step = steps.next()
      if (step.done) return { call, ids: step.value }
    } while (performance.now() - started < TURN_MS)
    return undefined
  } catch (error) {
    return { call, failure: toFailure(error) }
  }
}

const end = (): void => {
  connection.close()
  port.close()
}

/** Reads the port between turns: new searches enter, and abandoned ones leave. */
const work = async (): Promise<void> => {
  if (isWorking) return
  isWorking = true
  for (let [next] = searches; next; [next] = searches) {
    const [call, steps] = next
    const answer = turnOf(call, steps)
    searches.delete(call)
    if (answer) port.postMessage(answer)
    else searches.set(call, steps)
    await setImmediate()
  }
  isWorking = false
  if (isClosing) end()
}

const begin = (call: number, start: () => Steps): void => {
  try {
    searches.set(call, start())
    void work()
  } catch (error) {
    port.postMessage({ call, failure: toFailure(error) } satisfies SearchAnswer)
  }
}

/** Returns the layout of a table. A missing table is looked for again with the next search. */
const tableOf = (key: string, collection = collections.get(key)): TableLayout => {
  if (!collection) throw new Error(`the search thread does not know the collection ${key}`)
  collections.set(key, collection)
  const table = tables.get(key) ?? describeTable(connection, collection)
  tables.set(key, table)
  return table
}

port.on('message', (message: SearchMessage) => {
  if (message === 'close') {
    isClosing = true
    if (!isWorking) end()
  } else if ('abandoned' in message) searches.delete(message.abandoned)
  else begin(message.call, () => searchIds(connection, tableOf(message.table, message.collection), message.query, ends))
})
