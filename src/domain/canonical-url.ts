/**
 * The form under which two URLs count as the same: lower case, no leading `www.`, no fragment unless it starts with `!`.
 * Scheme, query and trailing slash distinguish. Anything that is no URL is only lowered.
 */
export const canonicalUrl = (url: string): string => {
  const lower = url.toLowerCase()
  const hash = lower.indexOf('#')
  const bare = hash >= 0 && lower[hash + 1] !== '!' ? lower.slice(0, hash) : lower
  return bare.replace(/^([a-z][a-z0-9+.-]*:\/\/)www\./, '$1')
}

/** Whether the host of a URL is one of some, or below one of them. */
export const isWithin = (url: string, domains: readonly string[]): boolean => {
  const domain = domainOf(url)
  return domains.some((one) => domain === one || domain.endsWith(`.${one}`))
}

/** The host of a URL without `www.`; empty for what is no URL. */
export const domainOf = (url: string): string => {
  if (!URL.canParse(url)) return ''
  return new URL(url).hostname.replace(/^www\./, '')
}
