import { CompressionFilter } from '@grpc/grpc-js/build/src/compression-filter.js'

/**
 * Makes every call announce that it accepts uncompressed answers only. The gRPC library always announces gzip, without an option to change
 * that, and KurrentDB from 25.1 on then compresses each message at its slowest level. Reading one takes a zlib stream and a turn of a
 * thread of libuv's pool. That is twice the processor time of a vote, and a wait behind everything else in the pool.
 */
export const acceptUncompressedOnly = (): void => {
  const { prototype } = CompressionFilter
  const { sendMetadata } = prototype
  prototype.sendMetadata = async function (this: CompressionFilter, metadata) {
    const headers = await sendMetadata.call(this, metadata)
    headers.set('grpc-accept-encoding', 'identity')
    return headers
  }
}
