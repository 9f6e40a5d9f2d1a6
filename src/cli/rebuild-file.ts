import { projections } from '../../projections/all.ts'
import { type Digest, digestOf } from '../../projections/engine/digest.ts'
import { PoisonEvent } from '../../projections/engine/parked.ts'
import { collectionsOf, rebuild } from '../../projections/engine/sets.ts'
import type { DataFile } from '../adapters/sqlite/connection.ts'
import { localStores } from '../adapters/sqlite/local-stores.ts'
import { lock } from '../adapters/sqlite/lock.ts'
import { openWriter } from '../adapters/sqlite/schema.ts'
import { codec } from '../log/codec.ts'
import { openKeyring } from '../log/keys.ts'
import { dataFile } from './data-file.ts'
import type { Call } from './program.ts'
import { progressBar } from './progress-bar.ts'

const line = (name: string, before: Digest | undefined, after: Digest): string => {
  const isUnchanged = before?.sha256 === after.sha256
  const was = before && !isUnchanged ? `, was ${before.sha256.slice(0, 16)} (${before.documents})` : ''
  return `${name.padEnd(16)} ${String(after.documents).padStart(10)} documents  ${after.sha256.slice(0, 16)}  ${isUnchanged ? 'as before' : 'CHANGED'}${was}\n`
}

const digests = async (documents: Parameters<typeof digestOf>[0]): Promise<ReadonlyMap<string, Digest>> => {
  const all = new Map<string, Digest>()
  for (const { collection } of projections) all.set(collection.name, await digestOf(documents, collection))
  return all
}

/** Rebuilds read models of the data file, all of them if none is named. Then does further work on the same connection. */
export const rebuildFile = async (
  { env, stdout, stderr }: Call,
  names: readonly string[],
  then: (connection: DataFile) => void = () => undefined,
): Promise<number> => {
  const file = dataFile(env)
  const unlock = lock(file)
  const connection = openWriter(file)
  connection.db.exec('PRAGMA cache_size = -262144') // KiB: nothing else needs the memory meanwhile
  const bar = progressBar('rebuilding', stderr)
  try {
    const { events, documents, vault } = localStores(connection).ports
    const { open } = codec(openKeyring(vault))
    await documents.prepare(collectionsOf(projections))
    const before = await digests(documents)
    const started = performance.now()
    let reached = 0
    await rebuild({ events, documents, open }, projections, names, ({ events: projected, position, target }) => {
      reached = projected
      bar.update(Number(position), Number(target))
    })
    bar.stop()
    const seconds = (performance.now() - started) / 1000
    for (const [name, after] of await digests(documents)) stdout.write(line(name, before.get(name), after))
    stdout.write(`${reached} events in ${seconds.toFixed(1)} s, ${Math.round(reached / seconds)} a second\n`)
    then(connection)
    return 0
  } catch (error) {
    bar.stop()
    if (!(error instanceof PoisonEvent)) throw error
    stderr.write(`${error.message}\nThe next start rebuilds the read models, without that event.\n`)
    return 1
  } finally {
    connection.close()
    unlock()
  }
}
