import { localStores } from '../src/adapters/sqlite/local-stores.ts'
import { openWriter } from '../src/adapters/sqlite/schema.ts'
import type { AnyEvent } from '../src/domain/event.ts'
import { codec, type StampedEvent as ToSeal } from '../src/log/codec.ts'
import { openKeyring } from '../src/log/keys.ts'
import type { Vault } from '../src/ports/vault.ts'
import { inGroups } from './groups.ts'
import type { Stamped } from './log-shape.ts'

const EVENTS_PER_TRANSACTION = 5_000

export const toSeal = ({ id, type, data, at, by, meta }: Stamped): ToSeal => ({
  id,
  event: { type, data } as AnyEvent,
  at,
  by,
  commandId: meta.commandId,
  correlationId: meta.correlationId,
  causationId: meta.causationId,
  seen: meta.seen,
})

/** Writes a log into a new data file, many events to a transaction and without a server. Returns the number of events. */
export const writeLog = async (file: string, log: Iterable<Stamped>): Promise<number> => {
  const connection = openWriter(file)
  try {
    const { log: written, vault } = localStores(connection)
    // The keys share the transaction of the events, which the vault's own port would not do.
    const unbuffered: Pick<Vault, 'get' | 'getMany' | 'putIf'> = {
      get: async (kind, id) => vault.get(kind, id),
      getMany: async (kind, ids) => vault.getMany(kind, ids),
      putIf: async (kind, id, version, entry) => vault.putIf(kind, id, version, entry),
    }
    const { seal } = codec(openKeyring(unbuffered as Vault))
    let events = 0
    for (const group of inGroups(log, EVENTS_PER_TRANSACTION)) {
      connection.db.exec('BEGIN')
      const sealed = await seal(group.map(toSeal))
      sealed.forEach((event, i) => {
        const { stream = '', revision = 0 } = group[i] ?? {}
        const { outcome } = written.append({ stream, expected: revision === 0 ? 'none' : revision - 1, events: [event] })
        if (outcome !== 'appended') throw new Error(`${stream} has no revision ${revision - 1}`)
      })
      connection.db.exec('COMMIT')
      events += group.length
    }
    return events
  } finally {
    connection.close()
  }
}
