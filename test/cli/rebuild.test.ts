import { join } from 'node:path'
import test from 'ava'
import { projections } from '../../projections/all.ts'
import { openReadModels } from '../../projections/engine/sets.ts'
import { links } from '../../projections/links.ts'
import { lock } from '../../src/adapters/sqlite/lock.ts'
import { runCommand, spawnCommand } from '../support/command.ts'
import { story } from '../support/example-history.ts'
import { catchUp, contentsOf, openFile } from '../support/read-models.ts'
import { temporaryDirectory } from '../support/temporary.ts'

const tableOf = ({ name, version }: { readonly name: string; readonly version: number }): string => `${name}_v${version}`

test('a rebuild prints the digest of each collection, the same as before', async (t) => {
  const { file, append, ports, stores } = openFile(t)
  await append(story)
  await catchUp(await openReadModels(ports, projections))
  const before = await contentsOf(stores.documents, projections)
  const { code, stdout, stderr } = await spawnCommand('rebuild', file)
  t.is(code, 0, stderr)
  const lines = stdout.trim().split('\n')
  t.is(lines.length, projections.length + 1)
  for (const line of lines.slice(0, -1)) t.regex(line, /^\w+ +\d+ documents {2}[0-9a-f]{16} {2}as before$/)
  t.regex(lines.at(-1) ?? '', new RegExp(`^${story.length} events in`))
  t.deepEqual(await contentsOf(stores.documents, projections), before)
})

test('a rebuild of one collection undoes changes made by hand, and reports that it differed', async (t) => {
  const { file, connection, append, ports, stores } = openFile(t)
  await append(story)
  await catchUp(await openReadModels(ports, projections))
  const before = await contentsOf(stores.documents, projections)
  connection.db.exec(`UPDATE ${tableOf(links)} SET body = json_set(body, '$.ups', 1000)`)
  const { code, stdout } = await runCommand('rebuild', file, 'links')
  t.is(code, 0)
  t.regex(stdout, /^links +1 documents {2}[0-9a-f]{16} {2}CHANGED, was [0-9a-f]{16} \(1\)$/m)
  t.is(stdout.match(/CHANGED/g)?.length, 1)
  t.deepEqual(await contentsOf(stores.documents, projections), before)
})

test('a rebuild is refused while a server runs', async (t) => {
  const { file } = openFile(t)
  const unlock = lock(file)
  const { code, stderr } = await spawnCommand('rebuild', file)
  unlock()
  t.is(code, 2)
  t.regex(stderr, /is in use by another server/)
})

test('a rebuild of an unknown collection or a missing file is an error that names it', async (t) => {
  const { file } = openFile(t)
  const unknown = await runCommand('rebuild', file, 'cups')
  t.is(unknown.code, 2)
  t.regex(unknown.stderr, /there is no collection cups; there are accounts, /)
  const missing = await runCommand('rebuild', join(temporaryDirectory(t), 'none.db'))
  t.is(missing.code, 2)
  t.regex(missing.stderr, /there is no data file/)
})
