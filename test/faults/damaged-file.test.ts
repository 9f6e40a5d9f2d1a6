import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import test from 'ava'
import { unpackDataFile } from '../support/data-files.ts'
import { startService } from '../support/service-process.ts'

const PAGE = 4096

/** Overwrites a page in the middle of the log, which a start does not read. */
const damage = (file: string): void => {
  const db = new DatabaseSync(file, { readOnly: true })
  const pages = db.prepare("SELECT pageno FROM dbstat WHERE name = 'event' AND pagetype = 'leaf' ORDER BY path").all()
  db.close()
  const page = Number(pages[Math.floor(pages.length / 2)]?.pageno)
  const fd = openSync(file, 'r+')
  writeSync(fd, Buffer.alloc(PAGE, 0xee), 0, PAGE, (page - 1) * PAGE)
  closeSync(fd)
}

test('damage in the middle of the data file ends a running service with one line and one advice', async (t) => {
  const directory = unpackDataFile(t, 'v0.1.0-alpha.2')
  const file = join(directory, 'rostra.db')
  // a start of this version builds the read models that are new in it, for which it reads the whole log
  await (await startService(directory)).end('SIGTERM')
  damage(file)
  const service = await startService(directory, { LOG_LEVEL: 'fatal' })
  t.teardown(() => service.kill('SIGKILL'))
  const { code, errors } = await service.ended
  t.is(code, 1)
  const lines = errors.split('\n').filter((line) => line !== '')
  t.deepEqual(
    lines.map((line) => JSON.parse(line).msg),
    [`${file} is damaged: put back a copy (docs/operations.md, "Backup and restore")`],
  )
})
