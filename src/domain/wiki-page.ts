// Decision 84.

import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse } from './decision.ts'
import { event, field, type OneOf, optional, sealedText } from './event.ts'
import { AccountId, firstPart, SubsiteId } from './ids.ts'
import { checkContent, checkNewPageName, isMadeFromSettings, isRestricted, isSpecial } from './wiki-page-name.ts'

/** The fields of events on `wikipage-<subsite>.<page>`. */
const place = {
  subsite: field(SubsiteId, 'The subsite.', 'public'),
  page: field(t.string, 'The page, in lower case, `_` for spaces.', 'public'),
}

/**
 * The levels of editing a page. 0: the settings of the subsite decide. 1: its editors and moderators. 2: moderators only; others do not see
 * it.
 */
export const permlevels = [0, 1, 2] as const
export type Permlevel = (typeof permlevels)[number]
export const Permlevel = t.union([t.literal(0), t.literal(1), t.literal(2)])

export const WikiPageRevised = event(
  'WikiPageRevised',
  'An account wrote a page of the wiki of a subsite, or changed it; the id of the event is that of the revision.',
  {
    ...place,
    author: field(AccountId, 'Who wrote the revision.', 'public'),
    content: field(sealedText('author'), 'The whole page as it is now.', 'public'),
    reason: field(optional(sealedText('author')), 'Why; absent: no reason was given.', 'public'),
    previous: field(t.union([t.string, t.null]), 'The revision that it replaced; null: the page is new.', 'public'),
    reverts: field(optional(t.string), 'The older revision whose content it has again.', 'public'),
  },
  { by: 'public' },
)
export const WikiPageListingChanged = event(
  'WikiPageListingChanged',
  'A moderator changed whether the list of pages shows a page.',
  { ...place, listed: field(t.boolean, 'Whether it does now.', 'public') },
  { by: 'public' },
)
export const WikiPagePermlevelChanged = event(
  'WikiPagePermlevelChanged',
  'A moderator changed who may edit a page: 0, as the settings of the subsite say; 1, its editors and moderators; 2, moderators, who alone see it.',
  { ...place, before: field(Permlevel, 'The level before.', 'public'), after: field(Permlevel, 'The level now.', 'public') },
  { by: 'public' },
)
const editor = { ...place, account: field(AccountId, 'The editor.', 'public') }
export const WikiEditorAdded = event('WikiEditorAdded', 'A moderator made an account an editor of a page.', editor, { by: 'public' })
export const WikiEditorRemoved = event(
  'WikiEditorRemoved',
  'An account is no longer an editor of a page, as a moderator decided.',
  editor,
  { by: 'public' },
)
export const wikiPageEvents = [
  WikiPageRevised,
  WikiPageListingChanged,
  WikiPagePermlevelChanged,
  WikiEditorAdded,
  WikiEditorRemoved,
] as const
export type WikiPageEvent = OneOf<typeof wikiPageEvents>

/** The current revision of a page: its id, and the stream revision that has its text. Texts are in no state. */
export type CurrentRevision = { readonly id: string; readonly revision: number }

export type WikiPage = {
  readonly subsite: SubsiteId
  readonly page: string
  /** Null if only its settings are known and nobody wrote it. Pages that show a setting of the subsite are always so. */
  readonly current: CurrentRevision | null
  readonly permlevel: Permlevel
  readonly listed: boolean
  readonly editors: readonly AccountId[]
}

type PagePlace = Pick<WikiPage, 'subsite' | 'page'>

export const wikiPageId = ({ subsite, page }: PagePlace): string => `${subsite}.${page}`

const unwrittenPage = ({ subsite, page }: PagePlace): WikiPage => ({
  subsite,
  page,
  current: null,
  permlevel: 0,
  listed: true,
  editors: [],
})

const withEditors = (page: WikiPage, change: (editors: WikiPage['editors']) => WikiPage['editors']): WikiPage => ({
  ...page,
  editors: change(page.editors),
})

export const WikiPage: Aggregate<WikiPage, WikiPageEvent> = {
  category: 'wikipage',
  subsiteOf: firstPart,
  on: {
    WikiPageRevised: (state, data, { id, revision }) => ({ ...(state ?? unwrittenPage(data)), current: { id, revision } }),
    WikiPageListingChanged: (state, data) => ({ ...(state ?? unwrittenPage(data)), listed: data.listed }),
    WikiPagePermlevelChanged: (state, data) => ({ ...(state ?? unwrittenPage(data)), permlevel: data.after }),
    WikiEditorAdded: (state, data) => withEditors(state ?? unwrittenPage(data), (editors) => [...editors, data.account]),
    WikiEditorRemoved: (state, data) =>
      withEditors(state ?? unwrittenPage(data), (editors) => editors.filter((editor) => editor !== data.account)),
  },
}

type Revision = PagePlace & {
  readonly author: AccountId
  readonly content: string
  readonly reason: string
  readonly reverts?: string
}

/**
 * Gives a page a new content that was made from the revision `onto` (null: from no page). If another revision has come since, that is a
 * `CONFLICT`: the caller looks at the new one and decides again. `mayRevise` decides by the page's level and editors as they are then.
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
    return decideEvents(WikiPageRevised({ subsite, page, author, content, previous, ...annotations }))
  }

type LevelAndListing = Pick<WikiPage, 'listed' | 'permlevel'>

/**
 * Changes level and listing, with one event, and so one entry in the moderation log, for each that differs. `CONFLICT` if they would change
 * and are no longer as the actor saw them.
 */
export const changeWikiSettings =
  (place: PagePlace, { listed, permlevel }: LevelAndListing, seen?: LevelAndListing): Decide<WikiPage, WikiPageEvent> =>
  (state = unwrittenPage(place)) => {
    const events: WikiPageEvent[] = []
    if (listed !== state.listed) events.push(WikiPageListingChanged({ ...place, listed }))
    if (permlevel !== state.permlevel) events.push(WikiPagePermlevelChanged({ ...place, before: state.permlevel, after: permlevel }))
    const isAsSeen = seen === undefined || (seen.listed === state.listed && seen.permlevel === state.permlevel)
    return events.length > 0 && !isAsSeen ? refuse('CONFLICT', 'expected') : decideEvents(...events)
  }

/** The most editors of one page. */
export const MAX_EDITORS_PER_PAGE = 100

/** Returns the reason why a page can have no editors: moderators and admins edit it, whoever its editors are. */
const closedToEditors = (page: string): 'PAGE_CREATED_ELSEWHERE' | 'RESTRICTED_PAGE' | undefined => {
  if (isMadeFromSettings(page)) return 'PAGE_CREATED_ELSEWHERE'
  return isRestricted(page) && !isSpecial(page) ? 'RESTRICTED_PAGE' : undefined
}

export const addWikiEditor =
  (place: PagePlace, account: AccountId): Decide<WikiPage, WikiPageEvent> =>
  (state = unwrittenPage(place)) => {
    const closed = closedToEditors(place.page)
    if (closed) return refuse(closed, 'page')
    if (state.editors.includes(account)) return noEvents
    return state.editors.length < MAX_EDITORS_PER_PAGE
      ? decideEvents(WikiEditorAdded({ ...place, account }))
      : refuse('TOO_MANY_EDITORS', 'username')
  }

export const removeWikiEditor =
  (place: PagePlace, account: AccountId): Decide<WikiPage, WikiPageEvent> =>
  (state) =>
    state?.editors.includes(account) ? decideEvents(WikiEditorRemoved({ ...place, account })) : noEvents
