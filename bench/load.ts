import autocannon from 'autocannon'

export type Load = {
  readonly url: string
  readonly connections: number
  readonly seconds: number
  readonly headers?: Readonly<Record<string, string>>
  /** Makes each request's form; without it the load is GETs. */
  readonly form?: () => string
}

export type Figures = {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
  /** Answers that were no 2xx, and requests without an answer: a measurement with any is no measurement. */
  readonly failed: number
}

/** Puts a load on a server and counts. */
export const load = async ({ url, connections, seconds, headers = {}, form }: Load): Promise<Figures> => {
  const result = await autocannon({
    url,
    connections,
    duration: seconds,
    headers,
    ...(form && {
      method: 'POST',
      requests: [
        {
          method: 'POST',
          setupRequest: (request) => ({
            ...request,
            headers: { ...request.headers, 'content-type': 'application/x-www-form-urlencoded' },
            body: form(),
          }),
        },
      ],
    }),
  })
  return {
    perSecond: result['2xx'] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failed: result.non2xx + result.errors + result.timeouts,
  }
}
