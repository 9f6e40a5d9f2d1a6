import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import type { EventStore } from '../../src/ports/event-store.ts'
import { refuseLogAhead } from '../../src/runtime/log-clock.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const MINUTE = 60_000
const at = Date.UTC(2027, 0, 1)

const logEndingAt = (meta: object | undefined): Pick<EventStore, 'last'> => ({
  last: async () => meta && { id: 'e', type: 'T', stream: 's', revision: 0, position: '1', data: '{}', meta: JSON.stringify(meta) },
})

test('a log whose last event is up to five minutes ahead of the clock is accepted, one further ahead is refused', async (t) => {
  await t.notThrowsAsync(refuseLogAhead(logEndingAt(undefined), () => at))
  await t.notThrowsAsync(refuseLogAhead(logEndingAt({ at }), () => at + MINUTE))
  await t.notThrowsAsync(refuseLogAhead(logEndingAt({ at }), () => at - 5 * MINUTE))
  await t.throwsAsync(
    refuseLogAhead(logEndingAt({ at }), () => at - 6 * MINUTE),
    {
      message:
        "the last event of the log is dated 2027-01-01T00:00:00.000Z, but this machine's clock says 2026-12-31T23:54:00.000Z: if the clock is right, " +
        'either wait until 2026-12-31T23:55:00.000Z, or cut the log: npx rostra export --with-vault --until 2026-12-31T23:54:00.000Z ' +
        '--file site.ndjson, and npx rostra import site.ndjson into empty stores',
    },
  )
})

const startOn = async (file: string) => {
  const url = `sqlite:${file}`
  const env = { ...process.env, PORT: '0', EVENT_STORE_URL: url, DOCUMENT_STORE_URL: url }
  const child = spawn(process.execPath, ['src/main.ts'], { cwd: new URL('../..', import.meta.url), env })
  let output = ''
  child.stdout.on('data', (data) => {
    output += data
    if (output.includes('listening on')) child.kill('SIGTERM')
  })
  let stderr = ''
  child.stderr.on('data', (data) => {
    stderr += data
  })
  const [code] = await once(child, 'close')
  return { code, stderr, started: output.includes('listening on') }
}

const fileEndingAt = async (t: ExecutionContext, time: number): Promise<string> => {
  const file = join(temporaryDirectory(t), 'site.db')
  const { events, close } = await openSqlite({ file })
  const meta = { at: time, by: { account: null, as: 'system' }, commandId: 'c', correlationId: 'c', causationId: 'c', schema: 1, seen: {} }
  const event = { id: 'f0000000-0000-4000-8000-000000000000', type: 'LinkLocked', data: '{}', meta: JSON.stringify(meta) }
  await events.append('link-t5_1', 'none', [event])
  await close()
  return file
}

test('the service does not start on a log whose last event is an hour ahead: its last line names the two ways out', async (t) => {
  const { code, stderr, started } = await startOn(await fileEndingAt(t, Date.now() + 60 * MINUTE))
  t.is(code, 1)
  t.false(started)
  t.regex(
    stderr,
    /^the last event of the log is dated [^\n]*wait until [^\n]*npx rostra export --with-vault --until [^\n]*npx rostra import[^\n]*\n$/m,
  )
})

test('the service starts on a log whose last event is two minutes ahead', async (t) => {
  const { code, stderr, started } = await startOn(await fileEndingAt(t, Date.now() + 2 * MINUTE))
  t.true(started, stderr)
  t.is(code, 0)
})
