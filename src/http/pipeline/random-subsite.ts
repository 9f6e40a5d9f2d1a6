// Decision 65.

import { type SubsiteDocument, subsites } from '../../../projections/subsites.ts'
import type { SubsiteId } from '../../domain/ids.ts'
import { shuffle } from '../../queries/random-order.ts'
import { subscriptionsOf } from '../../queries/subscriptions.ts'
import { biggestPublic, defaultSubsites } from '../../queries/subsites.ts'
import { splitTarget } from '../contract/incoming.ts'
import type { Common, ReadParts } from '../contract/parts.ts'
import type { Viewer } from '../contract/request.ts'
import { mayView } from '../things/access.ts'

/** The most subsites to choose from. They are looked up again after this time. */
const MAX_DRAWABLE_SUBSITES = 5_000
const POOL_LIFETIME_MS = 60_000
/** The number of them that is checked: one may have been made private since. */
const SUBSITES_PER_DRAW = 20

const draws = ['random', 'randnsfw', 'myrandom'] as const
type Draw = (typeof draws)[number]

/** Tells whether a site part, in lower case, names a random subsite. */
export const isDraw = (part: string): part is Draw => (draws as readonly string[]).includes(part)

type Pool = { readonly ids: Promise<readonly SubsiteId[]>; readonly until: number }

/** Returns the address that a request for a random subsite is redirected to. */
export type RandomSubsites = (target: string, draw: Draw, viewer: Viewer) => Promise<string>

/**
 * Chooses a random subsite: `/s/random` a public one that may be listed, `/s/randnsfw` one of those for adults, `/s/myrandom` one that the
 * viewer is subscribed to, or a default one for a viewer without subscriptions. If none fits, the target is the first default subsite,
 * or `/s/all`. The rest of the path and the query stay.
 */
export const openRandomSubsites = (app: Pick<ReadParts & Common, 'documents' | 'load' | 'clock' | 'config'>): RandomSubsites => {
  const pools = new Map<boolean, Pool>()

  const poolOf = (over18: boolean): Promise<readonly SubsiteId[]> => {
    const known = pools.get(over18)
    if (known && known.until > app.clock()) return known.ids
    const ids = biggestPublic(app.documents, over18, MAX_DRAWABLE_SUBSITES)
    pools.set(over18, { ids, until: app.clock() + POOL_LIFETIME_MS })
    ids.catch(() => pools.delete(over18))
    return ids
  }

  const loadOwn = async ({ account }: Viewer): Promise<readonly SubsiteId[]> => {
    const subscribed = account === undefined ? [] : await subscriptionsOf(app.documents, account)
    return subscribed.length > 0 ? subscribed.map(({ subsite }) => subsite) : (await defaultSubsites(app)).map(({ id }) => id)
  }

  const drawSubsite = async (draw: Draw, viewer: Viewer): Promise<SubsiteDocument | undefined> => {
    const pool = draw === 'myrandom' ? await loadOwn(viewer) : await poolOf(draw === 'randnsfw')
    const drawn = shuffle(pool).slice(0, SUBSITES_PER_DRAW)
    const subsitesById = await app.documents.getMany(subsites, drawn)
    for (const id of drawn) {
      const subsite = subsitesById.get(id)
      if (!subsite) continue
      const fits = draw === 'myrandom' || (subsite.type === 'public' && subsite.allowTop && subsite.over18 === (draw === 'randnsfw'))
      if (fits && (await mayView({ load: app.load, clock: app.clock, viewer }, subsite))) return subsite
    }
    return undefined
  }

  return async (target, draw, viewer) => {
    const picked = (await drawSubsite(draw, viewer))?.name ?? (await defaultSubsites(app))[0]?.name ?? 'all'
    const { path = '', search = '' } = splitTarget(target) ?? {}
    const rest = path.replace(/^\/[sr]\/[^/.]*/, '')
    return `/s/${picked}${rest}${search && `?${search}`}`
  }
}
