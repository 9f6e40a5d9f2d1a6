import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale'
import { line } from 'd3-shape'
import { Html, html } from '../../wire/html.ts'
import { DAY_MS } from './time.ts'

/** A value of each row, by the names of columns. */
export type Rows = readonly Readonly<Record<string, string | number>>[]

/** The way that rows are drawn: one column along, others upwards. A column of days is an axis of time. */
export type Plot = { readonly kind: 'bars' | 'lines'; readonly x: string; readonly series: readonly string[] }

const WIDTH = 720
const HEIGHT = 260
const [LEFT, RIGHT, TOP, BOTTOM] = [76, 708, 14, 224]
/** The width of a character on a phone, where the letters of a plot are twice as large. */
const CHARACTER_WIDTH = 13
const TICKS = 4
const MAX_X_TICKS = 5

export const plotSize = { width: WIDTH, height: HEIGHT }

const round = (value: number) => Math.round(value * 10) / 10
const isDay = (value: string | number | undefined): boolean => /^\d{4}-\d\d-\d\d$/.test(String(value))

type Label = { readonly at: number; readonly words: string }
/** An axis along: the middle of each row, the width of its bars, and the labels. */
type Axis = { readonly middle: (index: number) => number; readonly width: number; readonly labels: readonly Label[] }

const timeAxis = (days: readonly number[]): Axis => {
  const [first = 0, last = 0] = [Math.min(...days), Math.max(...days)]
  const gaps = days.toSorted((one, other) => one - other).flatMap((day, at, all) => (at === 0 ? [] : [day - (all[at - 1] ?? day)]))
  const gap = Math.min(...gaps.filter((length) => length > 0), last - first || DAY_MS)
  const scale = scaleUtc([first - gap / 2, last + gap / 2], [LEFT, RIGHT])
  const name = scale.tickFormat(MAX_X_TICKS)
  const labels = scale.ticks(Math.min(MAX_X_TICKS, days.length)).map((tick) => ({ at: round(scale(tick)), words: name(tick) }))
  return { middle: (index) => round(scale(days[index] ?? first)), width: scale(first + gap) - scale(first), labels }
}

const groupAxis = (names: readonly string[]): Axis => {
  const scale = scaleBand(names.keys(), [LEFT, RIGHT])
  const middle = (index: number) => round((scale(index) ?? LEFT) + scale.bandwidth() / 2)
  const longest = Math.max(...names.map(({ length }) => length)) + 1
  const every = Math.ceil((longest * CHARACTER_WIDTH) / scale.bandwidth())
  return { middle, width: scale.bandwidth(), labels: names.flatMap((words, at) => (at % every === 0 ? [{ at: middle(at), words }] : [])) }
}

const drawRows = (rows: Rows, { kind, x, series }: Plot): Html => {
  const names = rows.map((row) => row[x])
  const { middle, width, labels } = names.every(isDay)
    ? timeAxis(names.map((name) => Date.parse(String(name))))
    : groupAxis(names.map(String))
  const valueIn = (row: Rows[number], name: string) => Number(row[name] ?? 0)
  const values = rows.flatMap((row) => series.map((name) => valueIn(row, name)))
  const up = scaleLinear([0, Math.max(...values) || 1], [BOTTOM, TOP]).nice(TICKS)
  const y = (value: number) => round(up(value))
  const isWhole = values.every(Number.isInteger)
  const name = isWhole ? up.tickFormat(TICKS, ',d') : up.tickFormat(TICKS)
  const ticks = up.ticks(TICKS).filter((tick) => !isWhole || Number.isInteger(tick))
  const barWidth = round((width * 0.8) / series.length)
  const drawn = series.map((column, at) => {
    const number = at + 1
    if (kind === 'lines') {
      const path = line<Rows[number]>()
        .x((_, index) => middle(index))
        .y((row) => y(valueIn(row, column)))
      return html`<path class="line s${number}" d="${path(rows as Rows[number][]) ?? ''}"/>
`
    }
    const bars = rows.map((row, index) => {
      const top = y(valueIn(row, column))
      const from = round(middle(index) + barWidth * (at - series.length / 2))
      return html`<rect x="${from}" y="${top}" width="${barWidth}" height="${round(BOTTOM - top)}"/>`
    })
    return html`<g class="bar s${number}">${bars}</g>
`
  })
  return html`${ticks.map(
    (
      tick,
    ) => html`<path class="grid" d="M${LEFT},${y(tick)}H${RIGHT}"/><text x="${LEFT - 6}" y="${y(tick) + 5}" text-anchor="end">${name(tick)}</text>
`,
  )}${labels.map(
    ({ at, words }) => html`<text x="${at}" y="${BOTTOM + 24}" text-anchor="middle">${words}</text>
`,
  )}${drawn}`
}

/** Draws rows, of which there may be none. All colours come from the classes. */
export const drawPlot = (rows: Rows, plot: Plot): Html => (rows.length === 0 ? new Html('') : drawRows(rows, plot))

const words = (column: string): string => column.replaceAll('_', ' ')

/** Renders a figure: the caption with the names of the series, the drawing, and its numbers as a table. */
export const plotFigure = (caption: string, rows: Rows, plot: Plot): Html => {
  if (rows.length === 0)
    return html`<figure class="plot"><figcaption>${caption}</figcaption><p class="empty">Nothing to draw yet.</p></figure>`
  const { x, series } = plot
  const columns = [x, ...series]
  return html`<figure class="plot"><figcaption>${caption}${series.map((name, at) => html` <span class="key s${at + 1}">${words(name)}</span>`)}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${caption}, by ${words(x)}; the table has the numbers">
${drawPlot(rows, plot)}</svg>
<details class="changes"><summary>the numbers</summary><table><thead><tr>${columns.map((name) => html`<th scope="col">${words(name)}</th>`)}</tr></thead><tbody>${rows.map(
    (row) => html`<tr><th scope="row">${String(row[x] ?? '')}</th>${series.map((name) => html`<td>${String(row[name] ?? '')}</td>`)}</tr>`,
  )}</tbody></table></details></figure>`
}
