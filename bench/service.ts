import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

/** A server in a process of its own, as it runs in production. */
export type Service = {
  readonly url: string
  /** Resident memory in MiB. */
  readonly resident: () => number
  /** Seconds from the start of the process until it was ready. */
  readonly startup: number
  readonly stop: () => Promise<void>
}

/** Runs a program until it says where it listens. */
export const start = async (program: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Service> => {
  const begun = performance.now()
  const child: ChildProcess = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (!child.stdout) throw new Error(`${program} has no output to read`)
  const ended = once(child, 'exit')
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const [, url] = /listening on (http:\S+)/.exec(line) ?? []
      if (url) return url
    }
    throw new Error(`${program} ended before it listened`)
  })()
  const url = await Promise.race([ready, ended.then(([code]) => Promise.reject(new Error(`${program} ended with ${code}`)))])
  child.stdout.resume()
  return {
    url: url as string,
    startup: (performance.now() - begun) / 1000,
    resident: () => {
      const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
      return Number(kilobytes) / 1024
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}
