// Decision 6.

import * as E from 'fp-ts/lib/Either.js'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { claimOf, mayBeSubsiteName } from '../../domain/names.ts'
import { SubsiteName } from '../../domain/subsite.ts'
import { withLogFallback } from '../../queries/log-fallback.ts'
import { subsiteNamed, subsitesById } from '../../queries/subsites.ts'
import { type IncomingRequest, isRead, type Sources, splitTarget } from '../contract/incoming.ts'
import type { ReadParts } from '../contract/parts.ts'
import type { Refusal } from '../contract/refusals.ts'
import type { Site, Viewer } from '../contract/request.ts'
import { mayView } from '../things/access.ts'
import { visible } from '../things/kinds/subsite.ts'
import { isMultiPart, multiSite, multisInQuery } from './multi-site.ts'
import { isDraw } from './random-subsite.ts'

const refuseUnknownSite = (name: string): E.Either<Refusal, never> =>
  E.left({ code: 'SUBSITE_NOEXIST', field: null, status: 404, text: `there is no subsite called ${name}` })
const malformed: E.Either<Refusal, never> = E.left({ code: 'NOT_FOUND', field: null })
const forbidden: E.Either<Refusal, never> = E.left({ code: 'FORBIDDEN', field: null })

/** The most subsites in one path. */
const MAX_SUBSITES_PER_PATH = 100

/** Returns the site part of a path without one: a subsite in the body or the query, or multis in the query. */
export const sitePartSent = ({ body: { fields }, query }: Sources, { method, target }: IncomingRequest): string | undefined =>
  fields.s || fields.r || query.s || query.r || (query.m && isRead(method) ? multisInQuery(splitTarget(target)?.search ?? '') : undefined)

/** The viewer for whom a site is looked up, and the reads for it. */
type SiteContext = Pick<ReadParts, 'documents' | 'load' | 'clock' | 'readStream'> & { readonly viewer: Viewer }

const allNamed = async ({ documents }: SiteContext, names: readonly string[]): Promise<readonly SubsiteDocument[]> => {
  const found = await Promise.all(names.slice(0, MAX_SUBSITES_PER_PATH).map((name) => subsiteNamed(documents, name)))
  return found.filter((subsite) => subsite !== undefined)
}

/** Returns the subsite that was just created under a name, and is not in the read models yet. */
const findFounded = async ({ load, documents, readStream }: SiteContext, name: string): Promise<SubsiteDocument | undefined> => {
  const claim = await load(SubsiteName, claimOf(name))
  return claim && (await subsitesById(withLogFallback(documents, readStream), [claim.subsite])).get(claim.subsite)
}

const viewSite = async (looking: SiteContext, subsite: SubsiteDocument): Promise<E.Either<Refusal, Site>> =>
  (await mayView(looking, subsite)) ? E.right({ kind: 'subsite', subsite }) : forbidden

const one = async (looking: SiteContext, name: string, isWrite: boolean): Promise<E.Either<Refusal, Site>> => {
  // a random subsite is only read
  if (!mayBeSubsiteName(name) || isDraw(name)) return malformed
  const subsite = (await subsiteNamed(looking.documents, name)) ?? (isWrite ? await findFounded(looking, name) : undefined)
  return subsite ? viewSite(looking, subsite) : refuseUnknownSite(name)
}

/**
 * Returns those of several subsites that exist and may be read. If none exists it is 404; if none may be read, 403. `all` and `friends`
 * among them mean these alone.
 */
const severalSubsites = async (looking: SiteContext, names: readonly string[]): Promise<E.Either<Refusal, Site>> => {
  if (names.includes('all')) return E.right({ kind: 'all', except: [] })
  if (names.includes('friends')) return E.right({ kind: 'friends' })
  const existing = await allNamed(looking, [...new Set(names.filter(mayBeSubsiteName))])
  const [only, ...others] = existing
  if (!only) return refuseUnknownSite(names.join('+'))
  if (others.length === 0) return viewSite(looking, only)
  const subsitesInView = await visible(looking, existing)
  return subsitesInView.length === 0 ? forbidden : E.right({ kind: 'several', subsites: subsitesInView })
}

/**
 * Returns the subsites of the site part of a path, if the viewer may view them. Unknown is 404, private is 403. A write also finds a
 * subsite that was just created and is not in the read models yet.
 */
export const siteAt = async (looking: SiteContext, part: string, isWrite: boolean): Promise<E.Either<Refusal, Site>> => {
  if (isMultiPart(part)) return multiSite(looking, part)
  const name = part.toLowerCase()
  if (name.includes('+') || name.includes(' ')) return severalSubsites(looking, name.split(/[+ ]/))
  const [first = '', ...excluded] = name.split('-')
  if (first === 'all') return E.right({ kind: 'all', except: await allNamed(looking, excluded) })
  if (first === 'mod') return E.right({ kind: 'moderated', except: await allNamed(looking, excluded) })
  if (name === 'subscribed') return E.right({ kind: 'front' })
  if (name === 'contrib') return E.right({ kind: 'contributed' })
  if (name === 'friends') return E.right({ kind: 'friends' })
  return one(looking, name, isWrite)
}
