/** A value of each row, by the names of columns. */
export type Rows = readonly Readonly<Record<string, string | number>>[]

export type Plot = { readonly kind: 'bars' | 'lines'; readonly x: string; readonly series: readonly string[] }

const [WIDTH, HEIGHT, LEFT, TOP, BOTTOM] = [720, 280, 48, 28, 44]
const COLOURS = ['#2f6fab', '#d9822b', '#4f9d4f', '#9a5fb5']
const CHARACTER_WIDTH = 8
const TICKS = 4

const text = (x: number, y: number, anchor: string, words: string) => `<text x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`

const round = (value: number) => Math.round(value * 10) / 10

/** The least number of one digit and zeros, or one and a half, that is no less. */
const ceiling = (value: number): number => {
  const unit = 10 ** Math.floor(Math.log10(value || 1))
  return ([1, 1.5, 2, 3, 4, 6, 8, 10].find((factor) => factor * unit >= value) ?? 10) * unit
}

/** Rows as a picture: one column along, others upwards. */
export const svgOf = (rows: Rows, { kind, x, series }: Plot): string => {
  const most = ceiling(Math.max(...rows.flatMap((row) => series.map((name) => Number(row[name])))))
  const [across, up] = [WIDTH - LEFT - 12, HEIGHT - TOP - BOTTOM]
  const step = across / rows.length
  const y = (value: number) => round(TOP + up * (1 - value / most))
  const middle = (index: number) => round(LEFT + step * (index + 0.5))
  const ticks = Array.from({ length: TICKS + 1 }, (_, tick) => round(((most * tick) / TICKS) * 100) / 100)
  const grid = ticks.map((tick) => {
    const line = `<line x1="${LEFT}" x2="${WIDTH - 12}" y1="${y(tick)}" y2="${y(tick)}" stroke="#ccc"/>`
    return `${line}${text(LEFT - 6, y(tick) + 4, 'end', String(tick))}`
  })
  const longest = Math.max(...rows.map((row) => String(row[x]).length)) + 1
  const every = Math.ceil((longest * CHARACTER_WIDTH) / step)
  const labels = rows.flatMap((row, index) =>
    index % every === 0 ? [text(middle(index), HEIGHT - BOTTOM + 18, 'middle', String(row[x]))] : [],
  )
  const width = round((step * 0.8) / series.length)
  const drawn = series.map((name, at) => {
    const colour = COLOURS[at % COLOURS.length]
    if (kind === 'lines')
      return `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${rows.map((row, index) => `${middle(index)},${y(Number(row[name]))}`).join(' ')}"/>`
    return rows
      .map((row, index) => {
        const value = y(Number(row[name]))
        return `<rect x="${round(LEFT + step * (index + 0.1) + width * at)}" y="${value}" width="${width}" height="${round(TOP + up - value)}" fill="${colour}"/>`
      })
      .join('')
  })
  const legend = series.map((name, at) => {
    const from = LEFT + at * 140
    return `<rect x="${from}" y="8" width="10" height="10" fill="${COLOURS[at % COLOURS.length]}"/>${text(from + 15, 17, 'start', name.replaceAll('_', ' '))}`
  })
  const axis = text(LEFT + across / 2, HEIGHT - 8, 'middle', x.replaceAll('_', ' '))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12" fill="#333">`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    ...grid,
    ...labels,
    ...drawn,
    ...legend,
    axis,
    '</svg>\n',
  ].join('\n')
}
