import { messageOf, StoreFault } from '../ports/faults.ts'

/** Milliseconds between two lines of one outage, and without a fault after which it is over. */
const REMIND_INTERVAL_MS = 30_000
const QUIET_MS = 10_000
const POLL_INTERVAL_MS = 1_000

const isUnavailable = (error: unknown): boolean =>
  error instanceof AggregateError
    ? error.errors.length > 0 && error.errors.every(isUnavailable)
    : error instanceof StoreFault && (error.kind === 'unavailable' || error.kind === 'unknown-outcome')

/** Returns the reason in the fields of a line about a store that does not answer; undefined for other lines. */
const reasonIn = (fields: unknown): string | undefined => {
  if (typeof fields !== 'object' || fields === null) return undefined
  const { err, why } = fields as { readonly err?: unknown; readonly why?: unknown }
  if (isUnavailable(err)) return messageOf(err)
  return typeof why === 'string' ? why : undefined
}

/** `since` is the time of the first fault; `requests` were answered 503, and `attempts` are all faults. */
export type Outage = {
  readonly since: string
  readonly seconds: number
  readonly requests: number
  readonly attempts: number
  readonly why: string
}

type Say = { readonly continues: (outage: Outage) => void; readonly ends: (outage: Outage) => void }

/** Makes the many lines of an outage few: the first one is written, then one every 30 s, and one when it is over. */
export const openOutages = (say: Say, clock: () => number = Date.now) => {
  let outage: { readonly since: number; saidAt: number; lastAt: number; requests: number; attempts: number; why: string } | undefined
  let looking: NodeJS.Timeout | undefined

  const describe = ({ since, lastAt, requests, attempts, why }: NonNullable<typeof outage>): Outage => ({
    since: new Date(since).toISOString(),
    seconds: Math.round((lastAt - since) / 1_000),
    requests,
    attempts,
    why,
  })

  /** Ends an outage without a fault for some time. */
  const look = (): void => {
    if (outage === undefined || clock() - outage.lastAt < QUIET_MS) return
    const ended = outage
    outage = undefined
    clearInterval(looking)
    say.ends(describe(ended))
  }

  return {
    look,
    /** Notes the fields of a warning. Returns true for one that goes without saying, since the outage is known. */
    isKnown: (fields: unknown): boolean => {
      const why = reasonIn(fields)
      if (why === undefined) return false
      look()
      const now = clock()
      const isFirst = outage === undefined
      outage ??= { since: now, saidAt: now, lastAt: now, requests: 0, attempts: 0, why }
      outage.lastAt = now
      outage.attempts += 1
      outage.requests += typeof fields === 'object' && fields !== null && 'method' in fields ? 1 : 0
      outage.why = why
      if (isFirst) looking = setInterval(look, POLL_INTERVAL_MS).unref()
      else if (now - outage.saidAt >= REMIND_INTERVAL_MS) {
        outage.saidAt = now
        say.continues(describe(outage))
      }
      return !isFirst
    },
  }
}
