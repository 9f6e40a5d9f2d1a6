import { type Document as Bson, MongoClient } from 'mongodb'
import { mongoDocuments } from '../../src/adapters/mongodb/documents.ts'
import type { Collection, Document, DocumentStore } from '../../src/ports/documents.ts'

export type Stage = { readonly stage: string; readonly indexName?: string }

/** A read as it was sent to the server, and every stage of the server's plan for it. */
export type PlannedRead = { readonly command: Bson; readonly stages: readonly Stage[] }

const READS = ['find', 'aggregate']

// Members that belong to the session and not to the query; `explain` does not accept them.
const EXPLAINED = ['find', 'aggregate', 'filter', 'pipeline', 'cursor', 'sort', 'limit', 'projection', 'hint']

const stagesIn = (explained: unknown): readonly Stage[] => {
  if (typeof explained !== 'object' || explained === null) return []
  const below = Object.values(explained).flatMap(stagesIn)
  return 'stage' in explained && typeof explained.stage === 'string' ? [explained as Stage, ...below] : below
}

// An aggregation has its plan under `stages`; what was considered and not chosen does not count.
const chosenPlan = (explained: Bson): unknown =>
  explained.queryPlanner?.winningPlan ?? explained.stages?.map((stage: Bson) => stage.$cursor?.queryPlanner?.winningPlan)

/** Does some reads over a connection that notes each command, then asks the server how it answers them. */
export const plannedReads = async (
  url: string,
  collection: Collection<Document>,
  reads: (documents: DocumentStore) => Promise<unknown>,
): Promise<readonly PlannedRead[]> => {
  const client = await new MongoClient(url, { monitorCommands: true }).connect()
  try {
    const db = client.db()
    const documents = mongoDocuments({ client, db, standalone: false }, (use) => use(db))
    await documents.prepare([collection])
    const commands: Bson[] = []
    client.on('commandStarted', ({ commandName, command }) => {
      if (READS.includes(commandName)) commands.push(command)
    })
    await reads(documents)
    const planned: PlannedRead[] = []
    for (const command of [...commands]) {
      const explain = Object.fromEntries(Object.entries(command).filter(([name]) => EXPLAINED.includes(name)))
      const explained = await db.command({ explain, verbosity: 'queryPlanner' })
      planned.push({ command, stages: stagesIn(chosenPlan(explained)) })
    }
    return planned
  } finally {
    await client.close()
  }
}
