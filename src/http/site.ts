import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { LRUCache } from 'lru-cache'
import { type SubsiteDocument, subsites } from '../../projections/subsites.ts'
import type { App } from '../app.ts'
import { claimOf, mayBeSubsiteName } from '../domain/names.ts'
import { SubsiteName } from '../domain/subsite.ts'
import { bytesOf } from '../ports/size.ts'
import { withLogFallback } from '../queries/log-fallback.ts'
import { subsitesById } from '../queries/subsites.ts'
import { mayView } from './access.ts'
import { type Incoming, isRead, splitTarget } from './incoming.ts'
import { isMultiPart, multiSite, multisInQuery } from './multi-site.ts'
import type { Sources } from './raw-params.ts'
import type { Refusal } from './refusals.ts'
import type { Site, Viewer } from './request.ts'

const home: Site = { kind: 'home' }
const unknown = (name: string): Either<Refusal, never> =>
  E.left({ code: 'SUBSITE_NOEXIST', field: null, status: 404, text: `there is no subsite called ${name}` })
const malformed: Either<Refusal, never> = E.left({ code: 'NOT_FOUND', field: null })
const forbidden: Either<Refusal, never> = E.left({ code: 'FORBIDDEN', field: null })

/** Reads of these are redirected (random-subsite.ts); writes to them are refused. */
const drawn: ReadonlySet<string> = new Set(['random', 'randnsfw', 'myrandom'])
/** Bytes of cached subsites, with their descriptions. */
const MOST_BYTES = 8 * 1024 * 1024
/** Subsites in one path. */
const MOST = 100

/** The site part of a path without one: a subsite in the body or the query, or multis in the query. */
export const sitePartSent = ({ body: { fields }, query }: Sources, { method, target }: Incoming): string | undefined =>
  fields.s || fields.r || query.s || query.r || (query.m && isRead(method) ? multisInQuery(splitTarget(target)?.search ?? '') : undefined)

export type Sites = {
  /** The subsite of a name, in any case. */
  readonly named: (name: string) => Promise<SubsiteDocument | undefined>
  /**
   * The subsites of the site part of a path, if the viewer may view them: unknown is 404, private is 403. `now`: also a subsite that
   * was just created and is not in the read models yet.
   */
  readonly resolve: (part: string | undefined, viewer: Viewer, now?: boolean) => Promise<Either<Refusal, Site>>
}

type Remembered = { readonly subsite: SubsiteDocument; readonly generation: number }

export const openSites = (app: App): Sites => {
  const memory = new LRUCache<string, Remembered>({
    maxSize: MOST_BYTES,
    sizeCalculation: ({ subsite }, name) => 100 + 2 * name.length + bytesOf(subsite),
  })
  const parts = { load: app.load, clock: app.clock }

  const named = async (name: string): Promise<SubsiteDocument | undefined> => {
    const lower = name.toLowerCase()
    const generation = app.freshness.generation(subsites.name)
    const known = memory.get(lower)
    if (known && known.generation === generation) return known.subsite
    const [subsite] = await app.documents.find(subsites, { where: { lower }, order: ['id'], page: { limit: 1 } })
    // If changes cannot be detected, it is looked up each time: the account that changed it may read it next from another process.
    if (subsite && generation !== undefined) memory.set(lower, { subsite, generation })
    return subsite
  }

  const all = async (names: readonly string[]): Promise<readonly SubsiteDocument[]> =>
    (await Promise.all(names.slice(0, MOST).map(named))).filter((subsite) => subsite !== undefined)

  const foundedAs = async (name: string): Promise<SubsiteDocument | undefined> => {
    const claim = await app.load(SubsiteName, claimOf(name))
    return claim && (await subsitesById(withLogFallback(app.documents, app.readStream), [claim.subsite])).get(claim.subsite)
  }

  const one = async (name: string, viewer: Viewer, now = false): Promise<Either<Refusal, Site>> => {
    if (!mayBeSubsiteName(name) || drawn.has(name)) return malformed
    const subsite = (await named(name)) ?? (now ? await foundedAs(name) : undefined)
    if (!subsite) return unknown(name)
    return (await mayView({ ...parts, viewer }, subsite)) ? E.right({ kind: 'subsite', subsite }) : forbidden
  }

  /** Of several, those that exist and may be read; none of them exists: 404, none may be read: 403. `all` and `friends` among them mean these alone. */
  const several = async (names: readonly string[], viewer: Viewer): Promise<Either<Refusal, Site>> => {
    if (names.includes('all')) return E.right({ kind: 'all', except: [] })
    if (names.includes('friends')) return E.right({ kind: 'friends' })
    const found = await all([...new Set(names.filter(mayBeSubsiteName))])
    const [only, ...others] = found
    if (!only) return unknown(names.join('+'))
    if (others.length === 0) return one(only.lower, viewer)
    const visible = await Promise.all(found.map((subsite) => mayView({ ...parts, viewer }, subsite)))
    const subsitesInView = found.filter((_, index) => visible[index])
    return subsitesInView.length === 0 ? forbidden : E.right({ kind: 'several', subsites: subsitesInView })
  }

  return {
    named,
    resolve: async (part, viewer, now) => {
      if (part === undefined) return E.right(home)
      if (isMultiPart(part)) return multiSite({ ...parts, documents: app.documents }, part, viewer)
      const name = part.toLowerCase()
      if (name.includes('+') || name.includes(' ')) return several(name.split(/[+ ]/), viewer)
      const [first = '', ...excluded] = name.split('-')
      if (first === 'all') return E.right({ kind: 'all', except: await all(excluded) })
      if (first === 'mod') return E.right({ kind: 'moderated', except: await all(excluded) })
      if (name === 'subscribed') return E.right({ kind: 'front' })
      if (name === 'contrib') return E.right({ kind: 'contributed' })
      if (name === 'friends') return E.right({ kind: 'friends' })
      return one(name, viewer, now)
    },
  }
}
