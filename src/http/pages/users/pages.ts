import { thingSortNames } from '../../contract/link-sorts.ts'
import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { type Around, type At, ask, type Body, type PageViewer, pageFor, type Wire } from '../page.ts'
import { actButton, fieldForm, lineField } from '../parts/forms.ts'
import { choices, pager } from '../parts/rows.ts'
import { mixedList } from '../parts/things.ts'
import { count, time } from '../parts/time.ts'

const nameIn = ({ path }: At): string => decodeURIComponent(path.split('/')[2] ?? '')
const whereIn = ({ path }: At): string => path.split('/')[3] || 'overview'

const open = ['overview', 'submitted', 'comments', 'gilded']
const ownOnly = ['saved', 'hidden', 'upvoted', 'downvoted']
const words: Readonly<Record<string, string>> = { upvoted: 'insightful to you', downvoted: 'funny to you' }

const friendButton = (name: string, isFriend: boolean, viewer: PageViewer): Html =>
  actButton(url(`/api/${isFriend ? 'unfriend' : 'friend'}?type=friend&container=t2_${viewer.id}&name=${name}`), {
    class: 'button',
    content: isFriend ? 'End friendship' : 'Make a friend',
  })

/** Renders the button that blocks an account. Its page is then refused, so it leads to the list of those blocked. */
const blockButton = (name: string): Html =>
  actButton(url(`/api/block_user?${new URLSearchParams({ name, dest: '/prefs/blocked?done=1' })}`), { class: 'button', content: 'Block' })

/** Renders the way to what admins decide about an account. */
const adminLink = (name: string, { viewer, at }: Around): Html | undefined =>
  viewer?.is_employee && !at.copyOf
    ? html`<p><a class="button" href="${url(`/admin/accounts?${new URLSearchParams({ name })}`)}">As an admin…</a></p>`
    : undefined

const card = (about: Body<'GET /user/{username}/about'> | undefined, around: Around): Html | undefined => {
  if (!about) return undefined
  const { viewer, at } = around
  const { data } = about
  if (!('is_friend' in data))
    return html`<section class="card"><h2>${data.name}</h2><p>This account is suspended.</p>${adminLink(data.name, around)}</section>`
  return html`<section class="card"><h2>${data.name}</h2>
<p>${count(data.link_karma, 'point')} for links, ${count(data.comment_karma, 'point')} for comments</p>
<p class="meta">since ${time(data.created_utc)} · <a href="${url(`/history/things/t2_${data.id}`)}">history</a></p>${viewer && !at.copyOf && viewer.name === data.name ? html`<p><a class="button" href="/prefs/options">Settings</a></p>` : undefined}${data.is_gold ? html`<p><span class="badge pin">gold</span></p>` : undefined}
${viewer && !at.copyOf && viewer.name !== data.name ? html`<p><a class="button" href="${url(`/message/compose?to=${data.name}`)}">Send a message</a> ${friendButton(data.name, data.is_friend, viewer)} ${blockButton(data.name)}</p>` : undefined}${adminLink(data.name, around)}</section>`
}

type Multi = Wire<'LabeledMulti'>

/** Renders the multis of an account that everybody may see; their owner sees all. */
const multiCard = (multis: readonly Multi[]): Html | undefined =>
  multis.length === 0
    ? undefined
    : html`<section class="card"><h2>Multis</h2><ul>${multis.map(({ path, display_name }) => html`<li><a href="${url(path)}">${display_name}</a></li>`)}</ul></section>`

/** The form that gives an account months of gold, for whoever has credits. */
const goldForm = (name: string, around: Around): Html | undefined => {
  const { viewer } = around
  if (!viewer || (viewer.gold_csites === 0 && !viewer.is_employee)) return undefined
  return html`<section class="card"><h2>Give gold</h2>${fieldForm(around, {
    action: `/api/v1/gold/give/${encodeURIComponent(name)}`,
    method: 'POST',
    button: 'Give it',
    look: 'button',
    fields: (form) =>
      lineField(form, {
        name: 'months',
        label: 'Months',
        type: 'number',
        value: '1',
        hint: viewer.is_employee ? '1 to 36. An admin pays nothing.' : `A credit each, of your ${viewer.gold_csites}.`,
      }),
  })}</section>`
}

/** Renders the categories of the saved things, for their owner. */
const categoryChoices = (categories: readonly { readonly category: string }[], { at }: Pick<Around, 'at'>): Html | undefined =>
  categories.length === 0
    ? undefined
    : choices(
        'Categories',
        [
          { value: '', words: 'all', to: at.path },
          ...categories.map(({ category }) => ({ value: category, to: `${at.path}?category=${encodeURIComponent(category)}` })),
        ],
        at.query.get('category') ?? '',
      )

export const userPage = pageFor('GET /user/{username}/{where}', {
  also: (_, at) => ({
    about: ask('GET /user/{username}/about', `/user/${encodeURIComponent(nameIn(at))}/about`),
    multis:
      whereIn(at) === 'overview' ? ask('GET /api/multi/user/{username}', `/api/multi/user/${encodeURIComponent(nameIn(at))}`) : undefined,
    saved: whereIn(at) === 'saved' ? ask('GET /api/saved_categories', '/api/saved_categories') : undefined,
  }),
  title: ({ at }) => (whereIn(at) === 'overview' ? nameIn(at) : `${nameIn(at)}: ${whereIn(at)}`),
  robots: ({ also: { about } }) => (about && 'hide_from_robots' in about.data && about.data.hide_from_robots ? 'none' : undefined),
  feed: true,
  aside: (shown) => {
    const about = card(shown.also.about, shown)
    const multis = renderIf(shown.also.multis, (all) => multiCard(all.map(({ data }) => data)))
    return about && html`${about}${multis}${goldForm(nameIn(shown.at), shown)}`
  },
  main: (shown) => {
    const name = nameIn(shown.at)
    const isOwn = shown.viewer?.name.toLowerCase() === name.toLowerCase()
    const tabs = [...open, ...(isOwn ? ownOnly : [])].map((value) => ({
      value,
      to: `/user/${encodeURIComponent(name)}/${value}`,
      words: words[value] ?? value,
    }))
    return html`<div class="bar"><h1 class="page">${name}</h1>${choices('What to show', tabs, whereIn(shown.at))}</div>
${renderIf(['overview', 'submitted', 'comments'].includes(whereIn(shown.at)), () =>
  choices(
    'Order',
    thingSortNames.map((value) => ({ value, to: `${shown.at.path}?sort=${value}` })),
    shown.at.query.get('sort') ?? 'new',
  ),
)}
${renderIf(isOwn && shown.also.saved, (saved) => ('categories' in saved ? categoryChoices(saved.categories, shown) : undefined))}${mixedList(shown.body.data.children, shown, 'There is nothing here.')}${pager(shown.body.data, shown)}`
  },
})
