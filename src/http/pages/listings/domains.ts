import { sortNames } from '../../contract/link-sorts.ts'
import { html, url } from '../../wire/html.ts'
import { type At, pageFor } from '../page.ts'
import { choices } from '../parts/rows.ts'
import { linkList } from './links.ts'

const hostIn = ({ path }: At): string => decodeURIComponent(path.split('/')[2] ?? '')
const sortIn = ({ path }: At): string => path.split('/')[3] || 'hot'

export const domainPage = pageFor('GET /domain/{host}/{sort}', {
  title: ({ at }) => `Links to ${hostIn(at)}`,
  feed: true,
  main: (shown) => {
    const base = `/domain/${encodeURIComponent(hostIn(shown.at))}`
    const sorts = sortNames.map((value) => ({ value, to: `${base}/${value}` }))
    return html`<div class="bar"><h1 class="page">Links to ${hostIn(shown.at)}</h1>${choices('Order', sorts, sortIn(shown.at))}</div>
${linkList(shown.body, shown, 'No link leads there.')}<p class="meta"><a href="${url(`/search?q=${encodeURIComponent(`site:${hostIn(shown.at)}`)}`)}">Search among these</a></p>`
  },
})
