import type { Envelope } from '../../domain/event.ts'
import type { EventName, EventNamed, Logged } from '../../domain/events.ts'
import type { Target } from '../../domain/target.ts'
import { short } from '../ledger.ts'
import { put, type Rules } from './rule.ts'

// The log of the moderators: one entry for each act, as it was then.

type Said = {
  readonly action: string
  readonly target?: { readonly id: string }
  readonly details?: string | null
  readonly description?: string
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

const term = ({ until, days }: EventNamed<'UserBanned'>['data']): string => (until === null ? 'permanent' : `${days ?? 0} days`)

type Distinguished = EventNamed<'LinkDistinguished'>['data']
/** From nothing to moderator, or back; anything else is said of no subsite. */
const distinguished = ({ target, before, after }: Pick<Distinguished, 'target' | 'before' | 'after'>): Said | undefined => {
  if (before === null && after === 'moderator') return { action: 'distinguish', ...onThing(target) }
  return before === 'moderator' && after === null ? { action: 'distinguish', ...onThing(target), details: 'remove' } : undefined
}

const sayings: { readonly [Name in EventName]?: (data: EventNamed<Name>['data']) => Said | undefined } = {
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
  LinkApproved: ({ target, before }) => ({ action: 'approvelink', ...onThing(target), details: before ? 'unspam' : 'confirm_ham' }),
  CommentApproved: ({ target, before }) => ({ action: 'approvecomment', ...onThing(target), details: before ? 'unspam' : 'confirm_ham' }),
  LinkLocked: ({ target }) => ({ action: 'lock', ...onThing(target) }),
  LinkUnlocked: ({ target }) => ({ action: 'unlock', ...onThing(target) }),
  LinkDistinguished: (data) => distinguished(data),
  CommentDistinguished: (data) => distinguished(data),
  LinkReportsIgnored: ({ target }) => ({ action: 'ignorereports', ...onThing(target) }),
  CommentReportsIgnored: ({ target }) => ({ action: 'ignorereports', ...onThing(target) }),
  LinkReportsUnignored: ({ target }) => ({ action: 'unignorereports', ...onThing(target) }),
  CommentReportsUnignored: ({ target }) => ({ action: 'unignorereports', ...onThing(target) }),
  LinkStickied: ({ target }) => ({ action: 'sticky', ...onThing(target) }),
  // A deletion by the author is not a moderator action.
  LinkUnstickied: ({ target, reason }) =>
    reason === 'deleted' ? undefined : { action: 'unsticky', ...onThing(target), details: reason === 'replaced' ? 'replaced' : null },
  SubsiteSettingChanged: ({ setting }) => {
    if (setting === 'description') return { action: 'wikirevise', details: 'Updated subsite sidebar' }
    if (setting === 'public_description') return { action: 'wikirevise', details: 'Updated subsite description' }
    if (setting === 'submit_text') return { action: 'wikirevise', details: 'Updated submission text' }
    return { action: 'editsettings', details: setting }
  },
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
  ContributorAdded: (data) => (data.founder ? undefined : { action: 'addcontributor', ...onAccount(data) }),
  ContributorRemoved: (data) => (data.left ? undefined : { action: 'removecontributor', ...onAccount(data) }),
}

/** What moderators may do without an entry: act on mail, which is not public, and write in that capacity. */
const withoutEntry: ReadonlySet<string> = new Set([
  'MessageRemoved',
  'MessageApproved',
  'MessageSent',
  'CommentPosted',
  'LinkDistinguished',
  'CommentDistinguished',
])

/** What the log of the moderators says of an event; undefined: nothing. */
const sayingOf = ({ type, data }: Logged): Said | undefined => (sayings[type] as ((data: object) => Said | undefined) | undefined)?.(data)

/** Why an event is no proper act of moderation; undefined where it is one, or none at all. */
export const problemOfAuthority = (event: Logged): string | undefined => {
  const { as } = event.by
  return (as === 'moderator' || as === 'admin') && !withoutEntry.has(event.type) && sayingOf(event) === undefined
    ? `an action by ${as === 'admin' ? 'an' : 'a'} ${as} without an entry in the mod log`
    : undefined
}

const entryOf = (event: Envelope & Logged) => {
  const said = sayingOf(event)
  if (said === undefined) return []
  const { action, target = null, details = null, description = '' } = said
  const { subsite } = event.data as { readonly subsite: string }
  const by = { mod: event.by.account, isAdmin: event.by.as === 'admin' }
  return [
    put('mod_log', {
      id: event.id,
      subsite,
      action,
      details,
      description: description === '' ? null : short(description),
      target,
      targetId: target?.id ?? null,
      at: event.at,
      ...by,
    }),
  ]
}

export const modLogRules: Rules = Object.fromEntries(Object.keys(sayings).map((type) => [type, entryOf]))
