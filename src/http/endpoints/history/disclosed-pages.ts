import type { Scope } from '../../../auth/scopes.ts'
import { anybody, type Disclosed, discloseEvents, type Reader, readerOf } from '../../../disclosure/disclosure.ts'
import type { NumberedEvents } from '../../../history/numbered-events.ts'
import type { RecordedEvent } from '../../../ports/event-store.ts'
import type { Context, Uses } from '../../contract/endpoint.ts'
import type { Viewer } from '../../contract/request.ts'

/** The context in which the pages of the log are read. */
export type PagesContext = Context & Uses<'openEvents'> & { readonly numbered: NumberedEvents }

/** The parts of a page's events, from a number on, that the reader may read; undefined for a withheld event. */
export type DisclosedPage = readonly (Disclosed | undefined)[]

/**
 * The scopes that a token needs beside `history` for events that only the account concerned reads, by the category of the stream: those of
 * the endpoints that show the same. Of other categories a token with limited scopes reads the public part.
 */
const ownScopes: Readonly<Record<string, readonly Scope[]>> = {
  vote: [],
  shelf: [],
  link: [],
  comment: [],
  report: ['report'],
  account: ['identity'],
  preferences: ['identity'],
  credits: ['identity'],
  gold: ['identity'],
  flair: ['flair'],
  multi: ['read'],
  contact: ['mysubsites', 'read'],
  avoidance: ['mysubsites'],
  subscription: ['mysubsites'],
  inbox: ['privatemessages'],
  mailbox: ['privatemessages'],
  relation: ['privatemessages'],
}

/** Tells whether a viewer reads more than the public does: an account, by a session or by a token with the scope. */
export const readsMore = ({ account, scopes }: Viewer): boolean =>
  account !== undefined && (scopes === undefined || scopes === 'all' || scopes.has('history'))

/** Returns a reader with the rights of a viewer. */
export const readerFor = (context: Context, viewer: Viewer): Promise<Reader> => {
  if (!readsMore(viewer)) return readerOf(context, anybody)
  const { account, admin, scopes } = viewer
  const readsOwn = (category: string): boolean =>
    scopes === undefined || scopes === 'all' || (ownScopes[category]?.every((scope) => scopes.has(scope)) ?? false)
  return readerOf(context, { account, admin }, readsOwn)
}

/** The time for which the public part of a page is shared by all who ask. Then it is judged anew. */
export const SHARED_MS = 1_000

/** One of so many events must pass a filter for a page to be judged whole, and shared. */
const MIN_PASSING = 4

type Shared = { readonly count: number; readonly until: number; readonly page: Promise<DisclosedPage> }
/** The shared parts, by the page as it was read. */
const shared = new WeakMap<readonly RecordedEvent[], Shared>()

/**
 * Returns the numbered events from a number on as a viewer may read them now: only those that the read models, which decide about them,
 * show already. Where few may pass, only those are opened, and the others count as withheld.
 */
export const disclosePage = async (
  context: PagesContext,
  viewer: Viewer,
  n: number,
  mayPass?: (event: RecordedEvent) => boolean,
): Promise<DisclosedPage> => {
  const { numbered, openEvents, freshness } = context
  const shown = freshness.settled?.() ?? freshness.position()
  const recorded = await numbered.page(n)
  const unsettled = recorded.findIndex(({ position }) => position > shown)
  const count = unsettled < 0 ? recorded.length : unsettled
  if (count === 0) return []
  const places = mayPass && [...recorded.slice(0, count).keys()].filter((at) => mayPass(recorded[at] as RecordedEvent))
  const judge = async (indexes: readonly number[]): Promise<readonly (Disclosed | undefined)[]> => {
    const events = await openEvents(indexes.map((at) => recorded[at] as RecordedEvent))
    return discloseEvents(
      events.map((event, k) => ({ ...event, n: n + (indexes[k] ?? 0) })),
      await readerFor(context, viewer),
    )
  }
  if (places && places.length < count / MIN_PASSING) {
    const page = new Array<Disclosed | undefined>(count).fill(undefined)
    if (places.length > 0) for (const [k, event] of (await judge(places)).entries()) page[places[k] ?? 0] = event
    return page
  }
  const all = Array.from({ length: count }, (_, at) => at)
  if (readsMore(viewer)) return judge(all)
  const now = performance.now()
  const known = shared.get(recorded)
  if (known && known.count === count && known.until > now) return known.page
  const page = judge(all)
  shared.set(recorded, { count, until: now + SHARED_MS, page })
  page.catch(() => shared.delete(recorded))
  return page
}
