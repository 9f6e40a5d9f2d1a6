import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { findFreePort } from './free-port.ts'

/** A TCP relay before a server, so that the network can freeze, slow down, break and vanish as it does under a dying process. */
export type Relay = {
  readonly port: number
  /** Acts as a server that got SIGSTOP: connections stay, new ones are accepted, no data is sent. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Breaks every connection; new ones are accepted. */
  readonly cut: () => void
  /** Acts as a server that got SIGKILL: every connection breaks, new ones are refused. */
  readonly down: () => Promise<void>
  readonly up: () => Promise<void>
  /** Delays each piece of a response by so many milliseconds. */
  readonly slowBy: (milliseconds: number) => void
  /** Drops the next piece of a request with this text, and what follows it on its connection. Resolves when there was one. */
  readonly withhold: (text: string) => Promise<void>
  readonly connections: () => number
}

/** Opens a relay on the port `wanted`, or on a free one, which nobody takes while the relay is down. */
export const openRelay = async (to: { readonly host: string; readonly port: number }, wanted?: number): Promise<Relay> => {
  const port = wanted ?? (await findFreePort())
  const sockets = new Set<Socket>()
  let frozen = false
  let delay = 0
  let server: Server | undefined
  let withheld: { readonly text: string; readonly met: () => void } | undefined

  const carry = (from: Socket, to: Socket, held: () => number, passes = (_: Buffer | string) => true): void => {
    sockets.add(from)
    from.setNoDelay(true)
    if (frozen) from.pause()
    from.on('data', (chunk) => {
      if (!passes(chunk)) return
      const wait = held()
      if (wait > 0) setTimeout(() => to.writable && to.write(chunk), wait)
      else if (!to.write(chunk) && !frozen) {
        from.pause()
        to.once('drain', () => frozen || from.resume())
      }
    })
    from.on('error', () => undefined)
    from.on('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }

  /** Tells of each piece of one connection whether it is sent on. */
  const sieve = () => {
    let isCut = false
    return (chunk: Buffer | string): boolean => {
      if (isCut || !withheld || !chunk.includes(withheld.text)) return !isCut
      isCut = true
      withheld.met()
      return false
    }
  }

  const listen = async (): Promise<void> => {
    const listening = createServer((client) => {
      const upstream = connect(to.port, to.host)
      carry(client, upstream, () => 0, sieve())
      carry(upstream, client, () => delay)
    })
    listening.listen(port, '127.0.0.1')
    await once(listening, 'listening')
    server = listening
  }

  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  await listen()
  return {
    port,
    freeze: () => {
      frozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw: () => {
      frozen = false
      for (const socket of sockets) socket.resume()
    },
    cut,
    down: async () => {
      const listening = server
      server = undefined
      if (!listening) return
      const closed = once(listening, 'close')
      listening.close()
      cut()
      await closed
    },
    up: async () => {
      if (!server) await listen()
    },
    slowBy: (milliseconds) => {
      delay = milliseconds
    },
    withhold: (text) =>
      new Promise((met) => {
        withheld = { text, met }
      }),
    connections: () => sockets.size / 2,
  }
}
