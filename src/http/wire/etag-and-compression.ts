import { hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'
import type { Coding, IncomingRequest, OutgoingResponse } from '../contract/incoming.ts'
import type { Viewer } from '../contract/request.ts'

/** The size below which compression costs more than it saves. */
const MIN_COMPRESSED_BYTES = 1024
/** The size above which a response has no ETag: hashing it would block other requests too long. */
const MAX_ETAG_CHARACTERS = 4_000_000
/** Compression uses libuv's pool, which must stay free for other work. Without a free place a response is sent uncompressed. */
const MAX_COMPRESSIONS_AT_ONCE = 1

const codings: readonly Coding[] = ['br', 'gzip']
const compressors: Readonly<Record<Coding, (body: Buffer) => Promise<Buffer>>> = {
  br: (body) => promisify(brotliCompress)(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: (body) => promisify(gzip)(body),
}

const isText = (type: unknown) => typeof type === 'string' && /^(text\/|application\/(\w+\+)?(json|xml|javascript)|image\/svg)/.test(type)

/**
 * Returns a weak tag, since the same tag stands for the body in every coding. It belongs to one state of the audiences: no former tag
 * answers for a later one.
 */
const tagOf = (digest: string, audienceState: string | undefined): string =>
  `W/"${digest}${audienceState === undefined ? '' : `.${audienceState}`}"`

/** Tells whether an `If-None-Match` names a tag, by weak comparison (RFC 9110 §13.1.2). A tag may contain commas. */
const namesTag = (ifNoneMatch: string, tag: string): boolean => {
  const opaque = (one: string) => one.replace(/^W\//, '')
  return ifNoneMatch.trim() === '*' || (ifNoneMatch.match(/(?:W\/)?"[^"]*"/g) ?? []).some((one) => opaque(one) === opaque(tag))
}

/** Removes the body and the header fields that describe it. */
const withoutBody = ({ status, headers, ...rest }: OutgoingResponse): OutgoingResponse => {
  const { 'Content-Type': _type, ...others } = headers
  return { ...rest, status, headers: others, body: undefined }
}

/**
 * Makes the last step of a response to a read: a tag for its body, 304 for a caller that has this body already, and compression if the
 * caller accepts it. Responses to a cookie session carry its modhash and are never compressed (BREACH).
 */
export const openRepresentation = (audienceState: () => string | undefined) => {
  let compressing = 0

  const compress = async (coding: Coding, body: string | Buffer): Promise<Buffer | undefined> => {
    if (compressing >= MAX_COMPRESSIONS_AT_ONCE) return undefined
    compressing++
    try {
      return await compressors[coding](typeof body === 'string' ? Buffer.from(body) : body)
    } finally {
      compressing--
    }
  }

  const chooseCoding = (incoming: IncomingRequest, { headers, body }: OutgoingResponse, via: Viewer['via']): Coding | undefined => {
    if (via === 'session' || incoming.headers['accept-encoding'] === undefined) return undefined
    if (body === undefined || body.length < MIN_COMPRESSED_BYTES || !isText(headers['Content-Type'])) return undefined
    const chosen = new Negotiator(incoming).encoding([...codings, 'identity'])
    return codings.find((coding) => coding === chosen)
  }

  const encode = async (outgoing: OutgoingResponse, coding: Coding): Promise<OutgoingResponse> => {
    const { body = '', derived } = outgoing
    const cached = derived?.coded[coding]
    const work = cached ?? compress(coding, body)
    if (derived && !cached) derived.coded[coding] = work
    const compressed = await work
    if (compressed === undefined) {
      if (derived) delete derived.coded[coding]
      return outgoing
    }
    return { ...outgoing, headers: { ...outgoing.headers, 'Content-Encoding': coding }, body: compressed }
  }

  return (incoming: IncomingRequest, outgoing: OutgoingResponse, via: Viewer['via']): OutgoingResponse | Promise<OutgoingResponse> => {
    const { status, body, derived } = outgoing
    if (status !== 200 || body === undefined || outgoing.headers['Cache-Control'] === 'no-store') return outgoing
    const digest = derived?.digest ?? (body.length > MAX_ETAG_CHARACTERS ? undefined : (outgoing.digest ?? hash('sha1', body, 'base64url')))
    if (derived && digest !== undefined) derived.digest = digest
    const etag = digest === undefined ? undefined : tagOf(digest, audienceState())
    const tagged = etag === undefined ? outgoing : { ...outgoing, headers: { ...outgoing.headers, ETag: etag } }
    // this decides alone: `If-Modified-Since` is ignored beside it, and `Cache-Control` of a request is meant for caches
    const ifNoneMatch = incoming.headers['if-none-match']
    if (etag !== undefined && ifNoneMatch !== undefined && namesTag(String(ifNoneMatch), etag))
      return withoutBody({ ...tagged, status: 304 })
    const coding = chooseCoding(incoming, tagged, via)
    return coding ? encode(tagged, coding) : tagged
  }
}
