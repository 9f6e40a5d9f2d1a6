import type { Db } from 'mongodb'
import type { DocumentStore } from '../../ports/documents.ts'
import type { Vault } from '../../ports/vault.ts'
import { connect, connectPatiently } from './connection.ts'
import { mongoDocuments } from './documents.ts'
import { mongoVault, prepareVault } from './vault.ts'

export type MongoStores = { readonly documents: DocumentStore; readonly vault: Vault; readonly close: () => Promise<void> }

const patientlyAt =
  (url: string) =>
  async <T>(use: (db: Db) => Promise<T>): Promise<T> => {
    const { client, db } = await connectPatiently(url)
    try {
      return await use(db)
    } finally {
      await client.close()
    }
  }

/** Connect, and make the vault ready. A server that is not there yet is the fault `unavailable`; what waiting cannot mend is a plain error. */
export const openMongo = async ({ url }: { readonly url: string }): Promise<MongoStores> => {
  const connection = await connect(url)
  try {
    const patiently = patientlyAt(url)
    await patiently(prepareVault)
    return { documents: mongoDocuments(connection, patiently), vault: mongoVault(connection.db), close: () => connection.client.close() }
  } catch (error) {
    await connection.client.close()
    throw error
  }
}
