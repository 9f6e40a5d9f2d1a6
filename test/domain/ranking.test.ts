import test from 'ava'
import { bucketsOf, confidence, funRank, hotRank, qaRank, scoreOf } from '../../src/domain/ranking.ts'
import fc from '../support/properties.ts'

const tally = fc.record({ ups: fc.nat(100_000), downs: fc.nat(100_000) })

test('an insightful vote is worth two, a funny one one', (t) => {
  t.is(scoreOf({ ups: 3, downs: 4 }), 10)
})

test('hot adds the magnitude of the score to the age, rounded to seven decimals', (t) => {
  const created = Date.UTC(2026, 2, 1)
  const age = (created / 1000 - 1_134_028_003) / 45_000
  t.is(hotRank(0, created), Math.round(age * 1e7) / 1e7)
  t.is(hotRank(1, created), hotRank(0, created))
  t.is(hotRank(100, created), Math.round((age + 2) * 1e7) / 1e7)
})

test('in hot ten times the score outweighs twelve and a half hours of age', (t) => {
  const created = Date.UTC(2026, 2, 1)
  t.is(hotRank(10, created), hotRank(1, created + 45_000_000))
})

test('fun counts funny votes and breaks ties by the insightful share', (t) => {
  t.is(funRank({ ups: 5, downs: 0 }), 0)
  t.is(funRank({ ups: 0, downs: 2 }), 2)
  t.is(funRank({ ups: 2, downs: 2 }), 2.5)
})

test('fun never lets ties outweigh a funny vote', (t) => {
  fc.assert(
    fc.property(tally, fc.nat(100_000), ({ ups, downs }, other) => funRank({ ups, downs }) <= funRank({ ups: other, downs: downs + 1 })),
  )
  t.pass()
})

test('confidence is the lower bound of the 80 % Wilson interval', (t) => {
  t.is(confidence({ ups: 0, downs: 0 }), 0)
  // One vote of one: 1 / (1 + z²).
  t.true(Math.abs(confidence({ ups: 1, downs: 0 }) - 1 / (1 + 1.281551565545 ** 2)) < 1e-12)
  t.true(Math.abs(confidence({ ups: 80, downs: 20 }) - 0.743_8) < 1e-3)
})

test('confidence lies between nothing and the plain share, and funny votes lower it', (t) => {
  fc.assert(
    fc.property(tally, ({ ups, downs }) => {
      const value = confidence({ ups, downs })
      const share = ups + downs === 0 ? 0 : ups / (ups + downs)
      return (
        value >= -1e-12 &&
        value <= share + 1e-12 &&
        confidence({ ups: ups + 1, downs: downs + 1 }) >= confidence({ ups: ups + 1, downs: downs + 2 })
      )
    }),
  )
  t.pass()
})

test('qa adds the score of the best reply by the link author and the lengths of both comments', (t) => {
  const question = { ups: 10, downs: 0, length: 60 }
  const answer = { ups: 5, downs: 0, length: 40 }
  t.is(qaRank(question, answer, false), confidence(question) + confidence(answer) + Math.log10(100) / 5)
  t.is(qaRank(question, undefined, false), confidence(question) + Math.log10(61) / 5)
})

test('qa doubles a comment by the link author until the link author replies to it', (t) => {
  const own = { ups: 10, downs: 0, length: 60 }
  t.is(qaRank(own, undefined, true), 2 * qaRank(own, undefined, false))
  t.is(qaRank(own, own, true), qaRank(own, own, false))
})

test('buckets number the hours, days and months of UTC', (t) => {
  t.deepEqual(bucketsOf(0), { hour: 0, day: 0, month: 1970 * 12 })
  const lastOfYear = bucketsOf(Date.UTC(2026, 11, 31, 23, 59, 59, 999))
  const firstOfNext = bucketsOf(Date.UTC(2027, 0, 1))
  t.deepEqual(firstOfNext, { hour: lastOfYear.hour + 1, day: lastOfYear.day + 1, month: lastOfYear.month + 1 })
})
