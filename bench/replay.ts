import { createProjector } from '../projections/local.ts'
import { localStores } from '../src/adapters/sqlite/local.ts'
import { openWriter } from '../src/adapters/sqlite/schema.ts'
import type { Logged } from '../src/domain/events.ts'
import { Vote } from '../src/domain/vote.ts'
import { codec } from '../src/log/codec.ts'
import { keyring } from '../src/log/keys.ts'
import { START } from '../src/ports/event-store.ts'

export type Replay = {
  readonly events: number
  /** Events a second, read and opened and, where they are votes, folded. */
  readonly opened: number
  /** Events a second into all read models. */
  readonly projected: number
}

const PAGE = 2_000

/** Reads a whole log twice: only to open it, then into empty read models. The data file must not be in use. */
export const replay = async (file: string): Promise<Replay> => {
  const connection = openWriter(file)
  try {
    const { ports } = localStores(connection)
    const { open } = codec(keyring(ports.vault))

    let events = 0
    let begun = performance.now()
    for (let after = START; ; ) {
      const page = await open(await ports.events.readAll(after, PAGE))
      for (const event of page as readonly Logged[]) if (event.type === 'VoteCast') Vote.on.VoteCast(undefined, event.data, event)
      const last = page.at(-1)
      if (!last) break
      events += page.length
      after = last.position
    }
    const opened = (events / (performance.now() - begun)) * 1000

    begun = performance.now()
    await createProjector(ports) // resolves when the read models have caught up
    return { events, opened, projected: (events / (performance.now() - begun)) * 1000 }
  } finally {
    connection.close()
  }
}
