import { access, readFile } from 'node:fs/promises'
import test from 'ava'
import { endpoints } from '../src/http/endpoints/all.ts'
import { onServers } from './support/on-servers.ts'
import { processTests } from './support/process-tests.ts'

test('the gate asks something of each section of endpoints on servers, too', async (t) => {
  t.deepEqual(Object.keys(onServers).sort(), [...new Set(endpoints.map(({ section }) => section))].sort())
  for (const [section, names] of Object.entries(onServers)) {
    t.true(names.length > 0, section)
    for (const name of names) await t.notThrowsAsync(access(new URL(`http/${name}.test.ts`, import.meta.url)), name)
  }
})

test('a test file that starts processes is left to its own lane, and every other runs with the others', async (t) => {
  for (const file of [
    'test/http/shutdown.test.ts',
    'test/http/register-command.test.ts',
    'test/cli/command-line.test.ts',
    'test/faults/kill.test.ts',
  ])
    t.true(processTests.includes(file), file)
  for (const file of ['test/gate.test.ts', 'test/http/votes.test.ts', 'test/distributed/faults.test.ts'])
    t.false(processTests.includes(file), file)
  const { scripts } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  const gate = await readFile(new URL('../.ci/run', import.meta.url), 'utf8')
  for (const lane of ['processes', 'stores', 'servers:sample', 'clients']) {
    t.true(`test:${lane}` in scripts, lane)
    t.true(gate.includes(`npm run test:${lane}`), lane)
  }
})
