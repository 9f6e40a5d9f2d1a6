import { openSync, writeSync } from 'node:fs'
import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { HOLD_LIMITS } from '../../src/adapters/sqlite/write-behind.ts'
import type { ExpectedRevision } from '../../src/ports/event-store.ts'
import { StoreFault } from '../../src/ports/faults.ts'
import { streamOf } from './stream-of.ts'

// A process to be killed: `node sqlite-writer.ts <file> <acknowledged> <seed> <writers>` appends batches of one to three events to a
// thousand streams with many writers, and notes each append once it is acknowledged. The notes outlive the process. Its read model is
// written to the file all the time, a few documents in each step.

// the process that started this one ended, so nothing will kill it
process.stdin.resume().on('close', () => process.exit())

const [file = '', notes = '', seed = '', writers = '8'] = process.argv.slice(2)

try {
  const { events } = await openSqlite({
    file,
    projector: new URL('sqlite-projectors.ts', import.meta.url),
    hold: { ...HOLD_LIMITS, ms: 30, stepMs: 0 },
  })
  const acknowledged = openSync(notes, 'a')
  writeSync(acknowledged, '\n') // a writer killed before may have left an incomplete line
  process.stdout.write('ready\n')
  const write = async (writer: number): Promise<never> => {
    const revisions = new Map<string, ExpectedRevision>()
    for (let n = 0; ; n++) {
      const stream = `kill-${writer}.${(n * 7 + Number(seed)) % 125}`
      const ids = Array.from({ length: 1 + (n % 3) }, (_, i) => `${seed}-${writer}-${n}-${i}`)
      const batch = ids.map((id) => ({
        id,
        type: 'Written',
        data: JSON.stringify({ n, of: ids.length, text: 'x'.repeat(n % 700) }),
        meta: '{}',
      }))
      const expected = revisions.get(stream) ?? (await streamOf(events, stream, 0)).at(-1)?.revision ?? 'none'
      const result = await events.append(stream, expected, batch)
      if (result.outcome === 'conflict') throw new Error(`${stream} moved from ${expected} to ${result.actual}`)
      revisions.set(stream, result.revision)
      writeSync(acknowledged, `${JSON.stringify({ stream, ids, revision: result.revision, position: result.position })}\n`)
    }
  }
  await Promise.all(Array.from({ length: Number(writers) }, (_, writer) => write(writer)))
} catch (error) {
  process.stdout.write(`${error instanceof StoreFault ? error.kind : 'bug'}: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
