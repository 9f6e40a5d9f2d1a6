import { type Html, html, renderIf, url } from '../../wire/html.ts'
import type { Around, Wire } from '../page.ts'
import { actButton, nextQuery } from './forms.ts'
import { count, time } from './time.ts'
import { votes } from './votes.ts'

type Link = Wire<'Link'>

/** Renders flair. The sheet of its subsite may colour its classes (`withFlairColours` in styled.ts). */
export const flairBadge = (text: string | null | undefined, classes: string | null | undefined): Html | undefined =>
  renderIf(text, (words) => badge(classes ? `flair flair-${classes.replaceAll(' ', ' flair-')}` : 'flair', words))

const badge = (kind: string, words: string): Html => html`<span class="badge ${kind}">${words}</span> `

type Removable = Pick<Link, 'name' | 'subsite' | 'banned_by' | 'removed' | 'spam'>

/** Says that a thing is removed, and by whom, as far as the answer tells the viewer, and leads to its log. */
const removalBadge = ({ name, subsite, banned_by: by, removed, spam }: Removable): Html | undefined =>
  renderIf(
    removed || spam,
    () =>
      html`<a class="badge bad" href="${url(`/s/${subsite}/about/log?target=${name}`)}">removed${spam ? ' as spam' : ''}${renderIf(by, (remover) => html` by ${remover === true ? 'the filter or an admin' : remover}`)}</a> `,
  )

type Badged = Pick<Link, 'stickied' | 'distinguished'> &
  Removable &
  Partial<
    Pick<Link, 'locked' | 'over_18' | 'spoiler' | 'archived' | 'hide_score' | 'link_flair_text' | 'link_flair_css_class'> &
      Pick<Wire<'Comment'>, 'score_hidden'>
  >

/** Renders the badges of a link or a comment. */
export const badges = (thing: Badged): Html =>
  html`${removalBadge(thing)}${thing.stickied ? badge('pin', 'pinned') : undefined}${thing.locked ? badge('', 'locked') : undefined}${thing.archived ? badge('', 'archived') : undefined}${
    thing.over_18 ? badge('bad', 'over 18') : undefined
  }${thing.spoiler ? badge('', 'spoiler') : undefined}${thing.hide_score || thing.score_hidden ? html`<a class="badge" href="/docs/help#votes">votes shown later</a> ` : undefined}${flairBadge(thing.link_flair_text, thing.link_flair_css_class)}${renderIf(thing.distinguished, (as) => badge('mod', as))}`

/** Renders a name that leads to the page of its account; a deleted account has none. */
export const author = (name: string | null): Html =>
  name === null || name.startsWith('[')
    ? html`<span class="author">${name ?? '[deleted]'}</span>`
    : html`<a class="author" href="${url(`/user/${name}`)}">${name}</a>`

/** Renders a button that asks an endpoint to do one thing with a link, a comment or a message. */
export const act = (words: string, path: string, name: string): Html =>
  actButton(url(`${path}?id=${name}`), { class: 'quiet', content: words })

type Own = Pick<Link, 'name' | 'author' | 'permalink'> & { readonly is_self?: boolean }

/** Renders the acts of authors on their things, on a page that asks. The address of a link cannot be edited. */
const ownActs = ({ name, permalink, is_self: isSelf = true }: Own): Html =>
  html`${isSelf ? html`<a class="quiet" href="${url(`${permalink}?edit=${name}#reply`)}">edit</a>` : undefined}<a class="quiet" href="${url(`${permalink}?delete=${name}#reply`)}">delete</a>`

/** Renders the acts of a viewer on a link or a comment, beside voting. */
export const thingActs = (
  thing: Pick<Link, 'saved'> & Own & { readonly hidden?: boolean },
  { viewer }: Pick<Around, 'viewer'>,
): Html | undefined =>
  viewer &&
  html`${viewer.name === thing.author ? ownActs(thing) : undefined}${thing.saved ? act('unsave', '/api/unsave', thing.name) : act('save', '/api/save', thing.name)}${
    thing.hidden === undefined ? undefined : thing.hidden ? act('unhide', '/api/unhide', thing.name) : act('hide', '/api/hide', thing.name)
  }<a class="quiet" href="${url(`/report?id=${thing.name}`)}">report</a><a class="quiet" href="${url(`${thing.permalink}?acts=${thing.name}#reply`)}">more</a>`

/** Renders the title of a link, with where it leads. */
export const linkTitle = (link: Link): Html =>
  html`<a href="${url(link.is_self ? link.permalink : link.url)}" rel="nofollow ugc noopener">${link.title}</a>${
    link.is_self ? undefined : html` <a class="domain" href="${url(`/domain/${link.domain}`)}">${link.domain}</a>`
  }`

/** Renders a link in a listing; `subsite`: the listing has links of several subsites. */
export const linkRow = (link: Link, around: Around): Html => html`<li class="link" id="${link.name}">
${votes({ ...link, hidesScore: link.hide_score }, around)}
<div>
<h2>${linkTitle(link)}</h2>
<div class="acts meta"><p>${badges(link)}${author(link.author)} ${time(link.created_utc)}${
  around.subsite?.display_name === link.subsite ? undefined : html` in <a href="${url(`/s/${link.subsite}`)}">${link.subsite}</a>`
}</p><a class="comments" href="${url(link.permalink)}">${count(link.num_comments, 'comment')}</a>${thingActs(link, around)}</div>
</div>
</li>`

/** Renders the links to the pages before and after. */
export const pager = (
  { after, before }: { readonly after: string | null; readonly before: string | null },
  { at }: Around,
): Html | undefined => {
  if (after === null && before === null) return undefined
  const pageAddress = (name: 'after' | 'before', anchor: string): string => {
    const query = nextQuery(at)
    query.delete('after')
    query.delete('before')
    query.set(name, anchor)
    return `${at.path}?${query}`
  }
  return html`<nav class="pages" aria-label="Further pages">${renderIf(before, (name) => html`<a class="button" rel="prev" href="${url(pageAddress('before', name))}">Previous page</a>`)}${renderIf(
    after,
    (name) => html`<a class="button" rel="next" href="${url(pageAddress('after', name))}">Next page</a>`,
  )}</nav>`
}

/** Renders a link in a list of links. `current` marks the link to the shown page, or to its present order. */
export const renderListedLink = (to: string, words: string, current: 'page' | 'true' | undefined): Html =>
  current === undefined
    ? html`<li><a href="${url(to)}">${words}</a></li>`
    : html`<li><a href="${url(to)}" aria-current="${current}">${words}</a></li>`

type Choice = { readonly value: string; readonly to: string; readonly words?: string }

/** Links among which one is the current one: orders, spans of time. */
export const choices = (label: string, all: readonly Choice[], current: string): Html =>
  html`<nav class="sorts" aria-label="${label}"><ul>${all.map(({ value, to, words = value }) =>
    renderListedLink(to, words, value === current ? 'true' : undefined),
  )}</ul></nav>`

/** Renders the head of a page that is one of several. */
export const headWithTabs = (title: string, tabs: Html | undefined): Html =>
  html`<div class="bar"><h1 class="page">${title}</h1>${tabs}</div>`
