import { v5 } from 'uuid'
import { short } from '../ledger.ts'
import { amendKnown, entry, put, type Rules } from './rule.ts'

// The wikis: pages, and their revisions without texts.

const shown: Readonly<Record<string, string>> = {
  description: 'config/sidebar',
  public_description: 'config/description',
  submit_text: 'config/submit_text',
}

type Page = { readonly subsite: string; readonly page: string }
type PageRow = { readonly editors: readonly string[] }

const changePage = ({ subsite, page }: Page, change: (row: PageRow) => object) => {
  const id = `${subsite}.${page}`
  const empty = { id, subsite, page, permlevel: 0, listed: true, editors: [], current: null }
  return entry<PageRow>('wiki_pages', id, (row = empty) => ({ ...row, ...change(row) }))
}

type RevisionFacts = { readonly id: string; readonly date: number; readonly author: string | null; readonly reason: string | undefined }
type EventPlace = { readonly stream: string; readonly revision: number; readonly position: string }

const revise = ({ subsite, page }: Page, { id, date, author, reason }: RevisionFacts, { stream, revision, position }: EventPlace) => [
  changePage({ subsite, page }, () => ({ current: id })),
  put('wiki_revisions', {
    id,
    subsite,
    page,
    author,
    date,
    stream,
    revision,
    position,
    hidden: false,
    reason: reason === undefined ? null : short(reason),
  }),
]

export const wikiRules: Rules = {
  SubsiteCreated: (event) =>
    Object.values(shown).flatMap((page) =>
      revise(
        { subsite: event.data.subsite, page },
        { id: v5(page, event.id), date: event.at, author: event.data.creator, reason: undefined },
        event,
      ),
    ),
  SubsiteSettingChanged: (event) => {
    const page = shown[event.data.setting]
    const { subsite, reason } = event.data
    return page === undefined ? [] : revise({ subsite, page }, { id: event.id, date: event.at, author: event.by.account, reason }, event)
  },
  StylesheetSaved: (event) => {
    const { subsite, author, reason } = event.data
    const revision = { id: event.id, date: event.at, author, reason: reason === '' ? undefined : reason }
    return revise({ subsite, page: 'config/stylesheet' }, revision, event)
  },
  WikiPageRevised: (event) => {
    const { author, reason } = event.data
    return revise(event.data, { id: event.id, date: event.at, author, reason }, event)
  },
  WikiPageListingChanged: ({ data }) => [changePage(data, () => ({ listed: data.listed }))],
  WikiPagePermlevelChanged: ({ data }) => [changePage(data, () => ({ permlevel: data.after }))],
  WikiEditorAdded: ({ data }) => [changePage(data, ({ editors }) => ({ editors: [...editors, data.account] }))],
  WikiEditorRemoved: ({ data }) => [changePage(data, ({ editors }) => ({ editors: editors.filter((one) => one !== data.account) }))],
  WikiRevisionErased: ({ data }, note) => [amendKnown('wiki_revisions', data.revision, note, (row) => ({ ...row, erased: true }))],
  WikiRevisionHidden: ({ data }, note) => [amendKnown('wiki_revisions', data.revision, note, (row) => ({ ...row, hidden: true }))],
  WikiRevisionUnhidden: ({ data }, note) => [amendKnown('wiki_revisions', data.revision, note, (row) => ({ ...row, hidden: false }))],
}
