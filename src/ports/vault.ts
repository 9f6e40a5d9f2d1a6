/**
 * Data that must not be in the log and cannot be rebuilt from it: credentials, account keys, sessions, OAuth clients and
 * tokens, idempotency records, leases, posting limits, visited links. No rebuild changes it.
 */
export type VaultKind =
  | 'credentials' // account → password hash, e-mail
  | 'key' // account → key that its texts are sealed under
  | 'session' // hash of the cookie → account
  | 'client' // OAuth client id → client
  | 'code' // hash of an authorization code → grant
  | 'access' // hash of an access token → grant
  | 'refresh' // hash of a refresh token → grant
  | 'idempotency' // account, route and key → the request and its answer
  | 'lease' // name → holder
  | 'captcha' // hash of the iden → the source of the solution
  | 'limit' // name → requests that wait, or hold a place, until a time
  | 'count' // name → how often something happened in a window
  | 'visits' // account → the links it visited
  | 'reaction' // id of an event → reason why its reaction is not done yet

export type VaultRecord = {
  readonly id: string
  /** The owner for `list` and `deleteAll`; usually an account id. */
  readonly owner: string | undefined
  /** Milliseconds since 1970. Later the record is treated as absent. */
  readonly expires: number | undefined
  /** Grows with each write; for compare-and-set. */
  readonly version: number
  readonly value: unknown
}

export type VaultEntry = { readonly value: unknown; readonly owner?: string | undefined; readonly expires?: number | undefined }

/** A number to add to a count, and the end of the count if this is its first addition. */
export type Addition = { readonly id: string; readonly count: number; readonly expires: number }

/**
 * The store of such data. The contract suite in test/contracts/vault.ts is its definition. A write that was acknowledged survives anything.
 */
export interface Vault {
  get(kind: VaultKind, id: string): Promise<VaultRecord | undefined>
  getMany(kind: VaultKind, ids: readonly string[]): Promise<ReadonlyMap<string, VaultRecord>>
  /** Returns all live records of an owner, oldest first. */
  list(kind: VaultKind, owner: string): Promise<readonly VaultRecord[]>
  /** Writes regardless of the current version. */
  put(kind: VaultKind, id: string, entry: VaultEntry): Promise<void>
  /** Writes only over the given version (0: only if no live record is there). Returns false if it was another. */
  putIf(kind: VaultKind, id: string, version: number, entry: VaultEntry): Promise<boolean>
  /** Adds to many counts in few commands, each in one step, and returns the sums. An expired count begins anew. */
  add(additions: readonly Addition[]): Promise<ReadonlyMap<string, number>>
  /** Reads and removes in one step. Of several callers at once, only one gets the record. */
  take(kind: VaultKind, id: string): Promise<VaultRecord | undefined>
  delete(kind: VaultKind, id: string): Promise<void>
  deleteAll(kind: VaultKind, owner: string): Promise<void>
  /** Removes expired records. */
  sweep(now: number): Promise<void>
}
