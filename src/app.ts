import type { Either } from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import type { Captchas } from './auth/captcha.ts'
import type { FeedTokens } from './auth/feed-tokens.ts'
import type { PasswordLane } from './auth/password-lane.ts'
import type { Sessions } from './auth/sessions.ts'
import type { Tokens } from './auth/tokens.ts'
import type { Config } from './config.ts'
import type { Aggregate, Decide } from './domain/decision.ts'
import type { AnyEvent } from './domain/event.ts'
import type { Logged } from './domain/events.ts'
import type { Refusal } from './domain/refusal.ts'
import type { Health } from './health.ts'
import type { Metrics } from './metrics.ts'
import type { Blobs } from './ports/blobs.ts'
import type { DocumentStore } from './ports/documents.ts'
import type { Position } from './ports/event-store.ts'
import type { Vault } from './ports/vault.ts'
import type { Skeletons } from './queries/comment-indexes.ts'
import type { Anchors } from './queries/walk.ts'
import type { Command } from './runtime/command.ts'
import type { Idempotency } from './runtime/idempotency.ts'

/** The events a command recorded (none when it was so already) and the position of the last of them. */
export type Recorded<Event extends AnyEvent = AnyEvent> = { readonly events: readonly Event[]; readonly position: Position | undefined }

/** Load, decide, append; then wait, at most a second, until the read models show it. */
export type Run = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  id: string,
  decide: Decide<State, Event>,
  command: Command,
) => Promise<Either<Refusal, Recorded<Event>>>

/** The log's own state of an aggregate, now; what it leaned on is written into `command.seen`. */
export type Load = <State, Event extends AnyEvent>(
  aggregate: Aggregate<State, Event>,
  id: string,
  command?: Pick<Command, 'seen'>,
) => Promise<State | undefined>

/** The events of one stream, as the log has them now, in pages. */
export type ReadStream = (stream: string) => AsyncIterable<readonly Logged[]>

/** The event at a revision of a stream; undefined where there is none. */
export type ReadEvent = (stream: string, revision: number) => Promise<Logged | undefined>

/** How far the read models of this process are. */
export type Freshness = {
  readonly position: () => Position
  /** True once the read models have reached a position, false after `ms` without that. */
  readonly waitUntil: (position: Position, ms: number) => Promise<boolean>
  /**
   * Grows whenever a document of the collection changed; equal values mean that nothing read from it can differ from what this process
   * has seen of the read models. Undefined while it cannot know.
   */
  readonly generation: (collection: string) => number | undefined
  /**
   * See how far the read models are that other processes keep; then generations tell of all that was shown before this was asked.
   * Absent where they are kept here, and that is always so.
   */
  readonly refresh?: () => Promise<void>
}

/** What every handler receives. */
export type App = {
  readonly config: Config
  readonly log: Logger
  readonly run: Run
  readonly load: Load
  /** As `load`, up to a second old; for endpoints that declare `facts: 'recent'`, whose `load` it becomes. */
  readonly loadRecent: Load
  readonly readStream: ReadStream
  readonly readEvent: ReadEvent
  readonly documents: DocumentStore
  readonly vault: Vault
  readonly blobs: Blobs
  readonly sessions: Sessions
  readonly tokens: Tokens
  readonly feedTokens: FeedTokens
  readonly passwords: PasswordLane
  readonly captchas: Captchas
  readonly freshness: Freshness
  readonly idempotency: Idempotency
  /** Where pages of listings began and ended. */
  readonly anchors: Anchors
  readonly skeletons: Skeletons
  /** Accounts with a running call of `morechildren`. */
  readonly loadingMore: Set<string>
  readonly health: () => Promise<Health>
  readonly metrics: Metrics
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** A fresh 53-bit id. */
  readonly mint: () => number
}
