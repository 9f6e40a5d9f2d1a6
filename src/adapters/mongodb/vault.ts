import type { Collection, Db } from 'mongodb'
import type { Vault, VaultEntry, VaultKind, VaultRecord } from '../../ports/vault.ts'
import { READ_TIMEOUT_MS } from './connection.ts'
import { calling, isDuplicate } from './errors.ts'
import { buildingOn, type DeclaredIndex, ensureIndexes } from './indexes.ts'

/** `born` gives the order of an owner's records; the value is JSON text, so that reading returns exactly what was written. */
type Row = {
  readonly _id: string
  readonly owner: string | null
  readonly expires: Date | null
  readonly version: number
  readonly born: number
  readonly value: string
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
  visits: true,
  reaction: true,
}

/** The server deletes expired records by its own clock, an hour late, so that none is deleted that is still valid by a caller's clock. */
const TIDY_AFTER_SECONDS = 3_600

const INDEXES: readonly DeclaredIndex[] = [
  { name: 'owner', key: { owner: 1, born: 1 } },
  { name: 'expiry', key: { expires: 1 }, expireAfterSeconds: TIDY_AFTER_SECONDS },
]

/** Names the index, since the server would otherwise also try the one on the expiry, by which nothing is searched. */
const BY_ID = { hint: { _id: 1 } } as const

const record = ({ _id, owner, expires, version, value }: Row): VaultRecord => ({
  id: _id,
  owner: owner ?? undefined,
  expires: expires?.getTime(),
  version,
  value: JSON.parse(value),
})

const entered = ({ value, owner, expires }: VaultEntry) => ({
  owner: owner ?? null,
  expires: expires === undefined ? null : new Date(expires),
  value: JSON.stringify(value),
})

const alive = (now: number) => ({ expires: { $not: { $lte: new Date(now) } } })

export const prepareVault = async (db: Db): Promise<void> =>
  calling('write', async () => {
    const building = await buildingOn(db)
    for (const kind of Object.keys(KINDS)) await ensureIndexes(db.collection(`vault_${kind}`), INDEXES, building)
  })

/** The vault in MongoDB, a collection for each kind. */
export const mongoVault = (db: Db): Vault => {
  const rowsOf = (kind: VaultKind): Collection<Row> => db.collection<Row>(`vault_${kind}`)

  // Versions are never used twice, not even by a record that was deleted and made again, so that a stale compare-and-set fails.
  let latest = 0
  const stamp = (): number => {
    latest = Math.max(latest + 1, Date.now() * 1_000)
    return latest
  }

  const found = (kind: VaultKind, ids: readonly string[]): Promise<readonly Row[]> =>
    calling('read', () =>
      rowsOf(kind)
        .find({ _id: { $in: [...ids] }, ...alive(Date.now()) }, { ...BY_ID, batchSize: ids.length + 1, maxTimeMS: READ_TIMEOUT_MS })
        .toArray(),
    )

  const create = async (kind: VaultKind, id: string, entry: VaultEntry): Promise<boolean> => {
    const version = stamp()
    const expired = { _id: id, expires: { $lte: new Date() } }
    try {
      await rowsOf(kind).replaceOne(expired, { ...entered(entry), version, born: version }, { ...BY_ID, upsert: true })
      return true
    } catch (error) {
      if (isDuplicate(error)) return false
      throw error
    }
  }

  return {
    get: async (kind, id) => {
      const [row] = await found(kind, [id])
      return row && record(row)
    },
    getMany: async (kind, ids) => new Map((await found(kind, ids)).map((row) => [row._id, record(row)])),
    list: async (kind, owner) => {
      const options = { sort: { born: 1 }, hint: 'owner', maxTimeMS: READ_TIMEOUT_MS } as const
      const rows = await calling('read', () =>
        rowsOf(kind)
          .find({ owner, ...alive(Date.now()) }, options)
          .toArray(),
      )
      return rows.map(record)
    },
    put: async (kind, id, entry) => {
      const fresh = stamp()
      const { owner, expires, value } = entered(entry)
      const next = { $max: [fresh, { $add: [{ $ifNull: ['$version', 0] }, 1] }] }
      const expired = { $and: [{ $ne: ['$expires', null] }, { $lte: ['$expires', new Date()] }] }
      const born = { $cond: [expired, fresh, { $ifNull: ['$born', fresh] }] }
      const written = { owner: { $literal: owner }, expires, value: { $literal: value }, version: next, born }
      await calling('write', () => rowsOf(kind).updateOne({ _id: id }, [{ $set: written }], { upsert: true }))
    },
    putIf: (kind, id, version, entry) =>
      calling('write', async () => {
        if (version === 0) return create(kind, id, entry)
        const next = Math.max(stamp(), version + 1)
        const { matchedCount } = await rowsOf(kind).updateOne(
          { _id: id, version, ...alive(Date.now()) },
          { $set: { ...entered(entry), version: next } },
          BY_ID,
        )
        return matchedCount === 1
      }),
    take: async (kind, id) => {
      const row = await calling('write', () => rowsOf(kind).findOneAndDelete({ _id: id, ...alive(Date.now()) }, BY_ID))
      return row === null ? undefined : record(row)
    },
    delete: async (kind, id) => {
      await calling('write', () => rowsOf(kind).deleteOne({ _id: id }))
    },
    deleteAll: async (kind, owner) => {
      await calling('write', () => rowsOf(kind).deleteMany({ owner }, { hint: 'owner' }))
    },
    sweep: async (now) => {
      for (const kind of Object.keys(KINDS) as VaultKind[])
        await calling('write', () => rowsOf(kind).deleteMany({ expires: { $lte: new Date(now) } }, { hint: 'expiry' }))
    },
  }
}
