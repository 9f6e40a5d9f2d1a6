import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller, TestSite } from './site.ts'

/** A line of `/history/events`. */
export type EventLine = {
  readonly kind: 'event' | 'withheld' | 'end'
  readonly n: number
  readonly type: string
  readonly at: number
  readonly meta?: object
  readonly revision?: number
  readonly id?: string
  readonly stream?: string
  readonly by?: { readonly account: string | null; readonly as: string }
  readonly data: Readonly<Record<string, unknown>>
  readonly withheld: readonly string[]
  readonly from: number
  readonly to: number
  readonly next: number
  readonly more: boolean
}

export const linesOf = async (reader: Caller, query = ''): Promise<readonly EventLine[]> => {
  const { status, text } = await reader.get(`/history/events?${query}`)
  if (status !== 200) throw new Error(`${status} ${text}`)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

/** Waits until everything that was written so far has its number, and is shown. */
export const allNumbered = async ({ running: { stores, app } }: TestSite): Promise<number> => {
  const last = await stores.events.last()
  if (!last) return 0
  for (let tries = 0; tries < 2_000; tries++) {
    const size = (await app.numberedEvents?.size()) ?? 0
    const page = size === 0 ? [] : ((await app.numberedEvents?.page(size - 1)) ?? [])
    const isShown = (app.freshness.settled?.() ?? app.freshness.position()) >= last.position
    if (isShown && (page.at(-1)?.position ?? '') >= last.position) return size
    await sleep(20)
  }
  throw new Error('they were never numbered')
}

/** Every line that a reader gets, page by page, without the ends of pages. */
export const everyLine = async (site: TestSite, reader: Caller, query = ''): Promise<readonly EventLine[]> => {
  await allNumbered(site)
  const all: EventLine[] = []
  for (let since = -1; ; ) {
    const lines = await linesOf(reader, `since=${since}&limit=1000&${query}`)
    const end = lines.at(-1)
    all.push(...lines.slice(0, -1))
    if (end?.kind !== 'end') throw new Error('the page has no end')
    if (!end.more) return all
    since = end.next
  }
}

export type Message = { readonly id: string; readonly data: Readonly<Record<string, unknown>> | undefined }

/** An open stream of server-sent events, as a client reads it. */
export type Stream = {
  readonly status: number
  readonly headers: Headers
  /** The next one; undefined once the stream has ended. Blocks without data give the id alone. */
  readonly next: () => Promise<Message | undefined>
  readonly close: () => void
}

export const streamOf = async (
  url: string,
  path: string,
  { token, lastEventId }: { readonly token?: string | undefined; readonly lastEventId?: string | undefined } = {},
): Promise<Stream> => {
  const abort = new AbortController()
  const response = await fetch(`${url}${path}`, {
    signal: abort.signal,
    headers: {
      Accept: 'text/event-stream',
      ...(token !== undefined && { Authorization: `bearer ${token}` }),
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
    },
  })
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  const next = async (): Promise<Message | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const lines = text.slice(0, end).split('\n')
        text = text.slice(end + 2)
        const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
        const id = field('id')
        const data = field('data')
        if (id !== undefined) return { id, data: data === undefined ? undefined : JSON.parse(data) }
        continue
      }
      const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
      if (done) return undefined
      text += decoder.decode(value, { stream: true })
    }
  }
  return { status: response.status, headers: response.headers, next, close: () => abort.abort() }
}

/** Returns the first message that holds something. */
export const nextWhere = async (stream: Stream, holds: (message: Message) => boolean): Promise<Message> => {
  for (;;) {
    const message = await stream.next()
    if (message === undefined) throw new Error('the stream ended')
    if (holds(message)) return message
  }
}
