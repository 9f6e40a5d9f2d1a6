import { html, renderEach } from '../../wire/html.ts'
import { pageFor } from '../page.ts'
import { linkRow } from '../parts/rows.ts'
import { linkList } from './links.ts'

export const duplicatesPage = pageFor('GET /duplicates/{article}', {
  title: ({ body: [lead] }) => `Other links: ${lead.data.children[0]?.data.title ?? ''}`,
  robots: 'none',
  main: (shown) => {
    const [lead, others] = shown.body
    return html`<h1 class="page">The same address elsewhere</h1>
<ol class="links">${renderEach(lead.data.children, ({ data }) => linkRow(data, shown))}</ol>
<h2 class="day">Other links to it</h2>
${linkList(others, shown, 'Nobody else has submitted this address.')}`
  },
})
