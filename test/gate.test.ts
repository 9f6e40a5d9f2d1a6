import { access } from 'node:fs/promises'
import test from 'ava'
import { endpoints } from '../src/http/endpoints/all.ts'
import { onServers } from './support/on-servers.ts'

test('the gate asks something of each section of endpoints on servers, too', async (t) => {
  t.deepEqual(Object.keys(onServers).sort(), [...new Set(endpoints.map(({ section }) => section))].sort())
  for (const [section, names] of Object.entries(onServers)) {
    t.true(names.length > 0, section)
    for (const name of names) await t.notThrowsAsync(access(new URL(`http/${name}.test.ts`, import.meta.url)), name)
  }
})
