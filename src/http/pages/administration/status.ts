import { type Html, html, url } from '../../wire/html.ts'
import { type Around, pageFor, type Wire } from '../page.ts'
import { fieldForm } from '../parts/forms.ts'
import { author } from '../parts/rows.ts'
import { shareOfLog } from '../parts/share-of-log.ts'
import { count, figure, time } from '../parts/time.ts'
import { adminHead, card } from './tabs.ts'

type Status = Wire<'SiteStatus'>

const words = (list: readonly string[]): Html => html`<ul>${list.map((line) => html`<li>${line}</li>`)}</ul>`

const readiness = ({ ready, problems, warnings, version, started_utc: started }: Status): Html =>
  card(
    'Is it well?',
    html`<p>${ready ? html`<b>Ready.</b> It reads, writes and shows everything.` : html`<b class="refused">Not ready.</b>`} Version ${version}, started ${time(started)}.</p>
${problems.length === 0 ? undefined : html`<p>What keeps it from working:</p>${words(problems)}`}
${warnings.length === 0 ? undefined : html`<p>What should be mended:</p>${words(warnings)}`}`,
  )

const delay = (lag: number | null): string => (lag === null ? 'unknown' : lag === 0 ? 'none' : count(lag, 'millisecond'))

const progress = ({ shards, head }: Status): Html =>
  card(
    'The read models',
    html`<p>They are made of the log. After a change of their form they are built anew, and the part of the log that they have grows to 100 %.</p>
<div class="changes"><table><thead><tr><th scope="col">Part</th><th scope="col">Has of the log</th><th scope="col">Delay</th></tr></thead><tbody>${shards.map(
      ({ shard, position, lag }) =>
        html`<tr><th scope="row">${shard}</th><td>${shareOfLog(position, head)}</td><td>${delay(lag)}</td></tr>`,
    )}</tbody></table></div>`,
  )

const isRebuildNeeded = (parked: Status['parked']): boolean => parked.some(({ retried }) => !retried)

const rebuildAdvice = html` What is marked <b>rebuild</b> stopped the events of a whole stream, whose documents others have changed
since: after the upgrade, stop the service and run <code>npx rostra rebuild</code>.`

const parkedRow = ({ collection, document, type, event, error, later, retried }: Status['parked'][number]): Html => {
  const mark = retried ? undefined : html`<b>rebuild</b> `
  return html`<li class="entry stern"><div><p>${mark}${document} of ${collection}: ${type} <code>${event}</code>: ${error}</p></div>
<p class="side">${count(later, 'event')} behind it</p></li>`
}

const parkedList = (parked: Status['parked']): Html =>
  card(
    'Parked documents',
    parked.length === 0
      ? html`<p>None: every event is in the read models.</p>`
      : html`<p>An event could not be shown in these. Each stays as it was before, and later events wait behind it, so that none is
shown out of its order. The same version of the service fails again, so there is nothing to try while it runs: each start tries
them again, and an upgrade that can show the event shows those behind it as well.${isRebuildNeeded(parked) ? rebuildAdvice : undefined}</p>
<ol class="log">${parked.map(parkedRow)}</ol>`,
  )

/** Names a stream, and leads to the history of the thing that it is of. */
const streamLink = (stream: string): Html => {
  const thing = /^\w+-(t[1245]_\w+)$/.exec(stream)?.[1]
  return thing === undefined ? html`${stream}` : html`<a href="${url(`/history/things/${thing}`)}">${stream}</a>`
}

const reactions = ({ reactions: waiting, reactions_queued: number }: Status, around: Around): Html =>
  card(
    'Queued reactions',
    number === 0
      ? html`<p>None: everything that follows from an act is done.</p>`
      : html`<p>${count(number, 'event')} ${number === 1 ? 'waits' : 'wait'} for what follows from ${number === 1 ? 'it' : 'them'}.
Each is tried again by itself, after a pause that grows to five minutes.</p>
<ol class="log">${waiting.map(
          ({ type, stream, error, tries, since_utc: since }) =>
            html`<li class="entry stern"><div><p>${type} in ${streamLink(stream)}: ${error}</p></div><p class="side">${count(tries, 'try', 'tries')} since ${time(since)}</p></li>`,
        )}</ol>
${fieldForm(around, { action: '/api/v1/site/retry_reactions', hidden: { dest: '/admin?done=1' }, isUndoable: true, button: 'Try them now' })}`,
  )

const witnessRow = ({ name, cosigned_utc: at, events }: Status['witnesses'][number]): Html =>
  html`<li>${name}: ${at === null ? 'has not cosigned the last head that a witness did' : html`saw ${count(events ?? 0, 'event')} ${time(at)}`}</li>`

const signedHead = (signed: Status['signed']): Html =>
  signed === null
    ? html`<p>No head is signed: nobody can verify the log yet.</p>`
    : html`<p>The last <a href="/history/log/checkpoint">signed head</a> covers ${count(signed.events, 'event')},
as <code>${signed.origin}</code>.</p>`

/** Says of which events the log was proved, and why not of those after them. */
export const lastProof = ({ signed, proved }: Pick<Status, 'signed' | 'proved'>): Html => {
  if (proved === null) return html`<p>This process has not proved the log: one process at a time does.</p>`
  const { at, events, entries } = proved
  const later = Math.max(0, (signed?.events ?? 0) - events)
  return html`<p>${
    events === 0
      ? html`Nothing was signed yet when the log was last proved, ${time(at)}.`
      : html`The log was proved ${time(at)}: ${count(events, 'event')}, ${count(entries, 'entry', 'entries')} of moderation logs.`
  }${later === 0 ? undefined : ` The next proof covers ${count(later, 'event')} more: there is one at each start, and one a night.`}</p>`
}

const witnessList = (witnesses: Status['witnesses']): Html =>
  witnesses.length === 0
    ? html`<p class="meta">No witness is named: <a href="/docs/verifying">witnesses</a> keep heads elsewhere,
so that nobody can change the past unseen.</p>`
    : html`<p>Witnesses that keep heads elsewhere:</p><ul>${witnesses.map(witnessRow)}</ul>`

const history = ({ signed, proved, witnesses }: Status): Html =>
  card(
    'The history',
    html`${signedHead(signed)}
${lastProof({ signed, proved })}
${witnessList(witnesses)}`,
  )

const HOUR = 3600

const rate = (number: number, seconds: number): string => {
  const perHour = seconds === 0 ? 0 : (number * HOUR) / seconds
  return perHour >= 10 || perHour === 0 ? figure(Math.round(perHour)) : perHour.toFixed(1)
}

const names: readonly (readonly [name: Exclude<keyof Status['since_start'], 'seconds'>, words: string])[] = [
  ['requests', 'Requests'],
  ['refused', 'of them refused (4xx)'],
  ['failed', 'of them failed (5xx)'],
  ['appended', 'Appends to the log'],
  ['conflicts', 'Appends tried again after another writer came first: nothing was lost'],
  ['faults', 'Appends that failed'],
]

const rates = ({ since_start: since }: Status): Html =>
  card(
    'Since the start of this process',
    html`<div class="changes"><table><thead><tr><td></td><th scope="col">All</th><th scope="col">Per hour</th></tr></thead><tbody>${names.map(
      ([name, label]) =>
        html`<tr><th scope="row">${label}</th><td>${figure(since[name])}</td><td>${rate(since[name], since.seconds)}</td></tr>`,
    )}</tbody></table></div>`,
  )

type Warning = Status['recent'][number]

/** Joins warnings that say the same one after the other: the latest of them, and how many they are. */
export const joinRepeated = (lines: readonly Warning[]): readonly { readonly last: Warning; readonly times: number }[] => {
  const groups: { last: Warning; times: number }[] = []
  for (const line of lines) {
    const before = groups.at(-1)
    if (before && before.last.message === line.message && before.last.level === line.level) before.times += 1
    else groups.push({ last: line, times: 1 })
  }
  return groups
}

const recent = ({ recent: lines }: Status): Html =>
  card(
    'Recent warnings of this process',
    lines.length === 0
      ? html`<p>None.</p>`
      : html`<ol class="log">${joinRepeated(lines).map(
          ({ last: { level, message, at_utc: at }, times }) =>
            html`<li class="entry ${level === 'warn' ? 'plain' : 'stern'}">
<div><p>${level}: ${message}${times > 1 ? html` <b>×${times}</b>` : undefined}</p></div><p class="side">${time(at)}</p></li>`,
        )}</ol>`,
  )

const configuration = ({ admins, default_subsites: defaults }: Status): Html =>
  card(
    'Admins and defaults',
    html`<p>Admins, as <code>ADMINS</code> names them: ${admins.length === 0 ? 'none' : admins.map((name) => html`${author(name)} `)}</p>
<p>Subsites that everybody sees at first, as <code>DEFAULT_SUBSITES</code> names them:
${defaults.length === 0 ? 'none' : defaults.map((name) => html`<a href="${url(`/s/${name}`)}">${name}</a> `)}</p>`,
  )

/** The desk of an operator: the state of the service. */
export const statusPage = pageFor('GET /api/v1/site/status', {
  title: () => 'The service',
  robots: 'none',
  tab: () => 'admin',
  main: (shown) => {
    const { body } = shown
    return html`${adminHead('/admin', 'The service')}
<div class="queue">${readiness(body)}
${reactions(body, shown)}
${parkedList(body.parked)}
${progress(body)}
${history(body)}
${rates(body)}
${recent(body)}
${configuration(body)}</div>`
  },
})
