import test from 'ava'
import { seenIds } from '../../../projections/engine/seen-ids.ts'

const ids = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, n) => `t2_${(from + n).toString(36)}.t5_${((from + n) * 7_919).toString(36)}`)

test('a filter contains every id added, for its collection only', (t) => {
  const { see } = seenIds()
  for (const id of ids(0, 50_000)) see('votes', id)
  t.true(ids(0, 50_000).every((id) => see('votes', id)))
  t.false(see('links', ids(0, 1)[0] ?? ''))
})

test('a filter rarely contains an id that was not added', (t) => {
  const { see } = seenIds()
  for (const id of ids(0, 200_000)) see('votes', id)
  const mistaken = ids(200_000, 300_000).filter((id) => see('votes', id))
  t.true(mistaken.length < 20, `${mistaken.length} of 100,000`)
})
