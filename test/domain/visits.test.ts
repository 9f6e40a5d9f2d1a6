import test from 'ava'
import { listVisited, MAX_VISITED_LINKS, VISIT_LIFETIME_MS, type Visits, visit } from '../../src/domain/visits.ts'

const NOW = 1_771_000_000_000
const links = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `t5_${(from + n).toString(36)}`)

test('a link counts as visited for seven days after its latest visit', (t) => {
  const first = visit([], ['t5_1', 't5_2'], NOW)
  const again = visit(first, ['t5_1'], NOW + 1_000)
  t.deepEqual([...listVisited(again, NOW + VISIT_LIFETIME_MS - 1)], ['t5_1', 't5_2'])
  t.deepEqual([...listVisited(again, NOW + VISIT_LIFETIME_MS)], ['t5_1'])
  t.deepEqual([...listVisited(again, NOW + VISIT_LIFETIME_MS + 1_000)], [])
})

test('the latest thousand visits are kept, one a link, without expired ones', (t) => {
  let visits: Visits = []
  for (let n = 0; n < MAX_VISITED_LINKS + 200; n += 100) visits = visit(visits, links(100, n), NOW + n)
  t.is(visits.length, MAX_VISITED_LINKS)
  const kept = listVisited(visits, NOW)
  t.true(links(MAX_VISITED_LINKS, 200).every((link) => kept.has(link)))
  t.is(visit(visits, links(100, 300), NOW + 2_000).length, MAX_VISITED_LINKS)
  t.deepEqual(visit(visits, ['t5_zzz'], NOW + 2 * VISIT_LIFETIME_MS).length, 1)
})
