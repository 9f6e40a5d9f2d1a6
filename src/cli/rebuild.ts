import { projections } from '../../projections/all.ts'
import { forgetSwept } from '../../projections/engine/leftovers.ts'
import { parked } from '../../projections/engine/parked.ts'
import { collectionsOf, keysOf } from '../../projections/engine/sets.ts'
import { shardCheckpoints, workersOf } from '../../projections/engine/shards.ts'
import { isAnybodyAlive } from '../runtime/leases.ts'
import { parseArguments } from './command-line.ts'
import { Misuse } from './data-file.ts'
import { type Call, type Program, runProgram } from './program.ts'
import { rebuildFile } from './rebuild-file.ts'
import { isDataFile, openServers, readConfig } from './stores.ts'

/** A name that no checkpoint has. Clearing documents requires one, and the checkpoints of the read models have been cleared before. */
const RESTORED = 'rebuild'

const known = projections.map(({ collection: { name } }) => name)

const usage = {
  usage: 'npx rostra rebuild [collection…]',
  help: `Rebuilds read models from the log, all of them when none is named. Refuses while a server runs.
On EventStoreDB and MongoDB all read models are cleared, and the projection workers rebuild them; stop the workers first.

Collections: ${known.join(', ')}`,
  most: known.length,
}

const chosenFrom = (names: readonly string[]): readonly string[] => {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Misuse(`there is no collection ${unknown}; there are ${known.join(', ')}`)
  return names
}

/**
 * Makes the workers rebuild from the beginning of the log, at once or when they are started. Until they are done, pages lack the missing
 * read models.
 */
const forgetOnServers = async ({ env, stdout }: Call): Promise<number> => {
  const { documents, vault, close } = await openServers(readConfig(env))
  try {
    if (await isAnybodyAlive(vault, workersOf(projections))) throw new Misuse('projection workers are running: stop them first')
    await documents.prepare(collectionsOf(projections))
    for (const checkpoint of shardCheckpoints(projections)) await documents.clear([], checkpoint)
    await forgetSwept(documents, keysOf(projections))
    await documents.clear([...projections.map(({ collection }) => collection), parked], RESTORED)
    stdout.write('the read models are cleared; the projection workers rebuild them\n')
    return 0
  } finally {
    await close()
  }
}

export const rebuildReadModels: Program = async (call) => {
  const names = chosenFrom(parseArguments(usage, call.args).positionals)
  if (isDataFile(readConfig(call.env))) return rebuildFile(call, names)
  if (names.length > 0) throw new Misuse('on EventStoreDB and MongoDB all collections are rebuilt together: name none')
  return forgetOnServers(call)
}

if (import.meta.main) await runProgram(rebuildReadModels)
