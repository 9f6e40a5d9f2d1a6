import type { Logger } from 'pino'

/** The warning that a request has such a field while no proxy is trusted. */
export const PROXY_UNHEEDED =
  'a request had a field of a proxy (X-Forwarded-For, Forwarded or X-Real-IP), but TRUST_PROXY is off: behind a proxy all callers share the limits of one address, or have none, since CAPTCHA and RATE_LIMITS are off by default while HOST and PUBLIC_URL are loopback addresses. Set TRUST_PROXY to the number of proxies; anybody can send these fields, so without a proxy there is nothing to do'

export type UnheededProxy = {
  readonly see: () => void
  /** Tells whether such a field came since the start. */
  readonly wasSeen: () => boolean
}

/**
 * Notices a proxy in front that the configuration does not name. Anybody can send these fields, so it logs one line in all and changes
 * nothing else.
 */
export const watchForProxy = (log: Pick<Logger, 'warn'>): UnheededProxy => {
  let isReported = false
  return {
    see: () => {
      if (!isReported) log.warn(PROXY_UNHEEDED)
      isReported = true
    },
    wasSeen: () => isReported,
  }
}
