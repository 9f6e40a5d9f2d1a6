/** Matches a host with an empty port or the default port of its scheme (RFC 3986, section 6.2.3). */
const defaultPort = /^(?:(http:\/\/[^/?#:]+):(?:0*80)?|(https:\/\/[^/?#:]+):(?:0*443)?|(ftp:\/\/[^/?#:]+):(?:0*21)?)(?=[/?#]|$)/

/**
 * Returns the form under which two URLs count as the same: lower case, no leading `www.`, no default port, no fragment unless it starts
 * with `!`. Scheme, other ports, query and trailing slash distinguish. A text that is no URL only becomes lower case.
 */
export const canonicalUrl = (url: string): string => {
  const lower = url.toLowerCase()
  const hash = lower.indexOf('#')
  const bare = hash >= 0 && lower[hash + 1] !== '!' ? lower.slice(0, hash) : lower
  return bare.replace(/^([a-z][a-z0-9+.-]*:\/\/)www\./, '$1').replace(defaultPort, '$1$2$3')
}

/** Tells whether a host is another one or a subdomain of it; both as `domainOf` names them. */
export const isHostWithin = (host: string, parent: string): boolean => host === parent || host.endsWith(`.${parent}`)

/** Tells whether the host of a URL is one of these domains or below one. */
export const isWithin = (url: string, domains: readonly string[]): boolean => {
  const domain = domainOf(url)
  return domains.some((one) => isHostWithin(domain, one))
}

/** Divides a host into its labels: `leaf` and `example`. An IP address is one label, since it has no subdomains. */
export const labelsOf = (host: string): readonly string[] => (/^\[|(?:^|\.)\d+$/.test(host) ? [host] : host.split('.'))

/** Returns the last labels of a host, joined; null if it has fewer. */
export const lastLabels = (host: string, count: number): string | null => {
  const labels = labelsOf(host)
  return labels.length < count ? null : labels.slice(-count).join('.')
}

/** Returns the host of a URL without `www.`; empty for a text that is no URL. */
export const domainOf = (url: string): string => {
  if (!URL.canParse(url)) return ''
  return new URL(url).hostname.replace(/^www\./, '')
}

/** Returns a host that somebody typed in the form of `domainOf`: in ASCII, lower case and without `www.`; empty if it cannot be a host. */
export const hostNamed = (typed: string): string => (/[/?#@:\\\s]/.test(typed) ? '' : domainOf(`http://${typed}`))
