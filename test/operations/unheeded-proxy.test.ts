import { Writable } from 'node:stream'
import test from 'ava'
import pino from 'pino'
import { PROXY_UNHEEDED, watchForProxy } from '../../src/operations/unheeded-proxy.ts'

const watching = () => {
  const lines: { readonly msg: string }[] = []
  const log = pino({ base: null }, new Writable({ write: (line, _, done) => done(void lines.push(JSON.parse(String(line)))) }))
  return { lines, proxy: watchForProxy(log) }
}

for (const field of ['x-forwarded-for', 'forwarded', 'x-real-ip'])
  test(`the first ${field} is logged, without its value, and no other`, (t) => {
    const { lines, proxy } = watching()
    proxy.see({ host: 'rostra.example', via: '1.1 proxy' })
    t.false(proxy.wasSeen())
    t.deepEqual(lines, [])
    for (let times = 0; times < 1_000; times++) proxy.see({ host: 'rostra.example', [field]: `203.0.113.${times}` })
    t.true(proxy.wasSeen())
    t.deepEqual(
      lines.map(({ msg }) => msg),
      [PROXY_UNHEEDED],
    )
    t.notRegex(JSON.stringify(lines), /203\.0\.113/)
  })
