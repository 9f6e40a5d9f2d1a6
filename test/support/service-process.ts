import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { servers } from './shape.ts'
import { type Caller, callerAt } from './site.ts'

const main = new URL('../../src/main.ts', import.meta.url).pathname

export type Ended = { readonly code: number | null; readonly signal: NodeJS.Signals | null; readonly errors: string }

/** The service as a process of its own, as an operator runs it. */
export type ServiceProcess = {
  readonly url: string
  readonly pid: string
  readonly caller: Caller
  /** Milliseconds until it listened. */
  readonly startedIn: number
  /** Returns its output so far, on either stream. */
  readonly said: () => string
  /** Sends a signal and waits for the end. */
  readonly end: (signal: NodeJS.Signals) => Promise<Ended>
  /** Sends a signal and waits for nothing. */
  readonly kill: (signal: NodeJS.Signals) => void
  readonly ended: Promise<Ended>
}

/** Returns the stores of a directory: a data file in it, or servers of its own. */
const storesOf = async (directory: string): Promise<Readonly<Record<string, string>>> => {
  if (!servers) {
    const file = `sqlite:${join(directory, 'rostra.db')}`
    return { EVENT_STORE_URL: file, DOCUMENT_STORE_URL: file }
  }
  const { eventStoreUrl, documentStoreUrl, sessionSecret = '' } = await servers.join(directory)
  return { EVENT_STORE_URL: eventStoreUrl, DOCUMENT_STORE_URL: documentStoreUrl, SESSION_SECRET: sessionSecret, PROJECTIONS: 'inline' }
}

/** The variables of a process whose clock is so many milliseconds ahead. */
export const clockAhead = (ms: number): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: `--import ${new URL('clock-ahead.ts', import.meta.url)}`,
  CLOCK_AHEAD_MS: String(ms),
})

/** Starts it on the data file of a directory, on a free port unless told otherwise; throws with its words when it ends before it listens. */
export const startService = async (directory: string, environment: Readonly<Record<string, string>> = {}): Promise<ServiceProcess> => {
  const stores = await storesOf(directory)
  const begun = performance.now()
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, PORT: '0', ...stores, LOG_LEVEL: 'warn', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // a test that fails half-way leaves no service behind
  const end = () => child.kill('SIGKILL')
  process.once('exit', end)
  let output = ''
  let errors = ''
  child.stderr.on('data', (data) => {
    errors += data
  })
  const ended = once(child, 'exit').then(([code, signal]): Ended => {
    process.off('exit', end)
    servers?.leave(directory)
    return { code, signal, errors }
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', (data) => {
      output += data
      const ready = /^rostra listening on (http:\/\/\S+)\n/m.exec(output)
      if (ready?.[1]) resolve(ready[1])
    })
    ended.then(() => reject(new Error(`it ended before it listened: ${errors}`)))
  })
  return {
    url,
    pid: String(child.pid),
    caller: callerAt(url),
    startedIn: performance.now() - begun,
    said: () => output + errors,
    end: (signal) => {
      child.kill(signal)
      return ended
    },
    kill: (signal) => child.kill(signal),
    ended,
  }
}

const PASSWORD = 'correct horse'

export type Session = { readonly name: string; readonly headers: Readonly<Record<string, string>> }

const sessionOf = async (site: Caller, path: string, name: string, password = PASSWORD): Promise<Session> => {
  const answer = await site.post(path, { user: name, passwd: password, passwd2: password, api_type: 'json' })
  const modhash = answer.at('json.data.modhash')
  if (typeof modhash !== 'string') throw new Error(`${name} has no session: ${answer.status} ${answer.text}`)
  return { name, headers: { Cookie: (answer.headers.getSetCookie()[0] ?? '').split(';')[0] ?? '', 'X-Modhash': modhash } }
}

/** A new account's session: header fields that stay good while the service comes and goes. */
export const registerSession = (site: Caller, name: string): Promise<Session> => sessionOf(site, '/api/register', name)

/** Begins a session of an account of that name, which exists. */
export const loginSession = (site: Caller, name: string, password?: string): Promise<Session> =>
  sessionOf(site, '/api/login', name, password)
