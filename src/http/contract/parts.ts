// Decision 89.

import type { Logger } from 'pino'
import type { Captchas } from '../../auth/captcha.ts'
import type { FeedTokens } from '../../auth/feed-tokens.ts'
import type { PasswordLane } from '../../auth/password-lane.ts'
import type { Sessions } from '../../auth/sessions.ts'
import type { Tokens } from '../../auth/tokens.ts'
import type { Config } from '../../config.ts'
import type { Logged } from '../../domain/events.ts'
import type { Proved } from '../../history/history.ts'
import type { HistoryReads } from '../../history/history-reads.ts'
import type { NumberedEvents } from '../../history/numbered-events.ts'
import type { Places } from '../../history/places.ts'
import type { StreamEvents } from '../../history/stream-events.ts'
import type { Blobs } from '../../ports/blobs.ts'
import type { DocumentStore } from '../../ports/documents.ts'
import type { Position, RecordedEvent } from '../../ports/event-store.ts'
import type { Freshness } from '../../ports/freshness.ts'
import type { Vault } from '../../ports/vault.ts'
import type { ReadUntil } from '../../queries/as-of.ts'
import type { CommentIndexes } from '../../queries/comment-indexes.ts'
import type { ReadStream } from '../../queries/log-fallback.ts'
import type { OpaqueAnchors } from '../../queries/opaque-anchors.ts'
import type { Anchors } from '../../queries/ordered-source.ts'
import type { Load } from '../../runtime/load.ts'
import type { Followers } from './followers.ts'
import type { Viewer } from './request.ts'

/**
 * The reads of responses. Single events and files are not among them, since they never change once they are stored; whether the author of
 * an event is erased is read from the account.
 */
export type ReadParts = {
  readonly documents: DocumentStore
  readonly vault: Vault
  /** Milliseconds since 1970. */
  readonly clock: () => number
  readonly load: Load
  /** Loads a state that may be a second old, for endpoints that declare `facts: 'recent'`. It becomes their `load`. */
  readonly loadRecent: Load
  readonly commentIndexes: CommentIndexes
  readonly readStream: ReadStream
}

/** The readiness of this process, and what keeps it from its work. */
type Health = {
  readonly ready: boolean
  readonly lag: number | null
  readonly shards?: readonly number[]
  readonly proved: Proved | null
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
}

/** An event whose reactions wait for another try. */
type Waiting = {
  readonly id: string
  readonly type: string
  readonly stream: string
  readonly error: string
  readonly tries: number
  readonly since: number
}

/** The sights and acts of an operator, on this process. */
export type Operations = {
  readonly version: string
  readonly started: number
  readonly head: () => Promise<Position>
  /** Returns the positions of the read models: one, or one for each shard. */
  readonly projected: () => readonly Position[]
  readonly queued: () => Promise<readonly Waiting[]>
  readonly retryReactions: () => Promise<{ readonly done: number; readonly left: number }>
  readonly counts: () => Readonly<Record<'requests' | 'refused' | 'failed' | 'appended' | 'conflicts' | 'faults', number>>
  /** Returns the last warnings in the log of this process, the newest first. */
  readonly warnings: () => readonly { readonly at: number; readonly level: 'warn' | 'error' | 'fatal'; readonly message: string }[]
}

/** The further parts that every endpoint receives. */
export type Common = { readonly config: Config; readonly log: Logger; readonly freshness: Freshness }

/** The parts that an endpoint receives only if it names them in `uses`. */
export type EndpointParts = {
  readonly blobs: Blobs
  readonly captchas: Captchas
  readonly followers: Followers
  readonly feedTokens: FeedTokens
  /** The trees over the log; undefined if none are kept. */
  readonly history: HistoryReads | undefined
  readonly health: () => Promise<Health>
  readonly metrics: { readonly contentType: string; readonly text: () => Promise<string> }
  readonly operations: Operations
  readonly passwords: PasswordLane
  /** Finds places in the log; undefined if no history is kept. */
  readonly places: Places | undefined
  /** Returns the event at a revision of a stream; undefined if there is none. */
  readonly readEvent: (stream: string, revision: number) => Promise<Logged | undefined>
  /** Yields the events of a stream up to a position of the log. */
  readonly readUntil: ReadUntil
  readonly sessions: Sessions
  /** Events of streams with their numbers; undefined if no history is kept. */
  readonly streamEvents: StreamEvents | undefined
  readonly tokens: Tokens
  /** The log by the numbers of its events; undefined if no history is kept. */
  readonly numberedEvents: NumberedEvents | undefined
  /** Opens the texts of events as they can be read now. */
  readonly openEvents: (recorded: readonly RecordedEvent[]) => Promise<readonly Logged[]>
  /** Returns the viewer whom credentials identify now; undefined once a token is not valid any more. */
  readonly viewerNow: (headers: Readonly<Record<string, string | string[] | undefined>>) => Promise<Viewer | undefined>
}

/** The anchors of pages of listings: the beginnings and ends of other pages. */
export type ListingAnchors = { readonly anchors: Anchors; readonly opaqueAnchors: OpaqueAnchors }
