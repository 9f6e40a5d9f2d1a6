import { type Html, html, renderEach, renderIf, url } from '../../wire/html.ts'
import type { Around, Wire } from '../page.ts'
import type { Permission } from '../permissions.ts'
import { actButton } from './forms.ts'
import { choices, headWithTabs } from './rows.ts'
import { count } from './time.ts'

/** The button that subscribes to a subsite, or ends that. */
export const subscribeButton = (subsite: Wire<'Subsite'>, { viewer, at }: Pick<Around, 'viewer' | 'at'>): Html | undefined => {
  if (!viewer || at.copyOf) return undefined
  const isSubscriber = subsite.user_is_subscriber === true
  const to = url(`/api/subscribe?sr=${subsite.name}&action=${isSubscriber ? 'unsub' : 'sub'}`)
  return actButton(to, { class: isSubscriber ? 'button' : 'button main', content: isSubscriber ? 'Unsubscribe' : 'Subscribe' })
}

const act = (path: string, { name }: Wire<'Subsite'>, words: string): Html =>
  actButton(url(`${path}?id=${name}`), { class: 'button', content: words })

/** Renders the button that leaves a subsite out of what the viewer sees of all subsites. */
export const muteButton = (subsite: Wire<'Subsite'>, { viewer, at }: Pick<Around, 'viewer' | 'at'>): Html | undefined =>
  viewer && !at.copyOf && subsite.user_is_moderator !== true ? act('/api/mute_subsite', subsite, 'leave it out of /s/all') : undefined

/** The buttons that end what a list of the viewer's own subsites shows. */
const endings: Readonly<Record<string, (subsite: Wire<'Subsite'>) => Html>> = {
  '/subs/mine/muted': (subsite) => act('/api/unmute_subsite', subsite, 'show it in /s/all again'),
  '/subs/mine/contributor': (subsite) => act('/api/leavecontributor', subsite, 'give the approval back'),
}

const subsiteBadges = ({ over18, subsite_type: type }: Wire<'Subsite'>): Html =>
  html`${over18 ? html`<span class="badge bad">over 18</span> ` : undefined}${type === 'public' ? undefined : html`<span class="badge">${type}</span> `}`

const row = (subsite: Wire<'Subsite'>, around: Around): Html => html`<li class="single" id="${subsite.name}">
<h2><a href="${url(`/s/${subsite.display_name}`)}">${subsite.title || subsite.display_name}</a> <span class="domain">/s/${subsite.display_name}</span></h2>
${renderIf(subsite.public_description, (text) => html`<p class="wide">${text}</p>`)}
<div class="acts meta"><p>${subsiteBadges(subsite)}${renderIf(subsite.subscribers, (number) => html`${count(number, 'subscriber')}`)}</p>
${subscribeButton(subsite, around)}${around.viewer && endings[around.at.path]?.(subsite)}</div>
</li>`

/** Subsites, with what they are about. */
export const subsiteList = (subsites: readonly Wire<'SubsiteThing'>[], around: Around): Html =>
  subsites.length === 0
    ? html`<p class="empty">There is no such subsite.</p>`
    : html`<ol class="links">${renderEach(subsites, ({ data }) => row(data, around))}</ol>`

/** Tells whether the viewer moderates the subsite of a page with a permission. */
export const mayModerate = ({ subsite, at }: Pick<Around, 'subsite' | 'at'>, permission: Permission): boolean => {
  const permissions = subsite?.user_is_moderator && !at.copyOf ? (subsite.mod_permissions ?? []) : []
  return permissions.includes('all') || permissions.includes(permission)
}

const moderationPages: readonly (readonly [where: string, words: string, permission: Permission | undefined])[] = [
  ['edit', 'settings', 'config'],
  ['rules', 'rules', undefined],
  ['flair', 'flair', undefined],
  ['stylesheet', 'look', 'config'],
  ['traffic', 'traffic', undefined],
  ['moderators', 'moderators', undefined],
  ['contributors', 'approved', 'access'],
  ['banned', 'banned', 'access'],
  ['muted', 'muted', 'access'],
  ['wikicontributors', 'approved for the wiki', 'wiki'],
  ['wikibanned', 'banned from the wiki', 'wiki'],
]

/** Renders the head of a page on which moderators keep their subsite. */
export const moderationTabs = (around: Around, current: string, title: string): Html => {
  const base = around.subsite && `/s/${around.subsite.display_name}`
  const isOpen = (where: string): boolean => {
    if (where === 'flair') return around.viewer !== undefined
    return where !== 'traffic' || around.subsite?.public_traffic === true || around.subsite?.user_is_moderator === true
  }
  const shown = moderationPages.filter(([where, , permission]) =>
    permission === undefined ? isOpen(where) : mayModerate(around, permission),
  )
  const tabs = renderIf(base, (path) =>
    choices(
      'Keep the subsite',
      shown.map(([value, words]) => ({ value, words, to: `${path}/about/${value}` })),
      current,
    ),
  )
  return headWithTabs(title, tabs)
}
