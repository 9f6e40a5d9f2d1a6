import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test from 'ava'
import { registerSession, startService } from '../support/service-process.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const run = promisify(execFile)
const limits = await run('prlimit', ['--version']).then(
  () => true,
  () => false,
)

const title = 'a full disk makes the service not ready, is counted and said once, and passes when there is room'
if (limits)
  test(title, async (t) => {
    const directory = temporaryDirectory(t)
    const service = await startService(directory)
    t.teardown(() => service.kill('SIGKILL'))
    const { caller } = service
    const ann = await registerSession(caller, 'ann')
    const post = (path: string, form: Readonly<Record<string, string>>) => caller.post(path, { ...form, api_type: 'json' }, ann.headers)
    await post('/api/site_admin', { name: 'tea', title: 'All about tea' })
    const submit = (text: string) => post('/api/submit', { sr: 'tea', kind: 'self', title: 'Water', text })
    t.deepEqual((await submit('first')).at('json.errors'), [])

    const written = statSync(join(directory, 'rostra.db-wal')).size
    await run('prlimit', ['--pid', service.pid, `--fsize=${written + 64 * 1024}:`])
    const answers = []
    for (let n = 0; n < 12; n++) answers.push(await submit('x'.repeat(20_000)))
    const refused = answers.filter(({ status }) => status === 503).length
    t.true(refused >= 5, answers.map(({ status }) => status).join())

    const health = await caller.get('/health/ready')
    t.is(health.status, 503)
    t.true(
      (health.at('problems') as readonly string[]).some((problem) => /^writes are refused: /.test(problem)),
      health.text,
    )
    const counted = (await caller.get('/metrics')).text.matchAll(/^rostra_writes_refused_total\{store="\w+"\} (\d+)$/gm)
    t.true([...counted].reduce((sum, [, n]) => sum + Number(n), 0) >= refused)

    const said = service.said()
    t.false(said.includes('\\n    at '), said)
    const lines = said.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []))
    const messages = lines.map(({ msg, store = '' }) => `${msg} ${store}`)
    t.deepEqual(messages, [...new Set(messages)], 'each kind of fault is said once a minute')
    t.true(lines.some(({ msg }) => msg.startsWith('a write was refused: ')))

    await run('prlimit', ['--pid', service.pid, '--fsize=unlimited:'])
    const isReady = async () => (await caller.get('/health/ready')).status === 200
    for (let tries = 0; tries < 100 && !(await isReady()); tries++) await sleep(200)
    t.true(await isReady())
    t.deepEqual((await submit('later')).at('json.errors'), [])
  })
else test.skip(`${title} (left out: there is no prlimit)`, (t) => t.pass())
