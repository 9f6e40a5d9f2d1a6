import { labelOf } from '../log/key-tree.ts'
import { listErasedThings, MAX_ERASED_THINGS } from '../log/keys.ts'
import type { Vault } from '../ports/vault.ts'

/** Tells whether a thing of an account can be erased, or is already. Requests sent at once may exceed the limit by some. */
export const mayEraseThing = async (vault: Pick<Vault, 'get'>, account: string, thing: string): Promise<boolean> => {
  const erased = await listErasedThings(vault, account)
  return erased.size < MAX_ERASED_THINGS || erased.has(labelOf(thing))
}
