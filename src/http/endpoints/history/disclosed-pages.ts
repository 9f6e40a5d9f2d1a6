import type { Scope } from '../../../auth/scopes.ts'
import { anybody, type Disclosed, disclosed, type Reader, readerOf } from '../../../disclosure/disclosure.ts'
import type { NumberedEvents } from '../../../history/numbered-events.ts'
import type { RecordedEvent } from '../../../ports/event-store.ts'
import type { Context, Uses } from '../../contract/endpoint.ts'
import type { Viewer } from '../../contract/request.ts'

/** What the pages of the log are read with. */
export type PagesContext = Context & Uses<'openEvents'> & { readonly numbered: NumberedEvents }

/** Of each event of a page from a number on what the reader may read; undefined: withheld. */
export type DisclosedPage = readonly (Disclosed | undefined)[]

/**
 * What a token needs beside `history` for what only the account concerned reads, by the category of the stream: the scopes of the endpoints
 * that show the same. Of other categories a token with limited scopes reads what is public.
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

/** Whether a viewer reads more than the public does: an account, by a session or by a token with the scope. */
export const readsMore = ({ account, scopes }: Viewer): boolean =>
  account !== undefined && (scopes === undefined || scopes === 'all' || scopes.has('history'))

/** A reader with the rights of a viewer. */
export const readerFor = (context: Context, viewer: Viewer): Promise<Reader> => {
  if (!readsMore(viewer)) return readerOf(context, anybody)
  const { account, admin, scopes } = viewer
  const readsOwn = (category: string): boolean =>
    scopes === undefined || scopes === 'all' || (ownScopes[category]?.every((scope) => scopes.has(scope)) ?? false)
  return readerOf(context, { account, admin }, readsOwn)
}

/** Milliseconds for which what everybody may read of a page is the same for all who ask; then it is judged anew. */
export const SHARED_MS = 1_000

type Shared = { readonly count: number; readonly until: number; readonly page: Promise<DisclosedPage> }
/** By the page as it was read, which those who ask for it share. */
const shared = new WeakMap<readonly RecordedEvent[], Shared>()

/** The numbered events from a number on as a viewer may read them now: only those that the read models show already, by which they are judged. */
export const disclosedPage = async (context: PagesContext, viewer: Viewer, n: number): Promise<DisclosedPage> => {
  const { numbered, openEvents, freshness } = context
  const shown = freshness.settled?.() ?? freshness.position()
  const recorded = await numbered.page(n)
  const unsettled = recorded.findIndex(({ position }) => position > shown)
  const count = unsettled < 0 ? recorded.length : unsettled
  const judge = async (): Promise<DisclosedPage> => {
    const events = await openEvents(recorded.slice(0, count))
    return disclosed(
      events.map((event, at) => ({ ...event, n: n + at })),
      await readerFor(context, viewer),
    )
  }
  if (count === 0) return []
  if (readsMore(viewer)) return judge()
  const now = performance.now()
  const known = shared.get(recorded)
  if (known && known.count === count && known.until > now) return known.page
  const page = judge()
  shared.set(recorded, { count, until: now + SHARED_MS, page })
  page.catch(() => shared.delete(recorded))
  return page
}
