import { readFile } from 'node:fs/promises'
import test from 'ava'
import { generated } from '../../docs/generated.ts'

for (const [name, text] of generated())
  test(`docs/${name} is up to date (npm run docs)`, async (t) => {
    const kept = await readFile(new URL(name, new URL('../../docs/', import.meta.url)), 'utf8').catch(() => '')
    t.true(kept === text, `docs/${name} is stale: run npm run docs`)
  })
