// Decision 50.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { projections } from '../../projections/all.ts'
import { sweptName } from '../../projections/engine/leftovers.ts'
import { MAX_PARKED_EVENTS, type ParkedDocument, parked } from '../../projections/engine/parked.ts'
import { checkpointOf, collectionsOf, keysOf, openReadModels, sets } from '../../projections/engine/sets.ts'
import { shardCheckpoints, shardSetOf } from '../../projections/engine/shards.ts'
import { localStores } from '../adapters/sqlite/local-stores.ts'
import { openWriter, WRITING_MARK } from '../adapters/sqlite/schema.ts'
import type { AuditInput } from '../audit/audit.ts'
import type { PositionOfDocuments } from '../audit/compare.ts'
import { codec, isIntact } from '../log/codec.ts'
import { isCommitted } from '../log/event-texts.ts'
import { openKeyring } from '../log/keys.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { DocumentStore, StoredRow } from '../ports/documents.ts'
import { LOG_START } from '../ports/event-store.ts'
import { REACTIONS_CHECKPOINT } from '../reactions/process.ts'
import { listQueued } from '../reactions/queue.ts'
import { REPLAY_CHECKPOINT, type ServerConnections } from '../stores.ts'
import { Misuse } from './data-file.ts'

/** Does work that needs an empty store, in a temporary data file that is deleted afterwards. */
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

const POLL_INTERVAL_MS = 50
const SHARDS_WAIT_MS = 60_000
/** The time for a running service to write its projected documents after the audit began: it writes every ten seconds. */
const WRITTEN_WAIT_MS = 20_000
const FILE_WAIT_MS = 40_000 // writing takes a second or two

/** Returns the position of the read models, as soon as all shards have reached the same one. */
const shardsStanding = (documents: DocumentStore): PositionOfDocuments => {
  const names = shardCheckpoints(projections)
  return async (awaited = LOG_START) => {
    const startedAt = Date.now()
    for (; Date.now() < startedAt + SHARDS_WAIT_MS; await sleep(POLL_INTERVAL_MS)) {
      const found = await documents.checkpoints(names)
      const positions = new Set(found.values())
      const [position = LOG_START] = positions
      if (found.size === 0) return undefined
      const isCurrent = position >= awaited || Date.now() > startedAt + WRITTEN_WAIT_MS
      if (found.size === names.length && positions.size === 1 && isCurrent) return position
    }
    throw new Misuse('the shards of the read models did not reach a common position; are projection workers running?')
  }
}

/**
 * Returns the position of the read models in one data file, when no document is newer; also of those that were built in a scratch store.
 */
const fileStanding = (documents: DocumentStore, isServed: () => boolean): PositionOfDocuments => {
  const name = checkpointOf(projections)
  return async (awaited = LOG_START) => {
    const startedAt = Date.now()
    for (; Date.now() < startedAt + FILE_WAIT_MS; await sleep(POLL_INTERVAL_MS)) {
      const positions = await documents.checkpoints([name, WRITING_MARK])
      const position = positions.get(name)
      if (position === undefined) return undefined
      const isCurrent = position >= awaited || Date.now() > startedAt + WRITTEN_WAIT_MS || !isServed()
      if (isCurrent && position >= (positions.get(WRITING_MARK) ?? LOG_START)) return position
    }
    throw new Misuse(
      'the read models are being written, and no common position was found. If the service was killed, start it once; otherwise try again later',
    )
  }
}

const MAX_SETS = 1_000

const documentsIn = async (
  documents: DocumentStore,
  collection: typeof parked | typeof sets,
  most: number,
): Promise<readonly StoredRow[]> => (await documents.inspect(collection, undefined, most)).filter(({ isTombstone }) => !isTombstone)

const readParkedDocuments = (documents: DocumentStore) => documentsIn(documents, parked, MAX_PARKED_EVENTS + 1)

/** Lists the problems of the records that name the sets of read models and their positions. */
const registrationProblems = async (documents: DocumentStore, isFile: boolean): Promise<readonly string[]> => {
  const registered = await documentsIn(documents, sets, MAX_SETS)
  const id = isFile ? checkpointOf(projections) : shardSetOf(projections)
  const names = isFile ? [id] : shardCheckpoints(projections)
  const positions = await documents.checkpoints([...names, checkpointOf(projections, 'build')])
  const buildRecord = registered.find((row) => row.id === id)
  const isComplete = isDeepStrictEqual({ ...buildRecord?.document }, { id, collections: keysOf(projections) })
  const isBuilt = names.some((name) => positions.has(name))
  // Read models that are built for the first time, or that the workers must rebuild, have no record.
  const areMissing = isBuilt || (isFile && buildRecord !== undefined && positions.size === 0)
  return [
    ...(isBuilt && !isComplete ? [`the read models ${id} are not registered with their collections`] : []),
    ...(areMissing
      ? names.filter((name) => !positions.has(name)).map((name) => `the checkpoint ${name} of the read models is missing`)
      : []),
    ...[...registered, ...(await readParkedDocuments(documents))]
      .filter(({ document, deviations }) => document === undefined || deviations.length > 0)
      .map((row) => `the record of ${row.id} is damaged`),
  ]
}

/** Returns the positions of everything that is stored beside the compared read models. */
const positionsIn = async (documents: DocumentStore): Promise<ReadonlyMap<string, string>> => {
  const rows = [...(await documentsIn(documents, sets, MAX_SETS)), ...(await readParkedDocuments(documents))]
  const swept = await documents.checkpoints(keysOf(projections).map(sweptName))
  return new Map([
    ...rows.map(({ id, position }) => [`the record of ${id}`, position] as const),
    ...[...swept].map(([name, position]) => [`the checkpoint ${name}`, position] as const),
  ])
}

/** `admins` are lower-cased names. `isServed` tells whether a service runs on the data file now. */
export type AuditedStores = { readonly isFile: boolean; readonly admins: readonly string[]; readonly isServed?: () => boolean }

/** Returns the input of an audit, from the stores of one configuration. */
export const auditInputOf = (
  { events, documents, vault, blobs }: Pick<ServerConnections, 'events' | 'documents' | 'vault'> & { readonly blobs: Pick<Blobs, 'get'> },
  { isFile, admins, isServed = () => false }: AuditedStores,
): Omit<AuditInput, 'scratch'> => ({
  events,
  documents,
  projections,
  standing: isFile ? fileStanding(documents, isServed) : shardsStanding(documents),
  copiedUntil: () => documents.checkpoint(REPLAY_CHECKPOINT),
  open: codec(openKeyring(vault)).open,
  isIntact,
  isCommitted,
  isDense: isFile,
  admins,
  blobs,
  differences: async () => [
    ...(await documents.differences(collectionsOf(projections))),
    ...(await registrationProblems(documents, isFile)),
  ],
  positions: () => positionsIn(documents),
  parked: async () =>
    (await readParkedDocuments(documents)).flatMap(({ document }) => (document ? [document as unknown as ParkedDocument] : [])),
  reacted: () => documents.checkpoint(REACTIONS_CHECKPOINT),
  queued: () => listQueued(vault),
})

/** Returns the input of an audit with read models built from the log in a scratch store, as the next start will build them. */
export const builtNow = async (
  audited: Omit<AuditInput, 'scratch'>,
  { isFile }: { readonly isFile: boolean },
  scratch: DocumentStore,
): Promise<Omit<AuditInput, 'scratch'>> => {
  const { documents } = audited
  await openReadModels({ events: audited.events, documents: scratch, open: audited.open }, projections)
  return {
    ...audited,
    documents: scratch,
    standing: fileStanding(scratch, () => false),
    differences: async () => [...(await documents.differences([])), ...(await registrationProblems(documents, isFile))],
    parked: async () => (await readParkedDocuments(scratch)).map(({ document }) => document as unknown as ParkedDocument),
  }
}
