import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat } from 'node:fs/promises'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { dataOf } from '../support/community.ts'
import { registerSession, startService } from '../support/service-process.ts'
import { servers } from '../support/shape.ts'
import { type Answer, type Caller, callerAt } from '../support/site.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const register = async (url: string, name: string) => {
  const { headers } = await registerSession(callerAt(url), name)
  return callerAt(url, { ...headers, Connection: 'keep-alive' })
}

const titlesOf = (page: Answer): readonly unknown[] => dataOf(page).map(({ title }) => title)

/** The newest links there are, once the read models show what stands at a position. */
const newest = async (caller: Caller, position: string) => {
  const look = () => caller.get(`/s/tea/new?limit=100&min_position=${position}`)
  let page = await look()
  for (let tries = 0; page.headers.get('x-stale') !== null && tries < 30; tries++) page = await look()
  return page
}

const submissions = async (t: ExecutionContext, url: string) => {
  const ann = await register(url, 'ann')
  const tea = { api_type: 'json', name: 'tea', title: 'Tea', type: 'public', link_type: 'any', wikimode: 'disabled' }
  t.is((await ann.post('/api/site_admin', tea)).status, 200)
  const acknowledged: string[] = []
  let position = ''
  const broken: unknown[] = []
  let going = true
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let n = 0; going; n++) {
      const title = `lane ${lane} number ${n}`
      try {
        const answer = await ann.post('/api/submit', { api_type: 'json', sr: 'tea', kind: 'self', title })
        t.is(answer.status, 200)
        acknowledged.push(title)
        position = [position, answer.headers.get('x-log-position') ?? ''].sort()[1] ?? ''
      } catch (error) {
        // The connection was refused, or closed before the request was read; a request that was read gets its response.
        going = false
        broken.push(error)
      }
    }
  })
  return { acknowledged, broken, finished: Promise.all(lanes), last: () => position }
}

test('SIGTERM under load loses no acknowledged write and exits with 0', async (t) => {
  const directory = await temporaryDirectory(t)
  const first = await startService(directory)
  const { acknowledged, broken, finished, last } = await submissions(t, first.url)
  while (acknowledged.length < 20 && broken.length === 0) await sleep(50)
  t.deepEqual(broken, [], 'nothing breaks before the signal')
  const { code, errors } = await first.end('SIGTERM')
  await finished
  t.is(code, 0, errors)
  t.is(errors, '')

  const second = await startService(directory)
  let page = await newest(second.caller, last())
  const titles = new Set(titlesOf(page))
  while (page.at('data.after') !== null) {
    page = await second.caller.get(`/s/tea/new?limit=100&after=${page.at('data.after')}`)
    for (const title of titlesOf(page)) titles.add(title)
  }
  t.deepEqual(
    acknowledged.filter((title) => !titles.has(title)),
    [],
  )
  t.is((await second.end('SIGTERM')).code, 0)
})

/** A connection that the client never closes, and what comes over it, one read after the other. */
const heldOpen = (t: ExecutionContext, url: string, text: string) => {
  const { port, hostname } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () => socket.write(text))
  t.teardown(() => socket.destroy())
  return { socket, closed: once(socket, 'end'), read: async () => String((await once(socket, 'data'))[0]) }
}

test('an idle connection is closed at the end of the service, while a request that is being sent is still served', async (t) => {
  const site = await startService(await temporaryDirectory(t))
  const head =
    'POST /api/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n'
  const busy = heldOpen(t, site.url, head)
  t.regex(await busy.read(), /^HTTP\/1.1 100 /)
  const idle = heldOpen(t, site.url, 'GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
  t.regex(await idle.read(), /^HTTP\/1.1 200 OK\r\n.*Connection: keep-alive/s)
  const ended = site.end('SIGTERM')
  // without a deadline: it is closed before the other, which has some seconds to be sent completely
  t.is(await Promise.race([idle.closed.then(() => 'idle'), busy.closed.then(() => 'busy')]), 'idle')
  busy.socket.write('a=')
  t.regex(await busy.read(), /^HTTP\/1.1 [24]\d\d .*Connection: close/is)
  for (const { socket } of [idle, busy]) socket.end()
  t.is((await ended).code, 0)
})

/** Asks again and again over connections that are kept alive, with pauses of up to so many milliseconds, until nobody listens any more. */
const askOn = async (url: string, longestPause: number, answers: string[]) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = () =>
    new Promise<string>((resolve) => {
      get(`${url}/health/live`, { agent }, (answer) => {
        answer.resume().once('end', () => resolve(`${answer.statusCode} ${answer.headers.connection}`))
      }).once('error', (error: NodeJS.ErrnoException) => resolve(String(error.code)))
    })
  while (answers.at(-1) !== 'ECONNREFUSED') {
    answers.push(await ask())
    await sleep(Math.random() * longestPause)
  }
  agent.destroy()
}

for (const pause of [0, 300])
  test(`SIGTERM resets no keep-alive connection with a request, every ${pause} ms at most`, async (t) => {
    const site = await startService(await temporaryDirectory(t))
    const heard = Array.from({ length: 8 }, (): string[] => [])
    const clients = heard.map((answers) => askOn(site.url, pause, answers))
    while (heard.some(({ length }) => length < 3)) await sleep(50)
    t.is((await site.end('SIGTERM')).code, 0)
    await Promise.all(clients)
    for (const answers of heard) {
      t.deepEqual(
        answers.splice(-2),
        ['200 close', 'ECONNREFUSED'],
        'the last response says that the connection closes, and no request is lost',
      )
      t.deepEqual([...new Set(answers)], ['200 keep-alive'])
    }
  })

test('npm start passes SIGTERM on, and ends when the service has ended', async (t) => {
  const directory = await temporaryDirectory(t)
  const file = `sqlite:${join(directory, 'rostra.db')}`
  const child = spawn('npm', ['start'], {
    cwd: new URL('../..', import.meta.url),
    env: { ...process.env, PORT: '0', EVENT_STORE_URL: file, DOCUMENT_STORE_URL: file, LOG_LEVEL: 'info' },
  })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      said += data
    })
  const ended = once(child, 'exit')
  while (!/listening on/.test(said) && child.exitCode === null) await sleep(50)
  const url = /listening on (http:\S+)/.exec(said)?.[1] ?? ''
  t.is((await fetch(`${url}/health/live`)).status, 200)
  child.kill('SIGTERM')
  t.deepEqual(await ended, [0, null], said)
  t.regex(said, /"msg":"stopped"/)
  await t.throwsAsync(fetch(`${url}/health/live`))
})

test('an invalid setting ends the start with one line', async (t) => {
  const directory = await temporaryDirectory(t)
  const error = await t.throwsAsync(startService(directory, { RATE_LIMITS: 'maybe' }))
  t.is(error?.message, 'it ended before it listened: RATE_LIMITS is "maybe", but must be on or off\n')
})

test('a port in use ends the start with one line', async (t) => {
  const site = await startService(await temporaryDirectory(t))
  const samePort = await t.throwsAsync(startService(await temporaryDirectory(t), { PORT: new URL(site.url).port }))
  t.regex(samePort?.message ?? '', /EADDRINUSE[^\n]+\n$/)
  t.is((await site.end('SIGTERM')).code, 0)
})

const onOneFile = servers ? test.skip : test

onOneFile('a data file in use ends the start with one line', async (t) => {
  const directory = await temporaryDirectory(t)
  const site = await startService(directory)
  const sameFile = await t.throwsAsync(startService(directory))
  t.regex(sameFile?.message ?? '', /^it ended before it listened: [^\n]+\n$/)
  t.is((await site.end('SIGTERM')).code, 0)
})

onOneFile('the session secret is created at the first start, readable by its owner only, and reused', async (t) => {
  const directory = await temporaryDirectory(t)
  const first = await startService(directory)
  const ann = await register(first.url, 'ann')
  t.is((await ann.get('/api/me.json')).at('data.name'), 'ann')
  await first.end('SIGTERM')
  const file = join(directory, 'rostra.db.session-secret')
  t.is((await stat(file)).mode & 0o777, 0o600)
  const secret = await readFile(file, 'utf8')
  const second = await startService(directory)
  await second.end('SIGTERM')
  t.is(await readFile(file, 'utf8'), secret)
})
