import type { Logged } from '../src/domain/events.ts'
import { type Permlevel, WikiPage, wikiPageId } from '../src/domain/wiki-page.ts'
import { mirroredSettings, STYLESHEET_PAGE } from '../src/domain/wiki-page-name.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, putDocument, type Touch } from './engine/projection.ts'
import { initialRevision } from './wiki-revisions.ts'

/** A page of a wiki without its text, which stays in the log. */
export type WikiPageDocument = Document & {
  readonly subsite: string
  readonly page: string
  readonly permlevel: Permlevel
  readonly listed: boolean
  readonly editors: readonly string[]
  /** Id of its current revision; null if only its settings are known. */
  readonly current: string | null
}

export const wikiPages = collection<WikiPageDocument>({
  name: 'wiki_pages',
  version: 1,
  indexes: [{ fields: ['subsite', 'id'], covers: ['page', 'permlevel', 'listed', 'current'] }],
})

type PageName = { readonly subsite: string; readonly page: string }

const unwrittenPage = ({ subsite, page }: PageName): WikiPageDocument => ({
  id: wikiPageId({ subsite, page }),
  subsite,
  page,
  permlevel: 0,
  listed: true,
  editors: [],
  current: null,
})

/** Changes a page. A page may have settings before it is written. */
const touchPage =
  <Event extends { readonly data: PageName }>(update: (page: WikiPageDocument, event: Event) => Partial<WikiPageDocument>) =>
  (event: Event): readonly Touch<WikiPageDocument>[] => [
    {
      id: wikiPageId(event.data),
      change: (document = unwrittenPage(event.data)) => ({ ...document, ...update(document, event) }),
    },
  ]

/** Changes a page whose text is saved elsewhere, from its first save on. */
const touchMirror =
  (page: string) =>
  ({ id, data: { subsite } }: Logged<'StylesheetSaved'>) => [
    {
      id: wikiPageId({ subsite, page }),
      change: (document = unwrittenPage({ subsite, page })) => ({ ...document, current: id }),
    } satisfies Touch<WikiPageDocument>,
  ]

export const wikiPagesProjection: Projection<WikiPageDocument> = {
  collection: wikiPages,
  follows: [WikiPage],
  on: {
    SubsiteCreated: ({ id, data: { subsite } }) =>
      mirroredSettings.map(([page]) =>
        putDocument<WikiPageDocument>({ ...unwrittenPage({ subsite, page }), current: initialRevision(id, page) }),
      ),
    SubsiteSettingChanged: ({ id, data: { subsite, setting } }) =>
      mirroredSettings
        .filter(([, mirrored]) => mirrored === setting)
        .map(([page]) => change(wikiPageId({ subsite, page }), (document) => ({ ...document, current: id }))),
    StylesheetSaved: touchMirror(STYLESHEET_PAGE),
    WikiPageRevised: touchPage<Logged<'WikiPageRevised'>>((_, { id }) => ({ current: id })),
    WikiPageListingChanged: touchPage<Logged<'WikiPageListingChanged'>>((_, { data: { listed } }) => ({ listed })),
    WikiPagePermlevelChanged: touchPage<Logged<'WikiPagePermlevelChanged'>>((_, { data: { after } }) => ({ permlevel: after })),
    WikiEditorAdded: touchPage<Logged<'WikiEditorAdded'>>(({ editors }, { data: { account } }) => ({ editors: [...editors, account] })),
    WikiEditorRemoved: touchPage<Logged<'WikiEditorRemoved'>>(({ editors }, { data: { account } }) => ({
      editors: editors.filter((editor) => editor !== account),
    })),
  },
}
