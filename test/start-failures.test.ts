import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'

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

for (const script of ['src/main.ts', 'src/projections.ts']) {
  test(`${script} waits for a server that is not there yet, says so, and can be ended meanwhile`, async (t) => {
    const { code, lines, all } = await start(script, servers, /waiting for it/)
    t.is(code, 1)
    t.is(lines.length, 1, all)
    t.regex(lines[0] ?? '', /DOCUMENT_STORE_URL.*nobody listens there.*127\.0\.0\.1:1/)
    t.notRegex(all, /secret|\n {4}at /)
  })

  test(`${script} ends with one line for an address that is none`, async (t) => {
    const { code, lines, all } = await start(script, { ...servers, DOCUMENT_STORE_URL: 'mongodb://ann:secret@:::/x' })
    t.is(code, 1)
    t.is(lines.length, 1, all)
    t.regex(lines[0] ?? '', /^DOCUMENT_STORE_URL is not a MongoDB address/)
    t.notRegex(all, /secret/)
  })
}

test('a data file needs no worker, and one says so', async (t) => {
  const { code, lines } = await start('src/projections.ts', { EVENT_STORE_URL: '', DOCUMENT_STORE_URL: '' })
  t.is(code, 1)
  t.is(lines.length, 1)
  t.regex(lines[0] ?? '', /data file/)
})
