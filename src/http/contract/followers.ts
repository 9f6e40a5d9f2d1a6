import type { Refusal } from './refusals.ts'
import type { Viewer } from './request.ts'

/** A part of a stream; after it there is more at once, more as soon as something happens, or nothing. */
export type Look = { readonly text: string | Buffer; readonly next: 'more' | 'wait' | 'end' }

/** Who follows: by the account and app of a token, or by its address. */
export type Follower = { readonly caller: string; readonly address: string }

/** A token counts for its account and app, other callers for their address. */
export const followerOf = ({ viewer, ip }: { readonly viewer: Viewer; readonly ip: string }): Follower => ({
  caller: viewer.via === 'token' ? `${viewer.account ?? ''} ${viewer.client}` : ip,
  address: ip,
})

/** A body without end; it ends when its client is gone. */
export type EndlessBody = (gone: AbortSignal) => AsyncIterable<string | Buffer>

/** The clients that wait for what happens, on connections that stay open. */
export type Followers = {
  /** Why one more is refused: it has too many streams, or all together are. */
  readonly refusal: (follower: Follower) => Refusal | undefined
  /** The body of a stream: it looks at once, and again whenever something happened or some seconds went by, until a look ends it. */
  readonly follow: (follower: Follower, look: () => Promise<Look>) => EndlessBody
}
