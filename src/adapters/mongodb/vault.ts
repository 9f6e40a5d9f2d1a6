import type { Collection, Db } from 'mongodb'
import type { Addition, Vault, VaultEntry, VaultKind, VaultRecord } from '../../ports/vault.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { callStore, duplicatesIn, isDuplicate } from './errors.ts'
import { type DeclaredIndex, ensureIndexes, toBuildOptions } from './indexes.ts'

/**
 * A stored record. `born` gives the order of an owner's records. The value is JSON text, so that reading returns exactly what was written,
 * or the number of a count.
 */
type VaultRow = {
  readonly _id: string
  readonly owner: string | null
  readonly expires: Date | null
  readonly version: number
  readonly born: number
  readonly value: string | number
}

const KINDS: { readonly [Kind in VaultKind]: true } = {
  credentials: true,
  key: true,
  session: true,
  client: true,
  code: true,
  access: true,
  refresh: true,
  idempotency: true,
  lease: true,
  captcha: true,
  limit: true,
  count: true,
  visits: true,
  reaction: true,
}

/**
 * The delay after which the server deletes expired records by its own clock, so that none is deleted that is still valid by a caller's
 * clock.
 */
const TIDY_AFTER_SECONDS = 3_600

const INDEXES: readonly DeclaredIndex[] = [
  { name: 'owner', key: { owner: 1, born: 1 } },
  { name: 'expiry', key: { expires: 1 }, expireAfterSeconds: TIDY_AFTER_SECONDS },
]

/** Names the index. Otherwise the server would also try the one on the expiry, which no search uses. */
const BY_ID = { hint: { _id: 1 } } as const

const toVaultRecord = ({ _id, owner, expires, version, value }: VaultRow): VaultRecord => ({
  id: _id,
  owner: owner ?? undefined,
  expires: expires?.getTime(),
  version,
  value: typeof value === 'number' ? value : JSON.parse(value),
})

const toEntryFields = (kind: VaultKind, { value, owner, expires }: VaultEntry) => ({
  owner: owner ?? null,
  expires: expires === undefined ? null : new Date(expires),
  value: kind === 'count' ? Number(value) : JSON.stringify(value),
})

/** The most additions in one command, so that none takes the event loop for more than a few milliseconds. */
const MAX_ADDITIONS = 200

const alive = (now: number) => ({ expires: { $not: { $lte: new Date(now) } } })

export const prepareVault = async (db: Db): Promise<void> =>
  callStore('write', async () => {
    const building = await toBuildOptions(db)
    for (const kind of Object.keys(KINDS)) await ensureIndexes(db.collection(`vault_${kind}`), INDEXES, building)
  })

/** Returns the vault in MongoDB, with a collection for each kind. */
export const mongoVault = (db: Db): Vault => {
  const rowsOf = (kind: VaultKind): Collection<VaultRow> => db.collection<VaultRow>(`vault_${kind}`)

  // The last version. None is used twice, not even by a record that was deleted and made again, so that a stale compare-and-set fails.
  let latest = 0
  const stamp = (): number => {
    latest = Math.max(latest + 1, Date.now() * 1_000)
    return latest
  }

  const findRows = (kind: VaultKind, ids: readonly string[]): Promise<readonly VaultRow[]> =>
    callStore('read', () =>
      rowsOf(kind)
        .find({ _id: { $in: [...ids] }, ...alive(Date.now()) }, { ...BY_ID, batchSize: ids.length + 1, maxTimeMS: READ_TIMEOUT_MS })
        .toArray(),
    )

  const create = async (kind: VaultKind, id: string, entry: VaultEntry): Promise<boolean> => {
    const version = stamp()
    const expired = { _id: id, expires: { $lte: new Date() } }
    try {
      await rowsOf(kind).replaceOne(expired, { ...toEntryFields(kind, entry), version, born: version }, { ...BY_ID, upsert: true })
      return true
    } catch (error) {
      if (isDuplicate(error)) return false
      throw error
    }
  }

  /**
   * Adds to each count in one step. If two processes create a count at the same time, one of them may fail because it exists, and tries
   * again.
   */
  const addSlice = async (slice: readonly Addition[], isRepeated = false): Promise<void> => {
    const isLive = { $gt: ['$expires', new Date()] }
    const version = stamp()
    const operations = slice.map(({ id, count, expires }) => ({
      updateOne: {
        filter: { _id: id },
        update: [
          {
            $set: {
              value: { $add: [{ $cond: [isLive, '$value', 0] }, count] },
              expires: { $cond: [isLive, '$expires', new Date(expires)] },
              owner: null,
              version,
              born: version,
            },
          },
        ],
        upsert: true,
      },
    }))
    try {
      await rowsOf('count').bulkWrite(operations, { ordered: false })
    } catch (error) {
      const refused = isRepeated ? [] : duplicatesIn(error)
      if (refused.length === 0) throw error
      await addSlice(
        refused.flatMap((at) => slice[at] ?? []),
        true,
      )
    }
  }

  const addAll = async (additions: readonly Addition[]): Promise<ReadonlyMap<string, number>> => {
    const sums = new Map<string, number>()
    for (let from = 0; from < additions.length; from += MAX_ADDITIONS) {
      const slice = additions.slice(from, from + MAX_ADDITIONS)
      await callStore('write', () => addSlice(slice))
      const ids = slice.map(({ id }) => id)
      for (const { _id, value } of await findRows('count', ids)) sums.set(_id, Number(value))
    }
    return sums
  }

  return {
    add: addAll,
    get: async (kind, id) => {
      const [row] = await findRows(kind, [id])
      return row && toVaultRecord(row)
    },
    getMany: async (kind, ids) => new Map((await findRows(kind, ids)).map((row) => [row._id, toVaultRecord(row)])),
    list: async (kind, owner) => {
      const options = { sort: { born: 1 }, hint: 'owner', maxTimeMS: READ_TIMEOUT_MS } as const
      const rows = await callStore('read', () =>
        rowsOf(kind)
          .find({ owner, ...alive(Date.now()) }, options)
          .toArray(),
      )
      return rows.map(toVaultRecord)
    },
    put: async (kind, id, entry) => {
      const fresh = stamp()
      const { owner, expires, value } = toEntryFields(kind, entry)
      const next = { $max: [fresh, { $add: [{ $ifNull: ['$version', 0] }, 1] }] }
      const expired = { $and: [{ $ne: ['$expires', null] }, { $lte: ['$expires', new Date()] }] }
      const born = { $cond: [expired, fresh, { $ifNull: ['$born', fresh] }] }
      const written = { owner: { $literal: owner }, expires, value: { $literal: value }, version: next, born }
      await callStore('write', () => rowsOf(kind).updateOne({ _id: id }, [{ $set: written }], { upsert: true }))
    },
    putIf: (kind, id, version, entry) =>
      callStore('write', async () => {
        if (version === 0) return create(kind, id, entry)
        const next = Math.max(stamp(), version + 1)
        const { matchedCount } = await rowsOf(kind).updateOne(
          { _id: id, version, ...alive(Date.now()) },
          { $set: { ...toEntryFields(kind, entry), version: next } },
          BY_ID,
        )
        return matchedCount === 1
      }),
    take: async (kind, id) => {
      const row = await callStore('write', () => rowsOf(kind).findOneAndDelete({ _id: id, ...alive(Date.now()) }, BY_ID))
      return row === null ? undefined : toVaultRecord(row)
    },
    delete: async (kind, id) => {
      await callStore('write', () => rowsOf(kind).deleteOne({ _id: id }))
    },
    deleteAll: async (kind, owner) => {
      await callStore('write', () => rowsOf(kind).deleteMany({ owner }, { hint: 'owner' }))
    },
    sweep: async (now) => {
      for (const kind of Object.keys(KINDS) as VaultKind[])
        await callStore('write', () => rowsOf(kind).deleteMany({ expires: { $lte: new Date(now) } }, { hint: 'expiry' }))
    },
  }
}
