import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { befriend, Contact, Friended, FriendNoteChanged, Unfriended, unfriend } from '../../src/domain/friends-and-blocks.ts'
import { clearInbox, InboxCleared, InboxClearing } from '../../src/domain/inbox-clearing.ts'
import { InboxEntry, InboxEntryRead, InboxEntryUnread, markRead, markUnread } from '../../src/domain/inbox-entry.ts'
import {
  hideThing,
  parseCategory,
  Shelf,
  saveThing,
  ThingHidden,
  ThingSaved,
  ThingUnhidden,
  ThingUnsaved,
  unhideThing,
  unsaveThing,
} from '../../src/domain/shelf.ts'
import { Subscribed, Subscription, subscribe, Unsubscribed, unsubscribe } from '../../src/domain/subscription.ts'
import { NOW, specification } from '../support/specification.ts'

{
  const { given } = specification(Contact)
  const pair = { account: 't2_ann', other: 't2_bob' }
  const friends = Friended({ ...pair, note: 'met at tea' })
  test(
    'a friend can be added without a note',
    given()
      .when(befriend(pair))
      .records(Friended({ ...pair, note: '' })),
  )
  test('a friend can be added with a note', given().when(befriend(pair, 'met at tea')).records(friends))
  test('adding a friend again without a note changes nothing', given(friends).when(befriend(pair)).recordsNothing)
  test('setting the same note on a friend again changes nothing', given(friends).when(befriend(pair, 'met at tea')).recordsNothing)
  test(
    'the note on a friend can be changed',
    given(friends)
      .when(befriend(pair, ''))
      .records(FriendNoteChanged({ ...pair, note: '' })),
  )
  test('a friend can be removed', given(friends).when(unfriend(pair)).records(Unfriended(pair)))
  test(
    'unfriending an account that is not a friend is refused',
    given(friends, Unfriended(pair)).when(unfriend(pair)).refuses('NOT_FRIEND', 'username'),
  )
  test('a removed friend can be added again', given(friends, Unfriended(pair)).when(befriend(pair, 'met at tea')).records(friends))
}
{
  const { given } = specification(Subscription)
  const subscribed = Subscribed({ account: 't2_ann', subsite: 't4_1' })
  const unsubscribed = Unsubscribed({ account: 't2_ann', subsite: 't4_1' })
  test('subscribing records an event', given().when(subscribe('t2_ann', 't4_1')).records(subscribed))
  test('subscribing twice changes nothing', given(subscribed).when(subscribe('t2_ann', 't4_1')).recordsNothing)
  test('unsubscribing records an event', given(subscribed).when(unsubscribe('t2_ann', 't4_1')).records(unsubscribed))
  test('unsubscribing without a subscription is refused', given().when(unsubscribe('t2_ann', 't4_1')).refuses('NOT_FOUND', 'sr'))
  test('unsubscribing twice is refused', given(subscribed, unsubscribed).when(unsubscribe('t2_ann', 't4_1')).refuses('NOT_FOUND', 'sr'))
}
{
  const { given } = specification(InboxEntry)
  const read = InboxEntryRead({ account: 't2_ann', thing: 't6_1' })
  const unread = InboxEntryUnread({ account: 't2_ann', thing: 't6_1' })
  test('a new inbox entry can be marked as read', given().when(markRead('t2_ann', 't6_1')).records(read))
  test('marking a read entry as read changes nothing', given(read).when(markRead('t2_ann', 't6_1')).recordsNothing)
  test('a read entry can be marked as unread', given(read).when(markUnread('t2_ann', 't6_1')).records(unread))
  test('marking a new entry as unread changes nothing', given().when(markUnread('t2_ann', 't6_1')).recordsNothing)
  test('an entry marked as unread can be marked as read again', given(read, unread).when(markRead('t2_ann', 't6_1')).records(read))
}
{
  const { given } = specification(Shelf)
  const place = { account: 't2_ann', thing: 't5_9k', subsite: 't4_1' }
  const saved = ThingSaved(place)
  test('a thing can be saved', given().when(saveThing(place, null)).records(saved))
  test(
    'saving a saved thing again records an event that moves it to the front',
    given(saved)
      .when(saveThing(place, 'tea'))
      .records(ThingSaved({ ...place, sealedCategory: 'tea' })),
  )
  test('a saved thing can be unsaved', given(saved).when(unsaveThing(place)).records(ThingUnsaved(place)))
  test('unsaving a thing that is not saved changes nothing', given(saved, ThingUnsaved(place)).when(unsaveThing(place)).recordsNothing)
  test('a link can be hidden', given().when(hideThing(place)).records(ThingHidden(place)))
  test(
    'hiding a hidden link again records an event that moves it to the front',
    given(ThingHidden(place)).when(hideThing(place)).records(ThingHidden(place)),
  )
  test('a hidden link can be unhidden', given(ThingHidden(place)).when(unhideThing(place)).records(ThingUnhidden(place)))
  test('unhiding a link that is not hidden changes nothing', given(saved).when(unhideThing(place)).recordsNothing)
  test('a category is lower case, 1 to 20 letters, digits, spaces and underscores', (t) => {
    t.deepEqual(parseCategory('My Teas_2'), E.right('my teas_2'))
    for (const bad of ['', 'x'.repeat(21), 'té', 'a-b', 'a\n'])
      t.deepEqual(parseCategory(bad), E.left({ code: 'BAD_SAVE_CATEGORY', field: 'category' }), bad)
  })
}

{
  const { given } = specification(InboxClearing)
  const cleared = InboxCleared({ account: 't2_ann', things: ['t6_1', 't1_2'] })
  const things = ['t6_1', 't1_2']
  const MINUTE = 60_000
  test(
    'marking an inbox as read names its unread entries',
    given()
      .when(clearInbox('t2_ann', NOW, things))
      .records(cleared),
  )
  test('marking an inbox without unread entries as read records nothing', given().when(clearInbox('t2_ann', NOW, [])).recordsNothing)
  test(
    'an inbox cannot be marked as read again within ten minutes',
    given(cleared)
      .when(clearInbox('t2_ann', NOW + 9 * MINUTE, ['t6_3']))
      .refuses('TOO_MANY_REQUESTS'),
  )
  test(
    'an inbox can be marked as read again after ten minutes',
    given(cleared)
      .when(clearInbox('t2_ann', NOW + 10 * MINUTE, ['t6_3']))
      .records(InboxCleared({ account: 't2_ann', things: ['t6_3'] })),
  )
}
