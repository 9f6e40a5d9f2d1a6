/**
 * The size of the slabs that short buffers are cut from. Node takes 64 KiB. A short buffer that is kept for long keeps its whole slab, so
 * slabs are small, and long-lived data owns its bytes.
 */
const SLAB_BYTES = 8 * 1024

/** Makes the slabs of this thread small. Each thread has its own. */
export const useSmallSlabs = (): void => {
  Buffer.poolSize = SLAB_BYTES
}

/** Copies bytes, or the bytes of a text, outside of any slab, for data that is kept for long. */
export const ownBytes = (from: Uint8Array | string, encoding: BufferEncoding = 'utf8'): Buffer => {
  const length = typeof from === 'string' ? Buffer.byteLength(from, encoding) : from.length
  const bytes = Buffer.allocUnsafeSlow(length)
  const written = typeof from === 'string' ? bytes.write(from, encoding) : Buffer.from(from.buffer, from.byteOffset, length).copy(bytes)
  return written === length ? bytes : ownBytes(bytes.subarray(0, written))
}
