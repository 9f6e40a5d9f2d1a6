import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import type { StreamPart } from '../../src/http/contract/followers.ts'
import { openFollowers } from '../../src/http/pipeline/followers.ts'
import { sendStream } from '../../src/http/pipeline/send-stream.ts'

const KIB = 1024

test('a client that does not read is given up, and never more is held for it than its connection takes', async (t) => {
  let sent = 0
  let held = 0
  let ended = false
  const { follow } = openFollowers({ state: async () => 'the same', report: (fault) => t.fail(String(fault)) })
  const body = follow({ caller: 'a', address: 'a' }, async () => {
    sent += 64 * KIB
    return { text: 'x'.repeat(64 * KIB), next: 'more' }
  })
  const server = createServer(async (_, res) => {
    await sendStream(
      res,
      async function* (gone) {
        for await (const part of body(gone)) {
          held = Math.max(held, res.writableLength)
          yield part
        }
      },
      200,
    )
    ended = res.destroyed
  }).listen(0)
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(server, 'connection')
  while (!ended) await new Promise((resolve) => setImmediate(resolve))
  t.true(sent > 0 && sent < 32 * KIB * KIB)
  t.true(held < 256 * KIB, String(held))
  socket.destroy()
  server.close()
})

test('followers are counted by caller, by address and in all, and let go when they leave', async (t) => {
  const { refusal, follow, close } = openFollowers({ state: async () => '', report: (fault) => t.fail(String(fault)) })
  const opened: { readonly gone: AbortController; readonly rest: AsyncIterator<string | Buffer> }[] = []
  const enter = async (caller: string, address: string) => {
    const gone = new AbortController()
    const rest = follow({ caller, address }, async () => ({ text: '', next: 'wait' }))(gone.signal)[Symbol.asyncIterator]()
    const { done } = await rest.next()
    if (!done) opened.push({ gone, rest })
    return !done
  }
  for (let n = 0; n < 20; n++) t.true(await enter('bot', '192.0.2.1'))
  t.is(refusal({ caller: 'bot', address: '192.0.2.2' })?.code, 'TOO_MANY_AT_ONCE')
  t.false(await enter('bot', '192.0.2.2'))
  for (let n = 0; n < 80; n++) t.true(await enter(`other ${n}`, '192.0.2.1'))
  t.is(refusal({ caller: 'last', address: '192.0.2.1' })?.code, 'TOO_MANY_AT_ONCE')
  t.is(refusal({ caller: 'last', address: '192.0.2.2' }), undefined)
  for (let n = 0; n < 5_900; n++) await enter(`many ${n}`, `198.51.${n >> 8}.${n & 255}`)
  t.is(refusal({ caller: 'last', address: '192.0.2.2' })?.code, 'UNAVAILABLE')
  const [first] = opened
  const waiting = first?.rest.next()
  await new Promise((resolve) => setImmediate(resolve))
  first?.gone.abort()
  t.deepEqual(await waiting, { done: true, value: undefined })
  t.is(refusal({ caller: 'bot', address: '192.0.2.2' }), undefined)
  const rest = opened.slice(1, 50).map(({ rest }) => rest.next())
  await new Promise((resolve) => setImmediate(resolve))
  close()
  for (const one of rest) t.true((await one).done)
})

test('followers that catch up read one after the other, and leave as much time as they take', async (t) => {
  const { follow, close } = openFollowers({ state: async () => '', report: (fault) => t.fail(String(fault)) })
  const looks: { readonly began: number; readonly ended: number }[] = []
  const behind = Array.from({ length: 5 }, async (_, of) => {
    let isFirst = true
    const look = async (): Promise<StreamPart> => {
      const began = performance.now()
      await sleep(5)
      if (!isFirst) looks.push({ began, ended: performance.now() })
      isFirst = false
      return { text: '', next: looks.length < 20 ? 'more' : 'end' }
    }
    for await (const _part of follow({ caller: String(of), address: '' }, look)(new AbortController().signal));
  })
  await Promise.all(behind)
  close()
  t.true(looks.length >= 20)
  for (const [at, { began }] of looks.entries()) {
    const former = looks[at - 1]
    if (former) t.true(began - former.ended > (former.ended - former.began) / 2, `look ${at} began ${began - former.ended} ms later`)
  }
})
