import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import test from 'ava'
import { call, programs as callable, type ProgramName } from '../support/command.ts'

const root = new URL('../../', import.meta.url)
const { scripts } = JSON.parse(await readFile(new URL('package.json', root), 'utf8')) as { readonly scripts: Record<string, string> }

/** Everything that `npm run` starts and that is ours. */
const programs = Object.entries(scripts).flatMap(([name, command]) => {
  const script = /\bnode .*?(\S+\.ts)$/.exec(command)?.[1]
  return script === undefined ? [] : [{ name, script }]
})

const run = (script: string, ...args: readonly string[]) =>
  new Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd: root }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    )
  })

test('the command line programs are found', (t) => {
  const names = programs.map(({ name }) => name)
  for (const name of ['start', 'projections', 'audit', 'export', 'import', 'demo']) t.true(names.includes(name), name)
})

/** Needs servers for what it does, so that only this test runs it as a process on every machine. */
const ALWAYS_SPAWNED = 'drop-obsolete'

/** Runs a program in this thread where it can be called, as other tests run each of these as its own process; else as a process. */
const runOrCall = (name: string, script: string, ...args: readonly string[]) =>
  name in callable && name !== ALWAYS_SPAWNED ? call(name as ProgramName, { args }) : run(script, ...args)

for (const { name, script } of programs)
  test(`npm run ${name} prints its usage with --help and refuses unknown options with one line`, async (t) => {
    const [help, unknown] = await Promise.all([runOrCall(name, script, '--help'), runOrCall(name, script, '--frobnicate')])
    t.is(help.code, 0, help.stderr)
    t.regex(help.stdout, new RegExp(`^npm (run )?(-s )?${name}\\b.*\\n\\n\\S`))
    t.is(help.stderr, '')
    t.is(unknown.code, 2)
    t.is(unknown.stdout, '')
    t.regex(unknown.stderr, new RegExp(`^Unknown option '--frobnicate'; usage: npm (run )?(-s )?${name}\\b[^\\n]*\\n$`))
  })

for (const [name, script, args, problem] of [
  ['start', 'src/main.ts', ['data.db'], "Unexpected argument 'data.db'"],
  ['import', 'src/cli/import.ts', [], 'an argument is missing'],
  ['import', 'src/cli/import.ts', ['one', 'two'], "Unexpected argument 'two'"],
  ['export', 'src/cli/export.ts', ['--until'], "Option '--until <value>' argument missing"],
  ['audit', 'src/cli/audit.ts', ['--json=yes'], "Option '--json' does not take an argument"],
] as const)
  test(`node ${[script, ...args].join(' ')} is refused with one line`, async (t) => {
    const { code, stdout, stderr } = await runOrCall(name, script, ...args)
    t.deepEqual([code, stdout, stderr.split(';')[0], stderr.split('\n').length], [2, '', problem, 2])
  })

test('a program whose reader goes early, as `head` does, ends without a word', async (t) => {
  const child = spawn(process.execPath, ['src/cli/export.ts', '--help'], { cwd: root })
  child.stdout.destroy()
  const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)])
  t.is(stderr, '')
  t.is(code, 141, 'as a program that SIGPIPE ends')
})
