import test from 'ava'
import { type ModLogDocument, modLog } from '../../projections/mod-log.ts'
import { type WikiRevisionDocument, wikiRevisions } from '../../projections/wiki-revisions.ts'
import type { DocumentChange } from '../../src/ports/documents.ts'
import { modLogOf } from '../../src/queries/mod-log.ts'
import { type OrderedSource, walk } from '../../src/queries/ordered-source.ts'
import { revisionsOf } from '../../src/queries/wiki.ts'
import fc from '../support/properties.ts'
import { openFile } from '../support/read-models.ts'

type Read = Parameters<typeof modLogOf>[0]
type Entry = { readonly id: string; readonly position: string }

const SHARDS = 4
const at = (n: number) => String(n).padStart(20, '0')

const entry = (n: number) =>
  ({
    id: `e${(n * 7_919) % 1_000}`,
    position: at(n),
    subsite: `t3_${n % 2}`,
    mod: 't2_ann',
    action: 'lock',
    at: 0,
    isAdmin: n % 3 === 0,
  }) as unknown as ModLogDocument
const revision = (n: number) => ({ ...entry(n), subsite: 't3_0', page: 'leaves', date: 0 }) as unknown as WikiRevisionDocument

const filter = { subsites: ['t3_0', 't3_1'], actions: undefined, target: undefined, since: undefined, until: undefined }
const logs = {
  'the log': {
    collection: modLog,
    of: entry,
    source: (read: Read) => modLogOf(read, { ...filter, actors: undefined }),
  },
  'the log of two, merged': {
    collection: modLog,
    of: entry,
    source: (read: Read) => modLogOf(read, { ...filter, actors: [{ mod: 't2_ann' }, { isAdmin: true }] }),
  },
  'the revisions of a page': {
    collection: wikiRevisions,
    of: revision,
    source: (read: Read) => revisionsOf(read, 't3_0', 'leaves'),
  },
} as const

const histories = fc.record({
  shards: fc.array(fc.nat(SHARDS - 1), { minLength: 1, maxLength: 25 }),
  advances: fc.array(fc.record({ shard: fc.nat(SHARDS - 1), by: fc.integer({ min: 1, max: 9 }) }), { maxLength: 30 }),
  limit: fc.integer({ min: 1, max: 5 }),
})

for (const [name, { collection, of, source: sourceOf }] of Object.entries(logs))
  test(`${name}: who follows it by the newest entry they know sees each once, in order, though shards advance apart`, async (t) => {
    const property = fc.asyncProperty(histories, async ({ shards, advances, limit }) => {
      const { documents } = openFile(t).stores
      await documents.prepare([collection])
      const reached = Array.from({ length: SHARDS }, () => 0)
      let writes = 0
      const advance = async (shard: number, to: number) => {
        const changes = shards.flatMap((its, n): readonly DocumentChange[] => {
          const isNew = its === shard && n + 1 > (reached[shard] ?? 0) && n + 1 <= to
          const document = of(n + 1)
          return isNew ? [{ collection, id: document.id, position: at(n + 1), document }] : []
        })
        writes += 1
        await documents.write(changes, { name: 'shards', from: writes === 1 ? undefined : at(writes - 1), to: at(writes) })
        reached[shard] = to
      }
      const source = sourceOf({ documents, freshness: { settled: () => at(Math.min(...reached)) } }) as unknown as OrderedSource<Entry>

      let followed: readonly Entry[] = []
      const follow = async () => {
        for (;;) {
          const [newest] = followed
          const { items } = await walk(source, limit, newest && { before: source.keyOf(newest) })
          if (items.length === 0) return
          followed = [...items, ...followed]
          if (newest === undefined) return
        }
      }
      for (const { shard, by } of advances) {
        await advance(shard, Math.min(shards.length, (reached[shard] ?? 0) + by))
        await follow()
      }
      for (const shard of reached.keys()) await advance(shard, shards.length)
      await follow()
      await follow()
      const oldest = Number(followed.at(-1)?.position)
      const expected = shards
        .map((_, n) => at(n + 1))
        .slice(oldest - 1)
        .toReversed()
      t.deepEqual(
        followed.map(({ position }) => position),
        expected,
      )
    })
    await fc.assert(property, { numRuns: 40 })
  })
