import { erasedThings, MAX_ERASED_THINGS } from '../log/keys.ts'
import type { Vault } from '../ports/vault.ts'

/** Whether one more thing of an account can be erased; requests sent at once may exceed the limit by some. */
export const mayEraseThing = async (vault: Pick<Vault, 'get'>, account: string): Promise<boolean> =>
  (await erasedThings(vault, account)) < MAX_ERASED_THINGS
