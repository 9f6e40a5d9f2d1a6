import { projections } from '../../projections/all.ts'
import { type Digest, digestOf } from '../../projections/engine/digest.ts'
import { collectionsOf } from '../../projections/engine/sets.ts'
import { isLocked } from '../adapters/sqlite/lock.ts'
import { integrityErrors, openReader } from '../adapters/sqlite/schema.ts'
import { type AuditInput, audit, type Summary } from '../audit/audit.ts'
import { describe, type Finding } from '../audit/finding.ts'
import { historyKeyFileOf } from '../config.ts'
import type { Collection, Document, DocumentStore } from '../ports/documents.ts'
import { isDamage, StoreFault } from '../ports/faults.ts'
import { amount } from './amount.ts'
import { auditInputOf, builtNow, inScratch } from './audit-input.ts'
import { parseArguments } from './command-line.ts'
import { dataFile, Misuse } from './data-file.ts'
import { type Printing, printProof } from './history-proof.ts'
import { type Call, type Program, runProgram } from './program.ts'
import { progressBar } from './progress-bar.ts'
import { isDataFile, openToRead, readConfig } from './stores.ts'

const usage = {
  usage: 'npx rostra audit [--json] [--digests]',
  help: `Recounts everything from the log and reports each difference from what is stored, and proves that the log is the one of which heads were signed. A server may run meanwhile. If the read models of
this version have not been built yet, as after an import, the audit builds its own copy from the log and checks that.

  --json     one JSON object a line
  --digests  also print a hash of each collection, without positions: equal before and after a move to other stores

Exit code 0: no differences; 1: differences found; 2: the stores could not be judged.`,
  options: { json: { type: 'boolean' }, digests: { type: 'boolean' } },
} as const

/** The way in which an audit reports. */
type Reporting = Printing & { readonly withDigests: boolean }

const integrity = (file: string): readonly Finding[] => {
  const connection = openReader(file)
  try {
    return integrityErrors(connection).map((problem) => ({ kind: 'store', problem: `${file}: ${problem}` }))
  } finally {
    connection.close()
  }
}

/** Returns a digest; undefined for a collection with a document that cannot be read, which is a finding. */
const readableDigest = async (
  documents: DocumentStore,
  collection: Collection<Document>,
  { stderr }: Reporting,
): Promise<Digest | undefined> => {
  try {
    return await digestOf(documents, collection)
  } catch (error) {
    if (!isDamage(error)) throw error
    stderr.write(`no digest of ${collection.name}: ${error.message}\n`)
    return undefined
  }
}

const printDigests = async (documents: DocumentStore, reporting: Reporting): Promise<void> => {
  await documents.prepare(collectionsOf(projections))
  for (const { collection } of projections) {
    const digest = await readableDigest(documents, collection, reporting)
    if (digest)
      reporting.print({ kind: 'digest', collection: collection.name, ...digest }, `${collection.name} ${digest.documents} ${digest.sha256}`)
  }
}

/** Prints every finding at once and returns their number. */
const run = (
  audited: Omit<AuditInput, 'scratch'>,
  { print, stderr }: Reporting,
): Promise<{ readonly findings: number; readonly summary: Summary }> =>
  inScratch(async (scratch) => {
    const bar = progressBar('replaying', stderr)
    const auditing = audit(
      { ...audited, scratch },
      {
        progress: ({ position, head }) => bar.update(Number(position), Number(head)),
        race: (race) => print({ ...race, kind: 'race' }, `no difference: ${describe(race)}`),
      },
    )
    try {
      for (let findings = 0; ; findings++) {
        const next = await auditing.next()
        if (next.done) return { findings, summary: next.value }
        print(next.value, describe(next.value))
      }
    } finally {
      bar.stop()
    }
  })

const runWithDigests = async (audited: Omit<AuditInput, 'scratch'>, reporting: Reporting) => {
  const findings = await run(audited, reporting)
  if (reporting.withDigests) await printDigests(audited.documents, reporting)
  return findings
}

const runBuiltNow = (audited: Omit<AuditInput, 'scratch'>, isFile: boolean, reporting: Reporting) => {
  reporting.stderr.write('the read models of this version have not been built; checking read models built from the log instead\n')
  return inScratch(async (scratch) => runWithDigests(await builtNow(audited, { isFile }, scratch), reporting))
}

/** Returns the exit code, which tells differences from an audit that could not be finished for any reason. */
const toExitCode = async (work: () => Promise<number>): Promise<number> => {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Misuse || error instanceof StoreFault) throw error
    throw new Misuse(`the audit could not be finished: ${error instanceof Error ? error.message : error}`, { cause: error })
  }
}

const auditStores = async (env: Call['env'], reporting: Reporting): Promise<number> => {
  const { print } = reporting
  const config = readConfig(env)
  const isFile = isDataFile(config)
  const damages = isFile ? integrity(dataFile(env)) : []
  for (const damage of damages) print(damage, describe(damage))
  const stores = await openToRead(env)
  try {
    const broken = (await printProof({ ...stores, ...config, keyFile: historyKeyFileOf(config) }, reporting)) ?? 0
    const audited = auditInputOf(stores, { isFile, admins: config.admins, isServed: () => isLocked(dataFile(env)) })
    const isBuilt = (await audited.standing()) !== undefined
    const { findings, summary } = isBuilt ? await runWithDigests(audited, reporting) : await runBuiltNow(audited, isFile, reporting)
    const all = findings + damages.length + broken
    const { events, documents, raced, racedAuthority, notJudged } = summary
    const also = [
      ...(raced > 0 ? [`, ${amount(raced, 'comment')} written while the link was being locked`] : []),
      ...(racedAuthority > 0 ? [`, ${amount(racedAuthority, 'act')} done while the right to it was ending`] : []),
      ...(notJudged > 0 ? [`, ${amount(notJudged, 'act')} of admins not judged, from before versions recorded who is one`] : []),
    ].join('')
    print(
      { kind: 'summary', ok: all === 0, findings: all, ...summary },
      `${amount(events, 'event')} replayed, ${amount(documents, 'document')} compared${also}: ${all === 0 ? 'no difference' : amount(all, 'finding')}`,
    )
    return all === 0 ? 0 : 1
  } finally {
    await stores.close()
  }
}

export const auditAll: Program = async ({ args, env, stdout, stderr }) => {
  const { json = false, digests = false } = parseArguments(usage, args).values
  const print = (value: object, text: string) => stdout.write(`${json ? JSON.stringify(value) : text}\n`)
  return toExitCode(() => auditStores(env, { print, stderr, withDigests: digests }))
}

if (import.meta.main) await runProgram(auditAll)
