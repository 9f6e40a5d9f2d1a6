import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { eraseForm, furtherActs, type NamedThing } from '../links-and-comments/further-acts.ts'
import { type Around, ask, type Body, pageFor, type Wire } from '../page.ts'
import { commentSortWords, wordedSorts } from '../parts/comment-sorts.ts'
import { templateFields } from '../parts/flair.ts'
import { entrance, fieldForm, textField } from '../parts/forms.ts'
import { author, badges, choices, flairBadge, linkTitle, thingActs } from '../parts/rows.ts'
import { sidebar } from '../parts/sidebar.ts'
import { mayModerate } from '../parts/subsites.ts'
import { renderText } from '../parts/text.ts'
import { count, time } from '../parts/time.ts'
import { branches } from '../parts/tree.ts'
import { votes } from '../parts/votes.ts'

type Name = 'GET [/s/{sub}]/comments/{article}'

const linkOf = ([lead]: Body<Name>): Wire<'Link'> => {
  const [thing] = lead.data.children
  if (!thing) throw new Error('a thread without its link')
  return thing.data
}

const sorts = wordedSorts('confidence', 'top', 'new', 'insightful', 'fun', 'old', 'qa')

/** Tells whether the comments are in a random order, whatever the address asks for. */
const isContest = (link: Wire<'Link'>, around: Around): boolean =>
  link.contest_mode && !around.viewer?.is_employee && !mayModerate(around, 'posts')

type Preferred = Pick<Body<'GET /api/v1/me/prefs'>, 'default_comment_sort' | 'ignore_suggested_sort'>

const PREFERRED_ADDRESS = '/api/v1/me/prefs?fields=default_comment_sort,ignore_suggested_sort'

/** Returns the order in which the answer has the comments. */
const orderOf = (link: Wire<'Link'>, preferred: Preferred | undefined, { viewer, at }: Around): string => {
  const requested = at.query.get('sort') ?? ''
  const usual = preferred?.default_comment_sort ?? 'top'
  if (requested !== '') return Object.hasOwn(commentSortWords, requested) ? requested : usual
  const suggested = link.suggested_sort ?? usual
  const isIgnored = link.contest_mode || preferred?.ignore_suggested_sort || (suggested === 'qa' && link.author === viewer?.name)
  return isIgnored ? usual : suggested
}

/** Tells whether the viewer is offered flair for a link: as its author, or as a moderator with `flair`. */
const mayChooseFlair = (link: Wire<'Link'>, around: Around): boolean => around.viewer?.name === link.author || mayModerate(around, 'flair')

const flairChoice = (link: Wire<'Link'>, around: Around): Html | undefined =>
  mayChooseFlair(link, around) ? html`<a class="quiet" href="${url(`${link.permalink}?flair=${link.name}#reply`)}">flair</a>` : undefined

const post = (link: Wire<'Link'>, around: Around): Html => html`<article class="post" id="${link.name}">
${votes({ ...link, hidesScore: link.hide_score }, around)}
<div><h1>${linkTitle(link)}</h1>
<p class="meta">${badges(link)}${author(link.author)}
${flairBadge(link.author_flair_text, link.author_flair_css_class)}${time(link.created_utc)}${renderIf(link.edited, (at) => html`, edited ${time(at)}`)} ·
<a class="quiet" href="${url(`/history/things/${link.name}`)}">history</a> ·
<a class="quiet" href="${url(`/s/${link.subsite}/about/log?target=${link.name}`)}">its log</a></p>
${renderText(link.selftext_html)}
${around.viewer ? html`<div class="acts">${thingActs(link, around)}${flairChoice(link, around)}</div>` : undefined}</div>
</article>`

/**
 * The number of comments from which a thread may leave out a new one. Its author is then led to a page with that comment and its parents.
 */
const LONG_THREAD_COMMENTS = 100

/** Renders the form for a comment on a link, or for a reply to a comment. */
const commentForm = (parent: string, link: Wire<'Link'>, around: Around): Html | undefined =>
  fieldForm(around, {
    action: '/api/comment',
    hidden: { thing_id: parent, ...(link.num_comments < LONG_THREAD_COMMENTS && { dest: link.permalink }) },
    button: 'Send',
    fields: (form) =>
      textField(form, {
        name: 'text',
        label: parent.startsWith('t1_') ? 'Your reply' : 'Your comment',
        rows: 4,
        hint: 'Markdown works here.',
      }),
  })

type Own = { readonly name: string; readonly permalink: string; readonly text: string }

const commentsIn = (nodes: Body<Name>[1]['data']['children']): readonly NamedThing[] =>
  nodes.flatMap((node) =>
    node.kind === 'more' ? [] : [node, ...(node.data.replies === '' ? [] : commentsIn(node.data.replies.data.children))],
  )

/** Returns the link or comment on this page that the address names, for somebody with an account. */
const thingNamed = (name: string | null, [, comments]: Body<Name>, link: Wire<'Link'>, { viewer }: Around): NamedThing | undefined => {
  if (name === null || !viewer) return undefined
  return name === link.name ? { kind: 't5', data: link } : commentsIn(comments.data.children).find(({ data }) => data.name === name)
}

/** Returns the viewer's own thing on this page that the address names. */
const ownNamed = (...named: Parameters<typeof thingNamed>): Own | undefined => {
  const thing = thingNamed(...named)
  const [, , , { viewer }] = named
  if (thing?.data.author !== viewer?.name || !thing) return undefined
  const { name, permalink } = thing.data
  return { name, permalink, text: thing.kind === 't5' ? thing.data.selftext : thing.data.body }
}

/** Returns the address of a thing in its thread; of the thing alone where the thread is long and may leave it out. */
const toAddressInThread = ({ name, permalink }: Own, link: Wire<'Link'>): string =>
  link.num_comments < LONG_THREAD_COMMENTS ? `${link.permalink}#${name}` : permalink

const editForm = (own: Own, link: Wire<'Link'>, around: Around): Html | undefined =>
  fieldForm(around, {
    action: '/api/editusertext',
    hidden: { thing_id: own.name, dest: toAddressInThread(own, link) },
    isUndoable: true,
    button: 'Save',
    cancel: { words: 'Cancel', to: toAddressInThread(own, link) },
    fields: (form) => textField(form, { name: 'text', label: 'Your text', value: own.text, rows: 10, hint: 'Markdown works here.' }),
  })

const deleteForm = ({ name, permalink }: Own, link: Wire<'Link'>, around: Around): Html | undefined =>
  fieldForm(around, {
    action: '/api/del',
    hidden: { id: name, dest: link.permalink },
    button: 'Delete',
    cancel: { words: 'Keep it', to: permalink },
    fields: () =>
      html`<p>Delete ${name.startsWith('t1_') ? 'this comment' : 'this post'} for good? Its text and your name go; the replies stay.</p>`,
  })

const eraseThing = ({ kind, data: { name, permalink } }: NamedThing, around: Around): Html | undefined =>
  eraseForm({ name, words: kind === 't5' ? 'this post' : 'this comment', keep: permalink, dest: permalink }, around)

/** Renders the form for the flair of the link. `templates` are undefined for authors who may not choose. */
const flairForm = (link: Wire<'Link'>, templates: readonly Wire<'FlairTemplate'>[] | undefined, around: Around): Html | undefined => {
  if (templates === undefined) return html`<p class="note">The moderators choose the flair of posts here.</p>`
  const keep = mayModerate(around, 'flair') ? html` <a href="${url(`/s/${link.subsite}/about/flair#link-flair`)}">Make some</a>` : undefined
  if (templates.length === 0) return html`<p class="note">There is no flair to choose from here.${keep}</p>`
  return fieldForm(around, {
    action: '/api/selectflair',
    hidden: { link: link.name, dest: link.permalink },
    isReplacing: true,
    button: 'Choose it',
    fields: (form) => templateFields(form, templates, link.link_flair_template_id ?? '', link.link_flair_text ?? ''),
  })
}

/**
 * Renders the form at which the address says what is to be done: an edit, a deletion, its flair, further acts, an erasure, a reply, else a
 * comment on the link.
 */
const replyBox = (
  body: Body<Name>,
  link: Wire<'Link'>,
  templates: readonly Wire<'FlairTemplate'>[] | undefined,
  takesReplies: boolean,
  around: Around,
): Html | undefined => {
  const { query } = around.at
  if (query.get('flair') === link.name && mayChooseFlair(link, around)) return flairForm(link, templates, around)
  const edited = ownNamed(query.get('edit'), body, link, around)
  if (edited) return editForm(edited, link, around)
  const deleted = ownNamed(query.get('delete'), body, link, around)
  if (deleted) return deleteForm(deleted, link, around)
  const actedOn = thingNamed(query.get('acts'), body, link, around)
  if (actedOn) return furtherActs(actedOn, around)
  const erased = thingNamed(query.get('erase'), body, link, around)
  if (erased && around.viewer?.is_employee) return eraseThing(erased, around)
  const reply = query.get('reply')
  return takesReplies ? commentForm(reply?.startsWith('t1_') ? reply : link.name, link, around) : undefined
}

/** Renders the way to a comment for a reader without an account. */
const loginNote = ({ at }: Around): Html =>
  html`<p class="note"><a href="${entrance('/login', at)}">Log in</a> or <a href="${entrance('/register', at)}">register</a> to comment.</p>`

/** Returns the comment that a permalink is about. */
const commentIn = (path: string): string | undefined => /\/comments\/[^/]+\/[^/]*\/([0-9a-z]+)\/?$/.exec(path)?.[1]

const singleThread = (link: Wire<'Link'>, comment: string, isShown: boolean, { at }: Around): Html => {
  if (!isShown) {
    const [log, history] = [`/s/${link.subsite}/about/log?target=t1_${comment}`, `/history/things/t1_${comment}`]
    return html`<p class="note">The comment at this address is not shown: it was removed or deleted, you block its author, or it never was.
<a href="${url(link.permalink)}">The whole thread</a> · <a href="${url(log)}">the moderation log about it</a> ·
<a href="${url(history)}">its history</a></p>`
  }
  const context = `${at.path}?context=${Math.min(8, Number(at.query.get('context') ?? 0) + 3)}#t1_${comment}`
  return html`<p class="note">One comment and its replies. <a href="${url(link.permalink)}">The whole thread</a> ·
<a href="${url(context)}">more of what it replies to</a> · <a href="${url(`/history/things/t1_${comment}`)}">its history</a></p>`
}

export const threadPage = pageFor('GET [/s/{sub}]/comments/{article}', {
  also: (body, { query }) => {
    const [lead] = body
    const { name, subsite } = linkOf(body)
    const isAsked = query.get('flair') === name
    return {
      preferred: lead.data.modhash ? ask('GET /api/v1/me/prefs', PREFERRED_ADDRESS) : undefined,
      flair: isAsked ? ask('GET [/s/{sub}]/api/link_flair_v2', `/s/${subsite}/api/link_flair_v2`) : undefined,
    }
  },
  subsiteOf: (body) => linkOf(body).subsite,
  title: ({ body }) => linkOf(body).title,
  description: ({ body }) => `${count(linkOf(body).num_comments, 'comment')} in ${linkOf(body).subsite}`,
  canonical: ({ body, at }) => (commentIn(at.path) === undefined ? linkOf(body).permalink : at.path),
  aside: (shown) => sidebar(shown),
  feed: true,
  main: (shown) => {
    const link = linkOf(shown.body)
    const [, comments] = shown.body
    const comment = commentIn(shown.at.path)
    const all = comment === undefined ? [] : commentsIn(comments.data.children)
    const takesReplies = !link.locked && !link.archived
    const rendered = branches(comments.data.children, { name: link.name, permalink: link.permalink, takesReplies }, shown)
    return html`${post(link, shown)}
<section aria-labelledby="comments"><div class="bar"><h2 id="comments">${count(link.num_comments, 'comment')}</h2>${
      isContest(link, shown)
        ? html`<p class="meta">in a random order: this is a contest</p>`
        : choices(
            'Order',
            sorts.map(([value, words]) => ({ value, words, to: `${shown.at.path}?sort=${value}` })),
            orderOf(link, shown.also.preferred, shown),
          )
    }</div>
${renderIf(comment, (id) =>
  singleThread(
    link,
    id,
    all.some(({ data }) => data.name === `t1_${id}`),
    shown,
  ),
)}
${renderIf(replyBox(shown.body, link, shown.also.flair, takesReplies, shown), (form) => html`<div id="reply">${form}</div>`)}${takesReplies && !shown.viewer && !shown.at.copyOf ? loginNote(shown) : undefined}
<div class="thread">${rendered}</div></section>`
  },
})
