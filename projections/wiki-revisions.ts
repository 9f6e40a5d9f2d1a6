// Decision 84.

import { v5 } from 'uuid'
import { placesOf } from '../src/domain/account.ts'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import { mirroredSettings, STYLESHEET_PAGE } from '../src/domain/wiki-page-name.ts'
import type { Document } from '../src/ports/documents.ts'
import type { Position } from '../src/ports/event-store.ts'
import { change, collection, type Projection, putDocument } from './engine/projection.ts'

/**
 * A revision of a page, or of a setting that a page shows, without its text. The text is in the log, in the event at that revision of that
 * stream. The id is the event's.
 */
export type WikiRevisionDocument = Document & {
  readonly subsite: string
  readonly page: string
  readonly author: string | null
  /** The position of the event. */
  readonly position: Position
  /** Milliseconds since 1970. */
  readonly date: number
  readonly reason: string | null
  readonly hidden: boolean
  /** Present if its text can no longer be read. */
  readonly erased?: true
  readonly stream: string
  readonly revision: number
}

export const wikiRevisions = collection<WikiRevisionDocument>({
  name: 'wiki_revisions',
  version: 3,
  positions: ['position'],
  indexes: [
    { fields: ['subsite', 'page', '-position', '-id'] },
    { fields: ['subsite', '-date', '-position', '-id'] },
    { fields: ['author', '-position', '-id'] },
  ],
})

/**
 * Derives the id of a page's first revision. One event makes the first revision of each page that shows a setting, so each needs an id of
 * its own.
 */
export const initialRevision = (event: string, page: string): string => v5(page, event)

type RevisionPlace = Pick<WikiRevisionDocument, 'subsite' | 'page' | 'author' | 'reason'>
type RevisionEvent = Pick<WikiRevisionDocument, 'id' | 'stream' | 'revision' | 'position'> & { readonly at: number }

const putRevision = ({ subsite, page, author, reason }: RevisionPlace, { id, stream, revision, position, at }: RevisionEvent) =>
  putDocument<WikiRevisionDocument>({ id, subsite, page, author, position, date: at, reason, hidden: false, stream, revision })

export const wikiRevisionsProjection: Projection<WikiRevisionDocument> = {
  collection: wikiRevisions,
  inLogOrder: true,
  on: {
    SubsiteCreated: ({ data, ...event }) =>
      mirroredSettings.map(([page]) =>
        putRevision({ subsite: data.subsite, page, author: data.creator, reason: null }, { ...event, id: initialRevision(event.id, page) }),
      ),
    SubsiteSettingChanged: ({ data, by, ...event }) =>
      mirroredSettings
        .filter(([, setting]) => setting === data.setting)
        .map(([page]) => putRevision({ subsite: data.subsite, page, author: by.account, reason: data.reason ?? null }, event)),
    StylesheetSaved: ({ data, ...event }) => [putRevision({ ...data, page: STYLESHEET_PAGE, reason: data.reason || null }, event)],
    WikiPageRevised: ({ data, ...event }) => [putRevision({ ...data, reason: data.reason ?? null }, event)],
    AccountTextsErased: ({ data }) =>
      placesOf(data, 'entry').map((id) => change(id, (revision) => ({ ...revision, reason: ERASED_PLACEHOLDER }))),
    WikiRevisionErased: ({ data }) => [change(data.revision, (revision) => ({ ...revision, erased: true }))],
    WikiRevisionHidden: ({ data }) => [change(data.revision, (revision) => ({ ...revision, hidden: true }))],
    WikiRevisionUnhidden: ({ data }) => [change(data.revision, (revision) => ({ ...revision, hidden: false }))],
  },
}
