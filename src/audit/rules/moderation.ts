import type { Logged } from '../../domain/events.ts'
import { isModLogEntry } from '../../domain/is-mod-log-entry.ts'

// Checks that each act of a moderator is an entry of the moderation log, and each entry an act of a moderator.

/** Acts of moderators without an entry: acts on mail, which is not public, and posts in that capacity. */
const withoutEntry: ReadonlySet<string> = new Set([
  'MessageRemoved',
  'MessageApproved',
  'MessageSent',
  'MessageCollapsed',
  'MessageUncollapsed',
  'ModmailRead',
  'ModmailUnread',
  'CommentPosted',
  'LinkDistinguished',
  'CommentDistinguished',
  'MessageDistinguished',
  'MessageErased',
  // an account is in no subsite
  'AccountErased',
  'AccountSuspended',
  'AccountUnsuspended',
  // an account is in no subsite
  'CreditsGranted',
  'GoldGiven',
  // paid by nobody
  'ThingGilded',
])

/** Events that earlier versions recorded as by a user: accepting an invitation, and edits of a special page by its editors. */
const onceByUsers: ReadonlySet<string> = new Set(['ModeratorInvitationAccepted', 'WikiPageRevised'])

/** Returns the reason why an event is not a valid act of moderation; undefined if it is valid, or not an act of moderation. */
export const problemOfModeration = (event: Logged): string | undefined => {
  const { as } = event.by
  if (as === 'user' && !onceByUsers.has(event.type) && isModLogEntry(event)) return 'an entry in the mod log by a user'
  return (as === 'moderator' || as === 'admin') && !withoutEntry.has(event.type) && !isModLogEntry(event)
    ? `an action by ${as === 'admin' ? 'an' : 'a'} ${as} without an entry in the mod log`
    : undefined
}
