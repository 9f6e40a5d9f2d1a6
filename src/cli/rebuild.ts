import { projections } from '../../projections/all.ts'
import { type Digest, digestOf } from '../../projections/engine/digest.ts'
import { forgetSwept } from '../../projections/engine/leftovers.ts'
import { PoisonEvent, parked } from '../../projections/engine/parked.ts'
import { collectionsOf, keysOf, rebuild } from '../../projections/engine/sets.ts'
import { shardCheckpoints, workersOf } from '../../projections/engine/shards.ts'
import { localStores } from '../adapters/sqlite/local.ts'
import { lock } from '../adapters/sqlite/lock.ts'
import { openWriter } from '../adapters/sqlite/schema.ts'
import { codec } from '../log/codec.ts'
import { keyring } from '../log/keys.ts'
import { isAnybodyAlive } from '../runtime/leases.ts'
import { commandLine } from './command-line.ts'
import { dataFile, Misuse, runCommand } from './data-file.ts'
import { progressBar } from './progress-bar.ts'
import { configured, isDataFile, openServers } from './stores.ts'

/** Nothing stands there: clearing asks for the name of a checkpoint. */
const RESTORED = 'rebuild'

const known = projections.map(({ collection: { name } }) => name)

const { positionals } = commandLine({
  usage: 'npm run rebuild -- [collection…]',
  help: `Rebuilds read models from the log, all of them when none is named. Refuses while a server runs.
On EventStoreDB and MongoDB all read models are cleared, and the projection workers rebuild them; stop the workers first.

Collections: ${known.join(', ')}`,
  most: known.length,
})

const chosenFrom = (names: readonly string[]): readonly string[] => {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Misuse(`there is no collection ${unknown}; there are ${known.join(', ')}`)
  return names
}

const line = (name: string, before: Digest | undefined, after: Digest): string => {
  const same = before?.sha256 === after.sha256
  const was = before && !same ? `, was ${before.sha256.slice(0, 16)} (${before.documents})` : ''
  return `${name.padEnd(16)} ${String(after.documents).padStart(10)} documents  ${after.sha256.slice(0, 16)}  ${same ? 'as before' : 'CHANGED'}${was}\n`
}

const digests = async (documents: Parameters<typeof digestOf>[0]): Promise<ReadonlyMap<string, Digest>> => {
  const all = new Map<string, Digest>()
  for (const { collection } of projections) all.set(collection.name, await digestOf(documents, collection))
  return all
}

const rebuildFile = async (names: readonly string[]): Promise<number> => {
  const file = dataFile(process.env)
  const unlock = lock(file)
  const connection = openWriter(file)
  connection.db.exec('PRAGMA cache_size = -262144') // KiB: nothing else needs the memory meanwhile
  const bar = progressBar('rebuilding')
  try {
    const { events, documents, vault } = localStores(connection).ports
    const { open } = codec(keyring(vault))
    await documents.prepare(collectionsOf(projections))
    const before = await digests(documents)
    const started = performance.now()
    let done = 0
    await rebuild({ events, documents, open }, projections, names, ({ events: projected, position, target }) => {
      done = projected
      bar.update(Number(position), Number(target))
    })
    bar.stop()
    const seconds = (performance.now() - started) / 1000
    for (const [name, after] of await digests(documents)) process.stdout.write(line(name, before.get(name), after))
    process.stdout.write(`${done} events in ${seconds.toFixed(1)} s, ${Math.round(done / seconds)} a second\n`)
    return 0
  } catch (error) {
    bar.stop()
    if (!(error instanceof PoisonEvent)) throw error
    process.stderr.write(`${error.message}\nThe next start rebuilds the read models, without that event.\n`)
    return 1
  } finally {
    connection.close()
    unlock()
  }
}

/** Workers build on from nothing, at once or when they are started; until they are done, pages lack what is not there yet. */
const forgetOnServers = async (): Promise<number> => {
  const { documents, vault, close } = await openServers(configured(process.env))
  try {
    if (await isAnybodyAlive(vault, workersOf(projections))) throw new Misuse('projection workers are running: stop them first')
    await documents.prepare(collectionsOf(projections))
    for (const checkpoint of shardCheckpoints(projections)) await documents.clear([], checkpoint)
    await forgetSwept(documents, keysOf(projections))
    await documents.clear([...projections.map(({ collection }) => collection), parked], RESTORED)
    process.stdout.write('the read models are cleared; the projection workers rebuild them\n')
    return 0
  } finally {
    await close()
  }
}

await runCommand(async () => {
  const names = chosenFrom(positionals)
  if (isDataFile(configured(process.env))) return rebuildFile(names)
  if (names.length > 0) throw new Misuse('on EventStoreDB and MongoDB all collections are rebuilt together: name none')
  return forgetOnServers()
})
