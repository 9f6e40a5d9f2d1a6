import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type TcpProxy = {
  readonly port: number
  /** Let nothing through in either direction, without closing anything: what a frozen server looks like. */
  readonly freeze: () => void
  readonly thaw: () => void
  readonly close: () => Promise<void>
}

/** Forwards to a server, and can be told to hang. */
export const tcpProxy = async (host: string, port: number): Promise<TcpProxy> => {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
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
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
