import { globSync } from 'node:fs'
import test from 'ava'
import canonicalize from 'canonicalize'
import { projections } from '../../../projections/all.ts'
import { eventDefinitions } from '../../../src/domain/events.ts'
import { documentChanges } from '../../support/document-changes.ts'
import { everyEvent } from '../../support/every-event/every-event.ts'

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
    'add it to a projection, or to `unread` here',
  )
})

/** Without them the documents would be the same in every history, and why. */
const changeless = ['text_places: UserFlairSwitched'] // the flair was given before, with its text

test('every event that a read model reads changes one of its documents in the history, which the audit recounts', (t) => {
  const changed = new Set<string>()
  for (const { event, projection, before, after } of documentChanges(projections, everyEvent))
    if (canonicalize(before ?? null) !== canonicalize(after ?? null)) changed.add(`${projection.collection.name}: ${event.type}`)
  t.deepEqual(
    projections.flatMap(({ collection: { name }, on }) =>
      Object.keys(on).flatMap((type) => (changed.has(`${name}: ${type}`) ? [] : [`${name}: ${type}`])),
    ),
    changeless,
    'let it happen in test/support/every-event, to a document that it changes',
  )
})

/** Aggregates that no read model follows, since no page that is cached is made from their state. */
const unfollowed = [
  ...[
    'admins',
    'audience',
    'avoidance',
    'comment',
    'contact',
    'credits',
    'flair',
    'flairtemplates',
    'images',
    'inbox',
    'link',
    'linkflair',
    'mailbox',
  ],
  ...['message', 'preferences', 'report', 'rules', 'shelf', 'stickies', 'stickycomment', 'stylesheet', 'vote', 'wikirevision'],
]

test('a read model follows every aggregate that pages which are cached are made from', async (t) => {
  const modules = await Promise.all(
    globSync('src/domain/*.ts').map((file): Promise<object> => import(new URL(`../../../${file}`, import.meta.url).href)),
  )
  const aggregates = modules.flatMap((module) =>
    Object.values(module).flatMap((one) =>
      typeof one?.category === 'string' && typeof one.on === 'object' ? [one.category as string] : [],
    ),
  )
  const followed = new Set(projections.flatMap(({ follows = [] }) => follows.map(({ category }) => category)))
  t.deepEqual(
    aggregates.filter((category) => !followed.has(category)).toSorted(),
    unfollowed,
    'name it in `follows` of the projection whose documents change with its every event, or add it to `unfollowed` here',
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
