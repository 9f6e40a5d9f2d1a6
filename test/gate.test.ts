import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { endpoints } from '../src/http/endpoints/all.ts'
import { onServers, tooLongForTheSample } from './support/on-servers.ts'
import { copyEmptyFile } from './support/site.ts'
import { slowTests } from './support/slow-tests.ts'
import { temporaryDirectory } from './support/temporary.ts'

test('the gate asks something of each section of endpoints on servers, too', async (t) => {
  t.deepEqual(Object.keys(onServers).sort(), [...new Set(endpoints.map(({ section }) => section))].sort())
  for (const [section, names] of Object.entries(onServers)) {
    t.true(names.length > 0, section)
    for (const name of names) await t.notThrowsAsync(access(new URL(`http/${name}.test.ts`, import.meta.url)), name)
  }
  const texts = Object.values(onServers)
    .flat()
    .map((name) => readFile(new URL(`http/${name}.test.ts`, import.meta.url), 'utf8'))
  const all = (await Promise.all(texts)).join()
  for (const title of tooLongForTheSample) t.true(all.includes(`'${title}'`), title)
})

test('a test file that starts processes or takes long is left to a lane of its own, and every other runs with the others', async (t) => {
  for (const file of [
    'test/http/shutdown.test.ts',
    'test/http/register-command.test.ts',
    'test/cli/command-line.test.ts',
    'test/faults/kill.test.ts',
    'test/history/forgeries.test.ts',
  ])
    t.true(slowTests.includes(file), file)
  for (const file of slowTests) await t.notThrowsAsync(access(new URL(`../${file}`, import.meta.url)), file)
  for (const file of ['test/gate.test.ts', 'test/http/votes.test.ts', 'test/distributed/faults.test.ts'])
    t.false(slowTests.includes(file), file)
  const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  const gate = await readFile(new URL('../.ci/run', import.meta.url), 'utf8')
  for (const lane of ['slow', 'stores', 'servers:sample', 'browser', 'clients']) {
    t.true(`test:${lane}` in scripts, lane)
    t.true(gate.includes(`npm run test:${lane}`), lane)
  }
})

test('sites that start at once in one thread share one empty data file', async (t) => {
  const directory = temporaryDirectory(t)
  process.env.EMPTY_DATA_FILE = join(directory, 'empty.db')
  const copies = ['a', 'b', 'c', 'd'].map((name) => join(directory, name))
  await t.notThrowsAsync(Promise.all(copies.map(copyEmptyFile)))
  for (const copy of copies) await t.notThrowsAsync(access(copy))
})
