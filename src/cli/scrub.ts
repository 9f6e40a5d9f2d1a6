import { commandLine } from './command-line.ts'
import { Misuse, runCommand } from './data-file.ts'
import { rebuildFile } from './rebuild-file.ts'
import { configured, isDataFile } from './stores.ts'

commandLine({
  usage: 'npm run scrub',
  help: `Empties the data file of what was deleted and erased: rebuilds all read models from the log, without the texts of erased
accounts, and writes the whole file anew, so that nothing is left in its free pages. Refuses while a server runs. Needs as much
free disk as the file takes.`,
})

await runCommand(async () => {
  if (!isDataFile(configured(process.env)))
    throw new Misuse(
      'on EventStoreDB and MongoDB run `npm run rebuild`, then `compact` in MongoDB for each collection of the site, its vault among them',
    )
  return rebuildFile([], ({ db }) => {
    db.exec('VACUUM')
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    process.stdout.write('the file holds nothing that was deleted\n')
  })
})
