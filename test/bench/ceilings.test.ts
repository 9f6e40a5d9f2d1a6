import test from 'ava'
import fc from 'fast-check'
import { type Load, needsOf, rebuildHours, toCeilings, usualLoad } from '../../bench/ceilings.ts'
import { textOf } from '../support/pages.ts'

const amount = fc.double({ min: 0, max: 5_000, noNaN: true })
const loads = fc.record<Load>({
  votes: amount,
  comments: amount,
  submissions: amount,
  pages: amount,
  streams: fc.nat(1_000_000),
  events: fc.nat(1e10),
})

test('docs/operations.md shows the needs of the usual load as the program prints them', async (t) => {
  t.true((await textOf('docs/operations.md')).includes(toCeilings(usualLoad)))
})

test('docs/operations.md says from how many events on a rebuild takes longer than eight hours', async (t) => {
  const [, sixteen, one] =
    /about ([\d.]+)·10⁹ events on with sixteen workers, if nine in\s+ten are votes, and from ([\d.]+)·10⁸ with one/.exec(
      await textOf('docs/operations.md'),
    ) ?? []
  t.is(Math.round(rebuildHours(Number(sixteen) * 1e9, 16)), 8)
  t.is(Math.round(rebuildHours(Number(one) * 1e8, 1)), 8)
})

test('a site with more events and pages needs no less of anything but streams of a process', (t) => {
  const check = () =>
    fc.assert(
      fc.property(loads, fc.double({ min: 1, max: 10, noNaN: true }), (load, factor) => {
        const larger = Object.fromEntries(Object.entries(load).map(([name, value]) => [name, value * factor])) as Load
        const [before, after] = [needsOf(load), needsOf(larger)]
        return before.every(({ resource, need }, n) => resource.startsWith('event streams') || (after[n]?.need ?? 0) >= need)
      }),
    )
  t.notThrows(check)
})

test('workers that do nothing but read need more than any number of them can give', (t) => {
  const workers = needsOf({ ...usualLoad, comments: 20_000 }).find(({ resource }) => resource === 'workers')
  t.is(workers?.need, Infinity)
  t.regex(toCeilings({ ...usualLoad, comments: 20_000 }), /\| workers +\| no end /)
})
