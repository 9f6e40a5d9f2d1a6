import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import test from 'ava'
import MarkdownIt from 'markdown-it'
import { generateDocuments } from '../../docs/generated.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'

for (const [name, text] of await generateDocuments())
  test(`docs/${name} is up to date (npm run generate)`, async (t) => {
    const kept = await readFile(new URL(name, new URL('../../docs/', import.meta.url)), 'utf8').catch(() => '')
    t.true(kept === text, `docs/${name} is stale: run npm run generate`)
  })

test('every endpoint has a heading that shows its path as it is, and every link of the generated documents leads to a file', async (t) => {
  const pages = [...(await generateDocuments())].filter(([name]) => name.endsWith('.md'))
  for (const [name, text] of pages) {
    const tokens = new MarkdownIt().parse(text, {}).flatMap(({ children }) => children ?? [])
    const links = tokens.filter(({ type }) => type === 'link_open').map((link) => String(link.attrGet('href')))
    for (const link of links.filter((one) => !/^(https?:|#)/.test(one)))
      t.true(existsSync(new URL(link, new URL(name, new URL('../../docs/', import.meta.url)))), `${name}: ${link}`)
    if (name !== 'endpoints.md') continue
    const paths = new Set(tokens.filter(({ type }) => type === 'code_inline').map(({ content }) => content))
    for (const { path } of endpoints) t.true(paths.has(path), path)
  }
})
