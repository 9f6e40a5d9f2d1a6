import { type Html, html, renderIf, url } from '../../wire/html.ts'
import type { Around, Wire } from '../page.ts'
import { sideText, styleContent, styleLabel } from './styled.ts'
import { mayModerate, muteButton, subscribeButton } from './subsites.ts'
import { count } from './time.ts'

const about = (subsite: Wire<'Subsite'>, base: string, around: Around): Html => {
  const subscribers = renderIf(subsite.subscribers, (number) => html`<p class="meta">${count(number, 'subscriber')}</p>`)
  const buttons = renderIf(subscribeButton(subsite, around), (button) => html`<p>${button} ${muteButton(subsite, around)}</p>`)
  const flair = html`<p><a class="button" href="${url(`${base}/about/flair`)}">Your flair here</a></p>`
  return html`<section class="card"><h2>About</h2>${subscribers}${buttons}
${renderIf(sideText(around), (text) => styleContent(around, text))}
${styleLabel(around)}${around.viewer && !around.at.copyOf ? flair : undefined}</section>`
}

const ruleList = (rules: NonNullable<Wire<'Subsite'>['community_rules']>, base: string): Html =>
  html`<section class="card"><h2><a href="${url(`${base}/about/rules`)}">Rules</a></h2>
<ol class="rules">${rules.map((rule) => html`<li><b>${rule.short_name}</b> ${rule.description}</li>`)}</ol></section>`

/** Renders the way to the records of a subsite, and for its moderators to its settings. */
const openModeration = (subsite: Wire<'Subsite'>, base: string, around: Around): Html => {
  const settings = html`<p><a class="button" href="${url(`${base}/about/edit`)}">Settings</a></p>`
  return html`<section class="card quiet-card"><h2>Moderation in the open</h2><p>Every decision of a moderator is an entry of the
<a href="${url(`${base}/about/log`)}">mod log</a>, kept for ever and provable.
<a href="${url(`${base}/about/moderators`)}">The moderators</a> ·
<a href="${url(`/history/things/${subsite.name}`)}">The history</a></p>${mayModerate(around, 'config') ? settings : undefined}</section>`
}

/** Renders the description of a subsite, and its rules. */
export const sidebar = (around: Around): Html | undefined => {
  const { subsite } = around
  if (!subsite) return undefined
  const base = `/s/${subsite.display_name}`
  return html`${about(subsite, base, around)}
${subsite.community_rules?.length ? ruleList(subsite.community_rules, base) : undefined}
${openModeration(subsite, base, around)}`
}
