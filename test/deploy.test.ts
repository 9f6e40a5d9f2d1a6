import { execFile } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { spawnCommand } from './support/command.ts'
import { registerSession, startService } from './support/service-process.ts'
import { temporaryDirectory } from './support/temporary.ts'

const run = promisify(execFile)
const ROOT = new URL('..', import.meta.url).pathname

const succeeds = (command: string): Promise<boolean> =>
  run('sh', ['-c', command]).then(
    () => true,
    () => false,
  )

/** Programs that judge what an operator gets: what they say of it, whether the machine has them, and how they are asked. */
const judges: readonly (readonly [title: string, present: string, command: string])[] = [
  [
    'the unit of systemd exposes at most 3.0 of 10',
    'command -v systemd-analyze',
    'systemd-analyze security --offline=true --threshold=30 --no-pager deploy/rostra.service',
  ],
  ['the shell scripts pass shellcheck', 'command -v shellcheck', 'shellcheck bin/rostra .ci/run .ci/document-store deploy/*.sh'],
  ['hadolint has nothing to say of the image', 'command -v hadolint', 'hadolint Dockerfile'],
  [
    'promtool takes the alerts and the example of a scrape',
    'command -v promtool',
    'promtool check rules deploy/alerts.yml && promtool check config deploy/prometheus.yml',
  ],
  [
    'Compose takes both of its files',
    'docker compose version',
    'docker compose -f compose.yml config --quiet && docker compose -f docker-compose.yml config --quiet',
  ],
]

const arePresent = await Promise.all(judges.map(([, present]) => succeeds(present)))

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

for (const [index, [title, , command]] of judges.entries())
  if (arePresent[index])
    test(title, async (t) => {
      await t.notThrowsAsync(run('sh', ['-c', command], { cwd: ROOT }))
    })
  else test.skip(`${title} (left out: this machine cannot tell)`, (t) => t.pass())
