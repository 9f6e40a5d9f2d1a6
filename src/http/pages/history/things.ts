import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { type At, ask, type Body, pageFor, type Wire } from '../page.ts'
import { dateFilters, filterForm, filtersIn, textFilter, typeFilter } from '../parts/filters.ts'
import { changesTable, listByDay } from '../parts/log.ts'
import { pager } from '../parts/rows.ts'
import { renderText } from '../parts/text.ts'
import { time } from '../parts/time.ts'
import { eventAddress, follow } from './event-parts.ts'
import { changesOf, eventSentence, eventTypesOf, toneOfEvent } from './event-sentences.ts'

type Thing = Wire<'ThingEvent'>
type History = Body<'GET /history/things/{thing}'>
type Logged = ReadonlyMap<string, Wire<'ModAction'>>

const thingNameOf = ({ path }: At): string => decodeURIComponent(path.split('/')[3] ?? '')
const eventsIn = (body: History): readonly Thing[] => body.data.children.map(({ data }) => data)

/** Returns the name of the subsite that a thing is in, or is. */
const subsiteIn = (body: History): string | undefined => {
  for (const { data, names } of eventsIn(body)) {
    const name = typeof data.subsite === 'string' ? names[data.subsite] : undefined
    if (name !== undefined) return name
  }
  return undefined
}

/** Returns the name of the account that the page is about. */
const accountIn = (body: History, at: At): string | undefined =>
  thingNameOf(at).startsWith('t2_')
    ? eventsIn(body)
        .map(({ names }) => names[thingNameOf(at)])
        .find((name) => name !== undefined)
    : undefined

/** Returns the time at which the page looks back, as its field sends it. */
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

const isPost = (at: At): boolean => /^t[15]_/.test(thingNameOf(at))

const toEvent = (n: number, shown: ReadonlySet<number>): Html =>
  shown.has(n) ? html`<a href="#event-${n}">${n}</a>` : html`<a href="${eventAddress(n)}">${n}</a>`

/** Renders the links to an entry of the moderation log, and to its proof if it has one. */
const entryLinks = ({ id, k, subsite, target_fullname: target }: Wire<'ModAction'>): Html => {
  const log = url(`/s/${subsite}/about/log?target=${target ?? ''}#${id}`)
  const proof = k === null ? undefined : html`<a href="${url(`/history/proof/${id}`)}" download>proof</a>`
  return html`<a href="${log}">mod log</a>${proof}`
}

const eventRow = (event: Thing, logged: Logged, shown: ReadonlySet<number>): Html => {
  const { n, id, cause, consequences } = event
  const entry = id === undefined ? undefined : logged.get(id)
  return html`<li class="entry ${toneOfEvent(event)}" id="event-${n}"><div><p>${eventSentence(event)}</p>
${renderIf(cause, (number) => html`<p class="meta">It followed from event ${toEvent(number, shown)}.</p>`)}${
  consequences.length === 0
    ? undefined
    : html`<p class="meta">What followed: ${consequences.map((number) => html`event ${toEvent(number, shown)} `)}</p>`
}${changesTable(changesOf(event))}</div>
<p class="side">${time(seconds(event))}<span class="tools"><a href="${eventAddress(n)}">event ${n}</a>${renderIf(entry, entryLinks)}</span></p></li>
`
}

const idOf = ({ id }: Wire<'ModAction'>): string => id.replace(/^ModAction_/i, '')

const renderLookBack = (
  at: At,
): Html => html`<form class="filters" action="${url(at.path)}"><label>As it was at (UTC) <input type="datetime-local" name="at" step="1" value="${momentIn(at) ?? ''}" required></label>
<button type="submit" class="button">Look back</button></form>`

const filters = { type: 'event', actor: 'who', since: 'from', until: 'before' }

const eventFilters = (at: At): Html =>
  filterForm(at, filters, 'events', [
    typeFilter(at, 'Event', eventTypesOf(thingNameOf(at)).toSorted()),
    textFilter(at, 'actor', 'Who'),
    ...dateFilters(at, 'Before'),
  ])

type Then = Wire<'PastLink'> | Wire<'PastComment'>

/** Renders what the page looks back at, if it does. A thing that was not there has no content. */
const renderPast = (at: At, content: Html | undefined): Html | undefined =>
  renderIf(
    momentIn(at),
    (moment) => html`<section class="card"><h2>As it was at ${moment.replace('T', ' ')} UTC</h2>
${content ?? html`<p>It was not there yet, or nobody may look back at it.</p>`}</section>`,
  )

const badge = (states: readonly string[]): Html | undefined => {
  const shown = states.filter((state) => state !== '')
  return shown.length === 0 ? undefined : html` <span class="badge">${shown.join(', ')}</span>`
}

const verdictOf = ({ banned_by, approved_by }: Then): readonly string[] => [
  banned_by === null || banned_by === false ? '' : 'removed',
  approved_by === null ? '' : 'approved',
]

const withheldText = html`<p class="meta">A text that was replaced or taken away since is shown to nobody.</p>`

const pastLink = (past: Wire<'PastLink'>): Html => {
  const states = [
    past.locked ? 'locked' : '',
    past.stickied ? 'pinned' : '',
    past.over_18 ? 'over 18' : '',
    past.contest_mode ? 'in contest mode' : '',
    ...verdictOf(past),
  ]
  return html`<p><b>${past.title}</b> by ${past.author}${badge(states)}</p>
${past.is_self ? (renderText(past.selftext_html) ?? withheldText) : html`<p><a href="${url(past.url)}" rel="nofollow ugc noopener">${past.url}</a></p>`}`
}

const pastComment = (past: Wire<'PastComment'>): Html => {
  const states = [past.distinguished === null ? '' : `as ${past.distinguished}`, past.edited === false ? '' : 'edited', ...verdictOf(past)]
  return html`<p>by ${past.author}${badge(states)}</p>
${renderText(past.body_html) ?? withheldText}`
}

const pastThing = (past: Then): Html => ('title' in past ? pastLink(past) : pastComment(past))

const pastAccount = (past: Wire<'PastAccount'>): Html =>
  html`<p><b>${past.name}</b>${badge([past.is_suspended === true ? 'suspended' : ''])}</p>
<p class="meta">Registered ${time(past.created_utc)}. What it had posted, and its karma, are not part of this: the list below has what happened to it.</p>`

const pastSubsite = ({ data }: Wire<'SubsiteThing'>): Html =>
  html`<p><b>${data.title}</b>${badge([data.subsite_type, ...(data.over18 ? ['over 18'] : [])])}</p>
${renderIf(data.public_description, (text) => html`<p>${text}</p>`)}${renderText(data.description_html)}`

type PostChild = Body<'GET /by_id/{names}'>['data']['children'][number]
const isThen = (data: PostChild['data']): data is Then => 'score' in data && data.score === null
const isAccountThen = (data: Body<'GET /user/{username}/about'>['data']): data is Wire<'PastAccount'> =>
  'is_gold' in data && data.is_gold === null

/** Returns the number of the event after which later ones are to come. */
const lastNumber = (body: History, { query }: At): number => eventsIn(body).at(-1)?.n ?? Number(query.get('after') ?? -1)

/** The viewer's own acts, and for admins those of others, which the history of a thing leaves out. */
const acts = /^(?:VoteCast|Thing(?:Saved|Unsaved|Hidden|Unhidden))$/

/** Returns the address at which later events of the history come as they happen. Nothing selects those of an account. */
const toStreamAddress = (body: History, at: At): string | undefined => {
  const thing = thingNameOf(at)
  if (thing.startsWith('t2_')) return undefined
  const types = eventTypesOf(thing).filter((type) => !acts.test(type))
  return `/history/events?since=${lastNumber(body, at)}&${isPost(at) ? 'thing' : 'subsite'}=${thing}&type=${types.join(',')}`
}

/** Returns the link to the events after those of the page. */
const laterEvents = (body: History, at: At): Html => {
  const last = lastNumber(body, at)
  return follow(toStreamAddress(body, at), last < 0 ? at.path : `${at.path}?after=${last}`)
}

/** Names the thing by its events, or by its first one where those of the page do not name it. */
const describeThing = (body: History, first: History | undefined, at: At): string => {
  const name = thingNameOf(at)
  const events = [...eventsIn(body), ...(first ? eventsIn(first) : [])]
  const shownName = events.map(({ names }) => names[name]).find((one) => one !== undefined)
  const title = events.map(({ data }) => data.title).find((one) => typeof one === 'string')
  if (name.startsWith('t5_')) return title === undefined ? 'a link' : `the link ‘${title}’`
  if (name.startsWith('t1_')) return 'a comment'
  return `${name.startsWith('t2_') ? 'the account' : 'the subsite'} ${shownName ?? name}`
}

/** Says what the history of the thing has. */
const describeContent = (subsite: string | undefined, at: At): Html => {
  if (thingNameOf(at).startsWith('t2_'))
    return html`What happened to the account itself, as far as you may read it, oldest first. What it posted has histories of its own. `
  if (!thingNameOf(at).startsWith('t4_')) return html`Everything that happened to it, as far as you may read it, oldest first. `
  const log = renderIf(subsite, (name) => html`<a href="${url(`/s/${name}/about/log`)}">moderation log</a>`) ?? 'moderation log'
  return html`Its settings, rules, moderators and images, as far as you may read of them, oldest first. Removals, bans, flair and the rest of what moderators do are in the ${log}. `
}

/** Says why there are no events on the page. */
const describeNothing = ({ query }: At, isFiltered: boolean): string => {
  if (isFiltered) return 'Nothing matches.'
  return query.has('after') ? 'Nothing that you may read has happened since.' : 'Nothing that you may read happened here.'
}

export const thingHistoryPage = pageFor('GET /history/things/{thing}', {
  also: (body, at) => {
    const [log, moment] = [logAddress(body, at), momentIn(at)]
    const [name, subsite, account] = [thingNameOf(at), subsiteIn(body), accountIn(body, at)]
    const isBeginning = ['after', 'before', ...Object.keys(filters)].every((parameter) => !at.query.has(parameter))
    return {
      first: isBeginning ? undefined : ask('GET /history/things/{thing}', `/history/things/${name}?limit=1`),
      log: log === undefined ? undefined : ask('GET [/s/{sub}]/about/log', log),
      past: isPost(at) && moment !== undefined ? ask('GET /by_id/{names}', `/by_id/${name}?at=${moment}`) : undefined,
      pastAccount:
        account !== undefined && moment !== undefined
          ? ask('GET /user/{username}/about', `/user/${account}/about?at=${moment}`)
          : undefined,
      pastSubsite:
        name.startsWith('t4_') && subsite !== undefined && moment !== undefined
          ? ask('GET /s/{sub}/about', `/s/${subsite}/about?at=${moment}`)
          : undefined,
      things: isPost(at) ? ask('GET [/s/{sub}]/api/info', `/api/info?id=${name}`) : undefined,
    }
  },
  subsiteOf: subsiteIn,
  title: ({ body, also, at }) => `History of ${describeThing(body, also.first, at)}`,
  robots: 'none',
  main: ({ body, also, ...around }) => {
    const { at } = around
    const events = eventsIn(body)
    const logged = new Map((also.log?.data.children ?? []).map(({ data }) => [idOf(data), data]))
    const shown = new Set(events.map(({ n }) => n))
    const [past] = (also.past?.data.children ?? []).map(({ data }) => data).filter(isThen)
    const account = also.pastAccount && isAccountThen(also.pastAccount.data) ? also.pastAccount.data : undefined
    const [thing] = also.things?.data.children ?? []
    const permalink = thing !== undefined && 'permalink' in thing.data ? thing.data.permalink : undefined
    const isFiltered = filtersIn(at, filters).length > 0
    return html`<h1 class="page">History of ${describeThing(body, also.first, at)}</h1>
<p class="meta wide">${describeContent(subsiteIn(body) ?? (also.first && subsiteIn(also.first)), at)}${renderIf(permalink, (address) => html`<a href="${url(address)}">To its page</a>. `)}${renderIf(
      accountIn(body, at),
      (accountName) => html`<a href="${url(`/user/${accountName}`)}">To its page</a>. `,
    )}The file of a proof shows nothing by itself: <a href="/docs/verifying">verify it elsewhere</a>.</p>
${renderLookBack(at)}${renderPast(at, renderIf(past, pastThing) ?? renderIf(also.pastSubsite, pastSubsite) ?? renderIf(account, pastAccount))}
${eventFilters(at)}
${
  events.length === 0
    ? html`<p class="empty">${describeNothing(at, isFiltered)}</p>`
    : listByDay(events, seconds, (event) => eventRow(event, logged, shown))
}${pager(body.data, around)}${body.data.after === null && !isFiltered ? laterEvents(body, at) : undefined}`
  },
})
