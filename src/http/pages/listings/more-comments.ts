import { html, url } from '../../wire/html.ts'
import { pageFor } from '../page.ts'
import { branches } from '../parts/tree.ts'

/** The comments that a stub of a thread stands for, without scripts. */
export const moreCommentsPage = pageFor('GET /api/morechildren', {
  title: () => 'More comments',
  robots: 'none',
  main: (shown) => {
    const { json } = shown.body
    if (!('data' in json)) return html`<p class="empty">${json.errors[0]?.[1] ?? 'There is nothing more.'}</p>`
    const link = shown.at.query.get('link_id') ?? ''
    const thread = { name: link, permalink: `/comments/${encodeURIComponent(link.slice(3))}/_/`, takesReplies: false }
    const comments = branches(json.data.things, thread, shown)
    return html`<h1 class="page">More comments</h1>
<p class="note">A part of a thread. <a href="${url(thread.permalink)}">The whole thread</a></p>
<div class="thread">${comments}</div>`
  },
})
