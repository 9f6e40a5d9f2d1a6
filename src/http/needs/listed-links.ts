// Decisions 16, 35 and 87.

import * as E from 'fp-ts/lib/Either.js'
import { hasChosen } from '../../commands/default-subscriptions.ts'
import type { SubsiteId } from '../../domain/ids.ts'
import type { FilterName } from '../../domain/multi-path.ts'
import { stranger } from '../../domain/standing.ts'
import { mayView } from '../../domain/subsite-access.ts'
import { accountsById } from '../../queries/accounts.ts'
import { friendsOf } from '../../queries/friends.ts'
import type { ListedLinks } from '../../queries/links.ts'
import { readFilter } from '../../queries/multis.ts'
import { openReading } from '../../queries/reading.ts'
import { relationsOf } from '../../queries/relations.ts'
import { subscriptionsOf } from '../../queries/subscriptions.ts'
import { defaultSubsites, subsitesById } from '../../queries/subsites.ts'
import type { Context, Need } from '../contract/endpoint.ts'
import { type Refusal, refuseRule } from '../contract/refusals.ts'
import type { Viewer } from '../contract/request.ts'
import { visible } from '../things/kinds/subsite.ts'

const loginNeeded: E.Either<Refusal, never> = E.left({ code: 'USER_REQUIRED', field: null })

const everywhere: ListedLinks = { kind: 'all', except: [] }

/** Returns the subsites of viewers without subscriptions: the site's default subsites, or all if there are none. */
const defaults = async (context: Context): Promise<ListedLinks> => {
  const chosen = await defaultSubsites(context)
  return chosen.length === 0 ? everywhere : { kind: 'subsites', ids: chosen.map(({ id }) => id) }
}

/** Returns the subsites among some that the viewer may view, by the read models. Nothing is read of the others. */
const viewableAmong = async (context: Context, ids: readonly SubsiteId[]): Promise<readonly SubsiteId[]> => {
  const { documents, viewer } = context
  const known = await subsitesById(documents, ids)
  const closed = new Set([...known.values()].filter(({ type }) => !mayView(type, stranger)).map(({ id }) => id))
  const read = openReading(context, viewer)
  await read.loadSubsites(closed)
  return ids.filter((id) => known.has(id) && (viewer.within?.has(id) ?? true) && (!closed.has(id) || read.mayView(id)))
}

/**
 * Returns the front page. An account that unsubscribed from every subsite sees none, not the defaults; nor does one that may view none any
 * more.
 */
const front = async (context: Context, { account }: Viewer): Promise<ListedLinks> => {
  const subscribed = account === undefined ? [] : await subscriptionsOf(context.documents, account)
  if (subscribed.length > 0) {
    const ids = subscribed.map(({ subsite }) => subsite)
    return { kind: 'subsites', ids: await viewableAmong(context, ids) }
  }
  return account !== undefined && (await hasChosen(context, account)) ? { kind: 'subsites', ids: [] } : defaults(context)
}

const subsitesRelated = async (context: Context, { account }: Viewer, type: 'moderator' | 'contributor', except: ReadonlySet<string>) => {
  if (account === undefined) return loginNeeded
  const relations = await relationsOf(context.documents, account, type)
  const ids = relations.map(({ subsite }) => subsite).filter((id) => !except.has(id))
  return E.right<Refusal, ListedLinks>({ kind: 'subsites', ids: await viewableAmong(context, ids) })
}

/** Returns the subsites that a viewer filters from a feed; none with `show=all`. */
const listFiltered = ({ documents, viewer, page }: Context, feed: FilterName): Promise<readonly SubsiteId[]> | readonly SubsiteId[] =>
  page.showAll ? [] : readFilter(documents, viewer.account, feed)

/** Looks up the links that the site part of the path selects for this viewer. */
export const selectListedLinks: Need<ListedLinks, unknown, Viewer> = async (context) => {
  const { site, viewer } = context
  switch (site.kind) {
    case 'home':
      return E.right((await context.preferences()).site_index === 'site_index_all' ? everywhere : await front(context, viewer))
    case 'front':
      return E.right(await front(context, viewer))
    case 'subsite':
      return E.right({ kind: 'subsites', ids: [site.subsite.id] })
    case 'several':
      return E.right({ kind: 'subsites', ids: site.subsites.map(({ id }) => id) })
    case 'all':
      return E.right({ kind: 'all', except: [...site.except.map(({ id }) => id), ...(await listFiltered(context, 'all'))] })
    case 'moderated':
      return subsitesRelated(
        context,
        viewer,
        'moderator',
        new Set([...site.except.map(({ id }) => id), ...(await listFiltered(context, 'mod'))]),
      )
    case 'contributed':
      return subsitesRelated(context, viewer, 'contributor', new Set())
    case 'friends': {
      if (viewer.account === undefined) return loginNeeded
      const friends = (await friendsOf(context.documents, viewer.account)).map(({ other }) => other)
      const known = await accountsById(context.documents, friends)
      return E.right({ kind: 'authors', ids: friends.filter((id) => known.get(id)?.deleted === false) })
    }
  }
}

/** Looks up the subsites of a moderation path: one, several, or all that the viewer moderates. */
export const selectModerated: Need<readonly SubsiteId[], unknown, Viewer> = async (context) => {
  const { site, viewer, documents } = context
  switch (site.kind) {
    case 'subsite':
      return E.right([site.subsite.id])
    case 'several':
      return E.right(site.subsites.map(({ id }) => id))
    case 'home':
    case 'moderated': {
      const moderated = viewer.account === undefined ? [] : await relationsOf(documents, viewer.account, 'moderator')
      const subsites = await subsitesById(
        documents,
        moderated.map(({ subsite }) => subsite),
      )
      const except = new Set(site.kind === 'moderated' ? site.except.map(({ id }) => id) : [])
      const viewableSubsites = (await visible(context, [...subsites.values()])).filter(({ id }) => !except.has(id))
      return viewableSubsites.length === 0 ? refuseRule('FORBIDDEN') : E.right(viewableSubsites.map(({ id }) => id))
    }
    default:
      return refuseRule('NOT_FOUND')
  }
}
