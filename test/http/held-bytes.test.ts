import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import type { IncomingRequest } from '../../src/http/contract/incoming.ts'
import { MAX_HELD_BYTES } from '../../src/http/pipeline/held-bytes.ts'
import { listen } from '../../src/http/pipeline/server.ts'
import { answerWith } from '../support/answering.ts'

const PAGE_BYTES = 16 * 1024 * 1024
/** The number of unread pages that are kept for one caller. */
const KEPT = MAX_HELD_BYTES / PAGE_BYTES

/** Each client of its own address, as a proxy in front names it. */
const serving = async (t: ExecutionContext): Promise<(address: string, requests?: number) => Promise<Socket>> => {
  const listening = await listen('127.0.0.1', 0)
  t.teardown(() => listening.close())
  const pipeline = async ({ target }: { readonly target: string }) => ({
    status: 200,
    headers: {},
    body: target === '/large' ? 'x'.repeat(PAGE_BYTES) : 'small',
  })
  answerWith(listening, pipeline, 1)
  return async (address, requests = 1) => {
    const socket = connect(listening.port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.pause()
    socket.write(`GET /large HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n\r\n`.repeat(requests))
    return socket
  }
}

/** Bytes that come once the client reads, until there are this many or the connection is closed. */
const readable = (socket: Socket, wanted = PAGE_BYTES): Promise<number> =>
  new Promise((resolve) => {
    let bytes = 0
    socket.on('data', (data) => {
      bytes += data.length
      if (bytes >= wanted) resolve(bytes)
    })
    socket.on('close', () => resolve(bytes))
    socket.resume()
  })

const areWhole = async (sockets: readonly Socket[]): Promise<readonly boolean[]> =>
  Promise.all(sockets.map(async (socket) => (await readable(socket)) >= PAGE_BYTES))

test('of responses that a caller does not read, only so many bytes are kept, the newest', async (t) => {
  const open = await serving(t)
  const stalled: Socket[] = []
  for (let n = 0; n < KEPT + 8; n += 1) {
    stalled.push(await open('203.0.113.1'))
    await sleep(20)
  }
  const other = await open('203.0.113.2')
  await sleep(500)
  t.deepEqual(
    await areWhole(stalled),
    stalled.map((_, n) => n >= 8),
  )
  t.deepEqual(await areWhole([other]), [true], 'another caller is not concerned')
})

test('responses that are read do not count', async (t) => {
  const open = await serving(t)
  const sizes: number[] = []
  for (let n = 0; n < KEPT + 8; n += 1) sizes.push(await readable(await open('203.0.113.1')))
  t.true(sizes.every((size) => size >= PAGE_BYTES))
})

test('nor do those of connections that are gone, also where several requests waited on one', async (t) => {
  const open = await serving(t)
  for (let n = 0; n < KEPT; n += 1) {
    const gone = await open('203.0.113.1', 3)
    await sleep(50)
    gone.destroy()
  }
  await sleep(200)
  const present: Socket[] = []
  for (let n = 0; n < KEPT; n += 1) {
    present.push(await open('203.0.113.1'))
    await sleep(20)
  }
  await sleep(200)
  t.deepEqual(
    await areWhole(present),
    present.map(() => true),
  )
})

test('of bodies that a caller does not send to their end, only so many bytes are kept', async (t) => {
  const listening = await listen('127.0.0.1', 0)
  t.teardown(() => listening.close())
  const pipeline = async ({ readBody }: IncomingRequest) => {
    await readBody()
    return { status: 200, headers: {}, body: 'small' }
  }
  answerWith(listening, pipeline, 1)
  const length = 512 * 1024
  const begun: Socket[] = []
  for (let n = 0; n < MAX_HELD_BYTES / length + 8; n += 1) {
    const socket = connect(listening.port, '127.0.0.1')
    t.teardown(() => socket.destroy())
    await once(
      socket.on('error', () => {}),
      'connect',
    )
    socket.resume().write(`POST / HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.1\r\nContent-Length: ${length}\r\n\r\n`)
    socket.write('x'.repeat(length - 1))
    begun.push(socket)
    await sleep(10)
  }
  await sleep(500)
  t.deepEqual(
    begun.map(({ destroyed, readableEnded }) => destroyed || readableEnded),
    begun.map((_, n) => n < 8),
  )
})
