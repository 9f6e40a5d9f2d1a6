import { Contact } from '../domain/friends-and-blocks.ts'
import type { AccountId } from '../domain/ids.ts'
import type { Load } from '../runtime/load.ts'

/** Tells whether an account blocks another. It never blocks itself. */
export const isBlocking = async ({ load }: { readonly load: Load }, account: AccountId, other: AccountId): Promise<boolean> =>
  account !== other && ((await load(Contact, `${account}.${other}`))?.blocked ?? false)
