import type { Refusal } from './refusals.ts'
import type { Viewer } from './request.ts'

/** A part of a stream. After it there is more at once, more as soon as something happens, or nothing. */
export type StreamPart = { readonly text: string | Buffer; readonly next: 'more' | 'wait' | 'end' }

/** The client that follows: the account and app of a token, or its address. */
export type Follower = { readonly caller: string; readonly address: string }

/** Returns the follower of a request. A token counts for its account and app, other callers for their address. */
export const followerOf = ({ viewer, ip }: { readonly viewer: Viewer; readonly ip: string }): Follower => ({
  caller: viewer.via === 'token' ? `${viewer.account ?? ''} ${viewer.client}` : ip,
  address: ip,
})

/** A body without end. It ends when its client is gone. */
export type EndlessBody = (gone: AbortSignal) => AsyncIterable<string | Buffer>

/** The clients that wait for events on connections that stay open. */
export type Followers = {
  /** Returns the refusal of one more stream: this follower has too many, or all together have. */
  readonly refusal: (follower: Follower) => Refusal | undefined
  /**
   * Returns the body of a stream. It looks at once, and again whenever something happened or some seconds went by, until a look ends it.
   */
  readonly follow: (follower: Follower, look: () => Promise<StreamPart>) => EndlessBody
}
