import type { Logged } from '../src/domain/events.ts'
import { type Permlevel, WikiPage, wikiPageId } from '../src/domain/wiki-page.ts'
import { mirroredSettings, STYLESHEET_PAGE } from '../src/domain/wiki-page-name.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, put, type Touch } from './engine/projection.ts'
import { initialRevision } from './wiki-revisions.ts'

/** A page of a wiki without its text, which stays in the log. */
export type WikiPageDocument = Document & {
  readonly subsite: string
  readonly page: string
  readonly permlevel: Permlevel
  readonly listed: boolean
  readonly editors: readonly string[]
  /** Id of its current revision; null: only its settings are known. */
  readonly current: string | null
}

export const wikiPages = collection<WikiPageDocument>({
  name: 'wiki_pages',
  version: 1,
  indexes: [{ fields: ['subsite', 'id'], covers: ['page', 'permlevel', 'listed', 'current'] }],
})

type PageName = { readonly subsite: string; readonly page: string }

const unwritten = ({ subsite, page }: PageName): WikiPageDocument => ({
  id: wikiPageId({ subsite, page }),
  subsite,
  page,
  permlevel: 0,
  listed: true,
  editors: [],
  current: null,
})

/** A page may have settings before it is written. */
const touching =
  <Event extends { readonly data: PageName }>(update: (page: WikiPageDocument, event: Event) => Partial<WikiPageDocument>) =>
  (event: Event): readonly Touch<WikiPageDocument>[] => [
    {
      id: wikiPageId(event.data),
      change: (document = unwritten(event.data)) => ({ ...document, ...update(document, event) }),
    },
  ]

/** A page whose text is saved elsewhere, from its first save on. */
const touchingPage =
  (page: string) =>
  ({ id, data: { subsite } }: Logged<'StylesheetSaved'>) => [
    {
      id: wikiPageId({ subsite, page }),
      change: (document = unwritten({ subsite, page })) => ({ ...document, current: id }),
    } satisfies Touch<WikiPageDocument>,
  ]

export const wikiPagesProjection: Projection<WikiPageDocument> = {
  collection: wikiPages,
  follows: [WikiPage],
  on: {
    SubsiteCreated: ({ id, data: { subsite } }) =>
      mirroredSettings.map(([page]) => put<WikiPageDocument>({ ...unwritten({ subsite, page }), current: initialRevision(id, page) })),
    SubsiteSettingChanged: ({ id, data: { subsite, setting } }) =>
      mirroredSettings
        .filter(([, mirrored]) => mirrored === setting)
        .map(([page]) => change(wikiPageId({ subsite, page }), (document) => ({ ...document, current: id }))),
    StylesheetSaved: touchingPage(STYLESHEET_PAGE),
    WikiPageRevised: touching<Logged<'WikiPageRevised'>>((_, { id }) => ({ current: id })),
    WikiPageListingChanged: touching<Logged<'WikiPageListingChanged'>>((_, { data: { listed } }) => ({ listed })),
    WikiPagePermlevelChanged: touching<Logged<'WikiPagePermlevelChanged'>>((_, { data: { after } }) => ({ permlevel: after })),
    WikiEditorAdded: touching<Logged<'WikiEditorAdded'>>(({ editors }, { data: { account } }) => ({ editors: [...editors, account] })),
    WikiEditorRemoved: touching<Logged<'WikiEditorRemoved'>>(({ editors }, { data: { account } }) => ({
      editors: editors.filter((editor) => editor !== account),
    })),
  },
}
