import test from 'ava'
import { accountsProjection } from '../../projections/accounts.ts'
import { partitionOf } from '../../projections/engine/partitions.ts'
import { contactsProjection } from '../../projections/friends-and-blocks.ts'
import { inboxProjection } from '../../projections/inbox.ts'
import { karmaProjection } from '../../projections/karma.ts'
import { messagesProjection } from '../../projections/messages.ts'
import { participationProjection } from '../../projections/participation.ts'
import { shelvesProjection } from '../../projections/shelves.ts'
import { subscriptionsProjection } from '../../projections/subscriptions.ts'
import { CommentApproved, CommentDeleted, CommentEdited, CommentPosted } from '../../src/domain/comment.ts'
import { FriendNoteChanged, Unfriended } from '../../src/domain/friends-and-blocks.ts'
import { InboxEntryRead, InboxEntryUnread } from '../../src/domain/inbox-entry.ts'
import { MessageSent } from '../../src/domain/message.ts'
import { ThingSaved, ThingUnhidden, ThingUnsaved } from '../../src/domain/shelf.ts'
import { Unsubscribed } from '../../src/domain/subscription.ts'
import { VoteCast } from '../../src/domain/vote.ts'
import { ann, bob, carol, dave, hello, pot, praise, story, tea, thanks, told } from '../support/example-history.ts'
import { inNameOf, type LoggedEvent, loggedFrom } from '../support/logged-events.ts'
import { project } from '../support/project.ts'

const after = (...more: readonly LoggedEvent[]) => loggedFrom([...told, ...more])
const timeOf = (type: string): number => story.find((event) => event.type === type)?.at ?? 0
const [ofPot, ofPraise] = [partitionOf(pot), partitionOf(praise)]
const place = { comment: praise, link: pot, subsite: tea, author: bob }

test('an account’s document has its name, and no vote changes it', (t) => {
  const accounts = project(accountsProjection, story)
  t.deepEqual(accounts[0], {
    id: ann,
    name: 'Ann',
    lower: 'ann',
    created: timeOf('AccountRegistered'),
    deleted: false,
    suspended: false,
    suspendedUntil: null,
    csites: 0,
    goldUntil: 0,
  })
  t.deepEqual(
    project(
      accountsProjection,
      story.filter(({ type }) => type !== 'VoteCast'),
    ),
    accounts,
  )
})

test('karma is kept by subsite and in all, in parts by the things that brought it', (t) => {
  t.deepEqual(project(karmaProjection, story), [
    { id: `${ann}.#${ofPot}`, account: ann, subsite: '', link: 3, comment: 0 },
    { id: `${ann}.${tea}#${ofPot}`, account: ann, subsite: tea, link: 3, comment: 0 },
    { id: `${bob}.#${ofPraise}`, account: bob, subsite: '', link: 0, comment: 2 },
    { id: `${bob}.${tea}#${ofPraise}`, account: bob, subsite: tea, link: 0, comment: 2 },
  ])
  const other = 't5_10'
  const marks = (insightful: boolean) => ({ insightful, funny: false })
  const vote = { thing: other, link: other, subsite: tea, author: ann, voter: carol, karma: true }
  const more = inNameOf(carol)(VoteCast({ ...vote, before: marks(false), after: marks(true) }))
  t.not(partitionOf(other), ofPot)
  const parts = project(karmaProjection, after(more)).filter(({ account }) => account === ann)
  t.deepEqual(
    parts.map(({ id, link }) => [id, link]).toSorted(),
    ['', tea]
      .flatMap((place) => [
        [`${ann}.${place}#${ofPot}`, 3],
        [`${ann}.${place}#${partitionOf(other)}`, 2],
      ])
      .toSorted(),
  )
})

test('a vote that gives no karma changes none, and taking a vote back removes its karma', (t) => {
  const marks = (insightful: boolean, funny: boolean) => ({ insightful, funny })
  const vote = { thing: pot, link: pot, subsite: tea, author: ann }
  const silent = inNameOf(dave)(VoteCast({ ...vote, voter: dave, before: marks(false, false), after: marks(true, true), karma: false }))
  const back = inNameOf(carol)(VoteCast({ ...vote, voter: carol, before: marks(true, false), after: marks(false, false), karma: true }))
  t.is(project(karmaProjection, after(silent))[0]?.link, 3)
  t.is(project(karmaProjection, after(silent, back))[0]?.link, 1)
})

test('a friend is stored with note and time until unfriended', (t) => {
  const id = `${ann}.${bob}`
  t.deepEqual(project(contactsProjection, story), [
    { id, account: ann, other: bob, friend: true, since: timeOf('Friended'), note: 'knows tea', blocked: false, blockedAt: 0 },
  ])
  const noted = inNameOf(ann)(FriendNoteChanged({ account: ann, other: bob, note: '' }))
  t.like(project(contactsProjection, after(noted))[0], { friend: true, note: '', since: timeOf('Friended') })
  const gone = inNameOf(ann)(Unfriended({ account: ann, other: bob }))
  t.deepEqual(project(contactsProjection, after(gone)), [
    { id, account: ann, other: bob, friend: false, since: 0, note: '', blocked: false, blockedAt: 0 },
  ])
})

test('a subscription is stored until it ends', (t) => {
  const gone = inNameOf(bob)(Unsubscribed({ account: bob, subsite: tea }))
  t.deepEqual(
    project(subscriptionsProjection, after(gone)).map(({ id, since }) => [id, since]),
    [[`${ann}.${tea}`, timeOf('Subscribed')]],
  )
})

test('posting, subscribing and writing to the moderators count as taking part', (t) => {
  const mail = { to: null, subsite: tea, parent: null, subject: 'Why?', body: 'Why?', inboxes: [], distinguished: null } as const
  const asked = inNameOf(dave)(MessageSent({ ...mail, message: 't6_why', root: 't6_why', author: dave, fromSubsite: false, modmail: true }))
  const official = inNameOf(carol)(
    MessageSent({ ...mail, message: 't6_so', root: 't6_so', author: carol, to: dave, fromSubsite: true, modmail: true }),
  )
  t.deepEqual(
    project(participationProjection, after(asked, official)).map(({ id }) => id),
    [`${ann}.${tea}`, `${bob}.${tea}`, `${dave}.${tea}`],
  )
})

test('a message is stored as it was sent', (t) => {
  t.deepEqual(project(messagesProjection, story), [
    {
      id: hello,
      seq: Number.parseInt('hello', 36),
      author: bob,
      to: ann,
      subsite: null,
      fromSubsite: false,
      parent: null,
      root: hello,
      subject: 'Hello',
      body: 'Where is it from?',
      created: timeOf('MessageSent'),
      distinguished: null,
      collapsedByRecipient: null,
      collapsedByAuthor: null,
      deletedByRecipient: false,
      isReported: false,
      reports: [],
      modmail: false,
      removed: false,
      unread: false,
    },
  ])
})

const inboxOf = (...more: readonly LoggedEvent[]) =>
  Object.fromEntries(
    project(inboxProjection, after(...more)).map(({ id, reason, new: unread, withdrawn }) => [id, [reason, unread, withdrawn]]),
  )

test('inboxes contain messages and replies, unread until marked as read', (t) => {
  t.deepEqual(inboxOf(), {
    [`${ann}.${praise}`]: ['post_reply', true, true], // its comment was removed
    [`${ann}.${hello}`]: ['message', true, false],
    [`${bob}.${thanks}`]: ['comment_reply', false, false],
  })
  t.like(inboxOf(inNameOf(bob)(InboxEntryUnread({ account: bob, thing: thanks }))), {
    [`${bob}.${thanks}`]: ['comment_reply', true, false],
  })
})

test('a reply returns to the inbox with its read state when its comment is approved, and never after its deletion', (t) => {
  const target = { id: praise, author: bob, excerpt: 'What a pot!', link: pot }
  const approval = inNameOf(carol, 'moderator')(CommentApproved({ subsite: tea, target, link: pot, before: true, notified: [ann] }))
  const read = inNameOf(ann)(InboxEntryRead({ account: ann, thing: praise }))
  const key = `${ann}.${praise}`
  t.deepEqual(inboxOf(approval)[key], ['post_reply', true, false])
  t.deepEqual(inboxOf(read, approval)[key], ['post_reply', false, false])
  t.is(inboxOf(inNameOf(bob)(CommentDeleted({ ...place, notified: [ann] })), approval)[key], undefined)
})

test('a filtered reply enters the inbox when it is approved', (t) => {
  const filtered = inNameOf(dave)(
    CommentPosted({
      comment: 't1_spam',
      link: pot,
      subsite: tea,
      author: dave,
      linkAuthor: ann,
      parent: null,
      body: 'buy',
      filtered: true,
      notified: [{ account: ann, reason: 'post_reply' }],
    }),
  )
  t.deepEqual(inboxOf(filtered)[`${ann}.t1_spam`], ['post_reply', true, true])
})

test('an edit that mentions other accounts withdraws the notices of the former ones', (t) => {
  const edit = inNameOf(bob)(
    CommentEdited({ ...place, body: 'u/dave', notified: [{ account: dave, reason: 'mention' }], withdrawn: [ann] }),
  )
  const inbox = inboxOf(edit)
  t.deepEqual(inbox[`${dave}.${praise}`], ['mention', true, false])
  t.is(inbox[`${ann}.${praise}`], undefined)
})

test('messages to oneself are never unread', (t) => {
  const note = inNameOf(ann)(
    MessageSent({
      message: 't6_self',
      author: ann,
      to: ann,
      subsite: null,
      fromSubsite: false,
      parent: null,
      root: 't6_self',
      subject: 'note',
      body: 'to self',
      inboxes: [ann],
      modmail: false,
      distinguished: null,
    }),
  )
  const unread = inNameOf(ann)(InboxEntryUnread({ account: ann, thing: 't6_self' }))
  t.deepEqual(inboxOf(note, unread)[`${ann}.t6_self`], ['message', false, false])
})

test('saving again moves a thing to the front and keeps its category unless another is given', (t) => {
  const saved = (named: { readonly category?: string | null; readonly sealedCategory?: string }) =>
    inNameOf(bob)(ThingSaved({ account: bob, thing: pot, subsite: tea, ...named }))
  const shelf = (...more: readonly LoggedEvent[]) => project(shelvesProjection, after(...more))[0]
  t.deepEqual(shelf(), {
    id: `${bob}.${pot}`,
    account: bob,
    thing: pot,
    kind: 'link',
    subsite: tea,
    saved: true,
    savedAt: timeOf('ThingSaved'),
    category: 'kitchen',
    hidden: false,
    hiddenAt: 0,
  })
  t.like(shelf(saved({})), { category: 'kitchen', savedAt: (story.at(-1)?.at ?? 0) + 60_000 })
  t.like(shelf(saved({ sealedCategory: 'tools' })), { category: 'tools' })
  t.like(shelf(saved({ category: null })), { category: 'kitchen' }, 'of schema 1')
  t.like(shelf(saved({ category: 'tools' })), { category: 'tools' }, 'of schema 1')
  t.like(shelf(inNameOf(bob)(ThingUnsaved({ account: bob, thing: pot, subsite: tea }))), { saved: false, savedAt: 0, category: '' })
})

test('a thing is hidden until it is unhidden', (t) => {
  const shelf = (...more: readonly LoggedEvent[]) => project(shelvesProjection, after(...more)).find(({ account }) => account === dave)
  t.like(shelf(), { hidden: true, hiddenAt: timeOf('ThingHidden'), saved: false })
  t.like(shelf(inNameOf(dave)(ThingUnhidden({ account: dave, thing: pot, subsite: tea }))), { hidden: false, hiddenAt: 0 })
})
