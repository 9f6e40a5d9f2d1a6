import test from 'ava'
import { projections } from '../../../projections/all.ts'
import { eventDefinitions } from '../../../src/domain/events.ts'

/** Events that no read model is made from, and why. */
const unread: Readonly<Record<string, string>> = {
  UsernameClaimed: 'the claim is read on its own stream',
  SubsiteNameClaimed: 'the claim is read on its own stream',
  InboxCleared: 'each entry that it marks as read has an event of its own',
}

test('every event changes a read model, or the reason why none is listed', (t) => {
  t.deepEqual(
    [...eventDefinitions.keys()].filter((type) => !projections.some(({ on }) => type in on)),
    Object.keys(unread),
  )
})

test('no two projections share a collection', (t) => {
  const names = projections.map(({ collection: { name } }) => name)
  t.is(new Set(names).size, names.length)
})
