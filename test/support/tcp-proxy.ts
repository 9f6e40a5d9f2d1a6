import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  readonly port: number
  /** Let nothing through in either direction, without closing anything: what a frozen server looks like. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Break every connection; new ones are let through. */
  readonly cut: () => void
  readonly close: () => Promise<void>
}

/** Forwards to a server, and can be told to hang or to break connections. */
export const tcpProxy = async (host: string, port: number, at = 0): Promise<TcpProxy> => {
  const sockets = new Set<Socket>()
  let frozen = false
  const known = (socket: Socket): Socket => {
    sockets.add(socket)
    if (frozen) socket.pause()
    return socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
  }
  const server = createServer((client) => {
    const upstream = known(connect(port, host))
    known(client)
      .on('data', (chunk) => upstream.write(chunk))
      .on('close', () => upstream.destroy())
    upstream.on('data', (chunk) => client.write(chunk)).on('close', () => client.destroy())
    if (frozen) for (const socket of [client, upstream]) socket.pause()
  })
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve) => server.listen(at, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    freeze: () => {
      frozen = true
      for (const socket of sockets) socket.pause()
    },
    thaw: () => {
      frozen = false
      for (const socket of sockets) socket.resume()
    },
    cut,
    close: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
