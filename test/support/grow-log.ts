import { v5 } from 'uuid'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import type { AnyEvent } from '../../src/domain/event.ts'
import { codec, type StampedEvent } from '../../src/log/codec.ts'
import { openKeyring } from '../../src/log/keys.ts'
import type { ExpectedRevision } from '../../src/ports/event-store.ts'

/** Events of one stream from a revision on, as the service would have recorded them. */
export type Growth = {
  readonly stream: string
  readonly after: ExpectedRevision
  readonly author: string
  readonly events: readonly AnyEvent[]
}

const SPACE = '2f6c0d34-9e5b-4d0e-8a50-0b1a0f1d9d11'

/** Concurrent appends, which share a commit. They are on one stream only where each waits for the one before. */
const AT_ONCE = 64

/** Writes to the log of a data file that no server uses, without the checks that would refuse or slow it. */
export const growLog = async (file: string, growths: AsyncIterable<Growth> | Iterable<Growth>): Promise<void> => {
  const { events, vault, close } = await openSqlite({ file })
  const { seal } = codec(openKeyring(vault))
  const append = async ({ stream, after, author, events: grown }: Growth): Promise<void> => {
    const first = after === 'none' ? 0 : after + 1
    const stamped = grown.map((event, n): StampedEvent => {
      const id = v5(`${stream}@${first + n}`, SPACE)
      const by = { account: author, as: 'user' } as const
      return { id, event, at: Date.now(), by, commandId: id, correlationId: id, causationId: id, seen: {} }
    })
    const appended = await events.append(stream, after, await seal(stamped))
    if (appended.outcome === 'conflict') throw new Error(`${stream} stands at ${appended.actual}`)
  }
  try {
    let open: Promise<void>[] = []
    let streams = new Set<string>()
    for await (const growth of growths) {
      if (open.length === AT_ONCE || streams.has(growth.stream)) {
        await Promise.all(open)
        open = []
        streams = new Set()
      }
      open.push(append(growth))
      streams.add(growth.stream)
    }
    await Promise.all(open)
  } finally {
    await close()
  }
}

/** `characters` of text that no two numbers have in common. */
export const longText = (n: number, characters: number): string => {
  const words = `text ${n} of many words, each `
  return words.repeat(Math.ceil(characters / words.length)).slice(0, characters)
}
