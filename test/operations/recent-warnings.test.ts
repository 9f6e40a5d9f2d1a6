import test from 'ava'
import { recentWarnings, rememberWarning } from '../../src/operations/recent-warnings.ts'

const WARN = 40

test.serial('warnings are remembered with the words of their errors, up to a length and a number', (t) => {
  rememberWarning(30, ['all is well'])
  t.deepEqual(recentWarnings(), [])
  rememberWarning(WARN, ['a line alone'], 1)
  rememberWarning(50, [{ err: new Error('it is cold') }, 'no kettle'], 2)
  rememberWarning(60, [new Error('it is cold')], 3)
  rememberWarning(WARN, [{ store: 'log' }, 'x'.repeat(1_000)], 4)
  t.deepEqual(recentWarnings(), [
    { at: 4, level: 'warn', message: 'x'.repeat(500) },
    { at: 3, level: 'fatal', message: 'it is cold' },
    { at: 2, level: 'error', message: 'no kettle: it is cold' },
    { at: 1, level: 'warn', message: 'a line alone' },
  ])
  for (let n = 0; n < 200; n += 1) rememberWarning(WARN, [`line ${n}`], n)
  t.is(recentWarnings().length, 50)
  t.is(recentWarnings()[0]?.message, 'line 199')
})
