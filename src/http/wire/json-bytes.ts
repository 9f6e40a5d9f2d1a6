// Decision 42.

import { createHash, hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { boundedBy } from '../../ports/cache-bounds.ts'
import type { Encoding } from '../contract/incoming.ts'
import { emitTexts, PIECE_CHARACTERS, type Piece } from './json-writing.ts'
import { inSlices } from './time-slices.ts'

/** A body as bytes, and a digest of its chunks. Two bodies of one address and viewer have the same digest exactly if they are equal. */
export type DigestedBody = { readonly body: Buffer; readonly digest: string }

/** A body in order: texts, and pieces that are kept as bytes already. */
type Chunks = (string | Piece)[]

/**
 * The part of a body that is written in one go. A longer one is written in parts: writing, joining and hashing a long text delays others.
 */
const AT_ONCE = { ms: 5, characters: 262_144, keptBytes: 4 * 1024 * 1024 }
/** The parts written between two checks of the clock. */
const PARTS_BETWEEN_LOOKS = 16

/** JSONP wraps a body in a call. */
export type Call = string | undefined

const begin = (call: Call): Chunks => (call === undefined ? [] : [`/**/${call}(`])
const end = (chunks: Chunks, call: Call): Chunks => (call === undefined ? chunks : add(chunks, ')'))

/** Adds a chunk. Texts beside each other become one, up to some length, so that few are turned into bytes. */
const add = (chunks: Chunks, chunk: string | Piece): Chunks => {
  const last = chunks.at(-1)
  if (typeof chunk === 'string' && typeof last === 'string' && last.length < PIECE_CHARACTERS) chunks[chunks.length - 1] = last + chunk
  else chunks.push(chunk)
  return chunks
}

/** Writes a value; undefined if that would take too long. Fragments that were made until then stay cached. */
const chunksAtOnce = (value: unknown, encoding: Encoding, call: Call): Chunks | undefined => {
  const until = performance.now() + AT_ONCE.ms
  const chunks = begin(call)
  let text = ''
  let [parts, characters, keptBytes] = [0, 0, 0]
  const isDone = emitTexts(value, encoding, (part) => {
    parts += 1
    if (parts % PARTS_BETWEEN_LOOKS === 0 && performance.now() > until) return false
    if (typeof part === 'string') {
      text += part
      characters += part.length
      return characters <= AT_ONCE.characters
    }
    const piece = part.piece(encoding)
    if (text !== '') chunks.push(text)
    text = ''
    chunks.push(piece)
    keptBytes += piece.bytes.length
    return keptBytes <= AT_ONCE.keptBytes
  })
  if (text !== '') chunks.push(text)
  return isDone ? end(chunks, call) : undefined
}

/** A byte that no text in UTF-8 has. In what is hashed, it and the digest of a piece stand for the bytes of the piece. */
const DIGEST_MARK = Buffer.of(0xff)
const DIGEST_BYTES = 21

const bytesIn = (chunk: string | Piece): number => (typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.bytes.length)

/** Joins the chunks of a body. */
const joinChunks = (chunks: Chunks): DigestedBody => {
  let [length, hashed] = [0, 0]
  for (const chunk of chunks) {
    const bytes = bytesIn(chunk)
    length += bytes
    hashed += typeof chunk === 'string' ? bytes : DIGEST_BYTES
  }
  const body = Buffer.allocUnsafeSlow(length)
  const toHash = Buffer.allocUnsafe(hashed)
  let [at, hashedAt] = [0, 0]
  for (const chunk of chunks) {
    if (typeof chunk === 'string') {
      const written = body.write(chunk, at)
      toHash.set(body.subarray(at, at + written), hashedAt)
      at += written
      hashedAt += written
      continue
    }
    body.set(chunk.bytes, at)
    at += chunk.bytes.length
    toHash.set(DIGEST_MARK, hashedAt)
    toHash.set(chunk.digest, hashedAt + 1)
    hashedAt += DIGEST_BYTES
  }
  return { body, digest: hash('sha1', toHash, 'base64url') }
}

/** The chunks of a body when it was last written, and from the second time on the body. */
type WrittenBody = { readonly chunks: Chunks; readonly bytes: number; readonly body: DigestedBody | undefined }

/** The bytes of a chunk beside its text. */
const CHUNK_BYTES = 100

/** The last written body for each beginning. The pieces among its chunks count, although other bodies may share them. */
const lastWritten = new LRUCache<string, WrittenBody>(
  boundedBy('writtenBodies', ({ chunks, bytes, body }) => CHUNK_BYTES * chunks.length + (body ? 2 : 1) * bytes),
)

/** Returns the body of a value, if it can be written at once. */
export const writeUncached = (value: unknown, encoding: Encoding, call: Call): DigestedBody | undefined => {
  const chunks = chunksAtOnce(value, encoding, call)
  return chunks && joinChunks(chunks)
}

/**
 * Returns the body of a value that is read again and again, if it can be written at once. It is the same object as before if its chunks are
 * the same.
 */
export const writeCached = (value: unknown, encoding: Encoding, call: Call): DigestedBody | undefined => {
  const chunks = chunksAtOnce(value, encoding, call)
  const [start, first] = chunks ?? []
  if (!chunks || typeof start !== 'string' || typeof first !== 'object') return chunks && joinChunks(chunks)
  const key = `${start} ${first.digest.toString('latin1')}`
  const known = lastWritten.get(key)
  const isSame = known?.chunks.length === chunks.length && known.chunks.every((chunk, n) => chunk === chunks[n])
  if (isSame && known.body) return known.body
  const body = joinChunks(chunks)
  lastWritten.set(key, { chunks, bytes: body.body.length, body: isSame ? body : undefined })
  return body
}

/** Writes a body a few parts at a time and lets other requests in between. The slow parts of the value have been made before. */
export const writeInSlices = async (value: unknown, encoding: Encoding, call: Call): Promise<DigestedBody> => {
  const chunks = begin(call)
  emitTexts(value, encoding, (part) => add(chunks, typeof part === 'string' ? part : part.piece(encoding)).length > 0)
  end(chunks, call)
  let length = 0
  await inSlices(chunks, (chunk) => {
    length += bytesIn(chunk)
  })
  const body = Buffer.allocUnsafeSlow(length)
  const digest = createHash('sha1')
  let at = 0
  await inSlices(chunks, (chunk) => {
    const from = at
    at += typeof chunk === 'string' ? body.write(chunk, at) : chunk.bytes.copy(body, at)
    if (typeof chunk === 'string') digest.update(body.subarray(from, at))
    else digest.update(DIGEST_MARK).update(chunk.digest)
  })
  return { body, digest: digest.digest('base64url') }
}
