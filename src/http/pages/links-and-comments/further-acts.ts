import { type Html, html, renderIf, url } from '../../wire/html.ts'
import type { Around, PageViewer, Wire } from '../page.ts'
import { wordedSorts } from '../parts/comment-sorts.ts'
import { actButton, fieldForm, lineField, selectField } from '../parts/forms.ts'

/** A link or a comment. */
export type NamedThing = Wire<'LinkThing'> | Wire<'CommentThing'>

type Asked = Readonly<Record<string, string | boolean | number>>

/** Renders a button that does one thing to a link or a comment. */
const act = ({ data }: NamedThing, words: string, path: string, asked: Asked = {}, look = 'button'): Html =>
  actButton(
    url(`${path}?${new URLSearchParams({ id: data.name, ...Object.fromEntries(Object.entries(asked).map(([k, v]) => [k, String(v)])) })}`),
    {
      class: look,
      content: words,
    },
  )

const group = (title: string, acts: Html): Html => html`<section><h2>${title}</h2>${acts}</section>`

const categoryForm = ({ data }: NamedThing, around: Around): Html | undefined =>
  fieldForm(around, {
    action: '/api/save',
    hidden: { id: data.name },
    isReplacing: true,
    button: 'Save under it',
    look: 'button',
    fields: (form) => lineField(form, { name: 'category', label: 'A category', hint: '1 to 20 letters, digits, spaces or underscores.' }),
  })

const authorActs = (thing: NamedThing): Html =>
  html`<p class="acts">${act(thing, 'Send me the replies', '/api/sendreplies', { state: true })} ${act(thing, 'Send me no replies', '/api/sendreplies', { state: false })}</p>`

/** Renders the mark for adults only, which authors and moderators set. */
const adultMark = (thing: NamedThing): Html | undefined => {
  if (thing.kind !== 't5') return undefined
  return thing.data.over_18 ? act(thing, 'Take away ‘over 18’', '/api/unmarknsfw') : act(thing, 'Mark as ‘over 18’', '/api/marknsfw')
}

/** Renders the marks with which the viewer speaks for somebody on their own thing. */
const distinctions = (thing: NamedThing, { is_employee: isAdmin }: PageViewer, isModerator: boolean): Html | undefined => {
  const { distinguished } = thing.data
  const as = (words: string, how: string, more: Asked = {}) => act(thing, words, '/api/distinguish', { how, ...more })
  const isTop = thing.kind === 't1' && thing.data.parent_id === thing.data.link_id
  return html`<p class="acts">${isModerator ? as('Speak as a moderator', 'yes') : undefined}${
    isModerator && isTop && !thing.data.stickied ? as('Speak as a moderator, above all others', 'yes', { sticky: true }) : undefined
  }${isAdmin ? html`${as('Speak as an admin', 'admin')}${as('Speak with the special mark', 'special')}` : undefined}${
    distinguished === null ? undefined : as('Take the mark away', 'no')
  }</p>`
}

const sorts = [
  ['', 'that of the subsite'],
  ['blank', 'none'],
  ...wordedSorts('confidence', 'top', 'new', 'insightful', 'fun', 'old', 'qa', 'random'),
] as const

const sortForm = ({ name, suggested_sort }: Wire<'Link'>, around: Around): Html | undefined =>
  fieldForm(around, {
    action: '/api/set_suggested_sort',
    hidden: { id: name },
    isReplacing: true,
    button: 'Suggest it',
    look: 'button',
    fields: (form) =>
      selectField(form, { name: 'sort', id: 'suggested', label: 'The order of comments to suggest', value: suggested_sort ?? '' }, sorts),
  })

const linkOptions = (thing: Wire<'LinkThing'>, around: Around): Html => {
  const { data } = thing
  const lock = data.locked ? act(thing, 'Unlock', '/api/unlock') : act(thing, 'Lock', '/api/lock')
  const pin = (num: number) =>
    act(thing, num === 1 ? 'Pin in the first place' : 'Pin in the second place', '/api/set_subsite_sticky', { state: true, num })
  return html`<p class="acts">${data.archived ? undefined : lock}${
    data.stickied ? act(thing, 'Unpin', '/api/set_subsite_sticky', { state: false }) : html`${pin(1)}${pin(2)}`
  }${adultMark(thing)}${act(thing, data.contest_mode ? 'End the contest mode' : 'Begin the contest mode', '/api/set_contest_mode', { state: !data.contest_mode })}</p>
<p class="hint">In contest mode comments stand in a random order, and their scores are hidden.</p>
${sortForm(data, around)}`
}

/** The acts of a moderator, each refused if somebody else decided since the page was made. */
const moderatorActs = (thing: NamedThing, around: Around): Html => {
  const decide = (words: string, path: string, asked: Asked = {}, look = 'button') =>
    act(thing, words, path, { ...asked, expected_position: around.at.position }, look)
  const { banned_by: remover, approved_by: approver, spam, num_reports } = thing.data
  const isApproved = approver !== null && !num_reports
  return html`${renderIf(approver, (name) => html`<p class="meta">approved by ${name}</p>`)}<p class="acts">${
    isApproved ? undefined : decide('Approve', '/api/approve', {}, 'button good')
  }${remover ? undefined : decide('Remove', '/api/remove', { spam: false }, 'button stern')}${
    spam ? undefined : decide('Spam', '/api/remove', { spam: true }, 'button stern')
  }${decide('Ignore reports', '/api/ignore_reports')}${decide('Count reports again', '/api/unignore_reports')}</p>
${thing.kind === 't5' ? linkOptions(thing, around) : undefined}`
}

const gildForm = ({ data }: NamedThing, viewer: PageViewer, around: Around): Html | undefined =>
  fieldForm(around, {
    action: `/api/v1/gold/gild/${data.name}`,
    method: 'POST',
    button: 'Gild it',
    look: 'button',
    fields: () =>
      html`<p class="hint">A month of gold for ${data.author}, who does not learn from whom. ${
        viewer.is_employee ? 'An admin pays nothing.' : html`It costs one of your ${viewer.gold_csites} credits.`
      }</p>`,
  })

/** Renders the acts on a link or a comment for which a row of buttons has no room. Each is there only for those who may do it. */
export const furtherActs = (thing: NamedThing, around: Around): Html | undefined => {
  const { viewer } = around
  if (!viewer || around.at.copyOf) return undefined
  const { author, num_reports, name, permalink } = thing.data
  const isOwn = author === viewer.name
  const isModerator = num_reports !== null
  const mayGild = !author.startsWith('[') && (viewer.is_employee || viewer.gold_csites > 0)
  return html`<section class="card"><h2>${thing.kind === 't5' ? 'This post' : html`The comment by ${author}`}</h2>
<p class="acts"><a class="quiet" href="${url(permalink)}">back to it</a></p>
${group('Saved things', html`${categoryForm(thing, around)}`)}
${isOwn ? group('Your own', html`${authorActs(thing)}${isModerator ? undefined : html`<p class="acts">${adultMark(thing)}</p>`}`) : undefined}
${isOwn && (isModerator || viewer.is_employee) ? group('In whose name', html`${distinctions(thing, viewer, isModerator)}`) : undefined}
${isModerator ? group('Moderation', moderatorActs(thing, around)) : undefined}
${renderIf(mayGild, () => group('Gold', html`${gildForm(thing, viewer, around)}`))}
${renderIf(viewer.is_employee, () => group('Erasure', html`<p class="acts"><a class="button stern" href="${url(`${permalink}?erase=${name}#reply`)}">Erase it for good…</a></p>`))}</section>`
}

/** Renders the page that asks an admin whether to erase something, and says what that does. */
export const eraseForm = (
  { name, words, keep, dest }: { readonly name: string; readonly words: string; readonly keep: string; readonly dest: string },
  around: Around,
): Html | undefined =>
  around.viewer?.is_employee
    ? fieldForm(around, {
        action: '/api/erase_thing',
        hidden: { id: name, dest },
        button: 'Erase it for good',
        cancel: { words: 'Keep it', to: keep },
        look: 'button stern',
        class: 'write card',
        fields: (form) => html`<h2>Erase ${words}?</h2>
<p>What it says, and what moderation logs quote of it, becomes [erased] for everybody and for ever: here, and in the log of all events. Its votes, its replies and the entries of logs stay. Nobody can edit it any more. It cannot be undone.</p>
${lineField(form, { name: 'reason', label: 'Why', hint: 'It is public where the moderation log is, so do not repeat what is erased.' })}`,
      })
    : undefined
