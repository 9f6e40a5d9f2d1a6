import type { Vault, VaultKind, VaultRecord } from '../ports/vault.ts'

/** A record of the vault on its way to another one. */
export type ExportedRecord = { readonly kind: VaultKind; readonly id: string; readonly owner: string | null; readonly value: unknown }

const RECORDS_PER_READ = 500

const exportedOf =
  (kind: VaultKind) =>
  ({ id, owner, value }: VaultRecord): ExportedRecord => ({ kind, id, owner: owner ?? null, value })

const byId = (a: VaultRecord, b: VaultRecord) => (a.id < b.id ? -1 : 1)

/**
 * Returns the records of the vault that are exported with a log: none, the keys that its texts are sealed under, or everything that an
 * account needs elsewhere.
 */
export const vaultRecords = async (
  vault: Pick<Vault, 'getMany' | 'list'>,
  accounts: ReadonlySet<string>,
  contents: 'nothing' | 'keys' | 'vault',
): Promise<readonly ExportedRecord[]> => {
  if (contents === 'nothing') return []
  const ids = [...accounts].sort()
  const records: ExportedRecord[] = []
  for (const kind of contents === 'keys' ? (['key'] as const) : (['key', 'credentials'] as const))
    for (let n = 0; n < ids.length; n += RECORDS_PER_READ)
      records.push(...[...(await vault.getMany(kind, ids.slice(n, n + RECORDS_PER_READ))).values()].sort(byId).map(exportedOf(kind)))
  if (contents === 'vault')
    for (const kind of ['client', 'refresh'] as const)
      for (const account of ids) records.push(...[...(await vault.list(kind, account))].sort(byId).map(exportedOf(kind)))
  return records
}

export const vaultLine = (record: ExportedRecord): string => `${JSON.stringify({ vault: record })}\n`
