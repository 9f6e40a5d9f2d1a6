import type { Logger } from 'pino'
import type { RecordedAdmins } from './auth/admins.ts'
import type { Captchas } from './auth/captcha.ts'
import type { FeedTokens } from './auth/feed-tokens.ts'
import type { PasswordLane } from './auth/password-lane.ts'
import type { Sessions } from './auth/sessions.ts'
import type { Tokens } from './auth/tokens.ts'
import type { Config } from './config.ts'
import type { Logged } from './domain/events.ts'
import type { Health } from './operations/health.ts'
import type { Metrics } from './operations/metrics.ts'
import type { Blobs } from './ports/blobs.ts'
import type { DocumentStore } from './ports/documents.ts'
import type { Freshness } from './ports/freshness.ts'
import type { Vault } from './ports/vault.ts'
import type { CommentIndexes } from './queries/comment-indexes.ts'
import type { ReadStream } from './queries/log-fallback.ts'
import type { OpaqueAnchors } from './queries/opaque-anchors.ts'
import type { Anchors } from './queries/walk.ts'
import type { Idempotency } from './runtime/idempotency.ts'
import type { Load, Run } from './runtime/run.ts'

/** What every handler receives. */
export type App = {
  readonly config: Config
  readonly log: Logger
  readonly run: Run
  readonly load: Load
  /** As `load`, up to a second old; for endpoints that declare `facts: 'recent'`, whose `load` it becomes. */
  readonly loadRecent: Load
  readonly readStream: ReadStream
  /** The event at a revision of a stream; undefined where there is none. */
  readonly readEvent: (stream: string, revision: number) => Promise<Logged | undefined>
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
  readonly opaqueAnchors: OpaqueAnchors
  readonly commentIndexes: CommentIndexes
  /** Accounts with a running call of `morechildren`. */
  readonly loadingMore: Set<string>
  readonly admins: RecordedAdmins
  readonly health: () => Promise<Health>
  readonly metrics: Metrics
  /** Milliseconds since 1970. */
  readonly clock: () => number
  /** A fresh 53-bit id. */
  readonly mint: () => number
}
