// Decision 53.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

// Bounds the bytes that callers have begun to send, or asked for and not read yet. These stay in memory until the callers go on. Requests
// are limited by their number, not by their size.

/** The most bytes of request bodies and of responses that are held for one caller: four of the largest pages. */
export const MAX_HELD_BYTES = 64 * 1024 * 1024
/** The size from which bodies count. The limit on requests bounds smaller ones. */
export const MIN_COUNTED_BYTES = 32 * 1024
/** The most bytes held for a response that is made while it is sent: the documents of one read. */
export const STREAMED_BYTES = 4 * 1024 * 1024
type HeldBody = { readonly socket: Socket; readonly bytes: number }
type Caller = { readonly held: Set<HeldBody>; bytes: number }

/**
 * Closes the connections for which bytes of a caller are held the longest, if there are too many. A caller that sends and reads is never
 * among them for long.
 */
export const openHeldBytes = (): ((caller: string, res: ServerResponse, bytes: number) => void) => {
  const callers = new Map<string, Caller>()
  const releasesBySocket = new WeakMap<Socket, Set<() => void>>()

  /** Calls back when a connection closes. A request that waits behind another on its connection gets no such notice. */
  const releaseWhenClosed = (socket: Socket, release: () => void): void => {
    const known = releasesBySocket.get(socket)
    if (known) {
      known.add(release)
      return
    }
    const releases = new Set([release])
    releasesBySocket.set(socket, releases)
    socket.once('close', () => {
      for (const one of releases) one()
    })
  }

  return (name, res, bytes) => {
    const { socket } = res.req
    if (socket.destroyed) return
    const caller = callers.get(name) ?? { held: new Set(), bytes: 0 }
    callers.set(name, caller)
    const heldBody: HeldBody = { socket, bytes }
    caller.held.add(heldBody)
    caller.bytes += bytes
    const release = () => {
      releasesBySocket.get(socket)?.delete(release)
      if (!caller.held.delete(heldBody)) return
      caller.bytes -= bytes
      if (caller.held.size === 0) callers.delete(name)
    }
    releaseWhenClosed(socket, release)
    res.once('close', release)
    for (const oldest of caller.held) {
      if (caller.bytes <= MAX_HELD_BYTES) break
      if (oldest.socket === socket) continue
      oldest.socket.destroy()
      caller.held.delete(oldest)
      caller.bytes -= oldest.bytes
    }
  }
}
