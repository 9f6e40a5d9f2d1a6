// Decision 80.

import * as E from 'fp-ts/lib/Either.js'
import type { WikiRevisionDocument } from '../../../projections/wiki-revisions.ts'
import { Account } from '../../domain/account.ts'
import { ERASED_PLACEHOLDER } from '../../domain/event.ts'
import type { AccountId, SubsiteId } from '../../domain/ids.ts'
import { capacityBy, type Standing } from '../../domain/standing.ts'
import { Subsite } from '../../domain/subsite.ts'
import type { SubsiteSettings } from '../../domain/subsite-settings.ts'
import { isWikiOpen, mayCreate, mayModeratePage, mayViewPage, moderatesWiki, type WikiFacts } from '../../domain/wiki-access.ts'
import { type Permlevel, WikiPage, wikiPageId } from '../../domain/wiki-page.ts'
import { checkNewPageName, isMadeFromSettings, mayExist, parsePageName, settingShownBy } from '../../domain/wiki-page-name.ts'
import { subsiteNamed } from '../../queries/subsites.ts'
import { pagesNamed, readWikiKarma, revisionNamed } from '../../queries/wiki.ts'
import type { Context, Need, Param, Uses } from '../contract/endpoint.ts'
import { describeParam, rawText } from '../contract/params.ts'
import { type Refusal, refuseRule } from '../contract/refusals.ts'
import type { SignedIn, Viewer } from '../contract/request.ts'
import { loadViewerStanding, mayView } from '../things/access.ts'

/** A wiki, and the viewer's relationships with its subsite; all from the log. */
export type Wiki = {
  readonly subsite: SubsiteId
  readonly name: string
  readonly settings: SubsiteSettings
  readonly standing: Standing
  /** True for the site's own wiki, for which karma of all subsites counts. */
  readonly isHome: boolean
}

/** Looks up the wiki of the subsite in the path; without one the site's own, if `HOME_SUBSITE` is set. */
export const wikiHere: Need<Wiki, unknown, Viewer> = async (context) => {
  const { site, config, documents, load } = context
  const isHome = site.kind === 'home'
  const home = isHome && config.homeSubsite !== undefined ? await subsiteNamed(documents, config.homeSubsite) : undefined
  const place = site.kind === 'subsite' ? site.subsite : home
  if (!place) return refuseRule('NOT_WIKIABLE')
  if (isHome && !(await mayView(context, place))) return refuseRule('FORBIDDEN')
  const [state, standing] = await Promise.all([load(Subsite, place.id), loadViewerStanding(context, place.id)])
  const settings = state?.settings ?? place.settings
  return isWikiOpen(settings, standing)
    ? E.right({ subsite: place.id, name: place.name, settings, standing, isHome })
    : refuseRule('WIKI_DISABLED')
}

/** The name of a page in its normal form; undefined if absent or empty. */
export const pageName = (): Param<string> => ({
  ...describeParam(rawText(), 'name of a page: lower-case letters, digits, `_`, `-`, and `/` between parts; spaces become `_`'),
  required: true,
  decode: (text = '', name) => (text === '' ? refuseRule('INVALID_PAGE_NAME', name) : parsePageName(text)),
})

/** The page name of an address in its normal form, and whether it was sent in that form. Without a name it is the first page. */
export type PageSent = { readonly page: string; readonly isNormal: boolean }

export const pageSent = (): Param<PageSent> => ({
  ...pageName(),
  required: false,
  decode: (text = '') => E.map((page: string) => ({ page, isNormal: text === '' || page === text }))(parsePageName(text)),
})

/** An existing page. `current` is the id of its revision, and the event that has its text. */
export type ExistingWikiPage = {
  readonly page: string
  readonly permlevel: Permlevel
  readonly listed: boolean
  readonly editors: readonly AccountId[]
  readonly current: { readonly id: string; readonly stream: string; readonly revision: number }
}

type PageContext = Pick<Context, 'load' | 'documents'>

const unset = { permlevel: 0, listed: true, editors: [] } as const

/** Returns the revision of a page that shows a setting or the stylesheet: that of its last change. */
const lastChange = async ({ documents }: PageContext, subsite: SubsiteId, page: string) => {
  const current = (await pagesNamed(documents, subsite, [page])).get(page)?.current
  return current ? revisionNamed(documents, current) : undefined
}

/** Loads a page from the log; undefined if it was never written. */
export const loadPage = async (looking: PageContext, subsite: SubsiteId, page: string): Promise<ExistingWikiPage | undefined> => {
  if (!mayExist(page)) return undefined
  const id = wikiPageId({ subsite, page })
  const state = await looking.load(WikiPage, id)
  const { permlevel, listed, editors } = state ?? unset
  const written = state?.current && { ...state.current, stream: `${WikiPage.category}-${id}` }
  const current = !isMadeFromSettings(page) ? written : await lastChange(looking, subsite, page)
  return current ? { page, permlevel, listed, editors, current } : undefined
}

/** Loads the facts that decide whether the viewer may edit. Karma and age are looked up only if the wiki requires them. */
export const loadWikiFacts = async (context: Context, { subsite, settings, standing, isHome }: Wiki): Promise<WikiFacts> => {
  const { viewer, documents, clock } = context
  const { account } = viewer
  const asks = settings.wikimode === 'anyone' && (settings.wiki_edit_karma > 0 || settings.wiki_edit_age > 0)
  const earned =
    asks && account !== undefined ? await readWikiKarma(documents, account, isHome ? undefined : subsite, clock()) : { karma: 0, days: 0 }
  return { account, standing, settings, earned }
}

/** Returns the refusal for a missing page, which tells viewers who may create it that they may. */
const refuseMissing = async (context: Context, wiki: Wiki, page: string): Promise<E.Either<Refusal, never>> => {
  const creatable = !isMadeFromSettings(page) && checkNewPageName(page) === undefined && mayCreate(page, await loadWikiFacts(context, wiki))
  return refuseRule(creatable ? 'PAGE_NOT_CREATED' : 'PAGE_NOT_FOUND')
}

/** The facts of needs declared after `wikiHere`. */
export type InWiki = { readonly wiki: Wiki }

/** Looks up the page of the address, if the viewer may view it. */
export const pageHere: Need<ExistingWikiPage, { readonly page: PageSent }, Viewer, InWiki> = async (context) => {
  const { wiki, params } = context
  const { page: name } = params.page
  const page = await loadPage(context, wiki.subsite, name)
  if (!page) return refuseMissing(context, wiki, name)
  return mayViewPage(page, wiki.standing) ? E.right(page) : refuseRule('MAY_NOT_VIEW')
}

type PageParams = { readonly page: string | PageSent }

/** Looks up a wiki moderator's act on the page that a parameter names. */
export const requireModeratedPage: Need<ExistingWikiPage, PageParams, SignedIn, InWiki> = async (context) => {
  const { wiki, params } = context
  const name = typeof params.page === 'string' ? params.page : params.page.page
  if (!mayModeratePage(name, wiki.standing)) return refuseRule('MOD_REQUIRED')
  const capacity = capacityBy(wiki.standing, 'wiki')
  if (capacity === undefined) return refuseRule('MOD_REQUIRED')
  context.actAs(capacity)
  const page = await loadPage(context, wiki.subsite, name)
  return page ? E.right(page) : refuseRule('PAGE_NOT_FOUND')
}

/** Redirects any other address of a page to its normal name below `/wiki`. */
export const normalAddress: Need<true, { readonly page: PageSent }, Viewer> = ({ site, path, extension, query, params }) => {
  const { page, isNormal } = params.page
  const isHere = path.startsWith('/wiki')
  if (isNormal && isHere) return E.right(true)
  const place = site.kind === 'subsite' ? `/s/${site.subsite.name}` : ''
  const search = new URLSearchParams(query).toString()
  const location = `${place}${isHere ? path.replace('{page}', page) : `/wiki/${page}`}${extension ? `.${extension}` : ''}`
  return E.left({ kind: 'redirect', location: search === '' ? location : `${location}?${search}` })
}

/** Looks up a revision of a page that a parameter names. Hidden ones are for moderators of the wiki. */
export const revisionOf = async (
  { documents }: PageContext,
  { subsite, standing }: Wiki,
  page: string,
  id: string,
): Promise<E.Either<Refusal, WikiRevisionDocument>> => {
  const revision = await revisionNamed(documents, id)
  if (revision?.subsite !== subsite || revision.page !== page) return refuseRule('INVALID_REVISION')
  return revision.hidden && !moderatesWiki(standing) ? refuseRule('HIDDEN_REVISION') : E.right(revision)
}

type RevisionContext = Pick<Context, 'load'> & Uses<'readEvent'>

/** The page text in an event. */
export type PageText = { readonly text: string; readonly by: AccountId | null; readonly at: number }

/** Returns the text of a page as of an event. */
export const writtenAt = async (
  { readEvent, load }: RevisionContext,
  page: string,
  from: Pick<ExistingWikiPage['current'], 'stream' | 'revision'>,
): Promise<PageText> => {
  const event = await readEvent(from.stream, from.revision)
  if (event?.type === 'WikiPageRevised') {
    const { author, content } = event.data
    // the key of an erased account is destroyed a while later
    const isErased = (await load(Account, author))?.erased ?? false
    return { text: isErased ? ERASED_PLACEHOLDER : content, by: author, at: event.at }
  }
  if (event?.type === 'StylesheetSaved') return { text: event.data.source, by: event.data.author, at: event.at }
  if (event?.type === 'SubsiteSettingChanged') return { text: String(event.data.after), by: event.by.account, at: event.at }
  const setting = settingShownBy(page)
  if (event?.type === 'SubsiteCreated' && setting !== undefined)
    return { text: event.data.settings[setting], by: event.data.creator, at: event.at }
  throw new Error(`revision ${from.revision} of ${from.stream} has no text of the page ${page}`)
}
