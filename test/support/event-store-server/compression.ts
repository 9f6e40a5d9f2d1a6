import type { Http2Server, IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { constants, gzipSync } from 'node:zlib'
import type { Metadata, Server, ServerInterceptor } from '@grpc/grpc-js'

/**
 * The answers that are compressed: `accepted`, as KurrentDB from 25.1 on does, those of calls that accept gzip; `never`, as earlier
 * servers; `always`, as no server should, so that a test can burden a client that accepts none.
 */
export type Gzip = 'accepted' | 'never' | 'always'

const gzips: readonly Gzip[] = ['accepted', 'never', 'always']

/** Returns the compression in TEST_EVENT_STORE_GZIP, or that of the newest servers. */
export const ordinaryGzip = (): Gzip => {
  const said = process.env.TEST_EVENT_STORE_GZIP ?? 'accepted'
  const known = gzips.find((gzip) => gzip === said)
  if (!known) throw new Error(`TEST_EVENT_STORE_GZIP is "${said}", but must be one of ${gzips.join(', ')}`)
  return known
}

export type Compression = {
  readonly interceptor: ServerInterceptor
  /** Watches a server, which must not be bound yet, to learn which compression each call accepts. */
  readonly observe: (server: Server) => void
  /** Each method that was called, with every `grpc-accept-encoding` that its calls came with. */
  readonly accepted: () => ReadonlyMap<string, ReadonlySet<string>>
  /** Returns the number of compressed messages. */
  readonly compressed: () => number
}

// The library's server cannot compress what it sends, and hides from handlers what a call accepts.
type ServerInside = { _setupHandlers: (http2: Http2Server, interceptors: readonly ServerInterceptor[]) => void }
type CallInside = {
  readonly stream: ServerHttp2Stream
  serializeMessage: (value: unknown) => Buffer
  sendMetadata: (metadata: Metadata) => void
}

/** Throws where a call accepts compressed answers, which cost a newer server, and the service, as much again as the call itself. */
export const refuseCompression = ({ accepted }: Pick<Compression, 'accepted'>): void => {
  for (const [method, said] of accepted())
    if ([...said].some((encodings) => encodings !== 'identity')) throw new Error(`${method} accepts ${[...said].join(' or ')}`)
}

const FRAME = 5 // one byte that says whether the message is compressed, four for its length

const compressedFrame = (frame: Buffer): Buffer => {
  const message = gzipSync(frame.subarray(FRAME), { level: constants.Z_BEST_COMPRESSION })
  const head = Buffer.alloc(FRAME)
  head.writeUInt8(1, 0)
  head.writeUInt32BE(message.length, 1)
  return Buffer.concat([head, message])
}

export const compression = (gzip: Gzip): Compression => {
  const accepts = new WeakMap<ServerHttp2Stream, string>()
  const methods = new Map<string, Set<string>>()
  let compressed = 0

  const note = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    const said = String(headers['grpc-accept-encoding'] ?? 'identity')
    const method = String(headers[':path'])
    accepts.set(stream, said)
    methods.set(method, (methods.get(method) ?? new Set()).add(said))
  }

  const compress = (call: CallInside): void => {
    const serialize = call.serializeMessage.bind(call)
    const sendMetadata = call.sendMetadata.bind(call)
    call.serializeMessage = (value) => {
      compressed++
      return compressedFrame(serialize(value))
    }
    call.sendMetadata = (metadata) => {
      metadata.set('grpc-encoding', 'gzip')
      sendMetadata(metadata)
    }
  }

  return {
    interceptor: (_, call) => {
      const inside = call as unknown as CallInside
      const accepting = accepts.get(inside.stream)?.split(',').includes('gzip') ?? false
      if (gzip === 'always' || (gzip === 'accepted' && accepting)) compress(inside)
      return call as ReturnType<ServerInterceptor>
    },
    observe: (server) => {
      const inside = server as unknown as ServerInside
      const setUp = inside._setupHandlers.bind(server)
      inside._setupHandlers = (http2, interceptors) => {
        http2.on('stream', note)
        setUp(http2, interceptors)
      }
    },
    accepted: () => methods,
    compressed: () => compressed,
  }
}
