import type { AnyEndpoint } from '../contract/endpoint.ts'
import { routesOf } from '../contract/router.ts'

/** An operation of the document: a method at a path in its notation. */
export type Address = {
  readonly method: string
  readonly path: string
  /** Who answers, each for its own values of the variables: paths that differ only by the names of these are one in the document. */
  readonly endpoints: readonly AnyEndpoint[]
  /** It is an older spelling. */
  readonly deprecated: boolean
  /** It is the feed of a listing. */
  readonly feed: boolean
}

export const variablesOf = (path: string): readonly string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')

/** The same for paths that differ only by the names of their variables. */
export const templateOf = (path: string): string => path.replace(/\{\w+\}/g, '{}')

/** A path within a subsite. */
export const inSubsite = (path: string): string => (path === '/' ? '/s/{sub}' : `/s/{sub}${path}`)

/** `[/s/{sub}]` is two paths, with and without it. */
const pathsOf = (endpoint: AnyEndpoint, declared: string): readonly string[] =>
  routesOf({ ...endpoint, path: declared, otherPaths: [], aliases: [], values: {} }).flatMap(({ path, site }) => [
    ...(site === 'always' ? [] : [path]),
    ...(site === 'never' ? [] : [inSubsite(path)]),
  ])

const ownAddresses = (endpoint: AnyEndpoint): readonly Address[] => {
  const { path, otherPaths = [], aliases = [], method, alsoMethods = [], rss } = endpoint
  const at = (declared: string, deprecated: boolean) =>
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
  return [path, ...otherPaths].flatMap((one) => at(one, false)).concat(aliases.flatMap((one) => at(one, true)))
}

/** All operations. At one path the first endpoint answers for every value, and at equivalent paths each for its own. */
export const addressesOf = (endpoints: readonly AnyEndpoint[]): readonly Address[] => {
  const found = new Map<string, Address>()
  for (const address of endpoints.flatMap(ownAddresses)) {
    const key = `${address.method} ${templateOf(address.path)}`
    const known = found.get(key)
    if (!known) found.set(key, address)
    else if (known.path !== address.path) found.set(key, { ...known, endpoints: [...known.endpoints, ...address.endpoints] })
  }
  return [...found.values()]
}
