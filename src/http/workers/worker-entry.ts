import { Script } from 'node:vm'

/** Milliseconds after which a piece of work ends its process by itself: whoever asked for it must have been ended without a word. */
const ORPHAN_LIMIT_MS = 30_000

/** What the file of a lane's process does (worker-process.ts): says that it is ready, and answers each message with what comes of it. */
export const answerEach = <Input, Result>(work: (input: Input) => Result): void => {
  // signals to all processes of a terminal or service are for the service, which may wait for this piece; this process ends with it
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
  const piece = new Script('pieceOfWork()')
  process.on('message', (input: Input) => {
    Object.assign(globalThis, { pieceOfWork: () => work(input) })
    process.send?.(piece.runInThisContext({ timeout: ORPHAN_LIMIT_MS }))
  })
  process.send?.('ready')
}
