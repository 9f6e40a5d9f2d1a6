import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import Koa from 'koa'
import { koaBody } from 'koa-body'

/** Serves the limit of Koa alone: it answers every GET with the bytes of a file, every POST with `{}` after reading its form. */
const [file = ''] = process.argv.slice(2)
const body = readFileSync(file)
const delay = monitorEventLoopDelay({ resolution: 10 })
delay.enable()

const app = new Koa()
const parse = koaBody()
app.use((ctx, next) => (ctx.method === 'POST' ? parse(ctx, next) : next()))
app.use((ctx) => {
  if (ctx.path === '/metrics') {
    ctx.body = `nodejs_eventloop_lag_p99_seconds ${delay.percentile(99) / 1e9}\n`
    delay.reset()
    return
  }
  ctx.type = 'application/json; charset=UTF-8'
  ctx.body = ctx.method === 'POST' ? '{}' : body
})
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`bare koa listening on http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.on('SIGTERM', () => process.exit(0))
