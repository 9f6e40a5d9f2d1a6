import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { sqliteHistory } from '../../src/adapters/sqlite/history.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { historyKeyIn } from '../../src/history/key.ts'
import { proveHistory } from '../../src/history/prove-history.ts'
import { append, recordedEvents, withLog } from '../support/numbered-log.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const run = promisify(execFile)
const LIMIT_KIB = 40
const SMALL_DISK = 'mount -t tmpfs -o size=8k none "$0"'
const can = (program: string, ...args: readonly string[]) =>
  run(program, args).then(
    () => true,
    () => false,
  )

const [limits, mounts] = await Promise.all([can('prlimit', '--version'), can('unshare', '-rm', 'bash', '-c', SMALL_DISK, '/mnt')])

const until = async (reached: () => Promise<boolean> | boolean): Promise<void> => {
  for (let tries = 0; tries < 500; tries++) {
    if (await reached()) return
    await sleep(20)
  }
  throw new Error('it never came')
}

/** A process that numbers the log of a directory, under a command that limits it; and what it has said. */
const numbering = (t: ExecutionContext, command: readonly string[], directory: string, ...rest: readonly string[]) => {
  const program = new URL('../support/numbering-process.ts', import.meta.url).pathname
  const [first = '', ...args] = [...command, process.execPath, program, directory, '', ...rest]
  const child = spawn(first, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (data) => {
    said += data
  })
  const end = async () => {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return { pid: String(child.pid), said: () => said, end }
}

const provedIn = (directory: string) =>
  withLog(directory, async ({ events, history, keyFile }) => {
    const key = await historyKeyIn(keyFile)
    const proof = key && (await proveHistory({ events, history }, key))
    return [proof?.events, proof?.unproved, proof?.findings]
  })

const whole = 'a history without room to write says so, loses nothing, and goes on once there is room'
if (limits)
  test(whole, async (t) => {
    const directory = temporaryDirectory(t)
    await withLog(directory, ({ events }) => append(events, recordedEvents))
    const { pid, said, end } = numbering(t, ['bash', '-c', `ulimit -S -f ${LIMIT_KIB} && exec "$0" "$@"`], directory)
    await until(() => said().includes('fault: '))
    t.regex(said(), /^ready\nfault: (no space left|the system refuses) to write \S+rostra\.db\.history/)
    const signed = async () => {
      const history = sqliteHistory(join(directory, 'rostra.db.history'), true)
      try {
        return (await history.list('1/log', 'head', 0, 9)).map(({ number }) => number)
      } finally {
        await history.close()
      }
    }
    t.deepEqual(await signed(), [])
    await run('prlimit', ['--pid', pid, '--fsize=unlimited'])
    await until(async () => (await signed()).includes(recordedEvents.length))
    await end()
    t.deepEqual(await provedIn(directory), [recordedEvents.length, 0, []])
  })
else test.skip(`${whole} (left out: there is no prlimit)`, (t) => t.pass())

const head = 'a last head without room is told once; it is kept as soon as there is room, and told again after that'
if (mounts)
  test(head, async (t) => {
    const directory = temporaryDirectory(t)
    const disk = join(directory, 'elsewhere')
    await mkdir(disk)
    await withLog(directory, ({ events }) => append(events, recordedEvents.slice(0, 100)))
    const command = ['unshare', '-rm', 'bash', '-c', `${SMALL_DISK} && exec "$@"`, disk]
    const { pid, said, end } = numbering(t, command, directory, join(disk, 'last-head'))
    // the small disk is there for that process only
    const inside = (name: string) => join('/proc', pid, 'root', disk, name)
    const isKept = (size: number) => async () => (await readFile(inside('last-head'), 'utf8').catch(() => '')).includes(`\n[${size},`)
    await until(isKept(100))
    const { events, close } = await openSqlite({ file: join(directory, 'rostra.db'), beside: true })
    for (const [round, size] of [120, 140].entries()) {
      await writeFile(inside('filler'), Buffer.alloc(8192)).catch(() => undefined)
      for (const [at, { type, data, meta }] of recordedEvents.slice(size - 20, size).entries())
        await events.append(`later-${size + at}`, 'none', [{ type, data, meta, id: `00000000-0000-5000-8000-000000000${size + at}` }])
      await until(() => said().split('no space left on device').length > round + 1)
      t.true(await isKept(size - 20)())
      await sleep(100)
      t.is(said().split('fault: ').length, round + 2, said())
      await rm(inside('filler'))
      await until(isKept(size))
    }
    await close()
    await end()
    t.deepEqual(await provedIn(directory), [140, 0, []])
  })
else test.skip(`${head} (left out: no disk can be made)`, (t) => t.pass())
