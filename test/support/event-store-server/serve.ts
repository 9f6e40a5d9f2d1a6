import { answerWithCounts } from '../call-counts.ts'
import { startEventStoreServer } from './server.ts'

// An EventStoreDB at the wire in a process of its own, for `npm run bench`: node test/support/event-store-server/serve.ts [port]

const { port, calls } = await startEventStoreServer({ port: Number(process.argv[2] ?? 0) })
answerWithCounts(calls)
process.stdout.write(`esdb://127.0.0.1:${port}?tls=false\n`)
