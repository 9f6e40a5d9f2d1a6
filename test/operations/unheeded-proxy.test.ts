import test from 'ava'
import { isForwarded } from '../../src/http/pipeline/connection.ts'
import { PROXY_UNHEEDED, watchForProxy } from '../../src/operations/unheeded-proxy.ts'

test('the first request with a field of a proxy is logged, and no other', (t) => {
  const lines: unknown[] = []
  const proxy = watchForProxy({ warn: (line: unknown) => void lines.push(line) })
  t.false(proxy.wasSeen())
  for (let times = 0; times < 1_000; times++) proxy.see()
  t.true(proxy.wasSeen())
  t.deepEqual(lines, [PROXY_UNHEEDED])
})

test('a request with X-Forwarded-For, Forwarded or X-Real-IP has a field of a proxy', (t) => {
  t.false(isForwarded({ headers: { host: 'rostra.example', via: '1.1 proxy' } }))
  for (const field of ['x-forwarded-for', 'forwarded', 'x-real-ip'])
    t.true(isForwarded({ headers: { host: 'rostra.example', [field]: '203.0.113.9' } }), field)
})
