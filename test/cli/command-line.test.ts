import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { call, programs as callable, type ProgramName } from '../support/command.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const root = new URL('../../', import.meta.url)
const { scripts } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { readonly scripts: Record<string, string> }

/** The commands of `npx rostra`, as its own help lists them. */
const commands = [...(await promisify(execFile)('bin/rostra', ['--help'], { cwd: root })).stdout.matchAll(/^ {2}([a-z-]+) {2,}\S/gm)].map(
  ([, name = '']) => name,
)

/** The scripts of npm that start other programs of ours. */
const programs = Object.entries(scripts).flatMap(([name, command]) => {
  const script = /\bnode .*?(\S+\.ts)$/.exec(command)?.[1]
  return script === undefined ? [] : [{ name, script }]
})

type Run = { readonly code: unknown; readonly stdout: string; readonly stderr: string }

const run = (program: string, ...args: readonly string[]) =>
  new Promise<Run>((resolve) => {
    execFile(program, args, { cwd: root }, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }))
  })

test('the command line programs are found', (t) => {
  for (const name of ['demo', 'bench', 'generate']) t.true(programs.map((program) => program.name).includes(name), name)
  for (const name of ['start', 'worker', ...Object.keys(callable)]) t.true(commands.includes(name), name)
})

test('a command that rostra does not have, or none, is refused with those it has', async (t) => {
  for (const args of [[], ['audits'], ['--version']]) {
    const { code, stdout, stderr } = await run('bin/rostra', ...args)
    t.deepEqual([code, stdout], [2, ''])
    t.regex(stderr, /^(there is no command \S+\n)?usage: npx rostra <command>.+ {2}audit /s)
  }
})

test('the older names of the commands are scripts of npm for one release', (t) => {
  const older = { projections: 'worker', 'collect-blobs': 'collect-images' }
  const newer = ['collect-images', 'set-password', 'witness']
  const names = Object.keys(callable).filter((name) => !newer.includes(name))
  for (const [name, command] of [...names.map((name) => [name, name]), ...Object.entries(older)])
    t.is(scripts[name ?? ''], `exec bin/rostra ${command}`)
})

test('the launcher becomes Node, called by a link from another directory, too', async (t) => {
  const link = join(temporaryDirectory(t), 'rostra')
  await symlink(new URL('bin/rostra', root).pathname, link)
  const child = spawn(link, ['import', '-'], {
    cwd: dirname(link),
    env: { ...process.env, EVENT_STORE_URL: 'sqlite:x.db', DOCUMENT_STORE_URL: 'sqlite:x.db' },
  })
  t.teardown(() => child.kill('SIGKILL'))
  let name = ''
  for (let tries = 0; tries < 100 && !/node/i.test(name); tries++) {
    name = (await run('ps', '-o', 'args=', '-p', String(child.pid))).stdout
    await sleep(50)
  }
  t.regex(name, /node \S*\/src\/cli\/import\.ts -/)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  t.deepEqual(await ended, [null, 'SIGTERM'])
})

/** Needs servers for what it does, so that only this test runs it as a process on every machine. */
const ALWAYS_SPAWNED = 'drop-obsolete'

/** Runs a command in this thread where it can be called, as other tests run each of these as its own process; else as a process. */
const runOrCall = (name: string, ...args: readonly string[]) =>
  name in callable && name !== ALWAYS_SPAWNED ? call(name as ProgramName, { args }) : run('bin/rostra', name, ...args)

const printsUsage = async (t: ExecutionContext, called: string, start: (arg: string) => Promise<Run>) => {
  const [help, unknown] = await Promise.all([start('--help'), start('--frobnicate')])
  t.is(help.code, 0, help.stderr)
  t.regex(help.stdout, new RegExp(`^${called}\\b.*\\n\\n\\S`))
  t.is(help.stderr, '')
  t.is(unknown.code, 2)
  t.is(unknown.stdout, '')
  t.regex(unknown.stderr, new RegExp(`^Unknown option '--frobnicate'; usage: ${called}\\b[^\\n]*\\n$`))
}

for (const name of commands)
  test(`npx rostra ${name} prints its usage with --help and refuses unknown options with one line`, (t) =>
    printsUsage(t, `npx rostra ${name}`, (arg) => runOrCall(name, arg)))

for (const { name, script } of programs)
  test(`npm run ${name} prints its usage with --help and refuses unknown options with one line`, (t) =>
    printsUsage(t, `npm run ${name}`, (arg) => run(process.execPath, script, arg)))

for (const [name, args, problem] of [
  ['start', ['data.db'], "Unexpected argument 'data.db'"],
  ['import', [], 'an argument is missing'],
  ['import', ['one', 'two'], "Unexpected argument 'two'"],
  ['export', ['--until'], "Option '--until <value>' argument missing"],
  ['audit', ['--json=yes'], "Option '--json' does not take an argument"],
] as const)
  test(`npx rostra ${[name, ...args].join(' ')} is refused with one line`, async (t) => {
    const { code, stdout, stderr } = await runOrCall(name, ...args)
    t.deepEqual([code, stdout, stderr.split(';')[0], stderr.split('\n').length], [2, '', problem, 2])
  })

test('a program whose reader goes early, as `head` does, ends without a word', async (t) => {
  const child = spawn(process.execPath, ['src/cli/export.ts', '--help'], { cwd: root })
  child.stdout.destroy()
  const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)])
  t.is(stderr, '')
  t.is(code, 141, 'as a program that SIGPIPE ends')
})
