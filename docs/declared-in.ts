import { globSync } from 'node:fs'
import type { AnyEndpoint } from '../src/http/contract/endpoint.ts'

const folder = new URL('../src/http/endpoints/', import.meta.url)

export const nameOf = ({ method, path }: Pick<AnyEndpoint, 'method' | 'path'>): string => `${method} ${path}`

/** The endpoints in one export of a module: a declaration, a list of them, or a function that makes the list. */
const endpointsIn = (name: string, value: unknown): readonly AnyEndpoint[] => {
  const listed = typeof value === 'function' && name.endsWith('Endpoints') ? value(() => []) : [value].flat()
  return listed.filter((one: unknown) => typeof one === 'object' && one !== null && 'method' in one && 'path' in one)
}

type Found = { readonly file: string; readonly together: number }

/** The file that declares each endpoint, by method and path: of the exports that hold it, that with the fewest others; longer lists collect those of several files. */
export const declaredIn: ReadonlyMap<string, string> = await (async () => {
  const found = new Map<string, Found>()
  for (const file of globSync('**/*.ts', { cwd: folder.pathname, exclude: ['**/*-worker.ts'] }).toSorted())
    for (const [name, value] of Object.entries(await import(new URL(file, folder).href))) {
      const some = endpointsIn(name, value)
      for (const endpoint of some)
        if (some.length < (found.get(nameOf(endpoint))?.together ?? Number.POSITIVE_INFINITY))
          found.set(nameOf(endpoint), { file: `src/http/endpoints/${file}`, together: some.length })
    }
  return new Map(Array.from(found, ([name, { file }]) => [name, file]))
})()
