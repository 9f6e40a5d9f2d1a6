import * as E from 'fp-ts/lib/Either.js'
import { isScope, type Scope } from './scopes.ts'

/** The rights of a token: its scopes and, if the grant named subsites, only under their paths. */
export type Grant = { readonly scopes: readonly Scope[] | '*'; readonly subsites: readonly string[] | undefined }

const subsiteName = /^[a-z0-9]\w{1,20}$/
/** The most subsites that one token may name. */
const MAX_SUBSITES_PER_TOKEN = 100

/**
 * Reads a scope string: scope names separated by commas, spaces or both, optionally after `sub1+sub2:`. `*` stands for everything. Left are
 * the names of unknown scopes, or those of subsites that are malformed or too many. An empty element counts as such a name.
 */
export const parseScopes = (text: string): E.Either<readonly string[], Grant> => {
  const colon = text.indexOf(':')
  const subsites = colon < 0 ? undefined : [...new Set(text.slice(0, colon).toLowerCase().split('+'))]
  const unfit = subsites?.filter((name, index) => index >= MAX_SUBSITES_PER_TOKEN || !subsiteName.test(name)) ?? []
  if (unfit.length > 0) return E.left(unfit)
  const names = [...new Set(text.slice(colon + 1).split(/ *, *| +/))]
  if (names.length === 1 && names[0] === '*') return E.right({ scopes: '*', subsites })
  const unknown = names.filter((name) => !isScope(name))
  if (unknown.length > 0) return E.left(unknown)
  return E.right({ scopes: names.filter(isScope).sort(), subsites })
}

/** Returns the stored form: sorted, separated by single spaces. */
export const scopeText = ({ scopes, subsites }: Grant): string =>
  `${subsites ? `${subsites.join('+')}:` : ''}${scopes === '*' ? '*' : [...scopes].sort().join(' ')}`
