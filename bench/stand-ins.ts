import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { CallCounts } from '../test/support/call-counts.ts'
import { cpuOf } from './process-figures.ts'

/** A simulated server in a process of its own, which counts what it is asked. */
export type StandIn = {
  readonly url: string
  /** Returns the calls since the last question, by caller and kind. */
  readonly calls: () => Promise<CallCounts>
  readonly cpu: () => number
  readonly stop: () => void
}

const program = (name: 'event-store-server' | 'document-store-server'): string =>
  new URL(`../test/support/${name}/serve.ts`, import.meta.url).pathname

export const startStandIn = async (name: Parameters<typeof program>[0]): Promise<StandIn> => {
  const child = fork(program(name), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const stop = () => void child.kill('SIGKILL')
  process.on('exit', stop)
  if (!child.stdout) throw new Error(`${name} has no output to read`)
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return {
    url,
    calls: async () => {
      child.send('calls')
      const [counts] = (await once(child, 'message')) as [CallCounts]
      return counts
    },
    cpu: () => cpuOf(child.pid ?? 0),
    stop,
  }
}
