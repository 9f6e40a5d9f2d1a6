import test from 'ava'
import { base36 } from '../../src/domain/base36.ts'
import fc from '../support/properties.ts'

test('ids are written in base 36 as Number.prototype.toString does', (t) => {
  fc.assert(
    fc.property(fc.oneof(fc.nat(), fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER })), (number) => {
      t.is(base36(number), number.toString(36))
    }),
    { numRuns: 2000 },
  )
  for (const number of [0, 35, 36, 1295, 1296, 46_655, 46_656, Number.MAX_SAFE_INTEGER]) t.is(base36(number), number.toString(36))
})
