import { drawPlot, type Plot, plotSize, type Rows } from '../src/http/pages/parts/plot.ts'
import { html } from '../src/http/wire/html.ts'

const LEGEND = 26
const AXIS = 24

/** The colours of a picture that stands alone, as the style sheet of the pages has them. */
const colours = html`<style>
text { font: 14px sans-serif; fill: #59637a; }
.paper { fill: #fff; } .grid { stroke: #d8dde6; }
.line { fill: none; stroke-width: 2.5; }
.bar.s1, .key.s1 { fill: #1a5a94; } .bar.s2, .key.s2 { fill: #c77700; } .bar.s3, .key.s3 { fill: #0b6e5f; } .bar.s4, .key.s4 { fill: #6a4a8c; }
.line.s1 { stroke: #1a5a94; } .line.s2 { stroke: #c77700; stroke-dasharray: 7 4; } .line.s3 { stroke: #0b6e5f; stroke-dasharray: 2 3; } .line.s4 { stroke: #6a4a8c; stroke-dasharray: 9 3 2 3; }
@media (prefers-color-scheme: dark) {
  text { fill: #a2adc1; } .paper { fill: #1a2029; } .grid { stroke: #36404f; }
  .bar.s1, .key.s1 { fill: #84bff3; } .bar.s2, .key.s2 { fill: #f0bd6c; } .bar.s3, .key.s3 { fill: #6fd3bf; } .bar.s4, .key.s4 { fill: #c3a6e6; }
  .line.s1 { stroke: #84bff3; } .line.s2 { stroke: #f0bd6c; } .line.s3 { stroke: #6fd3bf; } .line.s4 { stroke: #c3a6e6; }
}
</style>`

const words = (column: string): string => column.replaceAll('_', ' ')

/** Rows as a picture of its own: the drawing of the pages with its colours, a legend, and the name of the axis. */
export const svgOf = (rows: Rows, plot: Plot): string => {
  const { width, height } = plotSize
  return html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${LEGEND + height + AXIS}">
${colours}
<rect class="paper" width="${width}" height="${LEGEND + height + AXIS}"/>
${plot.series.map(
  (
    name,
    at,
  ) => html`<rect class="key s${at + 1}" x="${76 + at * 150}" y="9" width="11" height="11"/><text x="${93 + at * 150}" y="19">${words(name)}</text>
`,
)}<g transform="translate(0 ${LEGEND})">
${drawPlot(rows, plot)}</g>
<text x="${width / 2}" y="${LEGEND + height + 10}" text-anchor="middle">${words(plot.x)}</text>
</svg>
`.text
}
