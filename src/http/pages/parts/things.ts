import { type Html, html, renderEach, renderIf, url } from '../../wire/html.ts'
import type { Around, Wire } from '../page.ts'
import { author, badges, linkRow, thingActs } from './rows.ts'
import { renderText } from './text.ts'
import { time } from './time.ts'
import { votes } from './votes.ts'

type Thing = Wire<'LinkThing'> | Wire<'CommentThing'> | Wire<'MoreThing'>

/** Renders a comment outside of its thread, with the title of the link that it is about. */
const commentRow = (comment: Wire<'Comment'>, around: Around): Html => html`<li class="single" id="${comment.name}">
<p class="meta">${badges(comment)}${author(comment.author)} ${time(comment.created_utc)}${renderIf(comment.link_title, (title) => html` on <a href="${url(`${comment.permalink}?context=3`)}">${title}</a>`)}${
  around.subsite?.display_name === comment.subsite ? undefined : html` in <a href="${url(`/s/${comment.subsite}`)}">${comment.subsite}</a>`
}</p>
${renderText(comment.body_html)}
<div class="acts">${votes({ ...comment, hidesScore: comment.score_hidden }, around)}<a class="comments" href="${url(comment.permalink)}">permalink</a>${thingActs(comment, around)}</div>
</li>`

/** Links and comments, in the order of a listing. */
export const mixedList = (things: readonly Thing[], around: Around, empty: string): Html => {
  if (things.length === 0) return html`<p class="empty">${empty}</p>`
  return html`<ol class="links">${renderEach(things, (thing) => (thing.kind === 't5' ? linkRow(thing.data, around) : thing.kind === 't1' ? commentRow(thing.data, around) : undefined))}</ol>`
}
