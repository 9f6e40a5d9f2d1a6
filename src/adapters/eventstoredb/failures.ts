import type { ExpectedRevision } from '../../ports/event-store.ts'

/**
 * A failed call.
 *
 * - `unsent`: it never left this process.
 * - `indeterminate`: it may have taken effect, or may yet.
 * - `refused`: the server will not do it, now or later, until an operator changes something.
 */
export type Failure =
  | { readonly kind: 'conflict'; readonly actual: ExpectedRevision }
  | { readonly kind: 'unsent' | 'indeterminate' | 'refused' | 'too-large' | 'deleted' | 'absent' | 'invalid'; readonly error: Error }

type ServerError = Error & { readonly type?: string; readonly code?: number | string; readonly actualVersion?: bigint | string | undefined }

const PERMISSION_DENIED = 7
const UNIMPLEMENTED = 12
export const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

/** Tells whether a client must be replaced. After this failure it never finds the server again: it keeps the failed promise. */
export const mustReplaceClient = (error: Error): boolean => error.message.startsWith('Failed to discover')

const SHUT_CHANNEL = /channel (has been shut down|closed before call started)/i

export const classify = (thrown: unknown): Failure => {
  const error: ServerError = thrown instanceof Error ? thrown : new Error(String(thrown))
  switch (error.type) {
    case 'wrong-expected-version':
      return { kind: 'conflict', actual: typeof error.actualVersion === 'bigint' ? Number(error.actualVersion) : 'none' }
    case 'maximum-append-size-exceeded':
      return { kind: 'too-large', error }
    case 'stream-deleted':
      return { kind: 'deleted', error }
    case 'stream-not-found':
    case 'no-stream':
      return { kind: 'absent', error }
    case 'access-denied':
      return { kind: 'refused', error }
    case 'invalid-argument':
      return { kind: 'invalid', error }
    case undefined:
      // Only the request that precedes the first append fails with an unconverted error.
      return error.code === UNAVAILABLE || mustReplaceClient(error) || SHUT_CHANNEL.test(error.message)
        ? { kind: 'unsent', error }
        : { kind: error.code === UNAUTHENTICATED || error.code === PERMISSION_DENIED ? 'refused' : 'indeterminate', error }
    default:
      // `unknown` covers nearly everything: busy, not ready, code 13 of a server that shuts down, and plain bad requests.
      if (error.code === PERMISSION_DENIED || error.code === UNIMPLEMENTED) return { kind: 'refused', error }
      return { kind: /BadRequest|InvalidPosition/.test(error.message) ? 'invalid' : 'indeterminate', error }
  }
}

/** Maps refusals on the stream of appends from the server's protocol to the client's errors. */
const REFUSALS: Readonly<Record<string, string>> = {
  WrongExpectedVersion: 'wrong-expected-version',
  StreamDeleted: 'stream-deleted',
  AccessDenied: 'access-denied',
  Timeout: 'deadline-exceeded',
  BadRequest: 'invalid-argument',
  MaximumAppendSizeExceeded: 'maximum-append-size-exceeded',
  MaximumAppendEventSizeExceeded: 'maximum-append-size-exceeded',
}

/**
 * Returns the refusal of one append. `actual` is the revision of a stream that was expected to have another; undefined if there is no
 * stream.
 */
export const failureOf = (name: string, message: string, actual: bigint | undefined): Failure =>
  classify(Object.assign(new Error(message || name || 'unknown'), { type: REFUSALS[name] ?? 'unknown', actualVersion: actual }))
