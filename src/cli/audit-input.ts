import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projections } from '../../projections/all.ts'
import { readParked } from '../../projections/engine/runner.ts'
import { checkpointOf, openReadModels } from '../../projections/engine/sets.ts'
import { shardCheckpoints } from '../../projections/engine/shards.ts'
import { localStores } from '../adapters/sqlite/local.ts'
import { openWriter } from '../adapters/sqlite/schema.ts'
import type { AuditInput } from '../audit/audit.ts'
import type { Standing } from '../audit/compare.ts'
import { codec, isIntact } from '../log/codec.ts'
import { keyring } from '../log/keys.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { REACTIONS } from '../reactions/process.ts'
import { queuedReactions } from '../reactions/queue.ts'
import type { Connected } from '../stores.ts'
import { Misuse } from './data-file.ts'

/** Do work that needs an empty store: a temporary data file, which is deleted when the work is done. */
export const inScratch = async <T>(work: (documents: DocumentStore) => Promise<T>): Promise<T> => {
  const directory = mkdtempSync(join(tmpdir(), 'rostra-audit-'))
  const connection = openWriter(join(directory, 'scratch.db'))
  try {
    return await work(localStores(connection).ports.documents)
  } finally {
    connection.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

const LOOK_EVERY_MS = 50
const SHARDS_WAIT_MS = 60_000

/** The position of the read models, as soon as all shards have reached the same one. */
const shardsStanding = (documents: DocumentStore): Standing => {
  const names = shardCheckpoints(projections)
  return async () => {
    for (const deadline = Date.now() + SHARDS_WAIT_MS; Date.now() < deadline; ) {
      const found = await documents.checkpoints(names)
      const positions = new Set(found.values())
      const [position] = positions
      if (found.size === 0 || (found.size === names.length && positions.size === 1)) return position
      await sleep(LOOK_EVERY_MS)
    }
    throw new Misuse('the shards of the read models did not reach a common position; are projection workers running?')
  }
}

/** The position of the read models in one data file; also of those that were built in a scratch store. */
const fileStanding =
  (documents: DocumentStore): Standing =>
  () =>
    documents.checkpoint(checkpointOf(projections))

/** What an audit reads, for the stores of one configuration. `admins` are lower-cased names. */
export const auditInputOf = (
  { events, documents, vault }: Pick<Connected, 'events' | 'documents' | 'vault'>,
  { isFile, admins }: { readonly isFile: boolean; readonly admins: readonly string[] },
): Omit<AuditInput, 'scratch'> => ({
  events,
  documents,
  collections: projections.map(({ collection }) => collection),
  standing: isFile ? fileStanding(documents) : shardsStanding(documents),
  open: codec(keyring(vault)).open,
  isIntact,
  isDense: isFile,
  admins,
  parked: () => readParked(documents),
  reacted: () => documents.checkpoint(REACTIONS),
  queued: () => queuedReactions(vault),
})

/** The same, with read models built from the log in a scratch store, as the next start will build them. */
export const builtNow = async (audited: Omit<AuditInput, 'scratch'>, scratch: DocumentStore): Promise<Omit<AuditInput, 'scratch'>> => {
  await openReadModels({ events: audited.events, documents: scratch, open: audited.open }, projections)
  return { ...audited, documents: scratch, standing: fileStanding(scratch), parked: () => readParked(scratch) }
}
