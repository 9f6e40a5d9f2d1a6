import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, createServer as createNetServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import test from 'ava'
import { sharedHeaders } from '../../src/http/pipeline/write-response.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const program = process.env.TEST_NGINX ?? 'nginx'
const isThere = spawnSync(program, ['-v']).status === 0
/** The proxy's configuration is tried on the nginx of this machine. */
const withNginx = isThere ? test : test.skip

type Upstream = { readonly server: Server; readonly port: number; readonly asked: string[] }

const upstream = async (t: ExecutionContext): Promise<Upstream> => {
  const asked: string[] = []
  const header = sharedHeaders('anonymous', true, 1)?.['Cache-Control']?.replace('stale-if-error=60', 'stale-if-error=3') ?? ''
  const server = createServer(({ headers, url = '' }, res) => {
    asked.push(String(headers.cookie ?? headers.authorization ?? url))
    const isPersonal = headers.cookie !== undefined
    res
      .writeHead(200, { 'Cache-Control': isPersonal ? 'private, max-age=0' : header, Vary: 'Accept, Cookie' })
      .end(`answer ${asked.length}`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => server.close())
  return { server, port: (server.address() as AddressInfo).port, asked }
}

const freePort = async (): Promise<number> => {
  const probe = createNetServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  await new Promise((resolve) => probe.close(resolve))
  return port
}

/** Runs nginx with deploy/nginx.conf before these processes; returns its address. */
const proxyBefore = async (t: ExecutionContext, upstreams: readonly Upstream[]): Promise<string> => {
  const directory = temporaryDirectory(t)
  const port = await freePort()
  const configuration = await readFile(new URL('../../deploy/nginx.conf', import.meta.url), 'utf8')
  const servers = upstreams.map((one) => `server 127.0.0.1:${one.port} max_fails=1 fail_timeout=2s;`)
  const local = configuration
    .replaceAll('/tmp/', `${directory}/`)
    .replace(/resolver .*;/, '')
    .replace(/server api:8080.*;/, servers.join('\n'))
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
  const file = join(directory, 'nginx.conf')
  await writeFile(file, local)
  const child = spawn(
    program,
    ['-c', file, '-p', directory, '-g', 'daemon off; user root;'.slice(0, process.getuid?.() === 0 ? undefined : 11)],
    {
      stdio: ['ignore', 'ignore', 'ignore'],
    },
  )
  t.teardown(() => child.kill())
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 100; tries++) {
    if (
      await fetch(`${url}/metrics`).then(
        ({ status }) => status === 404,
        () => false,
      )
    )
      return url
    await sleep(50)
  }
  throw new Error('nginx does not answer')
}

const textOf = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
  const response = await fetch(url, { headers })
  return `${response.status} ${await response.text()}`
}

withNginx('a page in use reaches the service at most four times in three seconds', async (t) => {
  const api = await upstream(t)
  const url = await proxyBefore(t, [api])
  const began = Date.now()
  let requests = 0
  const lane = async () => {
    for (; Date.now() - began < 3_000; requests++) await textOf(`${url}/hot`)
  }
  await Promise.all(Array.from({ length: 8 }, lane))
  t.true(requests >= 300, `${requests} requests`)
  t.true(api.asked.length <= 4, `${api.asked.length} reached the service`)
})

withNginx('a page outlives the service by as long as its header says, and no longer', async (t) => {
  const api = await upstream(t)
  const url = await proxyBefore(t, [api])
  t.is(await textOf(`${url}/hot`), '200 answer 1')
  api.server.closeAllConnections()
  await new Promise((resolve) => api.server.close(resolve))
  await sleep(1_500)
  t.is(await textOf(`${url}/hot`), '200 answer 1')
  for (const began = Date.now(); Date.now() - began < 4_000; ) {
    await textOf(`${url}/hot`)
    await sleep(100)
  }
  t.regex(await textOf(`${url}/hot`), /^50\d /)
})

withNginx('nothing is kept of an answer to a request with a cookie or a token', async (t) => {
  const api = await upstream(t)
  const url = await proxyBefore(t, [api])
  for (const headers of [{ cookie: 'rostra_session=a' }, { authorization: 'bearer b' }])
    for (let n = 0; n < 3; n++) {
      const before = api.asked.length
      await textOf(`${url}/hot`, headers)
      t.is(api.asked.length, before + 1)
    }
  t.is(await textOf(`${url}/hot`), '200 answer 7')
})

withNginx('a session is answered by one process, and by another one without an error when that one is gone', async (t) => {
  const apis = [await upstream(t), await upstream(t), await upstream(t)]
  const url = await proxyBefore(t, apis)
  const sessions = Array.from({ length: 60 }, (_, n) => ({ cookie: `rostra_session=${'x'.repeat(20)}${n}` }))
  for (let round = 0; round < 3; round++) for (const session of sessions) await textOf(`${url}/`, session)
  const homes = sessions.map(({ cookie }) => apis.filter(({ asked }) => asked.includes(cookie)))
  t.true(homes.every(({ length }) => length === 1))
  t.true(
    apis.every(({ asked }) => asked.length >= 30),
    `${apis.map(({ asked }) => asked.length)}`,
  )
  const [gone] = apis
  gone?.server.closeAllConnections()
  gone?.server.close()
  for (const session of sessions) t.regex(await textOf(`${url}/`, session), /^200 /)
})

test('the proxy’s configuration is tried where nginx is installed', (t) => {
  if (!isThere) t.log(`left out: there is no ${program} on this machine (Debian: apt-get install nginx-light)`)
  t.pass()
})
