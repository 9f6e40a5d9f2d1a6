import type { ExecutionContext } from 'ava'
import { BSON } from 'mongodb'
import { connectToMongo } from '../../src/adapters/mongodb/connection.ts'
import { mongoDocuments } from '../../src/adapters/mongodb/documents.ts'
import { mongoVault } from '../../src/adapters/mongodb/vault.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import type { Vault } from '../../src/ports/vault.ts'
import { type Fate, scriptedMongo } from './scripted-mongodb.ts'

// The driver interprets each failure in its own way. Here it meets them all, and only the outcome that the port promises counts.

export type Scripted = {
  readonly vault: Vault
  readonly documents: ReturnType<typeof mongoDocuments>
  readonly asked: readonly string[]
  readonly close: () => Promise<void>
}

/** Opens a store whose server answers the tries of a write one after the other with these fates; the last one goes on. */
export const openScripted = async (t: ExecutionContext, fates: readonly Fate[]): Promise<Scripted> => {
  let tries = 0
  const indexes: unknown[] = []
  const server = await scriptedMongo((command, name) => {
    if (name === 'listIndexes') return { cursor: { id: BSON.Long.ZERO, ns: 'rostra.things_v1', firstBatch: indexes } }
    if (name === 'createIndexes') return { created: indexes.push(...(command.indexes as readonly unknown[])) }
    const fate = fates[Math.min(tries, fates.length - 1)] ?? 'cut'
    tries += 1
    return fate
  })
  const connection = await connectToMongo(server.url)
  t.teardown(async () => {
    await connection.client.close()
    await server.close()
  })
  return {
    vault: mongoVault(connection.db),
    documents: mongoDocuments(connection, (use) => use(connection.db)),
    asked: server.asked,
    close: server.close,
  }
}

export const refusedWrite = (code: number, codeName: string, errorLabels: readonly string[] = []): Fate => ({
  ok: 0,
  code,
  codeName,
  errmsg: codeName,
  errorLabels,
})

export const outcome = async (call: Promise<unknown>): Promise<string> => {
  try {
    return JSON.stringify(await call)
  } catch (error) {
    return error instanceof StoreFault ? error.kind : `loud: ${error}`
  }
}
