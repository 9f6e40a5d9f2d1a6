import { get } from 'node:http'
import test from 'ava'
import type { IncomingRequest, OutgoingResponse } from '../../src/http/contract/incoming.ts'
import { listen } from '../../src/http/pipeline/server.ts'
import { answerWith } from '../support/answering.ts'

const done: OutgoingResponse = { status: 200, headers: {}, body: 'done' }

test('a request is abandoned when its client closes the connection, and not when it has its response', async (t) => {
  const listening = await listen('127.0.0.1', 0)
  t.teardown(listening.close)
  const answers = new Map<string, (outgoing: OutgoingResponse) => void>()
  const came = Promise.withResolvers<IncomingRequest>()
  const served: AbortSignal[] = []
  const pipeline = (incoming: IncomingRequest): Promise<OutgoingResponse> => {
    if (incoming.target === '/slow') came.resolve(incoming)
    else served.push(incoming.abandoned())
    return new Promise((resolve) => (incoming.target === '/slow' ? answers.set('/slow', resolve) : resolve(done)))
  }
  answerWith(listening, pipeline)
  const url = `http://127.0.0.1:${listening.port}`

  t.is(await (await fetch(`${url}/quick`)).text(), 'done')
  const request = get(`${url}/slow`).on('error', () => {})
  const incoming = await came.promise
  const signal = incoming.abandoned()
  t.false(signal.aborted)
  request.destroy()
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  t.true(incoming.abandoned().aborted, 'asked again')
  answers.get('/slow')?.(done)
  t.deepEqual(
    served.map(({ aborted }) => aborted),
    [false],
  )
})

test('a request that asks only after its client has left is abandoned', async (t) => {
  const listening = await listen('127.0.0.1', 0)
  t.teardown(listening.close)
  const came = Promise.withResolvers<IncomingRequest>()
  const left = Promise.withResolvers<void>()
  const pipeline = async (incoming: IncomingRequest): Promise<OutgoingResponse> => {
    came.resolve(incoming)
    await left.promise
    return done
  }
  answerWith(listening, pipeline)
  const request = get(`http://127.0.0.1:${listening.port}/`).on('error', () => {})
  const incoming = await came.promise
  request.destroy()
  const deadline = Date.now() + 10_000
  // the server notices a moment later that the connection is closed
  while (!incoming.abandoned().aborted && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10))
  t.true(incoming.abandoned().aborted)
  left.resolve()
})
