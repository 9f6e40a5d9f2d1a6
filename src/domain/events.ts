import { type AccountEvent, AccountRegistered, UsernameClaimed, type UsernameEvent } from './account.ts'
import {
  CommentApproved,
  CommentDeleted,
  CommentDistinguished,
  CommentEdited,
  type CommentEvent,
  CommentPosted,
  CommentRemoved,
  CommentReportsIgnored,
  CommentReportsUnignored,
} from './comment.ts'
import { type ContactEvent, Friended, FriendNoteChanged, Unfriended } from './contact.ts'
import type { Envelope, EventDefinition } from './event.ts'
import { InboxCleared, type InboxEntryEvent, InboxEntryRead, InboxEntryUnread, type MailboxEvent } from './inbox-entry.ts'
import {
  LinkApproved,
  LinkDeleted,
  LinkDistinguished,
  LinkEdited,
  type LinkEvent,
  LinkLocked,
  LinkRemoved,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkSubmitted,
  LinkUnlocked,
} from './link.ts'
import { MessageApproved, type MessageEvent, MessageRemoved, MessageSent, ModmailRead, ModmailUnread } from './message.ts'
import {
  ModeratorAdded,
  ModeratorInvitationAccepted,
  ModeratorInvitationWithdrawn,
  ModeratorInvited,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
  type ModeratorsEvent,
} from './moderators.ts'
import {
  BanChanged,
  BanExpired,
  BanNoteChanged,
  ContributorAdded,
  ContributorRemoved,
  type RelationEvent,
  UserBanned,
  UserUnbanned,
} from './relation.ts'
import { MessageReported, type ReportEvent, ThingReported } from './report.ts'
import { type ShelfEvent, ThingHidden, ThingSaved, ThingUnhidden, ThingUnsaved } from './shelf.ts'
import { LinkStickied, LinkUnstickied, type StickiesEvent } from './stickies.ts'
import { Subscribed, type SubscriptionEvent, Unsubscribed } from './subscription.ts'
import { SubsiteCreated, type SubsiteEvent, SubsiteNameClaimed, type SubsiteNameEvent, SubsiteSettingChanged } from './subsite.ts'
import { VoteCast, type VoteEvent } from './vote.ts'

/** All that the log can say. */
export type DomainEvent =
  | AccountEvent
  | UsernameEvent
  | SubsiteEvent
  | SubsiteNameEvent
  | ModeratorsEvent
  | StickiesEvent
  | RelationEvent
  | ContactEvent
  | SubscriptionEvent
  | LinkEvent
  | CommentEvent
  | VoteEvent
  | MessageEvent
  | InboxEntryEvent
  | MailboxEvent
  | ShelfEvent
  | ReportEvent

export type EventName = DomainEvent['type']
export type EventNamed<Name extends EventName> = Extract<DomainEvent, { readonly type: Name }>
/** A domain event of one name, or any, as it stands in the log. */
export type Logged<Name extends EventName = EventName> = { [N in Name]: Envelope<EventNamed<N>> }[Name]

const definitions = [
  AccountRegistered,
  UsernameClaimed,
  SubsiteCreated,
  SubsiteSettingChanged,
  SubsiteNameClaimed,
  ModeratorAdded,
  ModeratorInvited,
  ModeratorInvitationWithdrawn,
  ModeratorInvitationAccepted,
  ModeratorPermissionsChanged,
  ModeratorRemoved,
  LinkStickied,
  LinkUnstickied,
  UserBanned,
  BanChanged,
  BanNoteChanged,
  UserUnbanned,
  BanExpired,
  ContributorAdded,
  ContributorRemoved,
  Friended,
  FriendNoteChanged,
  Unfriended,
  Subscribed,
  Unsubscribed,
  LinkSubmitted,
  LinkEdited,
  LinkDeleted,
  LinkRemoved,
  LinkApproved,
  LinkLocked,
  LinkUnlocked,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkDistinguished,
  CommentPosted,
  CommentEdited,
  CommentDeleted,
  CommentRemoved,
  CommentApproved,
  CommentReportsIgnored,
  CommentReportsUnignored,
  CommentDistinguished,
  VoteCast,
  MessageSent,
  MessageRemoved,
  MessageApproved,
  ModmailRead,
  ModmailUnread,
  InboxEntryRead,
  InboxEntryUnread,
  InboxCleared,
  ThingSaved,
  ThingUnsaved,
  ThingHidden,
  ThingUnhidden,
  ThingReported,
  MessageReported,
] as const

type Declared = ReturnType<(typeof definitions)[number]>['type']
/** Fails to compile when an event of the union is missing from the list above, or the other way round. */
const complete: [Exclude<EventName, Declared>, Exclude<Declared, EventName>] extends [never, never] ? true : never = true

/** By stored name. */
export const eventDefinitions: ReadonlyMap<string, EventDefinition> = new Map(
  (complete ? definitions : []).map((definition) => [definition.type, definition as unknown as EventDefinition]),
)
