import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { either as E } from 'fp-ts'
import { projections } from '../../projections/all.ts'
import { localStores } from '../adapters/sqlite/local.ts'
import { openReader, openWriter } from '../adapters/sqlite/schema.ts'
import { openSqlite, type SqliteStores } from '../adapters/sqlite/stores.ts'
import { audit, type Summary } from '../audit/audit.ts'
import { describe, type Finding } from '../audit/finding.ts'
import { configOf } from '../config.ts'
import { codec } from '../log/codec.ts'
import { keyring } from '../log/keys.ts'
import { dataFile, Misuse, runCommand } from './data-file.ts'
import { progressBar } from './progress-bar.ts'

// npm run audit [-- --json]: recompute everything from the log and name each difference. A server may run meanwhile.
// Exit code 0: all is as it must be; 1: something is not; 2: the audit could not be made.

const asJson = process.argv.includes('--json')
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

/** Tell everything that is found as it is found; how many there were. */
const auditStores = async ({ events, documents, vault }: SqliteStores, admins: readonly string[]) =>
  inScratch(async (scratch) => {
    const bar = progressBar('replaying')
    const { open } = codec(keyring(vault))
    const run = audit({ events, documents, open, scratch, admins }, projections, ({ position, head }) =>
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
  const unknown = process.argv.slice(2).find((argument) => argument !== '--json')
  if (unknown !== undefined) throw new Misuse(`unknown argument ${unknown}; usage: npm run audit [-- --json]`)
  const file = dataFile(process.env)
  const config = configOf(process.env)
  const damages = integrity(file)
  for (const damage of damages) print(damage, describe(damage))
  const stores = await openSqlite({ file, readOnly: true })
  try {
    const { findings, summary } = await auditStores(stores, E.isRight(config) ? config.right.admins : [])
    const all = findings + damages.length
    const { events, documents, raced } = summary
    print(
      { kind: 'summary', ok: all === 0, findings: all, ...summary },
      `${events} events replayed, ${documents} documents compared, ${raced} comments raced a lock: ${all === 0 ? 'no difference' : `${all} findings`}`,
    )
    return all === 0 ? 0 : 1
  } finally {
    await stores.close()
  }
})
