import { createReadStream, existsSync } from 'node:fs'
import { commandLine } from './command-line.ts'
import { Misuse, runCommand } from './data-file.ts'
import { contentsOf } from './export-format.ts'
import { checked } from './import-checks.ts'
import { importContents } from './import-contents.ts'
import { fileTarget, serverTarget, type Target } from './import-targets.ts'
import { configured, isDataFile, openServers } from './stores.ts'

const [from = ''] = commandLine({
  usage: 'npm run import -- <file, or - for stdin>',
  help: `Imports an export into the stores that the environment names. Their log must be empty, or hold the beginning of the same export: an
interrupted import continues when run again. A file that was damaged, or that holds an event or record that this version cannot read, is refused
with the number of the line. Every event keeps its id, stream, revision, time and bytes, and the order is the same.
Read models are built by the next start, or by the projection workers. Refuses while a server uses the data file.`,
  least: 1,
  most: 1,
}).positionals

const openTarget = async (): Promise<Target> => {
  const config = configured(process.env)
  return isDataFile(config) ? fileTarget(config.eventStoreUrl.slice('sqlite:'.length)) : serverTarget(await openServers(config))
}

await runCommand(async () => {
  if (from !== '-' && !existsSync(from)) throw new Misuse(`there is no file ${from}`)
  // A file is first read to its end, so that nothing of a damaged one is imported.
  if (from !== '-') for await (const _ of checked(contentsOf(createReadStream(from))));
  const target = await openTarget()
  try {
    const done = await importContents(target, from === '-' ? checked(contentsOf(process.stdin)) : contentsOf(createReadStream(from)))
    process.stdout.write(`${done} events imported\n`)
    return 0
  } finally {
    await target.close()
  }
})
