import { isIPv4 } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Characters of the longest address there is; a proxy may forward anything. */
const LONGEST_ADDRESS = 45

/**
 * The network that requests are counted by: an IPv4 address itself, also one written as IPv6 (`::ffff:203.0.113.1`); of an IPv6 address
 * its /64, since who holds one address of it holds all of them (`2001:db8:0:1::/64`).
 */
export const networkOf = (address: string): string => {
  if (isIPv4(address)) return address
  if (!ipaddr.isValid(address)) return address.slice(0, LONGEST_ADDRESS)
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
