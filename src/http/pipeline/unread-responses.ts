import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// What clients have asked for and do not read stays in memory until they do. Requests are limited by their number, not by the size of what they are answered.

/** Bytes of responses that one caller has not read yet: four of the largest pages. */
export const MAX_UNREAD_BYTES = 64 * 1024 * 1024
/** Smaller ones are bounded by the limit on requests. */
const MIN_COUNTED_BYTES = 32 * 1024
/** What a response that is made while it is sent holds at most: the documents of one read. */
export const STREAMED_BYTES = 4 * 1024 * 1024

type Unread = { readonly socket: Socket; readonly bytes: number }
type Caller = { readonly responses: Set<Unread>; bytes: number }

/** Closes the connections of a caller's oldest unread responses when there are too many bytes of them: who reads is never among the oldest for long. */
export const openUnreadResponses = (): ((caller: string, res: ServerResponse, bytes: number) => void) => {
  const callers = new Map<string, Caller>()
  const ofSockets = new WeakMap<Socket, Set<() => void>>()

  /** A response that waits behind another on its connection is not told when that closes. */
  const whenClosed = (socket: Socket, release: () => void): Set<() => void> => {
    const known = ofSockets.get(socket)
    if (known) return known.add(release)
    const releases = new Set([release])
    ofSockets.set(socket, releases)
    socket.once('close', () => {
      for (const one of releases) one()
    })
    return releases
  }

  return (name, res, bytes) => {
    const { socket } = res.req
    if (bytes < MIN_COUNTED_BYTES || socket.destroyed) return
    const caller = callers.get(name) ?? { responses: new Set(), bytes: 0 }
    callers.set(name, caller)
    const unread: Unread = { socket, bytes }
    caller.responses.add(unread)
    caller.bytes += bytes
    const release = () => {
      releases.delete(release)
      if (!caller.responses.delete(unread)) return
      caller.bytes -= bytes
      if (caller.responses.size === 0) callers.delete(name)
    }
    const releases = whenClosed(socket, release)
    res.once('close', release)
    for (const oldest of caller.responses) {
      if (caller.bytes <= MAX_UNREAD_BYTES || oldest === unread) break
      oldest.socket.destroy()
      caller.responses.delete(oldest)
      caller.bytes -= oldest.bytes
    }
  }
}
