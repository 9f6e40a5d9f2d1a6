import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { Agent, createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { sharedHeaders } from '../../src/http/pipeline/write-response.ts'
import { findFreePort } from '../support/free-port.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const program = process.env.TEST_NGINX ?? 'nginx'
const isThere = spawnSync(program, ['-v']).status === 0
/** The proxy's configuration is tried on the nginx of this machine. */
const withNginx = isThere ? test : test.skip

/** The seconds for which a page is fresh, and for which it is sent after that while the service does not answer: a minute in the long run. */
const FRESH_SECONDS = 1
const OUTLIVED_SECONDS = process.env.FULL_DISTRIBUTED === '1' ? 60 : 3
/** Milliseconds of requests, so that even the last ones end within three seconds. */
const WINDOW_MS = 2_900

type Upstream = { readonly server: Server; readonly port: number; readonly asked: string[] }

const upstream = async (t: ExecutionContext): Promise<Upstream> => {
  const asked: string[] = []
  const said = sharedHeaders('anonymous', true, FRESH_SECONDS)?.['Cache-Control'] ?? ''
  const header = said.replace('stale-if-error=60', `stale-if-error=${OUTLIVED_SECONDS}`)
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

/** Runs nginx with deploy/nginx.conf before these processes; returns its address. */
const proxyBefore = async (t: ExecutionContext, upstreams: readonly Upstream[]): Promise<string> => {
  const directory = temporaryDirectory(t)
  const port = await findFreePort()
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

const statusOf = (url: string, agent: Agent): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume()
      response.on('end', () => resolve(response.statusCode))
    }).on('error', reject)
  })

const textOf = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<string> => {
  const response = await fetch(url, { headers })
  return `${response.status} ${await response.text()}`
}

withNginx('a thousand requests within three seconds for a page in use reach the service at most four times', async (t) => {
  const api = await upstream(t)
  const url = await proxyBefore(t, [api])
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const began = Date.now()
  let requests = 0
  const lane = async () => {
    for (; requests < 1_000 || Date.now() - began < WINDOW_MS; requests++) t.is(await statusOf(`${url}/hot`, agent), 200)
  }
  await Promise.all(Array.from({ length: 16 }, lane))
  const seconds = Math.ceil((Date.now() - began) / 1_000)
  t.log(`${requests} requests within ${seconds} s, of which ${api.asked.length} reached the service`)
  t.true(requests >= 1_000)
  // the page is asked for once, then once a second: on a slow machine more seconds pass
  t.true(api.asked.length <= 1 + seconds, `${api.asked.length} reached the service`)
})

withNginx('a page outlives the service by as long as its header says, and no longer', async (t) => {
  t.timeout(2 * OUTLIVED_SECONDS * 1_000 + 60_000)
  const api = await upstream(t)
  const url = await proxyBefore(t, [api])
  t.is(await textOf(`${url}/hot`), '200 answer 1')
  const began = Date.now()
  api.server.closeAllConnections()
  await new Promise((resolve) => api.server.close(resolve))
  const passed = () => (Date.now() - began) / 1_000
  for (; passed() < OUTLIVED_SECONDS + FRESH_SECONDS - 1; await sleep(100))
    t.is(await textOf(`${url}/hot`), '200 answer 1', `${passed()} s`)
  for (; passed() < OUTLIVED_SECONDS + FRESH_SECONDS + 1; await sleep(100)) await textOf(`${url}/hot`)
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
  // the ports decide the shares: with this many sessions, less than half of a third is a fault and no chance
  const sessions = Array.from({ length: 300 }, (_, n) => ({ cookie: `rostra_session=${'x'.repeat(20)}${n}` }))
  for (let round = 0; round < 2; round++) for (const session of sessions) await textOf(`${url}/`, session)
  const homes = sessions.map(({ cookie }) => apis.filter(({ asked }) => asked.includes(cookie)))
  t.true(homes.every(({ length }) => length === 1))
  t.true(
    apis.every(({ asked }) => asked.length >= 100),
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
