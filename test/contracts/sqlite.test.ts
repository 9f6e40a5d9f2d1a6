import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { type DataFile, openDataFile } from '../../src/adapters/sqlite/connection.ts'
import { documentRows, learnTables } from '../../src/adapters/sqlite/document-rows.ts'
import { documentReads } from '../../src/adapters/sqlite/documents.ts'
import { heldTable, noHeldDocuments } from '../../src/adapters/sqlite/held-documents.ts'
import { sqliteHistory } from '../../src/adapters/sqlite/history.ts'
import { openSqlite, type SqliteOptions, type SqliteStores } from '../../src/adapters/sqlite/stores.ts'
import { HOLD_LIMITS } from '../../src/adapters/sqlite/write-behind.ts'
import type { Collection, Document, DocumentStore } from '../../src/ports/documents.ts'
import { temporaryDirectory } from '../support/temporary.ts'
import type { OpenedDocuments } from './document-cases.ts'
import { documentsContract } from './documents.ts'
import { eventStoreContract } from './event-store.ts'
import { historyContract } from './history.ts'
import { vaultContract } from './vault.ts'

const opened = async (t: ExecutionContext, options: Omit<SqliteOptions, 'file'> = {}) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  let stores: SqliteStores = await openSqlite({ file, ...options })
  t.teardown(() => stores.close())
  const reopen = async (): Promise<SqliteStores> => {
    await stores.close()
    stores = await openSqlite({ file, ...options })
    return stores
  }
  return { file, stores, reopen }
}

/** Read over a connection that notes each statement, then ask the engine how it would answer them. */
const served =
  (file: string): NonNullable<OpenedDocuments['served']> =>
  async (t, collection: Collection<Document>, covering, reads) => {
    const connection = openDataFile(file, { readOnly: true, cacheMebibytes: 2 })
    const asked = new Set<string>()
    const noting: DataFile = {
      ...connection,
      rows: (sql) => {
        asked.add(sql)
        return connection.rows(sql)
      },
    }
    const stored = documentRows(noting, 1_000_000)
    learnTables(noting, stored, [collection])
    asked.clear()
    const refuse = async (): Promise<never> => {
      throw new Error('only reads have plans')
    }
    // A listing asks in another way where documents are held in memory.
    const buried = heldTable()
    buried.set('nobody', { position: 1, text: undefined, parsed: undefined })
    for (const held of [noHeldDocuments, { ...noHeldDocuments, of: () => buried }])
      await reads({
        ...documentReads(noting, stored, held),
        prepare: refuse,
        write: refuse,
        clear: refuse,
        sweep: refuse,
        obsolete: refuse,
        drop: refuse,
        close: refuse,
      } satisfies DocumentStore)
    const table = `${collection.name}_v${collection.version}`
    const listings = [...asked].filter((sql) => sql.includes('INDEXED BY'))
    t.true(listings.length > 0)
    for (const sql of asked) {
      const plan = connection.db
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail))
      for (const step of plan) {
        t.notRegex(step, /TEMP B-TREE/, `${sql}: ${step}`)
        // A listing without an equality reads its index from one end, which the engine calls a scan.
        if (!step.startsWith('SCAN (') && !(sql.includes(' ORDER BY ') && !sql.includes(' WHERE ')))
          t.notRegex(step, new RegExp(`SCAN ${table}`), `${sql}: ${step}`)
        if (covering && step.includes(table)) t.regex(step, /USING COVERING INDEX/, `${sql}: ${step}`)
      }
    }
    connection.close()
  }

eventStoreContract(test, 'sqlite log', async (t) => {
  const { stores, reopen } = await opened(t)
  return { events: stores.events, reopen: async () => (await reopen()).events }
})

/** Changes are held in memory through each case, or not at all. */
for (const [name, ms] of Object.entries({ 'held in memory': 60_000, 'written at once': 0 }))
  documentsContract(test, `sqlite documents, ${name}`, async (t) => {
    const { stores, file } = await opened(t, { hold: { ...HOLD_LIMITS, ms } })
    return { documents: stores.documents, served: served(file) }
  })

vaultContract(test, 'sqlite vault', async (t) => {
  const { stores, reopen } = await opened(t)
  return { vault: stores.vault, reopen: async () => (await reopen()).vault }
})

historyContract(test, 'sqlite history', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db.history')
  let history = sqliteHistory(file)
  t.teardown(() => history.close())
  const reopen = async () => {
    await history.close()
    history = sqliteHistory(file)
    return history
  }
  return { history, reopen }
})
