import { html } from '../../wire/html.ts'
import { type AnyPage, type Around, pageFor } from '../page.ts'
import { pager } from '../parts/rows.ts'
import { sidebar } from '../parts/sidebar.ts'
import { mixedList } from '../parts/things.ts'

const sayWhere = ({ subsite, at }: Around): string =>
  subsite ? ` in ${subsite.display_name}` : at.sub === undefined ? '' : ` in ${at.sub}`

export const commentAndGildedPages: readonly AnyPage[] = [
  pageFor('GET [/s/{sub}]/comments', {
    title: (shown) => `New comments${sayWhere(shown)}`,
    tab: () => 'comments',
    feed: true,
    aside: (shown) => sidebar(shown),
    main: (shown) => html`<h1 class="page">New comments</h1>
${mixedList(shown.body.data.children, shown, 'Nobody has commented here yet.')}${pager(shown.body.data, shown)}`,
  }),
  pageFor('GET [/s/{sub}]/gilded', {
    title: (shown) => `Gilded${sayWhere(shown)}`,
    tab: () => 'gilded',
    feed: true,
    aside: (shown) => sidebar(shown),
    main: (shown) => html`<h1 class="page">Gilded</h1>
${mixedList(shown.body.data.children, shown, 'Nothing has been gilded here yet.')}${pager(shown.body.data, shown)}`,
  }),
]
