import { openSqlite } from '../../src/adapters/sqlite/stores.ts'
import { openExport } from '../../src/export/export.ts'
import { sealedEvents } from '../../src/export/levels.ts'
import type { Format } from '../../src/export/parts.ts'

/** Exports a log into a directory in parts of a few events, again and again, until it is killed. Called with the file, the directory and the format. */
const [file = '', directory = '', format = ''] = process.argv.slice(2)
const { events } = await openSqlite({ file, readOnly: true })
const choice = { level: 'sealed', format: format as Format, compression: 'none', from: null, types: [], subsites: [] } as const
const partEvents = { most: 40, few: 10 }
const plan = { directory, choice, exporting: sealedEvents, isWanted: () => true, from: undefined, until: undefined, partEvents }
const exported = await openExport({ events, numbered: undefined, end: events.head }, plan, () => {})
process.stdout.write('begun\n')
for (;;) {
  await exported.advance()
  await new Promise((resolve) => setImmediate(resolve))
}
