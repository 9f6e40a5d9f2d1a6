import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { localStores } from '../../src/adapters/sqlite/local-stores.ts'
import { openWriter } from '../../src/adapters/sqlite/schema.ts'
import { type AuditInput, audit, type Summary } from '../../src/audit/audit.ts'
import { describe, type EventFinding, type Finding } from '../../src/audit/finding.ts'
import { auditInputOf } from '../../src/cli/audit-input.ts'
import type { RunningSite } from '../../src/compose.ts'
import type { Logged } from '../../src/domain/events.ts'
import { openKeyring } from '../../src/log/keys.ts'
import { LOG_START } from '../../src/ports/event-store.ts'
import type { Vault } from '../../src/ports/vault.ts'
import { REACTIONS_CHECKPOINT } from '../../src/reactions/process.ts'
import { listQueued } from '../../src/reactions/queue.ts'
import type { ServerConnections } from '../../src/stores.ts'
import { eventually } from './community.ts'
import { shownBlobs } from './every-event/subsites.ts'
import { catchUp, openFile } from './read-models.ts'
import { temporaryDirectory } from './temporary.ts'

export type Audited = { readonly findings: readonly Finding[]; readonly races: readonly EventFinding[]; readonly summary: Summary }

/** Removes what an audit leaves, once it is over. */
type Auditing = Pick<ExecutionContext, 'teardown'>

/** Returns all that an audit says. */
const auditedIn = async (t: Auditing, audited: Omit<AuditInput, 'scratch'>): Promise<Audited> => {
  const scratch = openWriter(join(temporaryDirectory(t), 'scratch.db'))
  try {
    const races: EventFinding[] = []
    const reported = { progress: () => {}, race: (race: EventFinding) => races.push(race) }
    const run = audit({ ...audited, scratch: localStores(scratch).ports.documents }, reported)
    const findings: Finding[] = []
    for (;;) {
      const next = await run.next()
      if (next.done) return { findings, races, summary: next.value }
      findings.push(next.value)
    }
  } finally {
    scratch.close()
  }
}

/** Returns all that an audit finds. */
export const findingsIn = async (t: ExecutionContext, audited: Omit<AuditInput, 'scratch'>): Promise<readonly Finding[]> =>
  (await auditedIn(t, audited)).findings

/** The reactions destroy the keys of erased things, and here there are none. */
export const destroyErased = async (vault: Vault, events: readonly Logged[]) => {
  const keys = openKeyring(vault)
  for (const { type, data } of events)
    if (type === 'AccountTextsErased' && data.thing !== undefined) await keys.eraseThing(data.account, data.thing)
}

/** The reactions have their checkpoint, as before their first consequence, and have worked nothing through: the histories of tests leave most consequences out. */
export const beginReactions = async ({ documents }: Pick<ServerConnections, 'documents'>): Promise<unknown> =>
  documents.write([], { name: REACTIONS_CHECKPOINT, from: undefined, to: LOG_START })

let empty: Buffer | undefined

/** A closed data file without an event, with its empty read models: making their tables takes longer than the audit of a few events. */
const emptyFile = async (t: ExecutionContext): Promise<string> => {
  const file = join(temporaryDirectory(t), 'empty.db')
  if (!empty) {
    const { file: made, ports, connection } = openFile(t)
    await openReadModels(ports, projections)
    connection.close()
    empty = readFileSync(made)
  }
  writeFileSync(file, empty)
  return file
}

/** Returns the findings of an audit in a log of these events, from which the read models are built. */
export const findingsInLog = async (t: ExecutionContext, events: readonly Logged[]): Promise<readonly Finding[]> => {
  const { stores, ports, append } = openFile(t, await emptyFile(t))
  await append(events)
  for (const bytes of shownBlobs) await stores.blobs.put(bytes)
  await catchUp(await openReadModels(ports, projections))
  await destroyErased(stores.vault, events)
  await beginReactions(stores)
  return findingsIn(t, auditInputOf(stores, { isFile: true, admins: [] }))
}

/** Audits a site on any stores, once no reaction waits for its next try and the read models show everything. */
export const auditedOf = async (t: Auditing, { stores, app }: RunningSite): Promise<Audited> => {
  if (!(await eventually(async () => (await listQueued(stores.vault)).length === 0, 2_000))) throw new Error('a reaction still fails')
  if (!(await app.freshness.waitUntil(await stores.events.head(), 60_000))) throw new Error('the read models do not come')
  const audited = auditInputOf(stores, { isFile: stores.alone, admins: app.config.admins })
  return auditedIn(t, { ...audited, standing: async () => app.freshness.position() })
}

/** The findings alone, as they are told. */
export const findingsOf = async (t: Auditing, running: RunningSite): Promise<readonly string[]> =>
  (await auditedOf(t, running)).findings.map(describe)
