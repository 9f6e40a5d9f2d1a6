import { type Html, html, url } from '../../wire/html.ts'
import { type AnyPage, type Around, pageFor } from '../page.ts'
import { choices, pager } from '../parts/rows.ts'
import { subsiteList } from '../parts/subsites.ts'

const whereIn = ({ at }: Pick<Around, 'at'>): string => at.path.split('/')[2] || 'popular'

const lists = ({ viewer }: Around) => [
  { value: 'popular', to: '/subs/popular' },
  { value: 'new', to: '/subs/new' },
  { value: 'default', to: '/subs/default' },
  ...(viewer
    ? ['subscriber', 'moderator', 'contributor', 'muted'].map((value) => ({
        value,
        to: `/subs/mine/${value}`,
        words: ownWords[value] ?? value,
      }))
    : []),
]
const ownWords: Readonly<Record<string, string>> = {
  subscriber: 'subscribed',
  moderator: 'moderated',
  contributor: 'approved in',
  muted: 'muted',
}

const foundLink = ({ viewer, at }: Around): Html | undefined =>
  viewer && !at.copyOf ? html`<a class="button" href="/subsites/create">Found a subsite</a>` : undefined

export const subsiteListPages: readonly AnyPage[] = [
  pageFor('GET /subs/{where}', {
    title: (shown) => `Subsites: ${whereIn(shown)}`,
    tab: () => 'subsites',
    main: (
      shown,
    ) => html`<div class="bar"><h1 class="page">Subsites</h1>${choices('Lists', lists(shown), whereIn(shown))}${foundLink(shown)}</div>
<form class="filters" role="search" aria-label="Search subsites" action="${url('/subsites/search')}"><label>Words <input name="q" type="search"></label><button type="submit" class="button">Search</button></form>
${subsiteList(shown.body.data.children, shown)}${pager(shown.body.data, shown)}`,
  }),
  pageFor('GET /subs/mine/{where}', {
    title: ({ at }) => `Subsites: ${ownWords[at.path.split('/')[3] ?? ''] ?? 'subscribed'}`,
    tab: () => 'subsites',
    robots: 'none',
    main: (
      shown,
    ) => html`<div class="bar"><h1 class="page">Subsites</h1>${choices('Lists', lists(shown), shown.at.path.split('/')[3] || 'subscriber')}</div>
${subsiteList(shown.body.data.children, shown)}${pager(shown.body.data, shown)}`,
  }),
]
