import type { AccountId } from '../domain/ids.ts'
import { Visits } from '../domain/visits.ts'
import type { Vault } from '../ports/vault.ts'

/** Returns the links that an account visited, and the version of their record for `putIf`. */
export const visitsOf = async (
  vault: Pick<Vault, 'get'>,
  account: AccountId,
): Promise<{ readonly visits: Visits; readonly version: number }> => {
  const record = await vault.get('visits', account)
  return { visits: Visits.is(record?.value) ? record.value : [], version: record?.version ?? 0 }
}
