import type { Addition, VaultEntry, VaultKind, VaultRecord } from '../../ports/vault.ts'
import type { DataFile } from './connection.ts'

/** The vault over one connection. Methods that change it must run inside a write transaction. */
export type LocalVault = {
  readonly get: (kind: VaultKind, id: string) => VaultRecord | undefined
  readonly getMany: (kind: VaultKind, ids: readonly string[]) => ReadonlyMap<string, VaultRecord>
  readonly list: (kind: VaultKind, owner: string) => readonly VaultRecord[]
  readonly put: (kind: VaultKind, id: string, entry: VaultEntry) => void
  readonly putIf: (kind: VaultKind, id: string, version: number, entry: VaultEntry) => boolean
  readonly add: (additions: readonly Addition[]) => ReadonlyMap<string, number>
  readonly take: (kind: VaultKind, id: string) => VaultRecord | undefined
  readonly delete: (kind: VaultKind, id: string) => void
  readonly deleteAll: (kind: VaultKind, owner: string) => void
  readonly sweep: (now: number) => void
}

const COLUMNS = 'id, owner, expires, version, value'
const LIVE = '(expires IS NULL OR expires > ?)'

const toVaultRecord = (row: unknown): VaultRecord => {
  const [id, owner, expires, version, value] = row as [string, string | null, number | null, number, string]
  return { id, owner: owner ?? undefined, expires: expires ?? undefined, version, value: JSON.parse(value) }
}

export const openVault = ({ rows, change, read }: DataFile): LocalVault => {
  const one = rows(`SELECT ${COLUMNS} FROM vault WHERE kind = ? AND id = ? AND ${LIVE}`)
  const owned = rows(`SELECT ${COLUMNS} FROM vault WHERE kind = ? AND owner = ? AND ${LIVE} ORDER BY born`)
  const write = (kind: VaultKind, id: string, { value, owner, expires }: VaultEntry, version: number, born: number) =>
    change(
      'INSERT OR REPLACE INTO vault(kind, id, owner, expires, version, born, value) VALUES(?, ?, ?, ?, ?, ?, ?)',
      kind,
      id,
      owner ?? null,
      expires ?? null,
      version,
      born,
      JSON.stringify(value),
    )
  const remove = (kind: VaultKind, id: string) => change('DELETE FROM vault WHERE kind = ? AND id = ?', kind, id)

  // The last version. None is used twice, not even by a record that was deleted and made again, so that a stale compare-and-set fails.
  let latest = 0
  const nextVersion = (current: VaultRecord | undefined): number => {
    latest = Math.max(latest + 1, Date.now() * 1000, (current?.version ?? 0) + 1)
    return latest
  }

  const get = (kind: VaultKind, id: string): VaultRecord | undefined => {
    const row = read(() => one.get(kind, id, Date.now()))
    return row === undefined ? undefined : toVaultRecord(row)
  }

  const replace = (kind: VaultKind, id: string, entry: VaultEntry, current: VaultRecord | undefined): void => {
    const version = nextVersion(current)
    const [born] = (current && (rows('SELECT born FROM vault WHERE kind = ? AND id = ?').get(kind, id) as unknown as [number])) ?? [version]
    write(kind, id, entry, version, born)
  }

  return {
    get,
    getMany: (kind, ids) =>
      read(
        () =>
          new Map(
            ids.flatMap((id) => {
              const record = get(kind, id)
              return record ? [[id, record] as const] : []
            }),
          ),
      ),
    list: (kind, owner) => read(() => owned.all(kind, owner, Date.now()).map(toVaultRecord)),
    put: (kind, id, entry) => replace(kind, id, entry, get(kind, id)),
    putIf: (kind, id, version, entry) => {
      const current = get(kind, id)
      if ((current?.version ?? 0) !== version) return false
      replace(kind, id, entry, current)
      return true
    },
    add: (additions) =>
      new Map(
        additions.map(({ id, count, expires }) => {
          const current = get('count', id)
          const sum = Number(current?.value ?? 0) + count
          replace('count', id, { value: sum, expires: current?.expires ?? expires }, current)
          return [id, sum] as const
        }),
      ),
    take: (kind, id) => {
      const current = get(kind, id)
      if (current) remove(kind, id)
      return current
    },
    delete: (kind, id) => {
      remove(kind, id)
    },
    deleteAll: (kind, owner) => {
      change('DELETE FROM vault WHERE kind = ? AND owner = ?', kind, owner)
    },
    sweep: (now) => {
      change('DELETE FROM vault WHERE expires <= ?', now)
    },
  }
}
