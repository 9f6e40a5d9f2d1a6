import test from 'ava'
import { svgOf } from '../../../docs/plot.ts'
import { type Plot, plotFigure, type Rows } from '../../../src/http/pages/parts/plot.ts'
import { htmlProblems, unsafeMarkup } from '../../support/browser-requests.ts'
import fc from '../../support/properties.ts'
import { scriptVectors } from '../../support/script-vectors.ts'

const pageWith = (figure: string): string => `<!DOCTYPE html><html lang="en"><head><title>x</title></head><body>${figure}</body></html>`
const numbersIn = (text: string): readonly number[] =>
  [...text.matchAll(/ (?:x|y|width|height|d)="([^"]*)"/g)].flatMap(([, values = '']) => values.match(/-?[\d.]+/g)?.map(Number) ?? [])
const cellsIn = (text: string): readonly string[] => [...text.matchAll(/<td>([^<]*)<\/td>/g)].map(([, cell = '']) => cell)

const day = (number: number): string => new Date(number * 86_400_000).toISOString().slice(0, 10)
const value = fc.oneof(fc.nat(), fc.double({ min: 0, max: 1e9, noNaN: true }))
const rowsOf = (x: fc.Arbitrary<string | number>): fc.Arbitrary<Rows> =>
  fc.array(fc.record({ x, one: value, another_one: value }), { minLength: 1, maxLength: 40 })
const rows = fc.oneof(rowsOf(fc.integer({ min: 0, max: 30_000 }).map(day)), rowsOf(fc.nat(23)), rowsOf(fc.string()))
const plot: fc.Arbitrary<Plot> = fc.record({
  kind: fc.constantFrom('bars', 'lines'),
  x: fc.constant('x'),
  series: fc.constantFrom(['one'], ['one', 'another_one']),
})

test('a plot of any rows stays within its frame, is styled by classes alone, and has every number in its table', async (t) => {
  await fc.assert(
    fc.asyncProperty(rows, plot, async (some, how) => {
      const { text } = plotFigure('Posts', some, how)
      t.notRegex(text, /NaN|Infinity|undefined| style=| fill=| stroke=/)
      t.deepEqual(
        numbersIn(text).filter((number) => !(number >= 0 && number <= 720)),
        [],
      )
      t.deepEqual(
        cellsIn(text),
        some.flatMap((row) => how.series.map((name) => String(row[name as 'one']))),
      )
      t.deepEqual(await htmlProblems(pageWith(text)), [])
      t.notRegex(svgOf(some, how), /NaN|undefined| style=/)
    }),
    { numRuns: 40 },
  )
})

test('texts in a plot never become markup', (t) => {
  for (const text of scriptVectors) {
    const some = [{ [text]: text, one: 1 }]
    const figure = plotFigure(text, some, { kind: 'bars', x: text, series: ['one'] })
    t.deepEqual(unsafeMarkup(pageWith(figure.text)), [], text)
  }
})

test('days that nothing is said of keep their place on the axis', (t) => {
  const some = ['2026-03-01', '2026-03-02', '2026-03-11'].map((x) => ({ x, one: 1 }))
  const { text } = plotFigure('Posts', some, { kind: 'lines', x: 'x', series: ['one'] })
  const [first = 0, , second = 0, , third = 0] = (/d="(M[^"]*)"\/>\n<\/svg>/.exec(text)?.[1] ?? '').match(/[\d.]+/g)?.map(Number) ?? []
  t.is(Math.round((third - second) / (second - first)), 9)
})

test('a plot of nothing says so', (t) => {
  t.true(plotFigure('Posts', [], { kind: 'bars', x: 'day', series: ['posts'] }).text.includes('Nothing to draw yet.'))
})

test('whole numbers have whole ticks, and a plot of few days has no more labels than days beside its ends', (t) => {
  const text = plotFigure(
    'Posts',
    [
      { x: '2026-11-23', one: 0 },
      { x: '2026-11-30', one: 1 },
    ],
    { kind: 'bars', x: 'x', series: ['one'] },
  ).text
  const labels = [...text.matchAll(/<text [^>]*>([^<]+)</g)].map(([, words]) => words)
  t.deepEqual(
    labels.filter((words) => /^[\d.,]+$/.test(words ?? '')),
    ['0', '1'],
  )
  t.true(labels.length <= 6, labels.join(' '))
})
