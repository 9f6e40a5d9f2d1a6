import type { AnyEndpoint } from '../contract/endpoint.ts'
import { routesOf } from '../contract/router.ts'

/** An operation of the document: a method at a path in its notation. */
export type Operation = {
  readonly method: string
  readonly path: string
  /**
   * The endpoints that answer, each for its own values of the variables. Paths that differ only by the names of variables are one in the
   * document.
   */
  readonly endpoints: readonly AnyEndpoint[]
  /** True for an older spelling. */
  readonly deprecated: boolean
  /** True for the feed of a listing. */
  readonly feed: boolean
}

export const variablesOf = (path: string): readonly string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

/** Returns a path without the names of its variables, the same for paths that differ only by these. */
export const templateOf = (path: string): string => path.replace(/\{\w+\}/g, '{}')

/** Returns a path within a subsite. */
export const inSubsite = (path: string): string => (path === '/' ? '/s/{sub}' : `/s/{sub}${path}`)

/** Expands `[/s/{sub}]` to two paths, with and without it. */
const pathsOf = (endpoint: AnyEndpoint, declared: string): readonly string[] =>
  routesOf({ ...endpoint, path: declared, otherPaths: [], aliases: [], values: {} }).flatMap(({ path, site }) => [
    ...(site === 'always' ? [] : [path]),
    ...(site === 'never' ? [] : [inSubsite(path)]),
  ])

const ownAddresses = (endpoint: AnyEndpoint): readonly Operation[] => {
  const { path, otherPaths = [], aliases = [], method, alsoMethods = [], rss } = endpoint
  const toOperations = (declared: string, deprecated: boolean) =>
    pathsOf(endpoint, declared).flatMap((spelled) => {
      return [
        ...[method, ...alsoMethods].map((one) => ({
          endpoints: [{ ...endpoint, method: one }],
          deprecated,
          method: one,
          path: spelled,
          feed: false,
        })),
        ...(rss ? [{ endpoints: [endpoint], deprecated, method, path: `${spelled}.rss`, feed: true }] : []),
      ]
    })
  return [path, ...otherPaths].flatMap((one) => toOperations(one, false)).concat(aliases.flatMap((one) => toOperations(one, true)))
}

/** Returns all operations. At one path the first endpoint answers for every value, and at equivalent paths each for its own. */
export const addressesOf = (endpoints: readonly AnyEndpoint[]): readonly Operation[] => {
  const operations = new Map<string, Operation>()
  for (const address of endpoints.flatMap(ownAddresses)) {
    const key = `${address.method} ${templateOf(address.path)}`
    const known = operations.get(key)
    if (!known) operations.set(key, address)
    else if (known.path !== address.path) operations.set(key, { ...known, endpoints: [...known.endpoints, ...address.endpoints] })
  }
  return [...operations.values()]
}
