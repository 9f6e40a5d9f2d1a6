import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readBoundedText } from '../history/read-bounded-text.ts'
import { createWitness, MAX_REQUEST_BYTES, openWitness, type Witness, type WitnessAnswer } from '../history/witness.ts'
import { messageOf } from '../ports/faults.ts'
import { createServer } from '../ports/node-http.ts'
import { parseArguments } from './command-line.ts'
import { Misuse } from './data-file.ts'
import { type Program, runProgram } from './program.ts'

const usage = {
  usage: 'npx rostra witness [--file FILE] [--name NAME] [--add KEY] [--host HOST] [--port PORT]',
  help: `Cosigns the signed heads of the logs of other services (C2SP tlog-witness), each only if it continues the last one that it saw. The file has its
key, the logs that it knows, and the last head of each. Never put a copy of it back: a witness that forgot a head could cosign a fork.

  --file FILE  the file of the witness (witness.json)
  --name NAME  makes the file, with a new key, for a witness of this name, such as bob.example/witness
  --add KEY    adds a log by its verifier key, the last of verifier_keys in its /history, and ends
  --host HOST  the address to listen at (127.0.0.1)
  --port PORT  the port to listen at (7380)

Operators name it in HISTORY_WITNESSES by its address and its key, which it prints when it starts.`,
  options: {
    file: { type: 'string' },
    name: { type: 'string' },
    add: { type: 'string' },
    host: { type: 'string' },
    port: { type: 'string' },
  },
} as const

const NAME = /^[\w.~/-]{1,200}$/
const REQUEST_MS = 10_000
const MAX_CONNECTIONS = 200
const PATH = '/add-checkpoint'

const answerTo = async (witness: Witness, request: IncomingMessage): Promise<WitnessAnswer> => {
  const path = request.url?.split('?', 1)[0]
  if (path === '/') return { status: 200, body: `${witness.key()}\n` }
  if (path !== PATH) return { status: 404, body: 'there is nothing here\n' }
  if (request.method !== 'POST') return { status: 405, body: 'send it with POST\n' }
  const body = await readBoundedText(request as AsyncIterable<Buffer>, MAX_REQUEST_BYTES)
  return body === undefined ? { status: 413, body: `a request has at most ${MAX_REQUEST_BYTES} bytes\n` } : witness.addCheckpoint(body)
}

/** Serves a witness at an address. Returns what operators write into HISTORY_WITNESSES, and what ends it. */
export const serveWitness = async (
  witness: Witness,
  { host, port }: { readonly host: string; readonly port: number },
  report: (fault: unknown) => void,
): Promise<{ readonly address: string; readonly close: () => Promise<void> }> => {
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    answerTo(witness, request).then(
      ({ status, body, type = 'text/plain; charset=utf-8' }) => {
        response.writeHead(status, { 'Content-Type': type, ...(status === 413 && { Connection: 'close' }) }).end(body)
      },
      (fault: unknown) => {
        report(fault)
        if (!response.headersSent) response.writeHead(500)
        response.end()
      },
    )
  })
  server.maxConnections = MAX_CONNECTIONS
  await new Promise<void>((resolve, reject) => {
    server.on('error', (error) => reject(new Misuse(error.message)))
    server.listen(port, host, resolve)
  })
  const { port: bound } = server.address() as AddressInfo
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/#${witness.key()}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export const witness: Program = async ({ args, stdout, stderr }) => {
  const { values } = parseArguments(usage, args)
  const { file = 'witness.json', host = '127.0.0.1', port = '7380', name } = values
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new Misuse(`--port is ${port}, but must be a number up to 65535`)
  if (name !== undefined && !NAME.test(name)) throw new Misuse(`--name is ${name}, but must be like bob.example/witness`)
  const existing = await openWitness(file, Date.now)
  if (existing && name !== undefined) throw new Misuse(`${file} is there already: leave out --name`)
  if (!existing && name === undefined) throw new Misuse(`there is no file ${file}: --name makes it`)
  if (name !== undefined) await createWitness(file, name)
  const opened = existing ?? (await openWitness(file, Date.now))
  if (!opened) throw new Misuse(`${file} cannot be read`)
  if (values.add !== undefined) {
    await opened.add(values.add)
    stdout.write(
      `${opened
        .logs()
        .map(([line, size]) => `${size} ${line}`)
        .join('\n')}\n`,
    )
    return 0
  }
  const report = (fault: unknown) => stderr.write(`${messageOf(fault)}\n`)
  const { address, close } = await serveWitness(opened, { host, port: Number(port) }, report)
  stdout.write(`${address}\n`)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  await close()
  return 0
}

if (import.meta.main) await runProgram(witness)
