import { type Html, html, renderEach, renderIf, url } from '../../wire/html.ts'
import { type Around, type Body, pageFor, type Shown, type Wire } from '../page.ts'
import { actButton } from '../parts/forms.ts'
import { author, badges, linkTitle, pager, renderListedLink } from '../parts/rows.ts'
import { renderText } from '../parts/text.ts'
import { count, time } from '../parts/time.ts'
import { doneMeanwhile, queueActs } from './queue-acts.ts'

type Queue = Body<'GET [/s/{sub}]/about/{location}'>
type Queued = Wire<'ThingListing'>['data']['children'][number]
type Thing = Queued['data']

const queues = ['modqueue', 'reports', 'spam', 'unmoderated', 'edited'] as const

const queueOf = ({ path }: Around['at']): string => /\/about\/(\w+)\/?$/.exec(path)?.[1] ?? 'modqueue'

/** Buttons for the acts, each of which is refused if somebody decided since the page was made. */
const buttons = ({ kind, data }: Queued, { at }: Around): readonly Html[] =>
  Object.values(queueActs)
    .filter(({ key }) => kind === 't5' || key !== 'l')
    .map(({ words, path, key, class: names }) =>
      actButton(url(`${path}id=${data.name}&expected_position=${at.position}`), {
        class: `${names} key-${key}`,
        content: html`${words} <kbd aria-hidden="true">${key}</kbd>`,
      }),
    )

const reasons = ({ user_reports: byUsers, mod_reports: byModerators }: Thing): Html | undefined =>
  byUsers.length + byModerators.length === 0
    ? undefined
    : html`<ul class="reports">${byUsers.map(([reason, times]) => html`<li>${reason ?? 'a reason that was withdrawn'}${renderIf(times > 1, () => html` <b>×${times}</b>`)}</li>`)}${byModerators.map(
        ([reason, name]) => html`<li class="by-mod">${reason ?? 'no reason'} <b>by ${name}</b></li>`,
      )}</ul>`

/** Renders the approval of a thing. A removal is among its badges. */
const approval = ({ approved_by: approver }: Thing): Html | undefined =>
  renderIf(approver, (name) => html`<p class="meta">approved by ${author(name)}</p>`)

const content = ({ kind, data }: Queued): Html =>
  kind === 't5'
    ? html`<h2>${linkTitle(data)}</h2><p class="meta">${badges(data)}${author(data.author)} ${time(data.created_utc)} in ${data.subsite} · <a href="${url(data.permalink)}">${count(data.num_comments, 'comment')}</a></p>${renderText(data.selftext_html)}`
    : html`<p class="meta">${badges(data)}comment by ${author(data.author)} ${time(data.created_utc)} in ${data.subsite} · <a href="${url(`${data.permalink}?context=3`)}">in its thread</a></p>${renderText(data.body_html)}`

const logs = ({ name, author: who, subsite }: Thing): Html => {
  const log = (target: string) => url(`/s/${subsite}/about/log?${new URLSearchParams({ target })}`)
  return html`<a class="quiet" href="${log(name)}">its log</a>${
    who === null || who.startsWith('[') ? undefined : html`<a class="quiet" href="${log(`u/${who}`)}">acts on u/${who}</a>`
  }`
}

/** Renders the reason why an act on several things did not happen to this one. */
const outcome = ({ form }: Around, name: string): Html | undefined =>
  renderIf(form?.fields[`outcome.${name}`], (words) => html`<p class="refused" role="alert">${words}</p>`)

const card = (queued: Queued, around: Around): Html => {
  const { data } = queued
  const words = queued.kind === 't5' ? queued.data.title : `the comment by ${data.author ?? 'a deleted account'}`
  const pick = html`<label class="pick"><input type="checkbox" name="pick.${data.name}" form="several"><span class="sr">choose ${words}</span></label>`
  return html`<li class="queued" id="${data.name}">${around.viewer && pick}
<div>${content(queued)}${reasons(data)}${approval(data)}${outcome(around, data.name)}
<p class="acts">${around.viewer && buttons(queued, around)}${logs(data)}</p></div></li>
`
}

const bulkActions = ({ viewer, at }: Around): Html | undefined =>
  viewer &&
  html`<form class="filters" id="several" method="post" action="${url(at.path)}"><input type="hidden" name="uh" value="${viewer.modhash}"><input type="hidden" name="form_page" value="${at.target}"><input type="hidden" name="expected_position" value="${at.position}">
${Object.entries(queueActs).map(([name, act]) =>
  'toChosen' in act ? html`<button type="submit" class="button" name="act" value="${name}">${act.toChosen}</button>` : undefined,
)}
<p class="keys meta" data-keys><kbd>j</kbd> <kbd>k</kbd> move · <kbd>x</kbd> choose · <kbd>z</kbd> undo · <kbd>?</kbd> keys on or off</p></form>`

const tabs = ({ at }: Around): Html => {
  const base = at.path.replace(/\/about\/.*/, '')
  const current = queueOf(at)
  return html`<nav class="sorts" aria-label="Queues"><ul>${queues.map((name) =>
    renderListedLink(`${base}/about/${name}`, name, name === current ? 'page' : undefined),
  )}</ul></nav>`
}

const isListing = (body: Queue): body is Wire<'ThingListing'> => 'kind' in body && body.kind === 'Listing'

/** The page of the moderation queues. */
export const queuePage = pageFor('GET [/s/{sub}]/about/{location}', {
  title: (shown: Shown<Queue>) => `Queue: ${queueOf(shown.at)}`,
  tab: () => 'queue',
  robots: 'none',
  main: (shown) => {
    const { body, form, at } = shown
    const things: readonly Queued[] = isListing(body) ? body.data.children : []
    return html`<h1 class="page">Queue</h1>
${tabs(shown)}
${renderIf(form, ({ text }) => html`<p class="refused" role="alert">${text}</p>`)}
${things.length === 0 ? html`<p class="empty">Nothing waits for you here.</p>` : html`${bulkActions(shown)}<ol class="queue" data-log="${at.path.replace(/\/about\/.*/, '')}/about/log" data-said="${JSON.stringify(doneMeanwhile)}">${renderEach(things, (one) => card(one, shown))}</ol>`}
${isListing(body) ? pager(body.data, shown) : undefined}
<p class="undo" role="status" hidden><span></span> <button type="button" class="button">Undo <kbd aria-hidden="true">z</kbd></button></p>`
  },
})
