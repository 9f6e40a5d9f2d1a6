// Decision 45.

import { projections } from '../../projections/all.ts'
import { dropLeftovers, forgetParked, leftoversOf } from '../../projections/engine/leftovers.ts'
import { collectionsOf } from '../../projections/engine/sets.ts'
import { SHARD_COUNT, shardCheckpoints, shardsOfSet, workersOfSet } from '../../projections/engine/shards.ts'
import type { Position } from '../ports/event-store.ts'
import { isAnybodyAlive } from '../runtime/leases.ts'
import type { ServerConnections } from '../stores.ts'
import { parseArguments } from './command-line.ts'
import { Misuse } from './data-file.ts'
import { type Call, type Program, runProgram } from './program.ts'
import { isDataFile, openServers, readConfig } from './stores.ts'

const usage = {
  usage: 'npx rostra drop-obsolete [--yes]',
  help: `Shows the read models on MongoDB that no projection of this version fills. With one data file the service drops them at its start.

  --yes  drop them; make sure first that no process of another version still serves them`,
  options: { yes: { type: 'boolean' } },
} as const

/**
 * Refuses while the read models of this version are not built or are behind those of another, and while workers of another version run.
 * Returns the position of this version's read models.
 */
const refuseWhileNeeded = async ({ documents, vault }: ServerConnections, others: readonly string[]): Promise<Position> => {
  const positions = await documents.checkpoints(shardCheckpoints(projections))
  const lowest = positions.size < SHARD_COUNT ? '' : ([...positions.values()].sort()[0] ?? '')
  if (lowest === '') throw new Misuse('the read models of this version are not built: start its workers first')
  for (const set of others) {
    const highest = [...(await documents.checkpoints(shardsOfSet(set))).values()].sort().at(-1) ?? ''
    if (lowest < highest)
      throw new Misuse('the read models of this version are behind those of another: wait until its workers have caught up')
  }
  const alive = await Promise.all(others.map((set) => isAnybodyAlive(vault, workersOfSet(set))))
  if (alive.includes(true)) throw new Misuse('workers of another version are running; stop them first, unless theirs is the newer version')
  return lowest
}

const toParagraph = (heading: string, names: readonly string[]): string =>
  names.length > 0 ? `${heading}:\n${names.map((name) => `  ${name}\n`).join('')}` : ''

const drop = async (connected: ServerConnections, isMeant: boolean, stdout: Call['stdout']): Promise<void> => {
  const { documents } = connected
  await documents.prepare(collectionsOf(projections))
  const leftovers = await leftoversOf(documents, projections)
  const { collections, sets } = leftovers
  if (collections.length + sets.length === 0) {
    stdout.write('nothing is obsolete\n')
    return
  }
  stdout.write(toParagraph('collections that no projection of this version fills', collections))
  stdout.write(toParagraph('obsolete sets of read models with checkpoints', sets))
  const position = await refuseWhileNeeded(connected, sets)
  if (isMeant) {
    await dropLeftovers(documents, leftovers)
    await forgetParked(documents, projections, position)
  }
  stdout.write(isMeant ? 'dropped\n' : 'to drop them, once no process of another version serves them: npx rostra drop-obsolete --yes\n')
}

export const dropObsolete: Program = async ({ args, env, stdout }) => {
  const { yes = false } = parseArguments(usage, args).values
  const config = readConfig(env)
  if (isDataFile(config)) throw new Misuse('with a data file, the service drops obsolete read models at its start')
  const connected = await openServers(config)
  try {
    await drop(connected, yes, stdout)
    return 0
  } finally {
    await connected.close()
  }
}

if (import.meta.main) await runProgram(dropObsolete)
