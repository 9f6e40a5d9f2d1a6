import { listingParameters } from '../contract/listing-params.ts'

export type Json = Readonly<Record<string, unknown>>

const parameters: Json = {
  raw_json: {
    name: 'raw_json',
    in: 'query',
    description: '`1`: `&`, `<` and `>` are not HTML entities in JSON.',
    schema: { type: 'string', enum: ['0', '1'], default: '0' },
  },
  min_position: {
    name: 'min_position',
    in: 'query',
    description: 'A log position: the read waits up to a second until the read models reach it; `X-Stale: true` says that they did not.',
    schema: { type: 'string', pattern: '^\\d{1,40}$' },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'A request repeated with the same key and body within a day gets its first answer again.',
    schema: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
}

/** Returns the name of a parameter of the listing protocol. Listings differ in the size of their pages. */
export const pagingName = (name: string, max: number): string => (name === 'limit' ? `limit${max}` : name)

/** Returns the parameters that many endpoints share. `longest` are the sizes of the pages of listings. */
export const sharedParameters = (longest: Iterable<number>): Json => ({
  ...parameters,
  ...Object.fromEntries([...longest].flatMap((max) => listingParameters(max).map((one) => [pagingName(one.name, max), one]))),
})

const header = (description: string, schema: Json): Json => ({ description, schema })
const count = { type: 'integer', minimum: 0 }

/** Header fields of responses. */
export const headers: Json = {
  'X-Log-Position': header('After a write, the position of its last event; otherwise the position the read models have reached.', {
    type: 'string',
    pattern: '^\\d{20}$',
  }),
  'X-Request-Id': header('Included in the log lines about this request.', { type: 'string' }),
  'X-Ratelimit-Used': header('Requests counted in this period.', count),
  'X-Ratelimit-Remaining': header('Requests left in this period.', count),
  'X-Ratelimit-Reset': header('Seconds until the period ends.', count),
  'X-Stale': header('`true`: the read models have not reached `min_position`.', { type: 'string', const: 'true' }),
  ETag: header('Tag of the body; send it in `If-None-Match`.', { type: 'string' }),
  'Retry-After': header('Seconds after which to try again.', count),
  'X-Reason': header('Why nothing was done, as a machine code; absent where it was done.', { $ref: '#/components/schemas/ErrorCode' }),
  'Idempotent-Replayed': header('Whether this is the first answer, repeated.', { type: 'string', enum: ['true', 'false'] }),
  Location: header('The target address.', { type: 'string', format: 'uri-reference' }),
}

const always = ['X-Log-Position', 'X-Request-Id', 'X-Ratelimit-Used', 'X-Ratelimit-Remaining', 'X-Ratelimit-Reset']
const sometimes: Readonly<Record<number, readonly string[]>> = {
  200: ['X-Stale', 'ETag', 'Idempotent-Replayed'],
  302: ['Location'],
  429: ['Retry-After'],
  503: ['Retry-After'],
}

/** `more` are the fields that only some operations have with this status. */
export const responseHeaders = (status: number, more: readonly string[] = []): Json =>
  Object.fromEntries([...always, ...(sometimes[status] ?? []), ...more].map((name) => [name, { $ref: `#/components/headers/${name}` }]))
