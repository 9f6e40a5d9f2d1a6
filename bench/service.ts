import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { onServerCore } from './one-core.ts'

/** A server in a process of its own, as it runs in production. */
export type Service = {
  readonly url: string
  /** Seconds from the start of the process until it was ready. */
  readonly startup: number
  /** Resident memory in MiB, now and at its highest. */
  readonly resident: () => { readonly now: number; readonly most: number }
  /** Seconds of processor time so far, of all threads. */
  readonly cpu: () => number
  /** The event loop's delay at the 99th percentile since the last look, in milliseconds; asks the server for its metrics. */
  readonly loopDelay: () => Promise<number>
  /** Hold it where it is, and let it go on. */
  readonly pause: () => void
  readonly resume: () => void
  readonly stop: () => Promise<void>
}

const manifest: { readonly scripts: { readonly start: string } } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
/** As in `npm start`. */
const FLAGS = manifest.scripts.start.match(/--\S+/g) ?? []
const VARIABLES = Object.fromEntries(
  [...manifest.scripts.start.matchAll(/ ([A-Z_]+)=(?:\$\{\w+:-)?([^\s}]+)/g)].map(([, name, value]) => [name, value]),
)
const TICKS_PER_SECOND = 100
/** Milliseconds between two looks at the loop; so much later than the look before is no delay. */
const RESOLUTION = 10

const residentOf = (pid: number): ReturnType<Service['resident']> => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mebibytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024
  return { now: mebibytes('VmRSS'), most: mebibytes('VmHWM') }
}

const cpuOf = (pid: number): number => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

const loopDelayOf = async (url: string): Promise<number> => {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics) ?? []
  return Math.max(0, Number(seconds) * 1000 - RESOLUTION)
}

const readyLine = async (child: ChildProcess, program: string): Promise<string> => {
  if (!child.stdout) throw new Error(`${program} has no output to read`)
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = / on (http:\/\/[^/\s]+)/.exec(line) ?? []
    if (url) return url
  }
  throw new Error(`${program} ended before it listened`)
}

const running = new Set<ChildProcess>()

/** End every server that runs, at once. */
export const killAll = (): void => {
  for (const child of running) child.kill('SIGKILL')
}
process.on('exit', killAll)

/** Runs a program until it says where it listens. */
export const start = async (
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = FLAGS,
): Promise<Service> => {
  const begun = performance.now()
  const [command, ...rest] = onServerCore([process.execPath, ...flags, program, ...args])
  const child = spawn(command, rest, {
    env: { ...process.env, ...VARIABLES, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  running.add(child)
  const ended = once(child, 'exit').then(() => running.delete(child))
  const url = await readyLine(child, program)
  const startup = (performance.now() - begun) / 1000
  child.stdout.resume()
  const { pid = 0 } = child
  return {
    url,
    startup,
    resident: () => residentOf(pid),
    cpu: () => cpuOf(pid),
    loopDelay: () => loopDelayOf(url),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Seconds of processor time in one second of a service that does nothing. */
const IDLE = 0.05

/** Waits until a service does nothing: after its start it reads its whole history, which others would be measured with. */
export const untilIdle = async ({ cpu }: Service): Promise<void> => {
  for (let before = Number.NEGATIVE_INFINITY; cpu() - before > IDLE; await sleep(1_000)) before = cpu()
}

export const residentLine = ({ resident }: Service): string => {
  const { now, most } = resident()
  return `${Math.round(now)} MiB resident, at most ${Math.round(most)}`
}
