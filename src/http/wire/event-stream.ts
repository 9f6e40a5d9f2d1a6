import { stringify } from './json-writing.ts'

/* Server-sent events: the lines of text of a response without end (HTML Living Standard, 9.2). */

export const EVENT_STREAM = 'text/event-stream'

/** Tells whether the client asks for events as they come, and not for a page. */
export const wantsEventStream = ({ accept }: Readonly<Record<string, string | string[] | undefined>>): boolean =>
  String(accept ?? '').includes(EVENT_STREAM)

/** Returns the place of the client when its last stream broke off. Clients send it by themselves. */
export const lastEventId = (headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined => {
  const lastId = headers['last-event-id']
  return typeof lastId === 'string' && lastId !== '' ? lastId : undefined
}

/** Returns an event, which is one line of data, since JSON has no line breaks. */
export const serverSentEvent = (id: string | number, data: unknown): string => `id: ${id}\ndata: ${stringify(data, 'unicode')}\n\n`

/** Delivers nothing, but makes the client go on from here. */
export const markPassed = (id: string | number): string => `id: ${id}\n\n`

/** The time after which a client asks again when a stream broke off. */
const RETRY_MS = 3_000

export const STREAM_OPENING = `retry: ${RETRY_MS}\n\n`

/** A comment, by which both sides notice that the connection is still there. */
export const HEARTBEAT = ':\n\n'
