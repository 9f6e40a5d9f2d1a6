import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { tailOf } from './tails.ts'

/** One request: a GET, or a POST of a form. */
export type Asked = { readonly path: string; readonly headers: Readonly<Record<string, string>>; readonly form?: string }

export type Load = {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  /** One request that is repeated, or the function that makes the next one. */
  readonly ask: Asked | (() => Asked)
}

export type Figures = {
  readonly answers: number
  readonly seconds: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

/** Seconds after which a load that should be over has failed. */
const GRACE_SECONDS = 20

/** Returns a request as autocannon and Node's HTTP take it. */
export const requestOf = ({ path, headers, form }: Asked) =>
  form === undefined
    ? { method: 'GET' as const, path, headers }
    : { method: 'POST' as const, path, headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' }, body: form }

/** Puts a load on a server and counts. Anything but a 2xx is an error: it would measure something else. */
export const load = async ({ url, connections, seconds, ask }: Load): Promise<Figures> => {
  const requests =
    typeof ask === 'function'
      ? [{ setupRequest: (request: object) => ({ ...request, ...requestOf(ask()) }) as autocannon.Request }]
      : [requestOf(ask) as autocannon.Request]
  const times: number[] = [] // autocannon's own are whole milliseconds
  const running = new Promise<autocannon.Result>((resolve, reject) => {
    const instance = autocannon({ url, connections, duration: seconds, requests }, (error, result) =>
      error ? reject(error) : resolve(result),
    )
    instance.on('response', (_client, _status, _bytes, milliseconds) => times.push(milliseconds))
  })
  const late = new AbortController()
  const result = await Promise.race([
    running,
    sleep((seconds + GRACE_SECONDS) * 1000, undefined, { signal: late.signal, ref: false }).catch(() => undefined),
  ])
  late.abort()
  if (result === undefined) throw new Error(`the load on ${url} did not end`)
  const failed = result.non2xx + result.errors + result.timeouts
  if (failed > 0) throw new Error(`${failed} of ${result.requests.total} requests to ${url} failed`)
  return { answers: result['2xx'], seconds: result.duration, ...tailOf(times) }
}
