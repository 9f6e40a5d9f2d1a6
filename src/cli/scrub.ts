import { parseArguments } from './command-line.ts'
import { Misuse } from './data-file.ts'
import { type Program, runProgram } from './program.ts'
import { rebuildFile } from './rebuild-file.ts'
import { isDataFile, readConfig } from './stores.ts'

const usage = {
  usage: 'npx rostra scrub',
  help: `Empties the data file of what was deleted and erased: rebuilds all read models from the log, without the texts of erased
accounts, and writes the whole file anew, so that nothing is left in its free pages. Refuses while a server runs. Needs as much
free disk as the file takes.`,
}

export const scrub: Program = async (call) => {
  parseArguments(usage, call.args)
  if (!isDataFile(readConfig(call.env)))
    throw new Misuse(
      'on EventStoreDB and MongoDB run `npx rostra rebuild`, then `compact` in MongoDB for each collection of the site, its vault among them',
    )
  return rebuildFile(call, [], (connection) => {
    connection.db.exec('VACUUM')
    connection.emptyLog()
    call.stdout.write('the file holds nothing that was deleted\n')
  })
}

if (import.meta.main) await runProgram(scrub)
