import test from 'ava'
import { projections } from '../../../projections/all.ts'
import { eventDefinitions } from '../../../src/domain/events.ts'

/** Events that no read model is made from, and why. */
const unread: Readonly<Record<string, string>> = {
  UsernameClaimed: 'the claim is read on its own stream',
  AdminGranted: 'the configuration decides; the audit reads it in the log',
  AdminRevoked: 'the configuration decides; the audit reads it in the log',
  SubsiteNameClaimed: 'the claim is read on its own stream',
  MessageErased: 'AccountTextsErased, which follows it, names the documents',
  InboxCleared: 'each entry that it marks as read has an event of its own',
}

test('every event changes a read model, or the reason why none is listed', (t) => {
  t.deepEqual(
    [...eventDefinitions.keys()].filter((type) => !projections.some(({ on }) => type in on)),
    Object.keys(unread),
    'add it to a projection, or to `unread` here',
  )
})

/** Events of aggregates that a read model follows without reading them, and why. */
const unshown: Readonly<Record<string, string>> = {
  UsernameClaimed: 'the account is registered after it',
  SubsiteNameClaimed: 'the subsite is founded after it',
  AccountTextsErased: 'says how far an erasure is; the texts are in other read models',
}

test('a read model that follows an aggregate reads each event that changes what is shown of it', (t) => {
  const missed = projections.flatMap(({ collection: { name }, on, follows = [] }) =>
    follows.flatMap((aggregate) =>
      Object.keys(aggregate.on)
        .filter((type) => !(type in on) && !(type in unshown))
        .map((type) => `${name}: ${type}`),
    ),
  )
  t.deepEqual(missed, [], 'add it to that projection, or to `unshown` here')
})

test('at most one read model follows an aggregate', (t) => {
  const followed = projections.flatMap(({ follows = [] }) => follows.map(({ category }) => category))
  t.is(new Set(followed).size, followed.length)
})

test('no two projections share a collection', (t) => {
  const names = projections.map(({ collection: { name } }) => name)
  t.is(new Set(names).size, names.length)
})
