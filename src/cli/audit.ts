import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projections } from '../../projections/all.ts'
import { type Digest, digestOf } from '../../projections/digest.ts'
import { checkpointOf } from '../../projections/sets.ts'
import { shardCheckpoints } from '../../projections/shards.ts'
import { localStores } from '../adapters/sqlite/local.ts'
import { openReader, openWriter } from '../adapters/sqlite/schema.ts'
import { audit, type Summary } from '../audit/audit.ts'
import type { Standing } from '../audit/compare.ts'
import { describe, type Finding } from '../audit/finding.ts'
import { codec } from '../log/codec.ts'
import { keyring } from '../log/keys.ts'
import type { DocumentStore } from '../ports/documents.ts'
import type { Connected } from '../stores.ts'
import { commandLine } from './command-line.ts'
import { dataFile, Misuse, runCommand } from './data-file.ts'
import { progressBar } from './progress-bar.ts'
import { configured, isDataFile, openToRead } from './stores.ts'

const { json: asJson = false, digests: withDigests = false } = commandLine({
  usage: 'npm run audit -- [--json] [--digests]',
  help: `Recomputes everything from the log and names each difference. A server may run meanwhile.

  --json     one JSON object a line
  --digests  also what each collection hashes to, positions left out: the same on both sides of a move to other stores

Exit code 0: all is as it must be; 1: something is not; 2: the audit could not be made.`,
  options: { json: { type: 'boolean' }, digests: { type: 'boolean' } },
}).values

const print = (value: object, text: string): void => {
  process.stdout.write(`${asJson ? JSON.stringify(value) : text}\n`)
}

const integrity = (file: string): readonly Finding[] => {
  const connection = openReader(file)
  try {
    const found = connection.db.prepare('PRAGMA integrity_check').all()
    const problems = found.map((row) => String(Object.values(row)[0])).filter((problem) => problem !== 'ok')
    return problems.map((problem) => ({ kind: 'store', problem: `${file}: ${problem}` }))
  } finally {
    connection.close()
  }
}

/** Beside the stored documents a data file of its own, which is gone when the work is done. */
const inScratch = async <T>(work: (documents: ReturnType<typeof localStores>['ports']['documents']) => Promise<T>): Promise<T> => {
  const directory = mkdtempSync(join(tmpdir(), 'rostra-audit-'))
  const connection = openWriter(join(directory, 'scratch.db'))
  try {
    return await work(localStores(connection).ports.documents)
  } finally {
    connection.close()
    rmSync(directory, { recursive: true, force: true })
  }
}

const AGAIN = 50 // ms between looks at shards that are not together
const PATIENCE = 60_000

/** Where all shards stand, as soon as they stand together. */
const shardsStanding = (documents: DocumentStore): Standing => {
  const names = shardCheckpoints(projections)
  return async () => {
    for (const deadline = Date.now() + PATIENCE; Date.now() < deadline; ) {
      const found = await documents.checkpoints(names)
      const positions = new Set(found.values())
      const [position] = positions
      if (found.size === 0 || (found.size === names.length && positions.size === 1)) return position
      await sleep(AGAIN)
    }
    throw new Misuse('the shards of the read models do not come together; do projection workers run?')
  }
}

const tellDigests = async (documents: DocumentStore): Promise<void> => {
  for (const { collection } of projections) {
    const digest: Digest = await digestOf(documents, collection)
    print({ kind: 'digest', collection: collection.name, ...digest }, `${collection.name} ${digest.documents} ${digest.sha256}`)
  }
}

/** Tell everything that is found as it is found; how many there were. */
const auditStores = async ({ events, documents, vault }: Connected, standing: Standing, admins: readonly string[]) =>
  inScratch(async (scratch) => {
    const bar = progressBar('replaying')
    const { open } = codec(keyring(vault))
    const run = audit({ events, documents, standing, open, scratch, admins }, projections, ({ position, head }) =>
      bar.update(Number(position), Number(head)),
    )
    let findings = 0
    let next = await run.next()
    for (; !next.done; next = await run.next()) {
      findings += 1
      print(next.value, describe(next.value))
    }
    bar.stop()
    return { findings, summary: next.value as Summary }
  })

await runCommand(async () => {
  const config = configured(process.env)
  const damages = isDataFile(config) ? integrity(dataFile(process.env)) : []
  for (const damage of damages) print(damage, describe(damage))
  const stores = await openToRead(process.env)
  try {
    const { documents: stored } = stores
    const standing = isDataFile(config) ? () => stored.checkpoint(checkpointOf(projections)) : shardsStanding(stored)
    const { findings, summary } = await auditStores(stores, standing, config.admins)
    const all = findings + damages.length
    const { events, documents, raced } = summary
    if (withDigests) await tellDigests(stored)
    print(
      { kind: 'summary', ok: all === 0, findings: all, ...summary },
      `${events} events replayed, ${documents} documents compared, ${raced} comments raced a lock: ${all === 0 ? 'no difference' : `${all} findings`}`,
    )
    return all === 0 ? 0 : 1
  } finally {
    await stores.close()
  }
})
