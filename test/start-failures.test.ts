import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { startService } from './support/service-process.ts'
import { temporaryDirectory } from './support/temporary.ts'

const root = new URL('..', import.meta.url)
const servers = {
  EVENT_STORE_URL: 'esdb://127.0.0.1:1?tls=false',
  DOCUMENT_STORE_URL: 'mongodb://ann:secret@127.0.0.1:1/rostra?directConnection=true',
  SESSION_SECRET: 'a secret of at least 32 characters',
}

/** Start a process of the service; end it when it has said something that matches. */
const start = async (script: string, environment: Readonly<Record<string, string>>, until?: RegExp) => {
  const child = spawn(process.execPath, [script], { cwd: root, env: { ...process.env, PORT: '0', ...environment } })
  const exited = once(child, 'exit')
  let stderr = ''
  let all = ''
  child.stderr.on('data', (data) => {
    stderr += data
    all += data
  })
  child.stdout.on('data', (data) => {
    all += data
  })
  while (until && !until.test(all) && child.exitCode === null) await sleep(50)
  if (until) child.kill('SIGTERM')
  const [code] = await exited
  return { code, stderr, all, lines: stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{')) }
}

for (const script of ['src/main.ts', 'src/worker.ts']) {
  test(`${script} waits for a server that is not there yet, reports it, and can be ended meanwhile`, async (t) => {
    const { code, lines, all } = await start(script, servers, /waiting for it/)
    t.is(code, 1)
    t.is(lines.length, 1, all)
    t.regex(lines[0] ?? '', /DOCUMENT_STORE_URL.*the connection was refused: no server listens at this address.*127\.0\.0\.1:1/)
    t.notRegex(all, /secret|\n {4}at /)
  })

  test(`${script} ends with one line for an invalid address`, async (t) => {
    const { code, lines, all } = await start(script, { ...servers, DOCUMENT_STORE_URL: 'mongodb://ann:secret@:::/x' })
    t.is(code, 1)
    t.is(lines.length, 1, all)
    t.regex(lines[0] ?? '', /^DOCUMENT_STORE_URL is not a MongoDB address/)
    t.notRegex(all, /secret/)
  })
}

test('a projection worker for a data file ends with one line', async (t) => {
  const { code, lines } = await start('src/worker.ts', { EVENT_STORE_URL: '', DOCUMENT_STORE_URL: '' })
  t.is(code, 1)
  t.is(lines.length, 1)
  t.regex(lines[0] ?? '', /data file/)
})

const sqlite = (file: string) => ({
  EVENT_STORE_URL: `sqlite:${file}`,
  DOCUMENT_STORE_URL: `sqlite:${file}`,
  SESSION_SECRET: servers.SESSION_SECRET,
})

for (const [what, environment, line] of [
  [
    'a host name that nobody knows',
    { HOST: 'nobody.invalid' },
    /^cannot listen on HOST nobody\.invalid and PORT 0, which must be an address of this machine and a free port: .*(ENOTFOUND|EAI_AGAIN)/,
  ],
  [
    'an address of another machine',
    { HOST: '203.0.113.9' },
    /^cannot listen on HOST 203\.0\.113\.9 and PORT 0, which must be an address of this machine and a free port: .*EADDRNOTAVAIL/,
  ],
] as const)
  test(`${what} ends the start with one line`, async (t) => {
    const { code, lines, all } = await start('src/main.ts', { ...sqlite(join(temporaryDirectory(t), 'rostra.db')), ...environment })
    t.is(code, 1)
    t.is(lines.length, 1, all)
    t.regex(lines[0] ?? '', line)
  })

test('a directory as data file ends the service or a command with one line', async (t) => {
  const directory = temporaryDirectory(t)
  for (const [script, exit] of [
    ['src/main.ts', 1],
    ['src/cli/audit.ts', 2],
    ['src/cli/rebuild.ts', 2],
  ] as const) {
    const { code, lines, all } = await start(script, sqlite(directory))
    t.is(code, exit, script)
    t.is(lines.length, 1, all)
    t.true(lines[0]?.endsWith(`${directory} is a directory, not a data file`), all)
  }
})

test('a start logs one line: version, stores, positions and duration', async (t) => {
  const file = join(temporaryDirectory(t), 'rostra.db')
  const { all } = await start('src/main.ts', sqlite(file), /listening on/)
  const said = all.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  t.deepEqual(
    said.map(({ msg }) => msg),
    ['started', 'stopping', 'stopped'],
  )
  const { version, eventStore, documentStore, position, ms } = said[0]
  t.regex(version, /^\d+\.\d+\.\d+/)
  t.deepEqual([eventStore, documentStore], [`sqlite:${file}`, `sqlite:${file}`])
  t.regex(position, /^\d{20}$/)
  t.true(Number.isInteger(ms) && ms > 0)
})

const hasTerminal = process.platform === 'linux' && existsSync('/usr/bin/script')
;(hasTerminal ? test : test.skip)(
  'on a terminal the start says in three lines what runs, where its data is and what to open',
  async (t) => {
    const file = join(temporaryDirectory(t), 'rostra.db')
    const child = spawn('/usr/bin/script', ['-qec', `${process.execPath} src/main.ts`, '/dev/null'], {
      cwd: root,
      env: { ...process.env, PORT: '0', ...sqlite(file) },
    })
    t.teardown(() => child.kill('SIGTERM'))
    let said = ''
    child.stdout.on('data', (data) => {
      said += data
    })
    while (!said.includes('open http') && child.exitCode === null) await sleep(50)
    const lines = said.split('\r\n')
    t.true(lines.every((line) => !line.startsWith('{')))
    const [what = '', where, open = ''] = lines.slice(lines.findIndex((line) => line.startsWith('Rostra ')))
    t.regex(what, /^Rostra \d+\.\d+\.\d+$/)
    t.is(where, `keeps its data in ${file}`)
    t.regex(open, /^open http:\/\/127\.0\.0\.1:\d+$/)
  },
)

test('a misspelt variable is one warning at the start of the service', async (t) => {
  const { all } = await start('src/main.ts', { ...sqlite(join(temporaryDirectory(t), 'rostra.db')), CAPTHCA: 'on' }, /listening on/)
  const warnings = all.split('\n').flatMap((line) => (line.startsWith('{"level":40') ? [JSON.parse(line).msg] : []))
  t.deepEqual(warnings, ['CAPTHCA is not a variable of this service: did you mean CAPTCHA?'])
})

test('at log level debug each request is one line, and no line contains a secret', async (t) => {
  const service = await startService(temporaryDirectory(t), { LOG_LEVEL: 'debug' })
  const secrets = ['canary-password', 'canary-code', 'canary-token']
  const form = { user: 'canary', passwd: 'canary-password', passwd2: 'canary-password', api_type: 'json' }
  const joined = await service.caller.post('/api/register?passwd=canary-password', form)
  const cookie = (joined.headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
  secrets.push(cookie.split('=')[1] ?? '', String(joined.at('json.data.modhash')))
  const me = await service.caller.get('/api/me.json', { Cookie: cookie })
  await service.caller.get('/api/v1/me?code=canary-code', { Authorization: 'bearer canary-token' })
  await service.caller.get('/nowhere/canary-token')
  await service.end('SIGTERM')
  const lines = service
    .said()
    .split('\n')
    .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
  const requests = lines.filter(({ msg }) => msg === 'request')
  t.deepEqual(
    requests.map(({ method, route, status }) => `${method} ${route} ${status}`),
    ['POST /api/register 200', 'GET /api/me.json 200', 'GET /api/v1/me 401', 'GET none 404'],
  )
  t.regex(requests[1].account, /^t2_/)
  t.is(requests[1].id, me.headers.get('x-request-id'))
  t.is(requests[3].account, null)
  for (const { ms } of requests) t.is(typeof ms, 'number')
  for (const secret of secrets) t.false(service.said().includes(secret), secret)
})
