import { removeCredentials } from '../commands/credentials.ts'
import type { Vault } from '../ports/vault.ts'
import type { Sessions } from './sessions.ts'
import type { Tokens } from './tokens.ts'

/**
 * Ends every access to an account: its password, its sessions, its grants to apps, and its own apps with their tokens. Its record of
 * visited links is deleted, too.
 */
export const endAccess =
  ({ vault, sessions, tokens }: { readonly vault: Vault; readonly sessions: Sessions; readonly tokens: Tokens }) =>
  async (account: string): Promise<void> => {
    try {
      await removeCredentials(vault, account)
      await sessions.endAll(account)
      await tokens.revokeAll(account)
      await vault.deleteAll('client', account)
      await vault.delete('visits', account)
    } finally {
      sessions.forget() // must happen even if the vault fails: the account itself is then looked up again, and found to be deleted
      tokens.forget()
    }
  }
