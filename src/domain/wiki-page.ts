import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, nothing, record, refuse } from './decision.ts'
import { event, type OneOf, optional, sealed } from './event.ts'
import { AccountId, firstPart, SubsiteId } from './ids.ts'
import { checkContent, checkNewPageName, isMadeElsewhere, isRestricted, isSpecial } from './wiki-page-name.ts'

/** On `wikipage-<subsite>.<page>`; `page` in its normal form. */
const place = { subsite: SubsiteId, page: t.string }

/** Who may edit a page: 0 as the settings of the subsite say, 1 its editors and moderators, 2 moderators only, unseen by others. */
export const permlevels = [0, 1, 2] as const
export type Permlevel = (typeof permlevels)[number]
const Permlevel = t.union([t.literal(0), t.literal(1), t.literal(2)])

/**
 * A new content, whole; the event's id is the id of the revision. `previous`: the revision it took the place of; null: it made the
 * page. `reverts`: the older revision whose content this is.
 */
export const WikiPageRevised = event('WikiPageRevised', {
  ...place,
  author: AccountId,
  content: sealed('author'),
  reason: optional(sealed('author')),
  previous: t.union([t.string, t.null]),
  reverts: optional(t.string),
})
export const WikiPageListingChanged = event('WikiPageListingChanged', { ...place, listed: t.boolean })
export const WikiPagePermlevelChanged = event('WikiPagePermlevelChanged', { ...place, before: Permlevel, after: Permlevel })
export const WikiEditorAdded = event('WikiEditorAdded', { ...place, account: AccountId })
export const WikiEditorRemoved = event('WikiEditorRemoved', { ...place, account: AccountId })
export const wikiPageEvents = [
  WikiPageRevised,
  WikiPageListingChanged,
  WikiPagePermlevelChanged,
  WikiEditorAdded,
  WikiEditorRemoved,
] as const
export type WikiPageEvent = OneOf<typeof wikiPageEvents>

/** The revision a page is at: its id, and where in the stream its text stands. Texts are in no state. */
export type CurrentRevision = { readonly id: string; readonly revision: number }

export type WikiPage = {
  readonly subsite: SubsiteId
  readonly page: string
  /** Null: nobody wrote it, only its settings are known; so for pages that show a setting of the subsite. */
  readonly current: CurrentRevision | null
  readonly permlevel: Permlevel
  readonly listed: boolean
  readonly editors: readonly AccountId[]
}

type PagePlace = Pick<WikiPage, 'subsite' | 'page'>

export const wikiPageId = ({ subsite, page }: PagePlace): string => `${subsite}.${page}`

const unwritten = ({ subsite, page }: PagePlace): WikiPage => ({ subsite, page, current: null, permlevel: 0, listed: true, editors: [] })

const withEditors = (page: WikiPage, change: (editors: WikiPage['editors']) => WikiPage['editors']): WikiPage => ({
  ...page,
  editors: change(page.editors),
})

export const WikiPage: Aggregate<WikiPage, WikiPageEvent> = {
  category: 'wikipage',
  subsiteOf: firstPart,
  on: {
    WikiPageRevised: (state, data, { id, revision }) => ({ ...(state ?? unwritten(data)), current: { id, revision } }),
    WikiPageListingChanged: (state, data) => ({ ...(state ?? unwritten(data)), listed: data.listed }),
    WikiPagePermlevelChanged: (state, data) => ({ ...(state ?? unwritten(data)), permlevel: data.after }),
    WikiEditorAdded: (state, data) => withEditors(state ?? unwritten(data), (editors) => [...editors, data.account]),
    WikiEditorRemoved: (state, data) =>
      withEditors(state ?? unwritten(data), (editors) => editors.filter((editor) => editor !== data.account)),
  },
}

type Revision = PagePlace & {
  readonly author: AccountId
  readonly content: string
  readonly reason: string
  readonly reverts?: string
}

/**
 * Give a page a new content, which was made of the revision `onto` (null: of no page). Where another revision has come since, that is a
 * `CONFLICT`: the caller looks at the new one and decides again. `mayRevise`: whether the author may, by the page's level and editors as they are then.
 */
export const reviseWikiPage =
  (revision: Revision, onto: string | null, mayRevise: (page: WikiPage) => boolean): Decide<WikiPage, WikiPageEvent> =>
  (state) => {
    const { subsite, page, author, content, reason, reverts } = revision
    if (state?.current && !mayRevise(state)) return refuse('FORBIDDEN')
    const previous = state?.current?.id ?? null
    if (previous !== onto) return refuse('CONFLICT')
    const refused = (previous === null ? checkNewPageName(page) : undefined) ?? checkContent(page, content)
    if (refused) return E.left(refused)
    const annotations = { ...(reason !== '' && { reason }), ...(reverts !== undefined && { reverts }) }
    return record(WikiPageRevised({ subsite, page, author, content, previous, ...annotations }))
  }

/** One event, and one entry in the moderation log, for each of the two that differs from before. */
export const changeWikiSettings =
  (place: PagePlace, { listed, permlevel }: Pick<WikiPage, 'listed' | 'permlevel'>): Decide<WikiPage, WikiPageEvent> =>
  (state = unwritten(place)) => {
    const events: WikiPageEvent[] = []
    if (listed !== state.listed) events.push(WikiPageListingChanged({ ...place, listed }))
    if (permlevel !== state.permlevel) events.push(WikiPagePermlevelChanged({ ...place, before: state.permlevel, after: permlevel }))
    return record(...events)
  }

/** Editors that one page can have. */
export const MAX_EDITORS_PER_PAGE = 100

/** Why a page can have no editors: moderators and admins edit it, whoever its editors are. */
const closedToEditors = (page: string): 'PAGE_CREATED_ELSEWHERE' | 'RESTRICTED_PAGE' | undefined => {
  if (isMadeElsewhere(page)) return 'PAGE_CREATED_ELSEWHERE'
  return isRestricted(page) && !isSpecial(page) ? 'RESTRICTED_PAGE' : undefined
}

export const addWikiEditor =
  (place: PagePlace, account: AccountId): Decide<WikiPage, WikiPageEvent> =>
  (state = unwritten(place)) => {
    const closed = closedToEditors(place.page)
    if (closed) return refuse(closed, 'page')
    if (state.editors.includes(account)) return nothing
    return state.editors.length < MAX_EDITORS_PER_PAGE
      ? record(WikiEditorAdded({ ...place, account }))
      : refuse('TOO_MANY_EDITORS', 'username')
  }

export const removeWikiEditor =
  (place: PagePlace, account: AccountId): Decide<WikiPage, WikiPageEvent> =>
  (state) =>
    state?.editors.includes(account) ? record(WikiEditorRemoved({ ...place, account })) : nothing
