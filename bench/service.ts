import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { keepTo, onServerCore } from './one-core.ts'
import { cpuOf, poolCpuOf, programOf, residentOf, writtenBy } from './process-figures.ts'

/** A server in a process of its own, as it runs in production. */
export type Service = {
  readonly url: string
  /** Seconds from the start of the process until it was ready. */
  readonly startup: number
  /** Resident memory in MiB, now and at its highest. */
  readonly resident: () => ReturnType<typeof residentOf>
  /** MiB of the program's files, and by its own metrics of the heap and the buffers of the main thread. */
  readonly memory: () => Promise<{ readonly program: number; readonly heap: number; readonly buffers: number }>
  /** Seconds of processor time so far, of all threads. */
  readonly cpu: () => number
  /** Seconds of processor time of the threads that hash passwords. */
  readonly hashing: () => number
  /** Bytes written to the disk so far; undefined where the system does not count them. */
  readonly written: () => number | undefined
  /** Appends to the log since the start, by its own metrics; undefined of bare Koa. */
  readonly appends: () => Promise<number | undefined>
  /** The position of the last event of its log. In one data file this is the number of events. */
  readonly events: () => Promise<number>
  /** The event loop's delay at the 99th percentile since the last look, in milliseconds; asks the server for its metrics. */
  readonly loopDelay: () => Promise<number>
  /** Suspends the process. */
  readonly pause: () => void
  /** Lets the suspended process go on. */
  readonly resume: () => void
  /** Lets the process run on these cores only. */
  readonly pin: (cores: string) => void
  /** Ends the process at once, as a kill -9 does. */
  readonly kill: () => Promise<void>
  readonly stop: () => Promise<void>
}

/**
 * Reads from `bin/rostra` the flags and variables with which it runs a program of its checkout, so that another version is measured as that
 * version is started. A bare server runs as the service does.
 */
const launchOf = (program: string): { readonly flags: readonly string[]; readonly variables: Readonly<Record<string, string>> } => {
  const checkout = join(dirname(program), '..')
  const launcher = join(checkout, 'bin/rostra')
  // versions before the launcher have both in their manifest
  const text = readFileSync(existsSync(launcher) ? launcher : join(checkout, 'package.json'), 'utf8')
  const command = basename(program) === 'worker.ts' ? /^ +worker\)\n[^;]+/m : /^ +start(?: \| duties)?\)\n[^;]+|"start": "[^\n]+"/m
  const start = command.exec(text)?.[0] ?? ''
  const variables = [...start.matchAll(/ ([A-Z_]+)="?(?:\$\{\w+:-)?(?:\$app\/)?([^\s}"]+)/g)].map(([, name, value]) => [name, value])
  return { flags: start.match(/--[\w=-]+/g) ?? [], variables: Object.fromEntries(variables) }
}

/** Milliseconds between two looks at the loop; so much later than the look before is no delay. */
const LOOP_SAMPLE_MS = 10

const metricsOf = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text()

const loopDelayOf = async (url: string): Promise<number> => {
  const [, seconds] = /^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(await metricsOf(url)) ?? []
  return Math.max(0, Number(seconds) * 1000 - LOOP_SAMPLE_MS)
}

const appendsOf = async (url: string): Promise<number | undefined> => {
  const metrics = await metricsOf(url)
  if (!metrics.includes('rostra_append_duration_seconds')) return undefined
  return Number(/^rostra_append_duration_seconds_count\{outcome="appended"\} (\d+)/m.exec(metrics)?.[1] ?? 0)
}

const memoryOf = async (url: string) => {
  const metrics = await metricsOf(url)
  const mebibytes = (part: string) =>
    Number(new RegExp(`^rostra_memory_bytes\\{part="${part}"[^}]*\\} (\\S+)`, 'm').exec(metrics)?.[1]) / 2 ** 20
  return { heap: mebibytes('heap'), buffers: mebibytes('buffers') }
}

const eventsOf = async (url: string): Promise<number> => Number(/^rostra_log_position (\d+)/m.exec(await metricsOf(url))?.[1])

const readyLine = async (child: ChildProcess, program: string): Promise<string> => {
  if (!child.stdout) throw new Error(`${program} has no output to read`)
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = / on (http:\/\/[^/\s]+)/.exec(line) ?? []
    if (url) return url
  }
  throw new Error(`${program} ended before it listened`)
}

const running = new Set<ChildProcess>()

/** Ends every running server at once. */
export const killAll = (): void => {
  for (const child of running) child.kill('SIGKILL')
}
process.on('exit', killAll)

/** Runs a program until it says where it listens. */
export const start = async (
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  flags?: readonly string[],
): Promise<Service> => {
  const usual = launchOf(program)
  const begun = performance.now()
  const [command, ...rest] = onServerCore([process.execPath, ...(flags ?? usual.flags), program, ...args])
  const child = spawn(command, rest, {
    env: { ...process.env, ...usual.variables, ...env },
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
    memory: async () => ({ program: programOf(pid), ...(await memoryOf(url)) }),
    cpu: () => cpuOf(pid),
    hashing: () => poolCpuOf(pid),
    written: () => writtenBy(pid),
    appends: () => appendsOf(url),
    events: () => eventsOf(url),
    loopDelay: () => loopDelayOf(url),
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    pin: (cores) => keepTo(cores, pid),
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Seconds of processor time in one second of a service that does nothing. */
const IDLE_CPU_SECONDS = 0.05
/** The most seconds to wait for that. Where nothing stays in the processor's caches, waking up alone costs a tenth of a processor. */
const MAX_WAIT_SECONDS = 180

/** Waits until a service does nothing: after its start it reads its whole history, which others would be measured with. */
export const untilIdle = async ({ cpu }: Service): Promise<void> => {
  let before = Number.NEGATIVE_INFINITY
  for (let waited = 0; waited < MAX_WAIT_SECONDS && cpu() - before > IDLE_CPU_SECONDS; waited += 1) {
    before = cpu()
    await sleep(1_000)
  }
}

/** Seconds within which the changes that a process keeps in memory begin to be written, and some more. */
const BUFFERED_SECONDS = 12

/** Waits until a service without requests has written everything that it keeps in memory. */
export const untilWritten = async ({ written }: Service): Promise<void> => {
  await sleep(BUFFERED_SECONDS * 1_000)
  for (let before: number | undefined = -1; written() !== before; await sleep(2_000)) before = written()
}

export const residentLine = ({ resident }: Service): string => {
  const { now, most } = resident()
  return `${Math.round(now)} MiB resident, at most ${Math.round(most)}`
}
