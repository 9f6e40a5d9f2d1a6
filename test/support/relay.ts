import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'

/** A TCP relay before a server, so that the network can freeze, slow down, break and vanish as it does under a dying process. */
export type Relay = {
  readonly port: number
  /** As SIGSTOP: connections stay, new ones are accepted, no data is sent. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Break every connection; new ones are accepted. */
  readonly cut: () => void
  /** As SIGKILL: every connection breaks, new ones are refused. */
  readonly down: () => Promise<void>
  readonly up: () => Promise<void>
  /** Milliseconds that each piece of an answer is held back. */
  readonly slowBy: (milliseconds: number) => void
  readonly connections: () => number
}

/** `wanted`: the port to listen on, else any free one. */
export const openRelay = async (to: { readonly host: string; readonly port: number }, wanted = 0): Promise<Relay> => {
  const sockets = new Set<Socket>()
  let frozen = false
  let delay = 0
  let server: Server | undefined

  const carry = (from: Socket, to: Socket, held: () => number): void => {
    sockets.add(from)
    from.setNoDelay(true)
    if (frozen) from.pause()
    from.on('data', (chunk) => {
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

  const listen = async (port: number): Promise<number> => {
    const listening = createServer((client) => {
      const upstream = connect(to.port, to.host)
      carry(client, upstream, () => 0)
      carry(upstream, client, () => delay)
    })
    listening.listen(port, '127.0.0.1')
    await once(listening, 'listening')
    server = listening
    const address = listening.address()
    return typeof address === 'object' && address ? address.port : port
  }

  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const port = await listen(wanted)
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
      if (!server) await listen(port)
    },
    slowBy: (milliseconds) => {
      delay = milliseconds
    },
    connections: () => sockets.size / 2,
  }
}
