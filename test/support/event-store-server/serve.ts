import { answerWithCounts } from '../call-counts.ts'
import { startEventStoreServer } from './server.ts'

// An EventStoreDB at the wire in a process of its own, for `npm run bench`: node test/support/event-store-server/serve.ts [port]

const [, , wanted] = process.argv
const { port, calls } = await startEventStoreServer(wanted === undefined ? {} : { port: Number(wanted) })
answerWithCounts(calls)
process.stdout.write(`esdb://127.0.0.1:${port}?tls=false\n`)
