import { type Html, html, renderIf, url } from '../../wire/html.ts'
import type { Around } from '../page.ts'
import { sideText, styleContent, styleLabel } from './styled.ts'
import { mayKeep, muteButton, subscribeButton } from './subsites.ts'
import { count } from './time.ts'

/** Renders the description of a subsite, and its rules. */
export const sidebar = (around: Around): Html | undefined => {
  const { subsite, viewer, at } = around
  if (!subsite) return undefined
  const base = `/s/${subsite.display_name}`
  return html`<section class="card"><h2>About</h2>${renderIf(subsite.subscribers, (number) => html`<p class="meta">${count(number, 'subscriber')}</p>`)}${renderIf(subscribeButton(subsite, around), (button) => html`<p>${button} ${muteButton(subsite, around)}</p>`)}
${renderIf(sideText(around), (text) => styleContent(around, text))}
${styleLabel(around)}${renderIf(viewer && !at.copyOf, () => html`<p><a class="button" href="${url(`${base}/about/flair`)}">Your flair here</a></p>`)}</section>
${renderIf(
  subsite.community_rules?.length ? subsite.community_rules : undefined,
  (rules) =>
    html`<section class="card"><h2><a href="${url(`${base}/about/rules`)}">Rules</a></h2><ol class="rules">${rules.map(({ short_name, description }) => html`<li><b>${short_name}</b> ${description}</li>`)}</ol></section>`,
)}
<section class="card quiet-card"><h2>Moderation in the open</h2><p>Every decision of a moderator is an entry of the <a href="${url(`${base}/about/log`)}">mod log</a>, kept for ever and provable. <a href="${url(`${base}/about/moderators`)}">The moderators</a> · <a href="${url(`/history/things/${subsite.name}`)}">The history</a></p>${renderIf(mayKeep(around, 'config'), () => html`<p><a class="button" href="${url(`${base}/about/edit`)}">Settings</a></p>`)}</section>`
}
