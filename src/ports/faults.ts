/**
 * The kinds of faults of a store, distinguished by what the caller may do about them.
 *
 * - `unavailable`: nothing was written; try again later (503).
 * - `unknown-outcome`: an append may or may not have been written; only the same ids at the same revision may be tried again (503).
 * - `full`: the disk or quota is exhausted; nothing was written, reads go on (503).
 * - `damaged`: the stored data is not what this service stored; refuse to go on (500).
 * - `corrupt`: the store's engine cannot read its own file; refuse to go on (500).
 * - `too-large`: an event or append is over the size limit; nothing was sent (413).
 * - `changed-retry`: an event id is known at that place with another payload; nothing was written (409).
 * - `in-use`: another process owns the store; refuse to start.
 */
export type FaultKind = 'unavailable' | 'unknown-outcome' | 'full' | 'damaged' | 'corrupt' | 'too-large' | 'changed-retry' | 'in-use'

/** A fault of a store. Refusals of the domain are values, never this. */
export class StoreFault extends Error {
  readonly kind: FaultKind

  constructor(kind: FaultKind, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'StoreFault'
    this.kind = kind
  }
}

/** Tells whether the stored data can no longer be read, now or later. */
export const isDamage = (error: unknown): error is StoreFault =>
  error instanceof StoreFault && (error.kind === 'damaged' || error.kind === 'corrupt')

/** Returns the message of whatever was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Tells whether a file or directory does not exist. */
export const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Tells whether a file was not written because there is one of its name. */
export const isNameTaken = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EEXIST'

/** The reason why a server could not be used at start, in one line, and whether waiting may help. */
export type StartFailure = { readonly line: string; readonly waits: boolean }

/** Match the messages of connections whose certificate is not trusted, or whose server does not speak TLS. */
export const UNTRUSTED = /self[- ]signed|unable to (verify|get)|certificate has expired|altname|not valid yet|unknown ca/i
export const NO_TLS = /wrong version number|packet length too long|SSL routines|EPROTO|before secure TLS connection/i
