import { cacheBounds } from '../../ports/cache-bounds.ts'
import type { Vault } from '../../ports/vault.ts'
import { openBuildWriter } from './build-ahead.ts'
import { documentWriter } from './changes.ts'
import type { DataFile } from './connection.ts'
import { type DocumentRows, documentRows } from './document-rows.ts'
import { documentReads } from './documents.ts'
import { type Bell, bell, checkAppend, glanceIn, type Log, openLog, subscription } from './log.ts'
import type { LocalStores } from './projector.ts'
import { type LocalVault, openVault } from './vault.ts'
import { type WriteBehind, writeBehind } from './write-behind.ts'

/** The stores over the one connection that writes: as plain synchronous parts, and as the ports. */
export type Local = {
  readonly log: Log
  readonly vault: LocalVault
  readonly documents: WriteBehind
  /** Returns the tables that were prepared. */
  readonly tables: DocumentRows['tables']
  readonly appended: Bell
  readonly ports: LocalStores
}

export const localStores = (connection: DataFile): Local => {
  const log = openLog(connection)
  const vault = openVault(connection)
  const stored = documentRows(connection, cacheBounds.writtenDocuments)
  const writer = writeBehind(connection, stored, documentWriter(connection, stored))
  const appended = bell()
  const durably = async <T>(work: () => T): Promise<T> => connection.write('FULL', work)

  const vaultPort: Vault = {
    get: async (kind, id) => vault.get(kind, id),
    getMany: async (kind, ids) => vault.getMany(kind, ids),
    list: async (kind, owner) => vault.list(kind, owner),
    put: (kind, id, entry) => durably(() => vault.put(kind, id, entry)),
    putIf: (kind, id, version, entry) => durably(() => vault.putIf(kind, id, version, entry)),
    add: (additions) => durably(() => vault.add(additions)),
    take: (kind, id) => durably(() => vault.take(kind, id)),
    delete: (kind, id) => durably(() => vault.delete(kind, id)),
    deleteAll: (kind, owner) => durably(() => vault.deleteAll(kind, owner)),
    sweep: (now) => durably(() => vault.sweep(now)),
  }

  return {
    log,
    vault,
    documents: writer,
    tables: stored.tables,
    appended,
    ports: {
      events: {
        append: async (stream, expected, events) => {
          const append = { stream, expected, events }
          checkAppend(append)
          const result = connection.write('FULL', () => log.append(append))
          appended.ring()
          return result
        },
        read: async (stream, from, limit) => log.read(stream, from, limit),
        readBackwards: async (stream, from, limit) => log.readBackwards(stream, from, limit),
        readAll: async (after, limit) => log.readAll(after, limit),
        subscribe: (after, signal, leftOut) => subscription(log.readAll, appended, after, signal, leftOut),
        glance: async (after, leftOut) => glanceIn(log.readAll, after, leftOut),
        head: async () => log.head(),
        last: async () => log.last(),
        close: async () => {},
      },
      documents: {
        ...documentReads(connection, stored, writer.held),
        checkpoint: async (name) => writer.checkpoint(name),
        prepare: async (collections, indexes) => writer.prepare(collections, indexes),
        write: async (changes, checkpoint, isCurrent = () => true) => (isCurrent() ? writer.write(changes, checkpoint) : 'fenced'),
        building: (by) => openBuildWriter(connection.file, by),
        clear: async (collections, checkpoint) => writer.clear(collections, checkpoint),
        sweep: async (collection, upTo, limit) => writer.sweep(collection, upTo, limit),
        obsolete: async (current) => writer.obsolete(current),
        drop: async (name) => writer.drop(name),
        close: async () => {},
      },
      vault: vaultPort,
    },
  }
}
