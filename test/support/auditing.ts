import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { projections } from '../../projections/all.ts'
import { localStores } from '../../src/adapters/sqlite/local.ts'
import { openWriter } from '../../src/adapters/sqlite/schema.ts'
import { audit } from '../../src/audit/audit.ts'
import { describe } from '../../src/audit/finding.ts'
import type { Running } from '../../src/compose.ts'
import { codec } from '../../src/log/codec.ts'
import { keyring } from '../../src/log/keys.ts'
import { temporaryDirectory } from './temporary.ts'

/** What an audit of a site at rest finds, whatever its stores are. */
export const findingsOf = async (
  t: ExecutionContext,
  { stores: { events, documents, vault }, app }: Running,
): Promise<readonly string[]> => {
  const scratch = openWriter(join(temporaryDirectory(t), 'scratch.db'))
  t.teardown(scratch.close)
  const { open } = codec(keyring(vault))
  const head = await events.head()
  await app.freshness.waitUntil(head, 10_000)
  const sources = { events, documents, standing: async () => app.freshness.position(), open, admins: app.config.admins }
  const run = audit({ ...sources, scratch: localStores(scratch).ports.documents }, projections, () => {})
  const findings: string[] = []
  for (let next = await run.next(); !next.done; next = await run.next()) findings.push(describe(next.value))
  return findings
}
