import { createHash } from 'node:crypto'

/** SHA-256 of the bytes, in lower-case hexadecimal. */
export type BlobHash = string

export const blobHash = (bytes: Uint8Array): BlobHash => createHash('sha256').update(bytes).digest('hex')

export const isBlobHash = (text: string): text is BlobHash => /^[0-9a-f]{64}$/.test(text)

/** The size of the largest blob. */
export const MAX_BLOB_BYTES = 2 * 1024 * 1024

/**
 * Images and published stylesheets by the hash of their content, each written before the event that names it. No rebuild touches them. The
 * contract suite in test/contracts/blobs.ts is its definition.
 */
export interface Blobs {
  /**
   * Writes bytes, or records that they were put again, and returns their hash. They are durable once acknowledged. Too many bytes are a
   * fault.
   */
  put(bytes: Uint8Array): Promise<BlobHash>
  /**
   * Returns the bytes under a hash; undefined if nothing was put under it, or it is not a hash. It is a fault if the stored bytes do not
   * match it.
   */
  get(hash: string): Promise<Buffer | undefined>
  /** Deletes a blob, whoever uses it; nothing if there is none. The same bytes may be put again. */
  delete(hash: BlobHash): Promise<void>
  /**
   * Deletes blobs that were last put before a time (milliseconds since 1970), except those that `isKept`, and returns how many. A blob that
   * any process puts meanwhile is there afterwards. Remains of writes interrupted before that time are deleted, too.
   */
  collect(isKept: (hash: BlobHash) => boolean, before: number): Promise<number>
}
