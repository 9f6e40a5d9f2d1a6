import { type Html, html, renderIf, url } from '../../wire/html.ts'
import { type At, ask, type Body, pageFor, type Wire } from '../page.ts'
import { plotFigure } from '../parts/plot.ts'
import { count, time } from '../parts/time.ts'
import type { Day } from '../subsites/traffic.ts'
import { actsByHour, agreementOfModerators, aroundNewestRule, concentrationOfActivity, growthByWeek, removalsByKind } from './recipes.ts'

type Overview = Body<'GET /history'>

/** Returns the number of events under a signed head: the second line of its note. */
const readTreeSize = (checkpoint: string): number => Number(/^[^\n]*\n(\d{1,15})\n/.exec(checkpoint)?.[1] ?? 0)

const head = ({ checkpoint }: Overview): Html =>
  checkpoint === null
    ? html`<p>Nothing is signed yet: the first head is signed some seconds after the first event.</p>`
    : html`<p>The last signed head covers <b>${count(readTreeSize(checkpoint), 'event')}</b>. If you keep it, you can
prove later that none of them was changed or taken out. <a href="/history/log/checkpoint">The head as a file</a></p>`

const LATEST_EVENTS = 50

/** Returns the number after which the latest signed events begin, where there are earlier ones. */
const latest = ({ checkpoint }: Overview): number | undefined => {
  const size = checkpoint === null ? 0 : readTreeSize(checkpoint)
  return size > LATEST_EVENTS ? size - LATEST_EVENTS - 1 : undefined
}

const keyRow = ({ key, since, endorsement }: Overview['keys'][number]): Html =>
  html`<li class="single"><code>${key}</code> <span class="meta">since ${time(since)}${endorsement === null ? '' : ', signed by the key before it'}</span></li>`

/** Returns the subsite that the page draws, of its form. */
const subsiteAsked = ({ query }: At): string | undefined => {
  const name = (query.get('subsite') ?? '').trim()
  return /^[A-Za-z0-9]\w{1,20}$/.test(name) ? name : undefined
}

const MAX_ACTS = 500
const MAX_POSTS_DRAWN = 100

const subsiteForm = (at: At, popular: readonly Wire<'SubsiteThing'>[]): Html =>
  html`<form class="filters" action="/history"><label>Subsite <input type="text" name="subsite" value="${subsiteAsked(at) ?? ''}" autocomplete="off" size="21" required></label>
<button type="submit" class="button">Draw</button></form>
${popular.length === 0 ? undefined : html`<p class="meta">${popular.map(({ data }) => html`<a href="${url(`/history?subsite=${data.display_name}`)}">${data.display_name}</a> `)}</p>`}`

const card = (content: Html): Html => html`<section class="card">${content}</section>
`

const ofTraffic = (days: readonly Day[]): Html =>
  card(
    plotFigure('How does it grow by the week?', growthByWeek(days), { kind: 'lines', x: 'week', series: ['posts', 'comments', 'votes'] }),
  )

const ofLog = (entries: readonly Wire<'ModAction'>[]): Html =>
  html`${card(plotFigure('What do moderators remove?', removalsByKind(entries), { kind: 'bars', x: 'removed', series: ['as_spam', 'otherwise'] }))}${card(
    plotFigure('Do moderators agree?', agreementOfModerators(entries), {
      kind: 'bars',
      x: 'moderator',
      series: ['removals', 'taken_back', 'undone_by_another'],
    }),
  )}`

const ofRule = (entries: readonly Wire<'ModAction'>[], days: readonly Day[]): Html | undefined =>
  renderIf(aroundNewestRule(entries, days), ({ name, day, rows }) =>
    card(
      html`${plotFigure('What did the newest rule change?', rows, { kind: 'bars', x: 'fortnight', series: ['posts', 'comments', 'removals'] })}
<p class="meta">The rule ‘${name}’ was made on ${day}, the first day of fortnight 0.</p>`,
    ),
  )

/** The answers about a subsite; one is undefined where its reader may not read it. */
type Known = {
  readonly days: readonly Day[] | undefined
  readonly entries: readonly Wire<'ModAction'>[] | undefined
  readonly posts: readonly Wire<'Link'>[] | undefined
  readonly comments: readonly Wire<'Comment'>[] | undefined
}

const ofWritten = ({ entries = [], posts = [], comments = [] }: Known): Html =>
  html`${card(
    plotFigure('When do people write and moderators act, by the hour in UTC?', actsByHour(entries, posts, comments), {
      kind: 'bars',
      x: 'hour',
      series: ['posts', 'comments', 'acts_of_moderators'],
    }),
  )}${card(
    plotFigure('How concentrated is activity?', concentrationOfActivity(posts, comments), {
      kind: 'bars',
      x: 'written',
      series: ['percent_by_top_tenth'],
    }),
  )}`

/** Draws what is known of a subsite, as far as its reader may read it. */
const drawings = (name: string, known: Known): Html => {
  const { days, entries } = known
  return days === undefined && entries === undefined
    ? html`<p class="empty">There is no such subsite, or it is not for you to see.</p>`
    : html`<p class="meta wide">From <a href="${url(`/s/${name}/about/traffic`)}">its traffic</a>, the last ${MAX_ACTS} acts of
<a href="${url(`/s/${name}/about/log`)}">its moderators</a>, and its newest ${MAX_POSTS_DRAWN}
<a href="${url(`/s/${name}/new`)}">posts</a> and <a href="${url(`/s/${name}/comments`)}">comments</a>. Days are those of UTC.</p>
<div class="plots">${renderIf(days, ofTraffic)}${renderIf(entries, ofLog)}${days && entries ? ofRule(entries, days) : undefined}${ofWritten(known)}</div>
<p class="meta wide">An export of the history answers the rest: how long links live, who votes together, whether newcomers stay, how deep threads go, what is posted in several subsites.</p>`
}

const latestLink = (since: number): Html => html`, and <a href="${url(`/history/events?since=${since}`)}">the latest ones</a>`

export const overviewPage = pageFor('GET /history', {
  also: (_, at) => {
    const name = subsiteAsked(at)
    return {
      traffic: name === undefined ? undefined : ask('GET /s/{sub}/about/traffic', `/s/${name}/about/traffic?limit=400`),
      log: name === undefined ? undefined : ask('GET [/s/{sub}]/about/log', `/s/${name}/about/log?limit=${MAX_ACTS}`),
      posts: name === undefined ? undefined : ask('GET [/s/{sub}]/new', `/s/${name}/new?limit=${MAX_POSTS_DRAWN}`),
      comments: name === undefined ? undefined : ask('GET [/s/{sub}]/comments', `/s/${name}/comments?limit=${MAX_POSTS_DRAWN}`),
      popular: ask('GET /subs/{where}', '/subs/popular?limit=10'),
    }
  },
  title: () => 'The whole history',
  main: ({ body, also, at }) => html`<h1 class="page">The whole history</h1>
<div class="text"><div class="md"><p>Everything that ever happened here is an event in one log to which is only added. Each link, comment,
subsite and account has a link <b>history</b> that shows what happened to it: who, when, why, and what followed, as far as you may read it.</p>
${head(body)}
<ul><li><a href="/history/events">All events from the first one</a>${renderIf(latest(body), latestLink)}</li>
<li><a href="/docs/following#the-history">How programs follow it</a></li>
<li><a href="/docs/verifying">How to verify it elsewhere</a></li></ul></div></div>
<h2 class="day">What it tells about a subsite</h2>
${subsiteForm(at, also.popular?.data.children ?? [])}
${renderIf(at.query.get('subsite'), (asked) =>
  drawings(asked, {
    days: also.traffic?.data.children.map(({ data }) => data),
    entries: also.log?.data.children.map(({ data }) => data),
    posts: also.posts?.data.children.map(({ data }) => data),
    comments: also.comments?.data.children.flatMap((child) => (child.kind === 't1' ? [child.data] : [])),
  }),
)}
<h2 class="day">The keys of ${body.origin}</h2>
<ul class="log">${body.keys.map(keyRow)}</ul>
${
  body.previous.length === 0
    ? undefined
    : html`<h2 class="day">Earlier origins</h2><ul class="log">${body.previous.map(
        ({ origin, checkpoint, proved }) =>
          html`<li class="single">${origin}: ${count(readTreeSize(checkpoint), 'event')}${renderIf(!proved, () => html`, which the service cannot prove to be its own`)}</li>`,
      )}</ul>`
}`,
})
