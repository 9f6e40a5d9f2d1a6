import { siteFiles } from '../../present/site-files.ts'
import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { type At, ask, type Body, pageFor, type Wire } from '../page.ts'
import { changesTable, listByDay } from '../parts/log.ts'
import { pager } from '../parts/rows.ts'
import { renderedText } from '../parts/text.ts'
import { time } from '../parts/time.ts'
import { changesOf, eventSentence, toneOfEvent } from './event-sentences.ts'

type Thing = Wire<'ThingEvent'>
type History = Body<'GET /history/things/{thing}'>
type Logged = ReadonlyMap<string, Wire<'ModAction'>>

const nameIn = ({ path }: At): string => decodeURIComponent(path.split('/')[3] ?? '')
const eventsIn = (body: History): readonly Thing[] => body.data.children.map(({ data }) => data)

/** Returns the name of the subsite that a thing is in, or is. */
const subsiteIn = (body: History): string | undefined => {
  for (const { data, names } of eventsIn(body)) {
    const name = typeof data.subsite === 'string' ? names[data.subsite] : undefined
    if (name !== undefined) return name
  }
  return undefined
}

/** The time at which the page looks back, as its field sends it. */
const momentIn = ({ query }: At): string | undefined => {
  const moment = query.get('at') ?? ''
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(moment) ? moment : undefined
}

const seconds = ({ at }: Thing): number => Math.floor(at / 1000)

/** Returns the address of the entries of the moderation log that are among the events. */
const logAddress = (body: History, { path }: At): string | undefined => {
  const [events, subsite, thing] = [eventsIn(body), subsiteIn(body), path.split('/')[3] ?? '']
  const [first, last] = [events[0], events.at(-1)]
  if (first === undefined || last === undefined || subsite === undefined || thing.startsWith('t2_')) return undefined
  const target = thing.startsWith('t4_') ? '' : `&target=${thing}`
  return `/s/${subsite}/about/log?limit=500&since=${seconds(first)}&until=${seconds(last)}${target}`
}

const isPost = (at: At): boolean => /^t[15]_/.test(nameIn(at))

const toEvent = (n: number, here: ReadonlySet<number>): Html =>
  here.has(n) ? html`<a href="#event-${n}">${n}</a>` : html`<a href="${url(`/history/events?since=${n - 1}&until=${n}`)}">${n}</a>`

/** Names a field for people: `target.excerpt` is the excerpt of the target. */
const fieldInWords = (field: string): string =>
  field
    .split('.')
    .toReversed()
    .map((name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`))
    .join(' of the ')

const eventRow = (event: Thing, logged: Logged, here: ReadonlySet<number>): Html => {
  const { n, id, cause, consequences, withheld } = event
  const entry = id === undefined ? undefined : logged.get(id)
  return html`<li class="entry ${toneOfEvent(event)}" id="event-${n}"><div><p>${eventSentence(event)}</p>
${renderIf(cause, (number) => html`<p class="meta">It followed from event ${toEvent(number, here)}.</p>`)}${
  consequences.length === 0
    ? undefined
    : html`<p class="meta">What followed: ${consequences.map((number) => html`event ${toEvent(number, here)} `)}</p>`
}${withheld.length === 0 ? undefined : html`<p class="meta">Not for you to read, or not any more: ${withheld.map(fieldInWords).join(', ')}.</p>`}${changesTable(changesOf(event))}</div>
<p class="side">${time(seconds(event))}<span class="tools"><a href="${url(`/history/events?since=${n - 1}&until=${n}`)}">event ${n}</a>${
    entry === undefined
      ? undefined
      : html`<a href="${url(`/s/${entry.subsite}/about/log?target=${entry.target_fullname ?? ''}#${entry.id}`)}">mod log</a>${entry.k === null ? undefined : html`<a href="${url(`/history/proof/${entry.id}`)}" download>proof</a>`}`
  }</span></p></li>
`
}

const idOf = ({ id }: Wire<'ModAction'>): string => id.replace(/^ModAction_/i, '')

const lookBack = (
  at: At,
): Html => html`<form class="filters" action="${url(at.path)}"><label>As it was at (UTC) <input type="datetime-local" name="at" step="1" value="${momentIn(at) ?? ''}" required></label>
<button type="submit" class="button">Look back</button></form>`

type Then = Wire<'PastLink'>

/** Renders what the page looks back at, if it does. A thing that was not there has no content. */
const asItWas = (at: At, content: Html | undefined): Html | undefined =>
  renderIf(
    momentIn(at),
    (moment) => html`<section class="card"><h2>As it was at ${moment.replace('T', ' ')} UTC</h2>
${content ?? html`<p>It was not there yet, or nobody may look back at it.</p>`}</section>`,
  )

const badge = (states: readonly string[]): Html | undefined =>
  states.length === 0 ? undefined : html` <span class="badge">${states.join(', ')}</span>`

const pastLink = (past: Then): Html => {
  const states = [
    past.locked ? 'locked' : '',
    past.stickied ? 'pinned' : '',
    past.over_18 ? 'over 18' : '',
    past.contest_mode ? 'in contest mode' : '',
    past.banned_by === null || past.banned_by === false ? '' : 'removed',
    past.approved_by === null ? '' : 'approved',
  ]
  return html`<p><b>${past.title}</b> by ${past.author}${badge(states.filter((state) => state !== ''))}</p>
${past.is_self ? (renderedText(past.selftext_html) ?? html`<p class="meta">A text that was replaced or taken away since is shown to nobody.</p>`) : html`<p><a href="${url(past.url)}" rel="nofollow ugc noopener">${past.url}</a></p>`}`
}

const pastSubsite = ({ data }: Wire<'SubsiteThing'>): Html =>
  html`<p><b>${data.title}</b>${badge([data.subsite_type, ...(data.over18 ? ['over 18'] : [])])}</p>
${renderIf(data.public_description, (text) => html`<p>${text}</p>`)}${renderedText(data.description_html)}`

const isThen = (data: Wire<'PastLink'> | Wire<'Link'>): data is Then => data.num_comments === null

/** Returns the address at which events after the last one come as they happen. */
const toStreamAddress = (body: History, at: At): string => {
  const last = eventsIn(body).at(-1)?.n ?? -1
  const [thing, subsite] = [nameIn(at), subsiteIn(body)]
  if (thing.startsWith('t2_')) return `/history/events?since=${last}&actor=${thing}`
  return `/history/events?since=${last}&${isPost(at) ? 'thing' : 'subsite'}=${isPost(at) ? thing : (subsite ?? thing)}`
}

/** Renders the way to what happens after the page was made: a link, which the script fills with the number of new events. */
const follow = (stream: string, later: string): Html =>
  html`<p class="pages" data-follow="${stream}"><a class="button" href="${url(later)}">Look for later events</a></p><script src="${url(siteFiles['history.js'].address)}" type="module"></script>`

const what = (body: History, at: At): string => {
  const name = nameIn(at)
  const events = eventsIn(body)
  const own = events.map(({ names }) => names[name]).find((one) => one !== undefined)
  const title = events.map(({ data }) => data.title).find((one) => typeof one === 'string')
  if (name.startsWith('t5_')) return title === undefined ? 'a link' : `the link ‘${title}’`
  if (name.startsWith('t1_')) return 'a comment'
  return `${name.startsWith('t2_') ? 'the account' : 'the subsite'} ${own ?? name}`
}

export const thingHistoryPage = pageFor('GET /history/things/{thing}', {
  also: (body, at) => {
    const [log, moment] = [logAddress(body, at), momentIn(at)]
    const [name, subsite] = [nameIn(at), subsiteIn(body)]
    return {
      log: log === undefined ? undefined : ask('GET [/s/{sub}]/about/log', log),
      past: name.startsWith('t5_') && moment !== undefined ? ask('GET /by_id/{names}', `/by_id/${name}?at=${moment}`) : undefined,
      pastSubsite:
        name.startsWith('t4_') && subsite !== undefined && moment !== undefined
          ? ask('GET /s/{sub}/about', `/s/${subsite}/about?at=${moment}`)
          : undefined,
      things: isPost(at) ? ask('GET [/s/{sub}]/api/info', `/api/info?id=${name}`) : undefined,
    }
  },
  subsiteOf: subsiteIn,
  title: ({ body, at }) => `History of ${what(body, at)}`,
  robots: 'none',
  main: ({ body, also, ...around }) => {
    const { at } = around
    const events = eventsIn(body)
    const logged = new Map((also.log?.data.children ?? []).map(({ data }) => [idOf(data), data]))
    const here = new Set(events.map(({ n }) => n))
    const [past] = (also.past?.data.children ?? []).map(({ data }) => data).filter(isThen)
    const [thing] = also.things?.data.children ?? []
    const permalink = thing !== undefined && 'permalink' in thing.data ? thing.data.permalink : undefined
    const name = nameIn(at)
    return html`<h1 class="page">History of ${what(body, at)}</h1>
<p class="meta wide">Everything that happened to it, as far as you may read it, oldest first. ${renderIf(permalink, (address) => html`<a href="${url(address)}">To its page</a>. `)}${
      name.startsWith('t2_') && events[0]?.names[name] !== undefined
        ? html`<a href="${url(`/user/${events[0].names[name]}`)}">To its page</a>. `
        : undefined
    }The file of a proof shows nothing by itself: <a href="/docs/verifying">verify it elsewhere</a>.</p>
${/^t[45]_/.test(name) ? html`${lookBack(at)}${asItWas(at, renderIf(past, pastLink) ?? renderIf(also.pastSubsite, pastSubsite))}` : undefined}
${
  events.length === 0
    ? html`<p class="empty">Nothing that you may read happened here.</p>`
    : listByDay(events, seconds, (event) => eventRow(event, logged, here))
}${pager(body.data, around)}${
  body.data.after === null
    ? follow(toStreamAddress(body, at), events.length === 0 ? at.path : `${at.path}?after=${events.at(-1)?.n}`)
    : undefined
}`
  },
})
