import { html } from '../../wire/html.ts'
import { pageFor } from '../page.ts'
import { plotFigure } from '../parts/plot.ts'
import { choices, pager } from '../parts/rows.ts'
import { sidebar } from '../parts/sidebar.ts'
import { keepTabs } from '../parts/subsites.ts'

const spans = ['25', '100', '400']

export const trafficPage = pageFor('GET /s/{sub}/about/traffic', {
  title: ({ at }) => `Traffic of ${at.sub ?? ''}`,
  aside: (shown) => sidebar(shown),
  main: (shown) => {
    const { at, body } = shown
    const days = body.data.children.map(({ data }) => data).toReversed()
    return html`${keepTabs(shown, 'traffic', 'Traffic')}
${choices(
  'Days',
  spans.map((value) => ({ value, to: `${at.path}?limit=${value}`, words: `${value} days` })),
  at.query.get('limit') ?? '25',
)}
<p class="meta wide">Days are those of UTC; one on which nothing happened is left out. Nobody counts visitors.</p>
<section class="card">${plotFigure('What was done', days, { kind: 'lines', x: 'day', series: ['posts', 'comments', 'votes', 'removals'] })}</section>
<section class="card">${plotFigure('Subscribers', days, { kind: 'lines', x: 'day', series: ['subscribers'] })}</section>
<section class="card">${plotFigure('Subscriptions', days, { kind: 'bars', x: 'day', series: ['subscribed', 'unsubscribed'] })}</section>
${pager(body.data, shown)}`
  },
})
