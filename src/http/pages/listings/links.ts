import { hasWindow, sortNames } from '../../contract/link-sorts.ts'
import { type Html, html, renderEach, url } from '../../wire/html.ts'
import { type AnyPage, type Around, type Body, pageFor, type Shown } from '../page.ts'
import { actButton } from '../parts/forms.ts'
import { choices, linkRow, pager } from '../parts/rows.ts'
import { sidebar } from '../parts/sidebar.ts'

type Listing = Body<'GET [/s/{sub}]/hot'>

const spans = ['hour', 'day', 'week', 'month', 'year', 'all'] as const

/** Matches the sort in the path of a listing, after its subsites, its multi or its filter, which may be named like a sort. */
const SORT = /^(?:\/s\/[^/]+|\/(?:u|user)\/[^/]+\/m\/[^/]+|\/me\/[mf]\/[^/]+)?\/?([^/]*)\/?$/

/** Returns the order of a listing, as its path says. */
const sortOf = ({ path }: Around['at']): string => {
  const sort = SORT.exec(path)?.[1] ?? ''
  return sortNames.includes(sort) ? sort : 'hot'
}

const spanChoice = ({ at }: Around): Html =>
  choices(
    'Created within',
    spans.map((span) => ({ value: span, to: `${at.path}?t=${span}`, words: span === 'all' ? 'all time' : span })),
    at.query.get('t') ?? 'all',
  )

/** Links, as rows, with the page before and after. */
export const linkList = (listing: Pick<Listing, 'data'>, around: Around, empty: string | Html = 'There are no links here yet.'): Html => {
  const { children } = listing.data
  if (children.length === 0) return html`<p class="empty">${empty}</p>`
  return html`<ol class="links">${renderEach(children, ({ data }) => linkRow(data, around))}</ol>
${pager(listing.data, around)}`
}

/** Renders the words of an empty listing, which say how to begin. */
const toBeginning = ({ at, subsite, viewer }: Around): Html | undefined => {
  if (at.copyOf) return undefined
  if (at.sub === undefined)
    return html`There are no links here yet. They are posted in subsites: <a href="/subs/popular">choose one</a>, or <a href="/subsites/create">found the first</a>.`
  if (!subsite || !viewer) return undefined
  const base = `/s/${subsite.display_name}`
  return html`There are no links here yet. <a href="${url(`${base}/submit`)}">Post the first</a>${
    subsite.user_is_moderator
      ? html`, write <a href="${url(`${base}/about/rules`)}">rules</a>, or invite <a href="${url(`${base}/about/moderators`)}">moderators</a>`
      : undefined
  }.`
}

/** Renders the button that copies a multi of somebody else. */
const copyButton = ({ viewer, at }: Around): Html | undefined => {
  const [, owner, name] = /^\/u(?:ser)?\/([^/]+)\/m\/([^/]+)/.exec(at.path) ?? []
  if (!viewer || at.copyOf || owner === undefined || owner.toLowerCase() === viewer.name.toLowerCase()) return undefined
  const copy = { from: `/user/${owner}/m/${name}`, to: `/user/${viewer.name}/m/${name}`, dest: '/prefs/multis?done=1' }
  return html`<p>${actButton(url(`/api/multi/copy?${new URLSearchParams(copy)}`), { class: 'button', content: 'Copy this multi' })}</p>`
}

const toListingTitle = ({ subsite, at }: Around): string =>
  subsite?.title || subsite?.display_name || (at.sub === undefined ? 'Front page' : `/s/${at.sub}`)

const listing = {
  title: (shown: Shown<Listing>) => (sortOf(shown.at) === 'hot' ? toListingTitle(shown) : `${toListingTitle(shown)}: ${sortOf(shown.at)}`),
  description: ({ subsite }: Shown<Listing>) => subsite?.public_description || undefined,
  tab: ({ at }: Shown<Listing>) => sortOf(at),
  aside: (shown: Shown<Listing>) => sidebar(shown),
  main: (shown: Shown<Listing>) => html`<h1 class="sr">${listing.title(shown)}</h1>
${copyButton(shown)}${hasWindow(sortOf(shown.at)) ? spanChoice(shown) : undefined}${linkList(shown.body, shown, toBeginning(shown))}`,
  feed: true,
} as const

export const linkPages: readonly AnyPage[] = [
  pageFor('GET /', listing),
  pageFor('GET [/s/{sub}]/hot', listing),
  pageFor('GET [/s/{sub}]/new', listing),
  pageFor('GET [/s/{sub}]/{sort}', listing),
]
