import { parentPort, workerData } from 'node:worker_threads'
import { toFailure } from './protocol.ts'
import { openReader } from './schema.ts'
import { searchRows } from './search.ts'
import type { SearchAnswer, SearchRequest } from './searching.ts'
import { describeTable } from './tables.ts'

// A word that is in every document makes the engine read every document, so searches have a thread of their own.

const port = parentPort
if (!port) throw new Error('search-thread.ts runs as a worker thread')
const connection = openReader(workerData)

const answer = ({ call, collection, query }: SearchRequest): SearchAnswer => {
  try {
    const found = connection.read(() => searchRows(connection, describeTable(connection, collection), query))
    return { call, ids: found.map(([id]) => String(id)) }
  } catch (error) {
    return { call, failure: toFailure(error) }
  }
}

port.on('message', (request: SearchRequest | 'close') => {
  if (request !== 'close') return port.postMessage(answer(request))
  connection.close()
  port.close()
})
