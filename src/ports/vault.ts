/**
 * Data that must not be in the log and cannot be rebuilt from it: credentials, account keys, sessions, OAuth clients and
 * tokens, idempotency records, leases, posting limits, visited links. No rebuild changes it.
 */
export type VaultKind =
  | 'credentials' // account → password hash, e-mail
  | 'key' // account → key its text is sealed under
  | 'session' // hash of the cookie → account
  | 'client' // OAuth client id → client
  | 'code' // hash of an authorization code → grant
  | 'access' // hash of an access token → grant
  | 'refresh' // hash of a refresh token → grant
  | 'idempotency' // account, route and key → what was begun and answered
  | 'lease' // name → holder
  | 'captcha' // hash of the iden → what the solution is derived from
  | 'limit' // name → count in a window
  | 'visits' // account → the links it visited
  | 'reaction' // id of an event → why its reaction is not done yet

export type VaultRecord = {
  readonly id: string
  /** Whose it is, for `list` and `deleteAll`; usually an account id. */
  readonly owner: string | undefined
  /** Milliseconds since 1970; after it a record is treated as absent. */
  readonly expires: number | undefined
  /** Grows with each write; for compare-and-set. */
  readonly version: number
  readonly value: unknown
}

export type VaultEntry = { readonly value: unknown; readonly owner?: string | undefined; readonly expires?: number | undefined }

/** The contract suite in test/contracts/vault.ts is its definition. A write that was acknowledged survives anything. */
export interface Vault {
  get(kind: VaultKind, id: string): Promise<VaultRecord | undefined>
  getMany(kind: VaultKind, ids: readonly string[]): Promise<ReadonlyMap<string, VaultRecord>>
  /** All live records of an owner, oldest first. */
  list(kind: VaultKind, owner: string): Promise<readonly VaultRecord[]>
  /** Write regardless of the current version. */
  put(kind: VaultKind, id: string, entry: VaultEntry): Promise<void>
  /** Write only over the version given (0: only if no live record is there); false when it was another. */
  putIf(kind: VaultKind, id: string, version: number, entry: VaultEntry): Promise<boolean>
  /** Read and remove in one step: of several callers at once, only one gets the record. */
  take(kind: VaultKind, id: string): Promise<VaultRecord | undefined>
  delete(kind: VaultKind, id: string): Promise<void>
  deleteAll(kind: VaultKind, owner: string): Promise<void>
  /** Remove what has expired. */
  sweep(now: number): Promise<void>
}
