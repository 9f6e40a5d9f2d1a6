import type { ExecutionContext } from 'ava'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import type { DataFile } from '../../src/adapters/sqlite/connection.ts'
import { integrityErrors } from '../../src/adapters/sqlite/schema.ts'
import { describe } from '../../src/audit/finding.ts'
import { auditInputOf } from '../../src/cli/audit-input.ts'
import { beginReactions, destroyErased, findingsIn } from './auditing.ts'
import { everyEvent } from './every-event/every-event.ts'
import { shownBlobs } from './every-event/subsites.ts'
import { catchUp, openFile } from './read-models.ts'

/** A closed data file in which every event has happened, with its read models; some of its documents were written since the log was read. */
export const fullFile = async (t: ExecutionContext): Promise<string> => {
  const { file, stores, ports, append, connection } = openFile(t)
  const half = Math.floor(everyEvent.length / 2)
  await append(everyEvent.slice(0, half))
  await catchUp(await openReadModels(ports, projections))
  await append(everyEvent.slice(half))
  await catchUp(await openReadModels(ports, projections))
  for (const bytes of shownBlobs) await stores.blobs.put(bytes)
  await destroyErased(stores.vault, everyEvent)
  await beginReactions(stores)
  connection.close()
  return file
}

/** All that an audit finds in a data file, as it is told. */
export const auditOf = async (t: ExecutionContext, { connection, stores }: ReturnType<typeof openFile>): Promise<readonly string[]> => [
  ...integrityErrors(connection),
  ...(await findingsIn(t, auditInputOf(stores, { isFile: true, admins: [] }))).map(describe),
]

/** Changes a database without its triggers, and restores them. */
export const withoutTriggers = ({ db }: Pick<DataFile, 'db'>, change: () => void): void => {
  const triggers = db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`)
  change()
  for (const { sql } of triggers) db.exec(String(sql))
}
