import { createHash } from 'node:crypto'
import { SECRET_BYTES } from '../../src/log/key-tree.ts'
import { type AccountKey, directKey, ID_BYTES, type Keyring, treeFrom } from '../../src/log/keys.ts'

const deriveKey = (what: string) => createHash('sha256').update(what).digest()

/** Returns the secret of the one key that an account had in earlier versions. */
export const formerSecret = (account: string): Buffer => deriveKey(`golden ${account}`)

/** A key that is derived from the account: for tests that need the same bytes on every machine. */
export const fixedKey = (account: string): AccountKey => ({
  direct: directKey(formerSecret(account)),
  tree: treeFrom(deriveKey(`id ${account}`).subarray(0, ID_BYTES), deriveKey(`tree ${account}`).subarray(0, SECRET_BYTES)),
})

const keysOf = async (accounts: Iterable<string>) => new Map([...accounts].map((account) => [account, fixedKey(account)]))

export const fixedKeys: Keyring = {
  fetch: keysOf,
  ensure: keysOf,
  eraseAccount: async () => {},
  eraseThing: async () => {},
  forget: () => {},
}
