import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

const ROOT = new URL('../../', import.meta.url)
const READY = / (http:\/\/[^/\s]+)/

/** A process of the service. */
export type Process = {
  /** The address on which it listens. */
  readonly url: string
  readonly child: ChildProcess
  /** Kills it, as when its machine fails. */
  readonly kill: () => Promise<void>
  /** Asks it to end, waits for the end, and returns its exit code. */
  readonly end: () => Promise<number | null>
  /** Returns its output on stderr, and its log. */
  readonly said: () => string
}

export type Environment = Readonly<Record<string, string>>

/** Returns the variables of processes that share two servers. Nothing but faults is logged, and nothing is limited. */
export const environmentOn = (eventStoreUrl: string, documentStoreUrl: string): Environment => ({
  EVENT_STORE_URL: eventStoreUrl,
  DOCUMENT_STORE_URL: documentStoreUrl,
  SESSION_SECRET: 'a secret of at least 32 characters',
  LOG_LEVEL: 'error',
  RATE_LIMITS: 'off',
  CAPTCHA: 'off',
})

const startScript = async (script: string, environment: Environment): Promise<Process> => {
  const child = spawn(process.execPath, [script], { cwd: ROOT, env: { ...process.env, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stderr.on('data', (data) => {
    said += data
  })
  const exited = once(child, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    let output = ''
    child.stdout.on('data', (data) => {
      output += data
      said += data
      const ready = READY.exec(output)
      if (ready?.[1]) resolve(ready[1])
    })
    exited.then(() => reject(new Error(`${script} ended before it was ready: ${said}`)))
  })
  return {
    url,
    child,
    said: () => said,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    end: async () => {
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

export const startApi = (environment: Environment): Promise<Process> => startScript('src/main.ts', { PORT: '0', ...environment })

export const startWorker = (environment: Environment): Promise<Process> => startScript('src/worker.ts', environment)
