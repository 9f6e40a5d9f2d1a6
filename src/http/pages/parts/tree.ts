import { type Html, html, renderEach, renderIf, url } from '../../wire/html.ts'
import type { Around, Wire } from '../page.ts'
import { author, badges, flairBadge, thingActs } from './rows.ts'
import { renderText } from './text.ts'
import { count, time } from './time.ts'
import { votes } from './votes.ts'

type Comment = Wire<'Comment'>
type Node = Wire<'CommentListing'>['data']['children'][number]
type More = Extract<Node, { readonly kind: 'more' }>['data']

/** The link of a thread, as far as its comments show it. */
export type Thread = { readonly name: string; readonly permalink: string; readonly takesReplies: boolean }

const repliesOf = ({ replies }: Comment): readonly Node[] => (replies === '' ? [] : replies.data.children)

/** Counts the comments below, including those that a stub stands for. */
const countBelow = (nodes: readonly Node[]): number =>
  nodes.reduce((sum, node) => sum + (node.kind === 'more' ? node.data.count : 1 + countBelow(repliesOf(node.data))), 0)

const reply = (comment: Comment): Html =>
  html`<a class="quiet" data-reply href="${url(`${comment.permalink}?reply=${comment.name}#reply`)}">reply</a>`

const commentOf = (comment: Comment, thread: Thread, around: Around): Html => {
  const replies = repliesOf(comment)
  const number = countBelow(replies)
  const words = number === 0 ? 'the comment' : `the comment and ${count(number, 'reply', 'replies')}`
  const content = html`<summary><span>${words}</span></summary>
${renderText(comment.body_html)}
<div class="acts">${votes({ ...comment, hidesScore: comment.score_hidden }, around)}${around.viewer && thread.takesReplies ? reply(comment) : undefined}${thingActs(comment, around)}</div>
${renderIf(number > 0, () => html`<div class="replies">${branches(replies, thread, around)}</div>`)}`
  return html`<article class="comment" id="${comment.name}">
<header>${author(comment.author)}${comment.is_submitter ? html` <span class="badge op">author</span>` : undefined} ${badges(comment)}${flairBadge(comment.author_flair_text, comment.author_flair_css_class)}<a class="when" href="${url(comment.permalink)}">${time(comment.created_utc)}</a>${renderIf(comment.edited, (at) => html` <span class="meta">edited ${time(at)}</span>`)}</header>
${comment.collapsed ? html`<details>${content}</details>` : html`<details open>${content}</details>`}
</article>`
}

/** Renders a stub for comments left out. */
const renderStub = ({ count: number, children, parent_id }: More, thread: Thread, { at }: Around): Html => {
  if (children.length === 0 || number === 0)
    return html`<p class="more"><a href="${url(`${thread.permalink}${parent_id.slice(3)}`)}">The thread goes on here</a></p>`
  const query = new URLSearchParams({ link_id: thread.name, children: children.join(',') })
  const sort = at.query.get('sort')
  if (sort !== null) query.set('sort', sort)
  return html`<p class="more"><a href="${url(`/api/morechildren?${query}`)}">${count(number, 'more comment')}</a></p>`
}

/** Renders comments with their replies, and stubs for those left out. */
export const branches = (nodes: readonly Node[], thread: Thread, around: Around): Html =>
  renderEach(nodes, (node) => (node.kind === 't1' ? commentOf(node.data, thread, around) : renderStub(node.data, thread, around)))
