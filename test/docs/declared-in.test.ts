import { readFile } from 'node:fs/promises'
import test from 'ava'
import { declaredIn } from '../../docs/declared-in.ts'
import { toEndpointName } from '../../src/http/contract/endpoint.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'

/** Tells whether a source has a path as a string, or as a template that can make it. */
const hasPath = (source: string, path: string): boolean => {
  const strings = source.matchAll(/'([^'\n]+)'|`([^`\n]+)`/g)
  return strings.some(([, plain, template = '']) => {
    const [before = '', ...after] = template.split(/\$\{[^}]*\}/)
    return plain === path || (after.length > 0 && before.includes('/') && path.startsWith(before) && path.endsWith(after.at(-1) ?? ''))
  })
}

test('docs/endpoints.md names the file that declares each endpoint', async (t) => {
  const wrong: string[] = []
  for (const endpoint of endpoints) {
    const file = declaredIn.get(toEndpointName(endpoint))
    const source = file === undefined ? '' : await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')
    if (!hasPath(source, endpoint.path)) wrong.push(`${toEndpointName(endpoint)}: ${file}`)
  }
  t.deepEqual(wrong, [])
})
