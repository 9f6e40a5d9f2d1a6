import { join } from 'node:path'
import { sqliteHistory } from '../../src/adapters/sqlite/history.ts'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { openHistory } from '../../src/history/history.ts'
import { hourAfter, portsOf, recordedEvents } from './numbered-log.ts'

/* A process that appends to the log of a directory, numbers it and signs a head every few milliseconds, until it is killed; it says each fault.
 * Without a number to begin with it appends nothing. It is ready when the first event is in the log. */

const [directory = '', from = '', headFile] = process.argv.slice(2)
const file = join(directory, 'rostra.db')
const { events } = await openSqlite({ file })
const history = sqliteHistory(`${file}.history`)
const say = (fault: unknown) => process.stdout.write(`fault: ${fault instanceof Error ? fault.message : fault}\n`)
const keeping = {
  alone: true,
  witnesses: [],
  onUnseen: () => undefined,
  headIntervalMs: 2,
  nextProof: hourAfter,
  report: say,
  onHeadUnwritten: say,
  onStop: say,
  onBreak: say,
}
const ports = portsOf({ events, history, keyFile: `${file}.history-key` })
const { duty } = await openHistory({ ...ports, headFile: headFile ?? ports.headFile }, keeping)
let isReady = false
const sayReady = () => {
  if (!isReady) process.stdout.write('ready\n')
  isReady = true
}
if (from === '') sayReady()
await Promise.all([
  duty(new AbortController().signal),
  (async () => {
    for (let round = Number(from); from !== ''; round++)
      for (const [at, { type, data, meta }] of recordedEvents.entries()) {
        const id = `${round.toString(16).padStart(8, '0')}-0000-5000-8000-${at.toString(16).padStart(12, '0')}`
        await events.append(`killed-${round}-${at}`, 'none', [{ id, type, data, meta }])
        sayReady()
      }
  })(),
])
