import { firstIndex } from '../../../src/ports/first-index.ts'

/** The log of an EventStoreDB, and the rules by which an append is taken, known already or refused. */
export type Stored = {
  readonly id: string
  readonly stream: string
  readonly revision: number
  readonly type: string
  readonly contentType: string
  readonly data: Uint8Array
  readonly meta: Uint8Array
  readonly position: bigint
  readonly created: number
}

export type Proposal = Pick<Stored, 'id' | 'type' | 'contentType' | 'data' | 'meta'>

export type ExpectedVersion = number | 'no_stream' | 'any' | 'stream_exists'

export type Verdict =
  | { readonly kind: 'success'; readonly revision: number; readonly position: bigint | undefined }
  | { readonly kind: 'wrong-version'; readonly actual: number | 'no_stream' }
  | { readonly kind: 'too-large' | 'bad-request' | 'deleted' }

export type Log = ReturnType<typeof createLog>

export const MAX_APPEND_SIZE = 1_048_576

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const createLog = () => {
  const all: Stored[] = []
  const streams = new Map<string, Stored[]>()
  const firstKept = new Map<string, number>()
  const deleted = new Set<string>()
  const listeners = new Set<() => void>()
  // The only memory of ids as such; it serves `any` and `stream_exists` and does not survive a restart.
  const recent = new Map<string, Stored>()
  let end = 512n // byte offsets: not dense, and not from zero

  const write = (stream: string, events: readonly Proposal[]): Verdict => {
    const known = streams.get(stream) ?? []
    streams.set(stream, known)
    for (const event of events) {
      const stored: Stored = { ...event, stream, revision: known.length, position: end, created: Date.now() }
      end += BigInt(96 + event.data.length + event.meta.length)
      known.push(stored)
      all.push(stored)
      recent.set(`${stream} ${event.id}`, stored)
    }
    for (const listener of listeners) listener()
    return { kind: 'success', revision: known.length - 1, position: all.at(-1)?.position }
  }

  const isKept = (event: Stored): boolean => event.revision >= (firstKept.get(event.stream) ?? 0)

  const knownAlready = (event: Stored): Verdict => ({
    kind: 'success',
    revision: event.revision,
    position: isKept(event) ? event.position : undefined,
  })

  const append = (stream: string, expected: ExpectedVersion, events: readonly Proposal[]): Verdict => {
    if (stream === '' || events.some(({ id, type }) => type === '' || !UUID.test(id))) return { kind: 'bad-request' }
    if (events.reduce((sum, { data }) => sum + data.length, 0) > MAX_APPEND_SIZE) return { kind: 'too-large' }
    if (deleted.has(stream)) return { kind: 'deleted' }
    const standing = streams.get(stream) ?? []
    const current = standing.length - 1
    const actual = current < 0 ? 'no_stream' : current
    if (expected === 'any' || expected === 'stream_exists') {
      const before = recent.get(`${stream} ${events[0]?.id}`)
      if (before) return knownAlready(before)
      return expected === 'stream_exists' && current < 0 ? { kind: 'wrong-version', actual } : write(stream, events)
    }
    const revision = expected === 'no_stream' ? -1 : expected
    if (revision === current) return events.length === 0 ? { kind: 'success', revision: current, position: end } : write(stream, events)
    const there = standing.slice(revision + 1, revision + 1 + events.length)
    const last = there.at(-1)
    const isRetry = there.length === events.length && there.every(({ id }, at) => id === events[at]?.id)
    return revision < current && last !== undefined && isRetry ? knownAlready(last) : { kind: 'wrong-version', actual }
  }

  return {
    append,
    all: all as readonly Stored[],
    /** The events of a stream that can still be read; undefined for a stream that never was. */
    stream: (name: string): readonly Stored[] | undefined => streams.get(name)?.filter(isKept),
    /** Returns the index in `all` of the first event at a position or after it. */
    indexOf: (position: bigint): number => firstIndex(all.length, (n) => (all[n]?.position ?? end) >= position),
    truncate: (stream: string, before: number): void => void firstKept.set(stream, before),
    tombstone: (stream: string): void => {
      write(stream, [
        {
          id: crypto.randomUUID(),
          type: '$streamDeleted',
          contentType: 'application/json',
          data: new Uint8Array(),
          meta: new Uint8Array(),
        },
      ])
      deleted.add(stream)
    },
    isDeleted: (stream: string): boolean => deleted.has(stream),
    /** Events of the server's own, as statistics and user changes leave them in the log. */
    writeSystemEvents: (count: number): void => {
      const data = Buffer.from('{}')
      for (let at = 0; at < count; at++) {
        write('$system', [{ id: crypto.randomUUID(), type: '$metadata', contentType: 'application/json', data, meta: new Uint8Array() }])
      }
    },
    onWritten: (listener: () => void): (() => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    restart: (): void => recent.clear(),
  }
}
