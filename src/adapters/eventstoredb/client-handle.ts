import { StoreFault } from '../../ports/faults.ts'
import type { LogClient } from './client.ts'

/** Reports of the adapter to the operator. */
export type Journal = {
  readonly info: (fields: object, message: string) => void
  readonly warn: (fields: object, message: string) => void
}

/** One instance of the client. `heard` is the time of its last response of any kind. */
export type ClientSession = Pick<LogClient, 'client' | 'append'> & { heard: number }

/** A client that can be exchanged for a new one; at most one of them lives at a time. */
export type ClientHandle = {
  readonly session: () => Promise<ClientSession>
  /** Replaces the session's client. Does nothing if that session has been replaced already. */
  readonly replace: (session: ClientSession, why: string) => void
  readonly close: () => Promise<void>
}

const CLOSING_MS = 1_000

const atMost = (milliseconds: number, work: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  return Promise.race([work.catch(() => undefined), elapsed]).finally(() => clearTimeout(timer))
}

export const openClientHandle = (create: () => LogClient, journal: Journal): ClientHandle => {
  let current: { readonly session: ClientSession; readonly close: () => Promise<void> } | undefined
  let closing: Promise<void> = Promise.resolve()
  let closed = false

  const session = async (): Promise<ClientSession> => {
    // waits: the old client's appends must have failed before the new one makes any, since the server takes those of one stream in the
    // order of sending
    await closing
    if (closed) throw new StoreFault('unavailable', 'the event store is closed')
    if (!current) {
      const { client, append, close } = create()
      current = { session: { client, append, heard: 0 }, close }
    }
    return current.session
  }
  const drop = (): void => {
    const { close } = current ?? {}
    current = undefined
    if (close) closing = closing.then(() => atMost(CLOSING_MS, close()))
  }
  return {
    session,
    replace: (old, why) => {
      if (current?.session !== old) return
      journal.warn({ why }, 'replacing the event store client')
      drop()
    },
    close: async () => {
      closed = true
      drop()
      await closing
    },
  }
}
