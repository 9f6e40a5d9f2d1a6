import { execFile } from 'node:child_process'
import { existsSync, globSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { spawnCommand } from './support/command.ts'
import { registerSession, startService } from './support/service-process.ts'
import { temporaryDirectory } from './support/temporary.ts'

const run = promisify(execFile)
const ROOT = new URL('..', import.meta.url).pathname

const has = (program: string): Promise<boolean> =>
  run('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  )
const [systemd, shellcheck] = await Promise.all([has('systemd-analyze'), has('shellcheck')])

/** Runs the backup of a data file as an operator's shell with the usual umask does. */
const backUp = (file: string, to: string) => run('sh', ['-c', 'umask 022; exec deploy/backup.sh "$0" "$1"', file, to], { cwd: ROOT })

const startIn = async (t: ExecutionContext, directory: string) => {
  const service = await startService(directory)
  t.teardown(() => service.kill('SIGKILL'))
  return service
}

test('a backup of a running service is for its owner alone, is proved, and goes on where it was taken', async (t) => {
  const directory = temporaryDirectory(t)
  const service = await startIn(t, directory)
  const ann = await registerSession(service.caller, 'ann')
  const make = (path: string, form: Readonly<Record<string, string>>) =>
    service.caller.post(path, { ...form, api_type: 'json' }, ann.headers)
  await make('/api/site_admin', { name: 'tea', title: 'All about tea' })
  t.deepEqual((await make('/api/submit', { sr: 'tea', kind: 'self', title: 'Before', text: '' })).at('json.errors'), [])
  const { stdout } = await backUp(join(directory, 'rostra.db'), join(directory, 'copies'))
  t.deepEqual((await make('/api/submit', { sr: 'tea', kind: 'self', title: 'After', text: '' })).at('json.errors'), [])
  await service.end('SIGTERM')

  const copy = stdout.trim()
  t.deepEqual(readdirSync(copy).sort(), ['rostra.db', 'rostra.db.history', 'rostra.db.history-key', 'rostra.db.session-secret'])
  for (const name of ['.', ...readdirSync(copy)]) t.is(statSync(join(copy, name)).mode & 0o077, 0, name)
  const audit = await spawnCommand('audit', join(copy, 'rostra.db'))
  const restored = await startIn(t, copy)
  const titles = (await restored.caller.get('/s/tea/new.json')).at('data.children') as readonly {
    readonly data: { readonly title: string }
  }[]
  t.deepEqual(
    titles.map(({ data }) => data.title),
    ['Before'],
  )
  t.is((await restored.caller.get('/api/me.json', ann.headers)).at('data.name'), 'ann')
  await restored.end('SIGTERM')
  t.is(audit.code, 0, audit.stdout + audit.stderr)
})

test('a backup that cannot be taken says why and leaves nothing', async (t) => {
  const directory = temporaryDirectory(t)
  const copies = join(directory, 'copies')
  const failed = async (file: string, why: RegExp) => {
    const error = await t.throwsAsync(backUp(file, copies))
    t.regex((error as unknown as { readonly stderr: string }).stderr, why)
    t.deepEqual(existsSync(copies) ? readdirSync(copies) : [], [])
  }
  await failed(join(directory, 'none.db'), /^there is no data file/)
  await failed(new URL('../README.md', import.meta.url).pathname, /not a database/)
})

const exposure = 'the unit of systemd exposes at most 3.0 of 10'
if (systemd)
  test(exposure, async (t) => {
    await t.notThrowsAsync(
      run('systemd-analyze', ['security', '--offline=true', '--threshold=30', '--no-pager', 'deploy/rostra.service'], { cwd: ROOT }),
    )
  })
else test.skip(`${exposure} (left out: there is no systemd-analyze)`, (t) => t.pass())

const linted = 'the shell scripts pass shellcheck'
if (shellcheck)
  test(linted, async (t) => {
    await t.notThrowsAsync(
      run('shellcheck', ['bin/rostra', '.ci/run', '.ci/document-store', ...globSync('deploy/*.sh', { cwd: ROOT })], { cwd: ROOT }),
    )
  })
else test.skip(`${linted} (left out: there is no shellcheck)`, (t) => t.pass())
