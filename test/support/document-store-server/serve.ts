import { type AddressInfo, createServer, type Socket } from 'node:net'
import { BSON } from 'mongodb'
import { answerWithCounts, openCallCounter } from '../call-counts.ts'
import { openCommands, Refused } from './commands.ts'
import { type Command, commandsIn, decodeDeep, type Json, toFrame } from './wire.ts'

// The least of a MongoDB that the service and its bench need, in memory and quick, in a process of its own, so that `npm run bench` measures
// them and not a database: node test/support/document-store-server/serve.ts [port]

const host = '127.0.0.1'
let address = ''
const { answer: answerTo, expire } = openCommands(() => address)
setInterval(() => expire(Date.now()), 10_000).unref()

const calls = openCallCounter()
answerWithCounts(calls)
const callers = new WeakMap<Socket, string>()

/** Counts a command by the name of the application that its connection gave at first. */
const count = (socket: Socket, { fields }: Command): void => {
  if (fields.client) callers.set(socket, String((decodeDeep(fields.client).application as Json | undefined)?.name ?? 'unnamed'))
  const [name = ''] = Object.keys(fields)
  calls.add(`${callers.get(socket) ?? 'unnamed'} ${name} ${typeof fields[name] === 'string' ? fields[name] : ''}`)
}

const serve = (socket: Socket): void => {
  socket.setNoDelay(true)
  let received: Buffer = Buffer.alloc(0)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    try {
      const { commands, rest } = commandsIn(received.length > 0 ? Buffer.concat([received, chunk]) : chunk)
      received = rest
      for (const command of commands) {
        let answer: Uint8Array
        count(socket, command)
        try {
          answer = answerTo(command)
        } catch (error) {
          const { message, code } = error instanceof Refused ? error : { message: String(error), code: 1 }
          if (!(error instanceof Refused)) process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
          answer = BSON.serialize({ ok: 0, errmsg: message, code })
        }
        socket.write(toFrame(command, answer))
      }
    } catch (error) {
      process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
      socket.destroy()
    }
  })
}

const server = createServer(serve)
server.listen(Number(process.argv[2] ?? 0), host, () => {
  address = `${host}:${(server.address() as AddressInfo).port}`
  process.stdout.write(`mongodb://${address}/?directConnection=true\n`)
})
