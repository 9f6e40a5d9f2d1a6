// Decision 87.

import * as E from 'fp-ts/lib/Either.js'
import type { Multi } from '../../domain/multi.ts'
import { type MultiPath, parseMultiPath } from '../../domain/multi-path.ts'
import { multiAt, readFilter } from '../../queries/multis.ts'
import { subsitesById } from '../../queries/subsites.ts'
import type { ReadParts } from '../contract/parts.ts'
import { type Refusal, refuseRule } from '../contract/refusals.ts'
import type { Site, Viewer } from '../contract/request.ts'
import { visible } from '../things/kinds/subsite.ts'
import { maySee, visibleOwner } from '../things/multis.ts'

/** The most multis in one path. */
const MAX_MULTIS_PER_PATH = 10

type MultiContext = Pick<ReadParts, 'documents' | 'load' | 'clock'> & { readonly viewer: Viewer }

const notFound = refuseRule('MULTI_NOT_FOUND')

/** Tells whether the site part of a path names multis. It then begins with a slash, unlike a subsite's name. */
export const isMultiPart = (part: string): boolean => part.startsWith('/')

/** Returns the site part made of every `m` in the query. */
export const multisInQuery = (search: string): string | undefined => {
  const paths = new URLSearchParams(search).getAll('m').filter((path) => path !== '')
  return paths.length === 0 ? undefined : paths.map((path) => `/${path.replace(/^\/+/, '')}`).join()
}

/** Returns the paths in a site part: `/user/ann/m/a+b,/me/m/c` are three. `me` is the viewer; undefined if there is none. */
const pathsIn = (part: string, viewer: Viewer): readonly string[] | undefined => {
  const addressed = part.split(',').flatMap((address) => {
    const [, root, ...rest] = address.replace(/\/$/, '').split('/')
    const [owner, kind, names = ''] = root === 'me' ? [viewer.name, ...rest] : rest
    const path = root === 'u' || root === 'me' ? 'user' : root
    const isNobodys = root === 'me' && owner === undefined
    return names.split(/[+ ]/).map((name) => (isNobodys ? undefined : `/${path}/${owner}/${kind}/${name}`))
  })
  return addressed.includes(undefined) ? undefined : addressed.filter((path) => path !== undefined)
}

const seenAt = async ({ documents, viewer }: MultiContext, { owner, kind, name }: MultiPath): Promise<Multi | undefined> => {
  const account = (await visibleOwner(documents, owner, viewer))?.id
  const multi = account === undefined ? undefined : await multiAt(documents, { account, kind, name })
  return multi && maySee(viewer, multi) ? multi : undefined
}

/** Returns a feed without the subsites that its viewer filters. Filters of other accounts do not apply. */
const toFilteredSite = async ({ documents, viewer }: MultiContext, { owner, name }: MultiPath): Promise<E.Either<Refusal, Site>> => {
  if (viewer.name?.toLowerCase() !== owner) return notFound
  const feed = name === 'all' ? 'all' : 'mod'
  const except = [...(await subsitesById(documents, await readFilter(documents, viewer.account, feed))).values()]
  return E.right({ kind: feed === 'all' ? 'all' : 'moderated', except })
}

/** Returns the subsites of multis, or of a filtered feed, that the viewer may view. A missing multi is 404. */
export const multiSite = async (looking: MultiContext, part: string): Promise<E.Either<Refusal, Site>> => {
  const paths = pathsIn(part, looking.viewer)
  if (paths === undefined) return refuseRule('USER_REQUIRED')
  if (paths.length > MAX_MULTIS_PER_PATH) return refuseRule('BAD_REQUEST', 'm')
  const ids = new Set<string>()
  for (const path of paths) {
    const parsed = parseMultiPath(path, 'multipath')
    if (E.isLeft(parsed)) return notFound
    if (parsed.right.kind === 'f') return paths.length === 1 ? toFilteredSite(looking, parsed.right) : notFound
    const multi = await seenAt(looking, parsed.right)
    if (!multi) return notFound
    for (const id of multi.subsites) ids.add(id)
  }
  const subsites = await visible(looking, [...(await subsitesById(looking.documents, [...ids])).values()])
  return E.right({ kind: 'several', subsites })
}
