import { initialRevision, wikiRevisions } from '../../projections/wiki-revisions.ts'
import { AccountId, ThingId } from '../domain/ids.ts'
import type { Json } from '../domain/json.ts'
import { isForModerators } from '../domain/wiki-access.ts'
import { isSpecial, mirroredSettings } from '../domain/wiki-page-name.ts'
import type { DocumentStore } from '../ports/documents.ts'
import { accountsById } from '../queries/accounts.ts'
import type { Reading } from '../queries/reading.ts'
import { isLink, type ThingDocument, thingsById } from '../queries/things.ts'
import { isRedacted, visibilityOf } from '../queries/visibility.ts'
import { pagesById } from '../queries/wiki.ts'

/** The fields of events that today's facts are looked up for. */
type Looked = { readonly id: string; readonly type: string; readonly data: Json; readonly by: { readonly account: string | null } }

/** The texts of a link or comment that a reader is shown now, by their names in events. `edited` is the time of their last change. */
export type ShownTexts = { readonly edited: number | null } & Readonly<Partial<Record<'title' | 'url' | 'text' | 'body', string>>>

/** The facts of today that decide what a reader sees of the events of a page. */
export type Facts = {
  readonly read: Reading
  /** Tells whether an account is deleted or unknown. */
  readonly isGone: (account: string) => boolean
  /** Returns the author of a thing, and whether the reader learns it. */
  readonly authorOf: (thing: string) => { readonly author: string; readonly isShown: boolean } | undefined
  readonly textsOf: (thing: string) => ShownTexts | undefined
  /** Tells whether only moderators read a page of a wiki. */
  readonly isClosed: (subsite: string, page: string) => boolean
  /** Tells whether a revision of a wiki page is shown. The event that founds a subsite makes one of each page that shows a setting. */
  readonly isRevisionShown: (event: string, page?: string) => boolean
}

/** Yields every text in the data of an event. */
function* textsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) yield* textsIn(inner)
}

const shownTextsOf = (thing: ThingDocument, read: Reading): ShownTexts => {
  const { edited } = thing
  if (!isLink(thing)) return { edited, ...(visibilityOf(thing, toViewing(read)) === 'whole' && { body: thing.body }) }
  const { title, url, isSelf, deleted, text } = thing
  const isTextShown = !isSelf || !(deleted || isRedacted(thing, toViewing(read)))
  return { edited, title, ...(url !== null && { url }), ...(isTextShown && { text }) }
}

const toViewing = ({ viewer, moderates }: Reading) => ({ viewer, moderates })

const isAuthorShown = (thing: ThingDocument, read: Reading): boolean =>
  isLink(thing) ? !thing.deleted : visibilityOf(thing, toViewing(read)) === 'whole'

export const readFacts = async (documents: DocumentStore, read: Reading, events: readonly Looked[]): Promise<Facts> => {
  const texts = [...new Set(events.flatMap(({ data, by }) => [...textsIn(data), ...(by.account === null ? [] : [by.account])]))]
  const written = events.flatMap(({ data: { subsite, page } }) =>
    typeof subsite === 'string' && typeof page === 'string' ? [{ subsite, page }] : [],
  )
  const revised = events.flatMap(({ id, type }) => {
    if (type === 'SubsiteCreated') return mirroredSettings.map(([page]) => initialRevision(id, page))
    return type === 'WikiPageRevised' || type === 'StylesheetSaved' ? [id] : []
  })
  const [accounts, things, pages, revisions] = await Promise.all([
    accountsById(documents, texts.filter(AccountId.is)),
    thingsById(documents, texts.filter(ThingId.is)),
    pagesById(documents, written),
    documents.getMany(wikiRevisions, revised),
    read.loadSubsites(events.flatMap(({ data: { subsite } }) => (typeof subsite === 'string' ? [subsite] : []))),
  ])
  return {
    read,
    isGone: (account) => accounts.get(account)?.deleted !== false,
    authorOf: (id) => {
      const thing = things.get(id)
      return thing && { author: thing.author, isShown: isAuthorShown(thing, read) }
    },
    textsOf: (id) => {
      const thing = things.get(id)
      return thing && shownTextsOf(thing, read)
    },
    isClosed: (subsite, page) =>
      isForModerators({ page, permlevel: pages(subsite, page)?.permlevel ?? 0 }) ||
      (!isSpecial(page) && read.subsite(subsite)?.settings.wikimode === 'disabled'),
    isRevisionShown: (event, page) => revisions.get(page === undefined ? event : initialRevision(event, page))?.hidden === false,
  }
}
