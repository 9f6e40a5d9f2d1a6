import test from 'ava'
import { projections } from '../../../projections/all.ts'
import { eventDefinitions } from '../../../src/domain/events.ts'

/** Which read models an event reaches. A new event must be entered here, and one that nobody reads must say why. */
const readers: { readonly [event: string]: readonly string[] } = {
  AccountRegistered: ['accounts'],
  UsernameClaimed: [], // the claim is read on its own stream
  SubsiteCreated: ['snapshots', 'subsites'],
  SubsiteSettingChanged: ['mod_log', 'snapshots', 'subsites'],
  SubsiteNameClaimed: [], // the claim is read on its own stream
  ModeratorAdded: ['mod_log', 'relations', 'snapshots'],
  ModeratorInvited: ['mod_log', 'relations', 'snapshots'],
  ModeratorInvitationWithdrawn: ['mod_log', 'relations', 'snapshots'],
  ModeratorInvitationAccepted: ['mod_log', 'relations', 'snapshots'],
  ModeratorPermissionsChanged: ['mod_log', 'relations', 'snapshots'],
  ModeratorRemoved: ['mod_log', 'relations', 'snapshots'],
  LinkStickied: ['links', 'mod_log', 'snapshots', 'stickies'],
  LinkUnstickied: ['links', 'mod_log', 'snapshots', 'stickies'],
  UserBanned: ['mod_log', 'relations', 'timers'],
  BanChanged: ['mod_log', 'relations', 'timers'],
  BanNoteChanged: ['mod_log', 'relations'],
  UserUnbanned: ['mod_log', 'relations', 'timers'],
  BanExpired: ['mod_log', 'relations', 'timers'],
  ContributorAdded: ['mod_log', 'relations'],
  ContributorRemoved: ['mod_log', 'relations'],
  Friended: ['contacts'],
  FriendNoteChanged: ['contacts'],
  Unfriended: ['contacts'],
  Subscribed: ['participation', 'subscriptions', 'subsites'],
  Unsubscribed: ['subscriptions', 'subsites'],
  LinkSubmitted: ['links', 'mod_queues', 'participation', 'snapshots', 'votes'],
  LinkEdited: ['links', 'mod_queues', 'snapshots'],
  LinkDeleted: ['links', 'mod_queues', 'snapshots'],
  LinkRemoved: ['links', 'mod_log', 'mod_queues', 'snapshots'],
  LinkApproved: ['links', 'mod_log', 'mod_queues', 'snapshots'],
  LinkLocked: ['links', 'mod_log', 'snapshots'],
  LinkUnlocked: ['links', 'mod_log', 'snapshots'],
  LinkReportsIgnored: ['mod_log', 'mod_queues', 'snapshots'],
  LinkReportsUnignored: ['mod_log', 'mod_queues', 'snapshots'],
  LinkDistinguished: ['links', 'mod_log', 'snapshots'],
  CommentPosted: ['comments', 'inbox', 'links', 'mod_queues', 'participation', 'snapshots', 'votes'],
  CommentEdited: ['comments', 'inbox', 'mod_queues', 'snapshots'],
  CommentDeleted: ['comments', 'inbox', 'links', 'mod_queues', 'snapshots'],
  CommentRemoved: ['comments', 'inbox', 'mod_log', 'mod_queues', 'snapshots'],
  CommentApproved: ['comments', 'inbox', 'mod_log', 'mod_queues', 'snapshots'],
  CommentReportsIgnored: ['mod_log', 'mod_queues', 'snapshots'],
  CommentReportsUnignored: ['mod_log', 'mod_queues', 'snapshots'],
  CommentDistinguished: ['comments', 'inbox', 'mod_log', 'snapshots'],
  VoteCast: ['accounts', 'comments', 'karma', 'links', 'votes'],
  MessageSent: ['inbox', 'messages', 'participation'],
  MessageRemoved: ['inbox', 'messages'],
  MessageApproved: ['inbox', 'messages'],
  ModmailRead: ['messages'],
  ModmailUnread: ['messages'],
  InboxEntryRead: ['inbox'],
  InboxEntryUnread: ['inbox'],
  InboxCleared: [], // the entries that are read by it are events of their own
  ThingSaved: ['shelves'],
  ThingUnsaved: ['shelves'],
  ThingHidden: ['shelves'],
  ThingUnhidden: ['shelves'],
  ThingReported: ['mod_queues'],
  MessageReported: ['inbox', 'messages'],
}

test('every event says which read models it reaches', (t) => {
  const actual = Object.fromEntries(
    [...eventDefinitions.keys()].map((type) => [
      type,
      projections
        .filter(({ on }) => type in on)
        .map(({ collection: { name } }) => name)
        .toSorted(),
    ]),
  )
  t.deepEqual(actual, readers)
})

test('no two projections share a collection', (t) => {
  const names = projections.map(({ collection: { name } }) => name)
  t.is(new Set(names).size, names.length)
})

test('every index ends with what makes its order total', (t) => {
  const unique = new Set(['id', 'seq', '$position'])
  for (const { collection } of projections) {
    for (const { fields } of collection.indexes)
      t.true(unique.has(String(fields.at(-1)).replace('-', '')), `${collection.name}: ${fields.join(' ')}`)
  }
})
