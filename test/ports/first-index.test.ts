import test from 'ava'
import fc from 'fast-check'
import { firstIndex, firstIndexAsync } from '../../src/ports/first-index.ts'

test('the first index from which a condition holds is that of a search from the start, with few looks', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.nat(2_000), fc.nat(2_000), async (length, first) => {
      const expected = Math.min(length, first)
      const looks: number[] = []
      t.is(
        firstIndex(length, (n) => looks.push(n) > 0 && n >= first),
        expected,
      )
      t.is(await firstIndexAsync(length, async (n) => n >= first), expected)
      t.true(looks.every((n) => n >= 0 && n < length) && looks.length <= Math.ceil(Math.log2(length + 1)))
    }),
  )
  t.is(
    firstIndex(-1, () => true),
    0,
    'there is nothing to look at',
  )
})
