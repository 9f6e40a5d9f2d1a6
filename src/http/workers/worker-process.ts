// Decision 56.

import { type ChildProcess, fork } from 'node:child_process'
import { Socket } from 'node:net'
import type { Overload } from '../contract/overload.ts'
import { openFairQueue } from './fair-queue.ts'

type Options = Parameters<typeof openFairQueue>[0] & {
  /** The time that one piece of work may take. */
  readonly limit: number
  readonly heapMegabytes: number
  /** The time without work after which the process ends. */
  readonly idleMs?: number
}

export type LaneResult<Result> = { readonly result: Result } | 'too-slow' | Overload

/** The most characters of a process's last output: the error, with its stack. */
const MAX_LAST_WORDS_CHARACTERS = 4_000

type Outcome<Result> = { readonly result: Result } | { readonly failure: unknown } | 'killed'

/**
 * Does work in a process of its own, one piece after the other; callers take turns. It is no thread of this process, since a thread that
 * comes to the end of its heap can end the whole process, whatever its limits. The file calls `answerEach` (worker-entry.ts). Its process
 * is started for the first piece, and again after ten seconds without one.
 *
 * `too-slow` means that a piece took more than its time or its memory, which ends its process; `busy` that too many wait already;
 * `too-many` that too many of its caller do.
 */
export const openLane = <Input, Result>(file: URL, { limit, heapMegabytes, idleMs = 10_000, ...waiting }: Options) => {
  const inTurn = openFairQueue(waiting)
  let current: ChildProcess | undefined
  let settle: (outcome: Outcome<Result>) => void = () => undefined
  let idle: NodeJS.Timeout | undefined

  const nextOutcome = () =>
    new Promise<Outcome<Result>>((resolve) => {
      settle = resolve
    })

  const start = async (): Promise<ChildProcess> => {
    const execArgv = [`--max-old-space-size=${heapMegabytes}`]
    const child = fork(file, { execArgv, serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
    current = child
    let lastWords = ''
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      lastWords = `${lastWords}${text}`.slice(-MAX_LAST_WORDS_CHARACTERS)
    })
    if (child.stderr instanceof Socket) child.stderr.unref()
    const end = (outcome: Outcome<Result>) => {
      if (current !== child) return // this one was idle, and another may have started
      current = undefined
      settle(outcome)
    }
    child.on('message', (result) => settle({ result: result as Result }))
    child.on('close', (code, signal) =>
      end(signal === null ? { failure: new Error(`${file} ended with exit code ${code}: ${lastWords.trim()}`) } : 'killed'),
    )
    child.on('error', (failure) => end({ failure }))
    const first = await nextOutcome()
    if (first === 'killed') throw new Error(`${file} was killed before it was ready`)
    if ('failure' in first) throw first.failure
    return child
  }

  const doNow = async (input: Input): Promise<LaneResult<Result>> => {
    clearTimeout(idle)
    const child = current?.connected ? current : await start()
    const late = setTimeout(() => child.kill('SIGKILL'), limit)
    // keeps this process alive while somebody waits
    child.ref()
    child.channel?.ref()
    const answered = nextOutcome()
    child.send(input as object)
    const outcome = await answered
    clearTimeout(late)
    child.unref()
    child.channel?.unref()
    idle = setTimeout(() => {
      current = undefined
      child.kill('SIGKILL')
    }, idleMs).unref()
    if (outcome === 'killed') return 'too-slow'
    if ('failure' in outcome) throw outcome.failure
    return outcome
  }

  /** `known` runs when its turn has come, since somebody else may have asked for the same meanwhile. */
  return (input: Input, known: () => LaneResult<Result> | undefined = () => undefined): Promise<LaneResult<Result>> =>
    inTurn(async () => known() ?? doNow(input))
}
