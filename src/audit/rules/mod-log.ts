import type { Actor, Envelope } from '../../domain/event.ts'
import type { EventName, EventNamed, Logged } from '../../domain/events.ts'
import type { Target } from '../../domain/target.ts'
import { short, shortened } from '../ledger.ts'
import { changesOf } from './mod-log-changes.ts'
import { put, type Rules } from './rule.ts'

// The log of the moderators: one entry for each act, as it was then.

type EntryText = {
  readonly action: string
  readonly target?: { readonly id: string }
  readonly details?: string | null
  readonly description?: string
  readonly page?: string
}

const onThing = ({ id, author, title, excerpt, link }: Target) => ({
  target: {
    id,
    author,
    title: title === undefined ? null : short(title),
    excerpt: excerpt === undefined ? null : short(excerpt),
    link: link ?? null,
  },
})
const onAccount = ({ account }: { readonly account: string }) => ({
  target: { id: account, author: account, title: null, excerpt: null, link: null },
})

const term = ({ until, days }: EventNamed<'UserWikiBanned'>['data']): string => (until === null ? 'permanent' : `${days ?? 0} days`)

type DistinguishData = EventNamed<'LinkDistinguished'>['data']
/** Distinguished as a moderator, or no longer; other changes belong to no subsite. */
const distinguished = ({ target, before, after }: Pick<DistinguishData, 'target' | 'before' | 'after'>): EntryText | undefined => {
  if (after === 'moderator') return { action: 'distinguish', ...onThing(target) }
  return before === 'moderator' && after === null ? { action: 'distinguish', ...onThing(target), details: 'remove' } : undefined
}

type UnstickyData = EventNamed<'LinkUnstickied' | 'CommentUnstickied'>['data']
/** A deletion by the author is not a moderator action. */
const unstickied = ({ target, reason }: UnstickyData): EntryText | undefined =>
  reason === 'deleted' ? undefined : { action: 'unsticky', ...onThing(target), details: reason === 'replaced' ? 'replaced' : null }

const onRevision =
  (details: string) =>
  ({ page, revision }: EventNamed<'WikiRevisionHidden'>['data']): EntryText => ({
    action: 'wikirevise',
    details,
    description: `Page ${page}, revision ${revision}`,
    page,
  })
const onEditor =
  (details: string) =>
  (data: EventNamed<'WikiEditorAdded'>['data']): EntryText => ({
    action: 'wikipermlevel',
    ...onAccount(data),
    details,
    description: `Page ${data.page}`,
    page: data.page,
  })

const sayings: { readonly [Name in EventName]?: (data: EventNamed<Name>['data'], by: Actor) => EntryText | undefined } = {
  LinkRemoved: ({ target, spam, before }) => ({
    action: 'removelink',
    ...onThing(target),
    details: !spam ? 'remove' : before ? 'confirm_spam' : 'spam',
  }),
  CommentRemoved: ({ target, spam, before }) => ({
    action: 'removecomment',
    ...onThing(target),
    details: !spam ? 'remove' : before ? 'confirm_spam' : 'spam',
  }),
  LinkErased: ({ target, reason }) => ({ action: 'removelink', ...onThing(target), details: 'erase', description: reason }),
  CommentErased: ({ target, reason }) => ({ action: 'removecomment', ...onThing(target), details: 'erase', description: reason }),
  LinkApproved: ({ target, before }) => ({ action: 'approvelink', ...onThing(target), details: before ? 'unspam' : 'confirm_ham' }),
  CommentApproved: ({ target, before }) => ({ action: 'approvecomment', ...onThing(target), details: before ? 'unspam' : 'confirm_ham' }),
  LinkLocked: ({ target }) => ({ action: 'lock', ...onThing(target) }),
  LinkUnlocked: ({ target }) => ({ action: 'unlock', ...onThing(target) }),
  LinkDistinguished: (data) => distinguished(data),
  CommentDistinguished: (data) => distinguished(data),
  // An author may remove the distinction of their own link.
  LinkMarkedNsfw: ({ target }, { as }) => (as === 'user' ? undefined : { action: 'marknsfw', ...onThing(target) }),
  LinkUnmarkedNsfw: ({ target }, { as }) => (as === 'user' ? undefined : { action: 'marknsfw', ...onThing(target), details: 'remove' }),
  UserFlairChanged: ({ text, css, csv, cleared = text + css === '', ...data }, { as }) => {
    if (as === 'user') return undefined
    return { action: 'editflair', ...onAccount(data), details: `flair_${cleared ? 'delete' : csv ? 'csv' : 'edit'}` }
  },
  LinkFlairChanged: ({ target }, { as }) =>
    as === 'user' ? undefined : { action: 'editflair', ...onThing(target), details: 'flair_edit' },
  FlairSettingChanged: ({ setting }) => ({ action: 'editflair', details: setting }),
  FlairTemplateAdded: () => ({ action: 'editflair', details: 'flair_template' }),
  FlairTemplateChanged: () => ({ action: 'editflair', details: 'flair_template' }),
  FlairTemplateDeleted: () => ({ action: 'editflair', details: 'flair_delete_template' }),
  FlairTemplatesCleared: () => ({ action: 'editflair', details: 'flair_clear_template' }),
  LinkContestModeSet: ({ target }) => ({ action: 'setcontestmode', ...onThing(target) }),
  LinkContestModeUnset: ({ target }) => ({ action: 'unsetcontestmode', ...onThing(target) }),
  LinkSortSuggested: ({ target }) => ({ action: 'setsuggestedsort', ...onThing(target) }),
  LinkReportsIgnored: ({ target }) => ({ action: 'ignorereports', ...onThing(target) }),
  CommentReportsIgnored: ({ target }) => ({ action: 'ignorereports', ...onThing(target) }),
  LinkReportsUnignored: ({ target }) => ({ action: 'unignorereports', ...onThing(target) }),
  CommentReportsUnignored: ({ target }) => ({ action: 'unignorereports', ...onThing(target) }),
  LinkStickied: ({ target }) => ({ action: 'sticky', ...onThing(target) }),
  LinkUnstickied: (data) => unstickied(data),
  CommentStickied: ({ target }) => ({ action: 'sticky', ...onThing(target) }),
  CommentUnstickied: (data) => unstickied(data),
  SubsiteSettingChanged: ({ setting, reason: description = '' }) => {
    if (setting === 'description') return { action: 'wikirevise', details: 'Updated subsite sidebar', description }
    if (setting === 'public_description') return { action: 'wikirevise', details: 'Updated subsite description', description }
    if (setting === 'submit_text') return { action: 'wikirevise', details: 'Updated submission text', description }
    return { action: 'editsettings', details: setting }
  },
  RuleCreated: ({ name }) => ({ action: 'createrule', details: name }),
  RuleEdited: ({ name }) => ({ action: 'editrule', details: name }),
  RuleDeleted: ({ name }) => ({ action: 'deleterule', details: name }),
  RulesReordered: ({ after }) => ({ action: 'editrule', details: 'reordered', description: after.join(', ') }),
  ImageUploaded: ({ use, name }) => ({
    action: 'editsettings',
    details: use === 'img' ? 'upload_image' : `upload_image_${use}`,
    description: name,
  }),
  ImageDeleted: ({ use, name }) => ({ action: 'editsettings', details: use === 'img' ? 'del_image' : `del_${use}`, description: name }),
  ImageErased: ({ reason }) => ({ action: 'editsettings', details: 'erase_image', description: reason }),
  StylesheetSaved: ({ reason }) => ({ action: 'wikirevise', details: 'Updated subsite stylesheet', description: reason }),
  WikiPageRevised: ({ page, reason, reverts }, by) => {
    if (by.as === 'user' && page !== 'config/automoderator') return undefined
    if (reverts === undefined) return { action: 'wikirevise', details: `Page ${page} edited`, description: reason ?? '', page }
    return { action: 'wikirevise', details: 'revert', description: reason ? `Page ${page}, ${reason}` : `Page ${page}`, page }
  },
  WikiRevisionHidden: onRevision('hide'),
  WikiRevisionUnhidden: onRevision('unhide'),
  WikiRevisionErased: ({ page, revision, reason }) => ({
    action: 'wikirevise',
    details: 'erase',
    description: `Page ${page}, revision ${revision}: ${reason}`,
    page,
  }),
  WikiPageListingChanged: ({ page, listed }) => ({
    action: 'wikipagelisted',
    description: `${listed ? 'Relisted' : 'Delisted'} page ${page}`,
    page,
  }),
  WikiPagePermlevelChanged: ({ page, before, after }) => ({
    action: 'wikipermlevel',
    description: `Page ${page}: level ${before} to ${after}`,
    page,
  }),
  WikiEditorAdded: onEditor('alloweditor_add'),
  WikiEditorRemoved: onEditor('alloweditor_del'),
  ModeratorAdded: (data) => (data.founder ? undefined : { action: 'addmoderator', ...onAccount(data) }),
  ModeratorInvited: (data) => ({ action: 'invitemoderator', ...onAccount(data) }),
  ModeratorInvitationWithdrawn: (data) => ({ action: 'uninvitemoderator', ...onAccount(data) }),
  ModeratorInvitationAccepted: () => ({ action: 'acceptmoderatorinvite' }),
  ModeratorPermissionsChanged: (data) => ({
    action: 'setpermissions',
    ...onAccount(data),
    details: data.invitation ? 'permission_moderator_invite' : 'permission_moderator',
    description: data.after,
  }),
  ModeratorRemoved: (data) => ({ action: 'removemoderator', ...onAccount(data), details: data.left ? 'remove_self' : null }),
  UserBanned: (data) => ({ action: 'banuser', ...onAccount(data), details: term(data), description: data.note ?? '' }),
  BanChanged: (data) => ({ action: 'banuser', ...onAccount(data), details: `changed to ${term(data)}`, description: data.note ?? '' }),
  UserUnbanned: (data) => ({ action: 'unbanuser', ...onAccount(data) }),
  BanNoteChanged: (data) => ({ action: 'banuser', ...onAccount(data), details: 'changed note', description: data.note ?? '' }),
  BanExpired: (data) => ({ action: 'unbanuser', ...onAccount(data), description: 'was temporary' }),
  UserWikiBanned: (data) => ({ action: 'wikibanned', ...onAccount(data), details: term(data), description: data.note ?? '' }),
  WikiBanChanged: (data) => ({
    action: 'wikibanned',
    ...onAccount(data),
    details: `changed to ${term(data)}`,
    description: data.note ?? '',
  }),
  WikiBanNoteChanged: (data) => ({ action: 'wikibanned', ...onAccount(data), details: 'changed note', description: data.note ?? '' }),
  UserWikiUnbanned: (data) => ({ action: 'wikiunbanned', ...onAccount(data) }),
  WikiBanExpired: (data) => ({ action: 'wikiunbanned', ...onAccount(data), description: 'was temporary' }),
  UserMuted: (data) => ({ action: 'muteuser', ...onAccount(data), description: data.note ?? '' }),
  MuteNoteChanged: (data) => ({ action: 'muteuser', ...onAccount(data), details: 'changed note', description: data.note ?? '' }),
  UserUnmuted: (data) => ({ action: 'unmuteuser', ...onAccount(data) }),
  MuteExpired: (data) => ({ action: 'unmuteuser', ...onAccount(data), description: 'was temporary' }),
  WikiContributorAdded: (data) => ({ action: 'wikicontributor', ...onAccount(data) }),
  WikiContributorRemoved: (data) => ({ action: 'removewikicontributor', ...onAccount(data) }),
  ContributorAdded: (data) => (data.founder ? undefined : { action: 'addcontributor', ...onAccount(data) }),
  ContributorRemoved: (data) => (data.left ? undefined : { action: 'removecontributor', ...onAccount(data) }),
}

/** What moderators may do without an entry: act on mail, which is not public, and write in that capacity. */
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
  // of an account, which is in no subsite
  'AccountErased',
  'AccountSuspended',
  'AccountUnsuspended',
  // to an account, which is in no subsite
  'CreditsGranted',
  'GoldGiven',
  // paid by nobody
  'ThingGilded',
])

/** The mod log entry of an event; undefined: none. */
const sayingOf = ({ type, data, by }: Logged): EntryText | undefined =>
  (sayings[type] as ((data: object, by: Actor) => EntryText | undefined) | undefined)?.(data, by)

/** What earlier versions recorded as by a user: that an invitation was accepted, and edits of a special page by its editors. */
const onceByUsers: ReadonlySet<string> = new Set(['ModeratorInvitationAccepted', 'WikiPageRevised'])

/** Why an event is not a valid act of moderation; undefined if it is valid, or not an act of moderation. */
export const problemOfAuthority = (event: Logged): string | undefined => {
  const { as } = event.by
  if (as === 'user' && !onceByUsers.has(event.type) && sayingOf(event) !== undefined) return 'an entry in the mod log by a user'
  return (as === 'moderator' || as === 'admin') && !withoutEntry.has(event.type) && sayingOf(event) === undefined
    ? `an action by ${as === 'admin' ? 'an' : 'a'} ${as} without an entry in the mod log`
    : undefined
}

const entryOf = (event: Envelope & Logged) => {
  const entryText = sayingOf(event)
  if (entryText === undefined) return []
  const { action, target = null, details = null, description = '', page = null } = entryText
  return [
    put('mod_log', {
      id: event.id,
      position: event.position,
      subsite: (event.data as { readonly subsite: string }).subsite,
      action,
      details,
      description: description === '' ? null : short(description),
      page,
      target,
      targetId: target?.id ?? null,
      changes: shortened(changesOf(event.type, event.data, event.by)),
      at: event.at,
      mod: event.by.account,
      isAdmin: event.by.as === 'admin',
    }),
  ]
}

export const modLogRules: Rules = Object.fromEntries(Object.keys(sayings).map((type) => [type, entryOf]))
