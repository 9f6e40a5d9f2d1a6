import { createReadStream, existsSync } from 'node:fs'
import { parseArguments } from './command-line.ts'
import { Misuse } from './data-file.ts'
import { contentsOf } from './export-format.ts'
import { checkContents } from './import-checks.ts'
import { importContents } from './import-contents.ts'
import { fileTarget, type ImportTarget, serverTarget } from './import-targets.ts'
import { type Call, type Program, runProgram } from './program.ts'
import { progressBar } from './progress-bar.ts'
import { isDataFile, openServers, readConfig } from './stores.ts'

const usage = {
  usage: 'npx rostra import <file, or - for stdin>',
  help: `Imports an export into the stores that the environment names. Their log must be empty, or hold the beginning of the same export: an
interrupted import continues when run again. A file that was damaged, or that holds an event or record that this version cannot read, is refused
with the number of the line. Every event keeps its id, stream, revision, time and bytes, and the order is the same.
Read models are built by the next start, or by the projection workers. Refuses while a server uses the data file.`,
  least: 1,
  most: 1,
}

const openTarget = async ({ env }: Call): Promise<ImportTarget> => {
  const config = readConfig(env)
  return isDataFile(config) ? fileTarget(config.eventStoreUrl.slice('sqlite:'.length)) : serverTarget(await openServers(config))
}

export const importExport: Program = async (call) => {
  const [from = ''] = parseArguments(usage, call.args).positionals
  if (from !== '-' && !existsSync(from)) throw new Misuse(`there is no file ${from}`)
  // reads a file to its end first, so that nothing of a damaged one is imported
  if (from !== '-') for await (const _ of checkContents(contentsOf(createReadStream(from))));
  const contents = from === '-' ? checkContents(contentsOf(call.stdin())) : contentsOf(createReadStream(from))
  const target = await openTarget(call)
  try {
    const count = await importContents(target, contents, progressBar('importing', call.stderr))
    call.stdout.write(`${count} events imported\n`)
    return 0
  } finally {
    await target.close()
  }
}

if (import.meta.main) await runProgram(importExport)
