import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { mergeLines, tableOf } from '../../src/http/endpoints/wiki/line-merge.ts'
import { compareTexts, mergeTexts } from '../../src/http/endpoints/wiki/merge.ts'
import fc from '../support/properties.ts'

const line = fc.constantFrom('', 'one', 'two', 'three', '<b>&')
const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join('\n'))

test('a change on one side is kept, and the same change on both sides is made once', (t) => {
  fc.assert(
    fc.property(text, text, (base, mine) => {
      t.is(mergeLines({ base, theirs: base, mine }).text, mine)
      t.is(mergeLines({ base, theirs: mine, mine: base }).text, mine)
      t.is(mergeLines({ base, theirs: mine, mine }).text, mine)
    }),
  )
})

test('changes of different lines are merged; changes of the same lines conflict', (t) => {
  fc.assert(
    fc.property(fc.integer({ min: 3, max: 30 }), fc.nat(), fc.nat(), (length, a, b) => {
      const lines = Array.from({ length }, (_, n) => `line ${n}`)
      const at = (n: number, words: string) => lines.with(n, words).join('\n')
      const [first, second] = [a % length, b % length]
      const { text: both } = mergeLines({ base: lines.join('\n'), theirs: at(first, 'theirs'), mine: at(second, 'mine') })
      if (Math.abs(first - second) > 1) t.is(both, lines.with(first, 'theirs').with(second, 'mine').join('\n'))
      if (first === second) t.is(both, undefined)
    }),
  )
})

test('a table of differences contains no markup of users and is limited in length', (t) => {
  t.is(
    tableOf({ before: 'a\n<script>', after: 'a\n"b"' }),
    '<table class="diff"><tr class="diff_same"><td></td><td>a</td></tr><tr class="diff_gone"><td>-</td><td>&lt;script&gt;</td></tr><tr class="diff_new"><td>+</td><td>&quot;b&quot;</td></tr></table>',
  )
  const many = tableOf({ before: '', after: 'x\n'.repeat(5_000) })
  t.true(many.length < 700_000)
  t.regex(many, /too long to be shown/)
  t.true(tableOf({ before: '', after: '&'.repeat(262_144) }).length < 1_000)
})

test('merging and comparing stop after a time limit and delay no other texts', async (t) => {
  const [a, b] = ['a\n'.repeat(60_000), 'a\nb\n'.repeat(40_000)]
  const started = performance.now()
  t.deepEqual(await mergeTexts(`x\n${a}y`, `z\n${b}y`, `w\n${a}v`), E.right(undefined))
  const compared = await compareTexts(`x\n${a}y`, `z\n${b}v`, 'viewer')
  t.true(E.isLeft(compared) && compared.left.code === 'TOO_COMPLEX')
  t.true(performance.now() - started < 20_000)
  t.deepEqual(await mergeTexts('a\nb\nc', 'A\nb\nc', 'a\nb\nC'), E.right('A\nb\nC'))
})
