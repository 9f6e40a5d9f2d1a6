/** The configuration, decoded once from the environment. */
export type Config = {
  readonly host: string
  readonly port: number
  readonly publicUrl: string
  readonly eventStoreUrl: string
  readonly documentStoreUrl: string
  readonly sessionSecret: string | undefined
  /** Number of proxies whose `X-Forwarded-*` is believed. */
  readonly trustProxy: number
  /** Lower-cased usernames. */
  readonly admins: readonly string[]
  /** Lower-cased names of the subsites that people without subscriptions see on the front page. */
  readonly defaultSubsites: readonly string[]
  readonly captcha: boolean
  readonly rateLimits: boolean
  readonly projections: 'inline' | 'external'
  readonly logLevel: string
}
