import { globSync } from 'node:fs'
import { type AnyEndpoint, toEndpointName } from '../src/http/contract/endpoint.ts'

const folder = new URL('../src/http/endpoints/', import.meta.url)

/** The endpoints in one export of a module: a declaration, a list of them, or a function that makes the list. */
const endpointsIn = (name: string, value: unknown): readonly AnyEndpoint[] => {
  const listed = typeof value === 'function' && name.endsWith('Endpoints') ? value(() => []) : [value].flat()
  return listed.filter((one: unknown) => typeof one === 'object' && one !== null && 'method' in one && 'path' in one)
}

/** The file that declares each endpoint, by method and path. */
export const declaredIn: ReadonlyMap<string, string> = await (async () => {
  const found = new Map<string, string>()
  for (const file of globSync('**/*.ts', { cwd: folder.pathname, exclude: ['**/*-worker.ts', 'all.ts'] }))
    for (const [name, value] of Object.entries(await import(new URL(file, folder).href)))
      for (const endpoint of endpointsIn(name, value)) found.set(toEndpointName(endpoint), `src/http/endpoints/${file}`)
  return found
})()
