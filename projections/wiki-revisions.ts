import { v5 } from 'uuid'
import { placesOf } from '../src/domain/account.ts'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import { mirroredSettings, STYLESHEET_PAGE } from '../src/domain/wiki-page-name.ts'
import type { Document } from '../src/ports/documents.ts'
import type { Position } from '../src/ports/event-store.ts'
import { change, collection, type Projection, put } from './engine/projection.ts'

/**
 * A revision of a page, or of a setting that a page shows, without its text: the text is in the log, in the event of that revision of
 * that stream. The id is the event's.
 */
export type WikiRevisionDocument = Document & {
  readonly subsite: string
  readonly page: string
  readonly author: string | null
  /** Of the event. */
  readonly position: Position
  /** Milliseconds since 1970. */
  readonly date: number
  readonly reason: string | null
  readonly hidden: boolean
  /** Its text can no longer be read. */
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

/** One event makes the first revision of each page that shows a setting, so each has an id of its own. */
export const initialRevision = (event: string, page: string): string => v5(page, event)

export const wikiRevisionsProjection: Projection<WikiRevisionDocument> = {
  collection: wikiRevisions,
  inLogOrder: true,
  on: {
    SubsiteCreated: ({ id, data, at, stream, revision, position }) =>
      mirroredSettings.map(([page]) =>
        put<WikiRevisionDocument>({
          id: initialRevision(id, page),
          subsite: data.subsite,
          page,
          author: data.creator,
          position,
          date: at,
          reason: null,
          hidden: false,
          stream,
          revision,
        }),
      ),
    SubsiteSettingChanged: ({ id, data, at, by, stream, revision, position }) =>
      mirroredSettings
        .filter(([, setting]) => setting === data.setting)
        .map(([page]) =>
          put<WikiRevisionDocument>({
            id,
            subsite: data.subsite,
            page,
            author: by.account,
            position,
            date: at,
            reason: data.reason ?? null,
            hidden: false,
            stream,
            revision,
          }),
        ),
    StylesheetSaved: ({ id, data, at, stream, revision, position }) => [
      put<WikiRevisionDocument>({
        id,
        subsite: data.subsite,
        page: STYLESHEET_PAGE,
        author: data.author,
        position,
        date: at,
        reason: data.reason === '' ? null : data.reason,
        hidden: false,
        stream,
        revision,
      }),
    ],
    WikiPageRevised: ({ id, data, at, stream, revision, position }) => [
      put<WikiRevisionDocument>({
        id,
        subsite: data.subsite,
        page: data.page,
        author: data.author,
        position,
        date: at,
        reason: data.reason ?? null,
        hidden: false,
        stream,
        revision,
      }),
    ],
    AccountTextsErased: ({ data }) =>
      placesOf(data, 'entry').map((id) => change(id, (revision) => ({ ...revision, reason: ERASED_PLACEHOLDER }))),
    WikiRevisionErased: ({ data }) => [change(data.revision, (revision) => ({ ...revision, erased: true }))],
    WikiRevisionHidden: ({ data }) => [change(data.revision, (revision) => ({ ...revision, hidden: true }))],
    WikiRevisionUnhidden: ({ data }) => [change(data.revision, (revision) => ({ ...revision, hidden: false }))],
  },
}
