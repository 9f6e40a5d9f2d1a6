import test from 'ava'
import { excerptOf } from '../../src/domain/target.ts'

test('an excerpt is the first 500 characters of a text', (t) => {
  t.is(excerptOf('tea'), 'tea')
  t.is(excerptOf('t'.repeat(600)), 't'.repeat(500))
})

test('an excerpt never ends in half a surrogate pair', (t) => {
  t.is(excerptOf(`${'t'.repeat(499)}🍵 and more`), 't'.repeat(499))
  t.is(excerptOf(`${'t'.repeat(498)}🍵 and more`), `${'t'.repeat(498)}🍵`)
  t.true(excerptOf('🍵'.repeat(400)).isWellFormed())
})
