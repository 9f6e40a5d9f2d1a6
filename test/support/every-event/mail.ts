import { InboxCleared } from '../../../src/domain/inbox-clearing.ts'
import { InboxEntryRead, InboxEntryUnread } from '../../../src/domain/inbox-entry.ts'
import {
  MessageApproved,
  MessageCollapsed,
  MessageDeleted,
  MessageDistinguished,
  MessageRemoved,
  MessageUncollapsed,
  ModmailRead,
  ModmailUnread,
} from '../../../src/domain/message.ts'
import { MessageReported } from '../../../src/domain/report.ts'
import { ann, bob, carol, dave, praise, tea } from '../example-history.ts'
import { consequence, inNameOf, type LoggedEvent } from '../logged-events.ts'
import { admin, message, mod, root } from './terms.ts'

/** Makes an event that names no subsite one that was decided on the moderators of tea. */
const forTea = (event: Parameters<typeof mod>[0]): LoggedEvent => ({ ...mod(event), seen: { [`moderators-${tea}`]: 2 } })

export const onMail: readonly LoggedEvent[] = [
  inNameOf(ann)(InboxEntryRead({ account: ann, thing: praise })),
  inNameOf(ann)(InboxEntryUnread({ account: ann, thing: praise })),
  inNameOf(carol)(InboxEntryRead({ account: carol, thing: praise })),
  inNameOf(ann)(InboxCleared({ account: ann, things: [praise] })),
  message('t6_ask', bob, {}),
  message('t6_asked', 't2_lou', {}),
  message('t6_told', root, { to: dave, fromSubsite: true, inboxes: [dave], distinguished: 'admin' }, admin),
  message('t6_own', ann, { to: ann, subsite: null, modmail: false, inboxes: [ann] }),
  consequence('ModeratorInvited', message('t6_system', null, {}, mod)),
  message('t6_back', dave, { inboxes: [bob, ann] }),
  inNameOf(ann)(InboxEntryRead({ account: ann, thing: 't6_own' })),
  inNameOf(ann)(InboxEntryUnread({ account: ann, thing: 't6_own' })),
  mod(MessageRemoved({ message: 't6_told', subsite: tea, inboxes: [dave], spam: false })),
  mod(MessageRemoved({ message: 't6_back', subsite: tea, inboxes: [bob, ann], spam: false })),
  mod(MessageApproved({ message: 't6_back', subsite: tea, inboxes: [bob, ann] })),
  message('t6_stay', dave, { inboxes: [ann] }),
  mod(MessageRemoved({ message: 't6_stay', subsite: tea, inboxes: [ann], spam: true })),
  inNameOf(carol)(ModmailRead({ message: 't6_ask', subsite: tea })),
  inNameOf(carol)(ModmailRead({ message: 't6_back', subsite: tea })),
  inNameOf(carol)(ModmailUnread({ message: 't6_back', subsite: tea })),
  admin(MessageDistinguished({ message: 't6_told', before: 'admin', after: 'special' })),
  forTea(MessageCollapsed({ message: 't6_ask', side: 'recipient' })),
  inNameOf(bob)(MessageCollapsed({ message: 't6_ask', side: 'author' })),
  inNameOf(dave)(MessageUncollapsed({ message: 't6_back', side: 'author' })),
  forTea(MessageUncollapsed({ message: 't6_ask', side: 'recipient' })),
  inNameOf(dave)(MessageDeleted({ message: 't6_told', account: dave })),
  inNameOf(bob)(MessageReported({ account: bob, message: 't6_back', subsite: tea, reason: 'rude' })),
  inNameOf(carol)(MessageReported({ account: carol, message: 't6_back', subsite: tea, reason: 'rude' })),
]
