import test from 'ava'
import { askToWait } from '../../src/limits/wait-refusal.ts'

const waits: readonly (readonly [milliseconds: number, words: string])[] = [
  [1, '1 second'],
  [1_001, '2 seconds'],
  [59_000, '59 seconds'],
  [59_001, '1 minute'],
  [60_000, '1 minute'],
  [60_001, '2 minutes'],
  [600_000, '10 minutes'],
]

test('a wait is a number and its unit, which clients find by their expressions', (t) => {
  for (const [milliseconds, words] of waits) {
    const { text = '', extra } = askToWait(milliseconds)
    t.is(text, `you are doing that too much. try again in ${words}.`)
    t.deepEqual(/(\d+) (millisecond|minute|second)/.exec(text)?.slice(1), words.replace(/s$/, '').split(' '))
    t.is(extra?.ratelimit, milliseconds / 1000)
  }
})
