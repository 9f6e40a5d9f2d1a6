// Decision 85.

import * as E from 'fp-ts/lib/Either.js'
import { type Decide, noEvents } from '../../../domain/decision.ts'
import { Stylesheet, type StylesheetEvent } from '../../../domain/stylesheet.ts'
import { changeSettings, Subsite, type SubsiteEvent } from '../../../domain/subsite.ts'
import { mayRevise } from '../../../domain/wiki-access.ts'
import { reviseWikiPage, WikiPage, type WikiPageEvent, wikiPageId } from '../../../domain/wiki-page.ts'
import { checkContent, isSource, STYLESHEET_PAGE, settingShownBy } from '../../../domain/wiki-page-name.ts'
import { withinQuota } from '../../../limits/account-quota.ts'
import { queues } from '../../../ports/queues.ts'
import type { CommandResult } from '../../../runtime/run.ts'
import type { SignedInContext, Uses } from '../../contract/endpoint.ts'
import { isOverload, overloadCode } from '../../contract/overload.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import { type ExistingWikiPage, loadPage, loadWikiFacts, type Wiki, writtenAt } from '../../needs/wiki.ts'
import { whyUnrenderablePage } from '../../present/markdown.ts'
import { compileFor, publish } from '../../stylesheet/publish.ts'
import { compareTexts, mergeTexts } from './merge.ts'

type RevisionContext = SignedInContext & Uses<'blobs' | 'readEvent'>

/** The new text of a page. `base` is the text that was edited; undefined overwrites the current one. */
export type Revision = {
  readonly wiki: Wiki
  readonly page: string
  readonly mine: string
  readonly base: string | undefined
  readonly reason: string
  readonly reverts?: string
}

/** The current page. `text` is null if it does not exist. */
type CurrentText = { readonly page: ExistingWikiPage | undefined; readonly text: string | null }

/**
 * Edits of one page in this process take turns. An edit by another process is a conflict, after which the page is read again. Edits by one
 * account take turns, too, so that at any page at most one of them is ahead of the edits of others: even a refused one may take seconds.
 */
const ofAccount = queues()
const ofPage = queues()
const inTurns = <T>({ viewer }: SignedInContext, { wiki: { subsite }, page }: Revision, work: () => Promise<T>): Promise<T> =>
  ofAccount(viewer.account, () => ofPage(wikiPageId({ subsite, page }), work))

const MAX_MERGE_ATTEMPTS = 20

const textNow = async (context: RevisionContext, { subsite }: Wiki, page: string): Promise<CurrentText> => {
  const existing = await loadPage(context, subsite, page)
  if (page === STYLESHEET_PAGE) return { page: existing, text: (await context.load(Stylesheet, subsite))?.source ?? '' }
  const setting = settingShownBy(page)
  if (setting !== undefined) return { page: existing, text: (await context.load(Subsite, subsite))?.settings[setting] ?? '' }
  return { page: existing, text: existing ? (await writtenAt(context, page, existing.current)).text : null }
}

/**
 * Returns the refusal with everything that the client needs to merge: the current page, its revision, and the difference between the edit
 * and it.
 */
const conflict = async ({ page, text }: CurrentText, mine: string): Promise<E.Either<Refusal, never>> => {
  const difference = await compareTexts(text ?? '', mine, 'editor')
  const extra = {
    newcontent: text ?? '',
    newrevision: page?.current.id ?? null,
    diffcontent: E.isRight(difference) ? difference.right : null,
  }
  return E.left({ code: 'EDIT_CONFLICT', field: 'content', extra })
}

const refusalOfContent = async (page: string, content: string): Promise<Refusal | undefined> => {
  if (isSource(page)) return undefined
  const why = await whyUnrenderablePage(content)
  if (why === undefined) return undefined
  return isOverload(why) ? { code: overloadCode[why], field: null } : { code: 'TOO_COMPLEX', field: 'content' }
}

/** Changes the setting that a page shows, if it is still the text that was edited. */
const changeShown =
  ({ viewer }: SignedInContext, setting: NonNullable<ReturnType<typeof settingShownBy>>, now: string, after: string, reason: string) =>
  (state: Subsite | undefined) =>
    state?.settings[setting] === now
      ? changeSettings({ admin: viewer.admin, gold: false }, { [setting]: after }, { reason })(state)
      : refuseRule('CONFLICT')

const special = (texts: readonly string[]): E.Either<Refusal, never> =>
  E.left({ code: 'SPECIAL_ERRORS', field: 'content', extra: { special_errors: texts } })

/** Checks and publishes the stylesheet, if it is still the text that was edited. */
const changeStylesheet = async (context: RevisionContext, { subsite, name }: Wiki, now: string, after: string, reason: string) => {
  const compiled = await compileFor(context, { id: subsite, name }, after)
  if (isOverload(compiled)) return refuseRule(overloadCode[compiled])
  if (compiled === 'too-slow') return refuseRule('TOO_COMPLEX', 'content')
  if ('problems' in compiled) return special(compiled.problems.map(({ line, message }) => `line ${line}: ${message}`))
  return publish(context, { subsite, compiled, reason, replaces: (saved) => (saved?.source ?? '') === now })
}

const recordRevision = async (
  context: RevisionContext,
  { wiki, page, reason, reverts }: Revision,
  now: CurrentText,
  content: string,
): Promise<E.Either<Refusal, CommandResult>> => {
  const { subsite } = wiki
  const { run, viewer } = context
  if (page === STYLESHEET_PAGE) return changeStylesheet(context, wiki, now.text ?? '', content, reason)
  const setting = settingShownBy(page)
  if (setting !== undefined) {
    const decide: Decide<Subsite, SubsiteEvent> = changeShown(context, setting, now.text ?? '', content, reason)
    return run(Subsite, subsite, decide)
  }
  const revision = { subsite, page, author: viewer.account, content, reason, ...(reverts !== undefined && { reverts }) }
  const facts = await loadWikiFacts(context, wiki)
  const decide: Decide<WikiPage, WikiPageEvent> = reviseWikiPage(revision, now.page?.current.id ?? null, (state) => mayRevise(state, facts))
  return run(WikiPage, wikiPageId({ subsite, page }), decide)
}

/** Reads the page once and tries once to write it; `CONFLICT` if it changed in between. */
const attempt = async (context: RevisionContext, revision: Revision): Promise<E.Either<Refusal, CommandResult>> => {
  const { wiki, page, mine, base } = revision
  const now = await textNow(context, wiki, page)
  const merged = base === undefined || now.text === null ? E.right(mine) : await mergeTexts(base, now.text, mine)
  if (E.isLeft(merged)) return merged
  const content = merged.right
  if (content === undefined) return conflict(now, mine)
  if (content === now.text) return E.right({ events: [], position: undefined })
  const refused = checkContent(page, content) ?? (await refusalOfContent(page, content))
  return refused ? E.left(refused) : recordRevision(context, revision, now, content)
}

/** Returns the revision that an earlier try of a retried request recorded, if any. */
const findRecorded = async (
  { run, command }: RevisionContext,
  { wiki: { subsite }, page }: Revision,
): Promise<CommandResult | undefined> => {
  if (!command.retried) return undefined
  const decideNothing = (): typeof noEvents => noEvents
  const look = (): Promise<E.Either<Refusal, CommandResult>> => {
    if (page === STYLESHEET_PAGE) return run<Stylesheet, StylesheetEvent>(Stylesheet, subsite, decideNothing)
    if (settingShownBy(page) !== undefined) return run<Subsite, SubsiteEvent>(Subsite, subsite, decideNothing)
    return run<WikiPage, WikiPageEvent>(WikiPage, wikiPageId({ subsite, page }), decideNothing)
  }
  const found = await look()
  return E.isRight(found) && found.right.events.length > 0 ? found.right : undefined
}

/** Runs one edit of a page by one account. A stylesheet also counts towards the quota of stylesheets. */
export const withinWikiQuota = (context: SignedInContext, page: string, work: () => Promise<E.Either<Refusal, CommandResult>>) =>
  page === STYLESHEET_PAGE
    ? withinQuota(context, 'stylesheet', work)
    : withinQuota(context, 'wiki', () => withinQuota(context, 'wikiDay', work))

/** Gives a page a new text, merged with later edits of others than `base`. An unchanged text makes no revision. */
export const revise = (context: RevisionContext, revision: Revision): Promise<E.Either<Refusal, CommandResult>> =>
  inTurns(context, revision, async () => {
    const before = await findRecorded(context, revision)
    if (before) return E.right(before)
    for (let tries = 0; tries < MAX_MERGE_ATTEMPTS; tries += 1) {
      const outcome = await attempt(context, revision)
      if (E.isRight(outcome) || outcome.left.code !== 'CONFLICT') return outcome
    }
    return refuseRule('UNAVAILABLE')
  })
