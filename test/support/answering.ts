import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { ExecutionContext } from 'ava'
import Koa from 'koa'
import type { IncomingRequest, OutgoingResponse } from '../../src/http/contract/incoming.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { openService, type ServiceParts } from '../../src/http/pipeline/application.ts'
import { answerThrough, guardConnection } from '../../src/http/pipeline/connection.ts'
import { type Listener, listen } from '../../src/http/pipeline/server.ts'

/** Answers the requests that reach a listener with what a function makes of them. */
export const answerWith = (listening: Listener, answer: (incoming: IncomingRequest) => Promise<OutgoingResponse>, trustProxy = 0): void => {
  const service = new Koa()
  service.silent = true
  service
    .use(guardConnection({ publicUrl: '', trustProxy, isClosing: listening.isClosing }))
    .use(async (ctx) => answerThrough(ctx, await answer(ctx.state.incoming)))
  listening.serve(service, '')
}

export type Asked = {
  readonly method?: string
  readonly ip?: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Received = { readonly status: number; readonly headers: IncomingMessage['headers']; readonly text: string }

/** Serves an app whose parts a test has changed, and asks it for a target as it is spelt. */
export const serviceOf = async (
  t: Pick<ExecutionContext, 'teardown'>,
  parts: ServiceParts,
): Promise<(target: string, asked?: Asked) => Promise<Received>> => {
  const listening = await listen('127.0.0.1', 0)
  t.teardown(() => listening.close())
  listening.serve(openService(parts, endpoints, { publicUrl: '', trustProxy: 1, isClosing: listening.isClosing }), '')
  return async (path, { method = 'GET', ip = '203.0.113.1', headers = {} } = {}) => {
    const asking = request({
      port: listening.port,
      method,
      path,
      headers: { ...headers, 'X-Forwarded-For': ip, 'Content-Length': 0 },
      agent: false,
    })
    asking.end()
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    return { status: response.statusCode ?? 0, headers: response.headers, text: await text(response) }
  }
}
