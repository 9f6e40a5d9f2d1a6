import { Username } from '../domain/account.ts'
import { claimOf, mayBeUsername } from '../domain/names.ts'
import type { Load } from '../runtime/load.ts'

/** Returns the claim of a username, in any case, also that of a deleted account; undefined if nobody has the name. */
export const claimNamed = async ({ load }: { readonly load: Load }, name: string): Promise<Username | undefined> =>
  mayBeUsername(name) ? load(Username, claimOf(name)) : undefined
