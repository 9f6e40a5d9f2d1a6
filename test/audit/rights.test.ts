import test from 'ava'
import { rights } from '../../src/audit/rules/rights.ts'
import { eventDefinitions } from '../../src/domain/events.ts'

test('the audit knows of every event who may record it', (t) => {
  t.deepEqual(Object.keys(rights).toSorted(), [...eventDefinitions.keys()].toSorted(), 'add it to src/audit/rules/rights.ts')
  t.deepEqual(
    Object.entries(rights).filter(
      ([, { user, moderator, admin, service, onlyFollows }]) => !(user || moderator || admin || service || onlyFollows),
    ),
    [],
    'somebody has to record it',
  )
})
