import { Script } from 'node:vm'

/** The time after which a piece of work ends its process by itself: its caller must have ended without a word. */
const ORPHAN_LIMIT_MS = 30_000

/** Runs the file of a lane's process (worker-process.ts): reports that it is ready, and answers each message with the result. */
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
