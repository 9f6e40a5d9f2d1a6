import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { BSON } from 'mongodb'

type Reply = Readonly<Record<string, unknown>>

/** The fate of a command: it gets an answer, its connection is closed, or it never gets an answer. */
export type Fate = Reply | 'cut' | 'silence'

export type ScriptedMongo = {
  readonly url: string
  /** Host and port. */
  readonly address: string
  /** The names of the commands that were not about the connection itself, in the order in which they came. */
  readonly asked: readonly string[]
  readonly close: () => Promise<void>
}

/** The way one server of the set presents itself. `me` is its own address. */
export type Hello = (me: string) => Reply

export const PRIMARY: Hello = (me) => ({ isWritablePrimary: true, setName: 'rs0', setVersion: 1, hosts: [me], me, primary: me })
export const STANDALONE: Hello = () => ({ isWritablePrimary: true })
/** A member of a replica set that has not been initiated. */
export const UNINITIATED: Hello = () => ({ isWritablePrimary: false, secondary: false, isreplicaset: true })

const OP_REPLY = 1
const OP_QUERY = 2004
const OP_MSG = 2013
const HEADER = 16
const MAX_MESSAGE_BYTES = 48_000_000

const HANDSHAKE = new Set(['hello', 'ismaster', 'isMaster', 'ping', 'endSessions'])

const frameMessage = (id: number, opcode: number, body: Uint8Array): Buffer => {
  const header = Buffer.alloc(HEADER)
  header.writeInt32LE(HEADER + body.length, 0)
  header.writeInt32LE(id, 8)
  header.writeInt32LE(opcode, 12)
  return Buffer.concat([header, body])
}

/** Returns the command in a message: its body, and the documents that travel beside it under their name. */
const commandIn = (message: Buffer, opcode: number): Reply => {
  if (opcode === OP_QUERY) return BSON.deserialize(message.subarray(message.indexOf(0, HEADER + 4) + 9))
  let command: Record<string, unknown> = {}
  for (let at = HEADER + 4; at < message.length; ) {
    const kind = message.readUInt8(at)
    const size = message.readInt32LE(at + 1)
    const section = message.subarray(at + 1, at + 1 + size)
    if (kind === 0) command = { ...command, ...BSON.deserialize(section) }
    else {
      const end = section.indexOf(0, 4)
      const documents: unknown[] = []
      for (let from = end + 1; from < section.length; from += section.readInt32LE(from))
        documents.push(BSON.deserialize(section.subarray(from, from + section.readInt32LE(from))))
      command = { ...command, [section.toString('utf8', 4, end)]: documents }
    }
    at += 1 + size
  }
  return command
}

const answerMessage = (id: number, opcode: number, reply: Reply): Buffer => {
  const document = BSON.serialize({ ok: 1, ...reply })
  if (opcode === OP_MSG) return frameMessage(id, OP_MSG, Buffer.concat([Buffer.alloc(5), document]))
  const before = Buffer.alloc(20)
  before.writeInt32LE(1, 16)
  return frameMessage(id, OP_REPLY, Buffer.concat([before, document]))
}

/**
 * A server that speaks just enough of MongoDB's protocol for the real driver to work with it, and answers each command as `fate` says: for
 * responses that a server does not give on request. `fate` is asked once for each command; the commands of the handshake are answered from
 * `hello`.
 */
export const scriptedMongo = async (
  fate: (command: Reply, name: string) => Fate | Promise<Fate>,
  hello: () => Hello = () => PRIMARY,
  tls?: { readonly certificate: Buffer; readonly key: Buffer },
): Promise<ScriptedMongo> => {
  const commandNames: string[] = []
  const sockets = new Set<Socket>()
  let address = ''

  const decide = async (command: Reply): Promise<Fate> => {
    const name = Object.keys(command)[0] ?? ''
    if (name === 'ping' || name === 'endSessions') return {}
    if (HANDSHAKE.has(name))
      return {
        helloOk: true,
        maxBsonObjectSize: 16_777_216,
        maxMessageSizeBytes: 48_000_000,
        maxWriteBatchSize: 100_000,
        minWireVersion: 0,
        maxWireVersion: 25,
        logicalSessionTimeoutMinutes: 30,
        ...hello()(address),
      }
    commandNames.push(name)
    return fate(command, name)
  }

  const serve = (socket: Socket): void => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy())
    let buffered: Buffer = Buffer.alloc(0)
    socket.on('data', async (chunk: Buffer) => {
      buffered = Buffer.concat([buffered, chunk])
      if (buffered.length >= 4 && (buffered.readInt32LE(0) < HEADER || buffered.readInt32LE(0) > MAX_MESSAGE_BYTES)) socket.destroy() // another protocol
      while (!socket.destroyed && buffered.length >= HEADER && buffered.length >= buffered.readInt32LE(0)) {
        const message = buffered.subarray(0, buffered.readInt32LE(0))
        buffered = buffered.subarray(message.length)
        const opcode = message.readInt32LE(12)
        const what = await decide(commandIn(message, opcode))
        if (what === 'cut') socket.destroy()
        else if (what !== 'silence') socket.write(answerMessage(message.readInt32LE(4), opcode, what))
      }
    })
  }
  const server = tls ? createTlsServer({ cert: tls.certificate, key: tls.key }, serve) : createServer(serve)
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `mongodb://${address}/?directConnection=true`,
    address,
    asked: commandNames,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
