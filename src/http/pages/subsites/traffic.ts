import { html } from '../../wire/html.ts'
import { type Body, pageFor } from '../page.ts'
import { plotFigure } from '../parts/plot.ts'
import { choices, pager } from '../parts/rows.ts'
import { sidebar } from '../parts/sidebar.ts'
import { moderationTabs } from '../parts/subsites.ts'
import { DAY_MS, date } from '../parts/time.ts'

export type Day = Body<'GET /s/{sub}/about/traffic'>['data']['children'][number]['data']

const quietDay = (ms: number, { subscribers }: Day): Day => ({
  day: date(ms / 1000),
  posts: 0,
  comments: 0,
  votes: 0,
  removals: 0,
  subscribed: 0,
  unsubscribed: 0,
  subscribers,
})

/** Adds the first and the last day of each run of quiet days, so that lines fall to zero there. */
export const withQuietDays = (days: readonly Day[]): readonly Day[] =>
  days.flatMap((day, n) => {
    const next = days[n + 1]
    if (!next) return [day]
    const [first, last] = [Date.parse(day.day) + DAY_MS, Date.parse(next.day) - DAY_MS]
    return [day, ...[...new Set(first <= last ? [first, last] : [])].map((ms) => quietDay(ms, day))]
  })

/** Names the first and the last of the days that a page shows. */
const spanOf = (days: readonly Day[]): string => {
  const [first, last] = [days[0], days.at(-1)]
  return first && last ? `; these are from ${first.day} to ${last.day}` : ''
}

const spans = ['25', '100', '400']

export const trafficPage = pageFor('GET /s/{sub}/about/traffic', {
  title: ({ at }) => `Traffic of ${at.sub ?? ''}`,
  aside: (shown) => sidebar(shown),
  main: (shown) => {
    const { at, body } = shown
    const days = withQuietDays(body.data.children.map(({ data }) => data).toReversed())
    return html`${moderationTabs(shown, 'traffic', 'Traffic')}
${choices(
  'Days',
  spans.map((value) => ({ value, to: `${at.path}?limit=${value}`, words: `${value} active days` })),
  at.query.get('limit') ?? '25',
)}
<p class="meta wide">A day, of UTC, is active if something happened on it${spanOf(days)}. Of a run of quiet days between them the numbers have the first and the last. Nobody counts visitors.</p>
<div class="plots"><section class="card">${plotFigure('What was done', days, { kind: 'lines', x: 'day', series: ['posts', 'comments', 'votes', 'removals'] })}</section>
<section class="card">${plotFigure('Subscribers', days, { kind: 'lines', x: 'day', series: ['subscribers'] })}</section>
<section class="card">${plotFigure('Subscriptions', days, { kind: 'bars', x: 'day', series: ['subscribed', 'unsubscribed'] })}</section></div>
${pager(body.data, shown)}`
  },
})
