import { Contact } from '../domain/contact.ts'
import type { AccountId } from '../domain/ids.ts'
import type { Load } from '../runtime/run.ts'

/** Whether an account does not want to read another one; never itself. */
export const isBlocking = async ({ load }: { readonly load: Load }, account: AccountId, other: AccountId): Promise<boolean> =>
  account !== other && ((await load(Contact, `${account}.${other}`))?.blocked ?? false)
