import { writeLog } from '../bench/write-log.ts'
import { openSqlite } from '../src/adapters/sqlite/stores.ts'
import { hashPassword, setCredentials } from '../src/commands/credentials.ts'
import type { AccountId } from '../src/domain/ids.ts'
import { plan } from './community.ts'
import { pastOf } from './past.ts'

type Registered = { readonly account: AccountId; readonly name: string }

type Written = { readonly events: number; readonly host: string; readonly password: string }

/** Writes the log of a community into a new data file, with a password for the founder of its first subsite: the others have none. */
export const writePast = async (file: string, size: { readonly links: number; readonly seed: number }): Promise<Written> => {
  const past = pastOf(size)
  const events = await writeLog(file, past)
  const { people, subsites } = plan(size)
  const host = people[subsites[0]?.founder ?? 0] ?? ''
  const password = `demo-${size.seed}-${host}`
  const registrations = past.filter(({ type }) => type === 'AccountRegistered').map(({ data }) => data as Registered)
  const account = registrations.find(({ name }) => name === host)?.account
  if (account === undefined) throw new Error('nobody founded a subsite')
  const stores = await openSqlite({ file })
  await setCredentials(stores.vault, account, await hashPassword(password), undefined)
  await stores.close()
  return { events, host, password }
}
