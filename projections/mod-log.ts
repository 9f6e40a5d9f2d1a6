import type { Logged } from '../src/domain/events.ts'
import type { ActionOf, ModAction, ModEvent } from '../src/domain/mod-actions.ts'
import type { Target } from '../src/domain/target.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, put, type Touch } from './engine/projection.ts'

/** What was acted on, as it was then; an account is its own author. */
export type ModTarget = {
  readonly id: string
  readonly author: string
  readonly title: string | null
  readonly excerpt: string | null
  /** The link that a comment stands under. */
  readonly link: string | null
}

/** One act of moderation; its id is that of the event. */
export type ModLogDocument = Document & {
  readonly subsite: string
  /** Who acted; null: the service itself. */
  readonly mod: string | null
  readonly action: ModAction
  readonly details: string | null
  readonly description: string | null
  readonly target: ModTarget | null
  /** The target's id, where an index finds it. */
  readonly targetId: string | null
  readonly at: number
  readonly isAdmin: boolean
}

/** What the log may be filtered by, each way newest first in the log and newest first by time. */
const filters = [[], ['action'], ['mod'], ['action', 'mod'], ['isAdmin'], ['isAdmin', 'action'], ['targetId']]
const orders = [['-$position'], ['-at', '-$position']]
/** What entries that an index finds are filtered by further. */
const looked = ['action', 'mod', 'isAdmin']

export const modLog = collection<ModLogDocument>({
  name: 'mod_log',
  version: 2,
  indexes: filters.flatMap((fields) =>
    orders.map((order) => ({
      fields: ['subsite', ...fields, ...order],
      covers: ['at', ...looked].filter((field) => !fields.includes(field) && !order.includes(`-${field}`)),
    })),
  ),
})

type Said<Action> = {
  readonly action?: Action
  readonly target?: ModTarget
  readonly details?: string | null
  readonly description?: string
}

/** The entry that an act yields: the action, and what the event says about it. */
const entry =
  <Name extends ModEvent>(_: Name, action: ActionOf<Name>, say: (event: Logged<Name>) => Said<ActionOf<Name>> = () => ({})) =>
  (event: Logged<Name>): readonly Touch<ModLogDocument>[] => {
    const said = say(event)
    return [
      put<ModLogDocument>({
        id: event.id,
        subsite: event.data.subsite,
        mod: event.by.account,
        action: said.action ?? action,
        details: said.details ?? null,
        description: said.description ? said.description : null,
        target: said.target ?? null,
        targetId: said.target?.id ?? null,
        at: event.at,
        isAdmin: event.by.as === 'admin',
      }),
    ]
  }

const thing = ({ id, author, title, excerpt, link }: Target): ModTarget => ({
  id,
  author,
  title: title ?? null,
  excerpt: excerpt ?? null,
  link: link ?? null,
})
const account = (id: string): ModTarget => ({ id, author: id, title: null, excerpt: null, link: null })

const ofThing = ({ data }: { readonly data: { readonly target: Target } }) => ({ target: thing(data.target) })
const ofAccount = ({ data }: { readonly data: { readonly account: string } }) => ({ target: account(data.account) })

const removal = ({ data }: Logged<'LinkRemoved' | 'CommentRemoved'>) => ({
  target: thing(data.target),
  details: data.spam ? (data.before ? 'confirm_spam' : 'spam') : 'remove',
})
const approval = ({ data }: Logged<'LinkApproved' | 'CommentApproved'>) => ({
  target: thing(data.target),
  details: data.before ? 'unspam' : 'confirm_ham',
})

type Distinguished = Logged<'LinkDistinguished' | 'CommentDistinguished'>
/** Only what a moderator says as such is an act of moderation, and to say it so no longer. */
const isModerators = ({ data: { before, after } }: Distinguished) =>
  (before ?? after) === 'moderator' && (before === null || after === null)
const distinction = ({ data }: Distinguished) => ({ target: thing(data.target), details: data.after === null ? 'remove' : null })

type Ban = Logged<'UserBanned' | 'BanChanged'>['data']
const term = ({ until, days }: Ban) => (until === null ? 'permanent' : `${days ?? 0} days`)

/** Settings that are pages of text; their entries say which, not what. */
const pages: { readonly [Setting in string]?: string } = {
  description: 'Updated subsite sidebar',
  public_description: 'Updated subsite description',
  submit_text: 'Updated submission text',
}

export const modLogProjection: Projection<ModLogDocument> = {
  collection: modLog,
  on: {
    LinkRemoved: entry('LinkRemoved', 'removelink', removal),
    LinkApproved: entry('LinkApproved', 'approvelink', approval),
    LinkLocked: entry('LinkLocked', 'lock', ofThing),
    LinkUnlocked: entry('LinkUnlocked', 'unlock', ofThing),
    LinkReportsIgnored: entry('LinkReportsIgnored', 'ignorereports', ofThing),
    LinkReportsUnignored: entry('LinkReportsUnignored', 'unignorereports', ofThing),
    CommentReportsIgnored: entry('CommentReportsIgnored', 'ignorereports', ofThing),
    CommentReportsUnignored: entry('CommentReportsUnignored', 'unignorereports', ofThing),
    LinkDistinguished: (event: Logged<'LinkDistinguished'>) =>
      isModerators(event) ? entry('LinkDistinguished', 'distinguish', distinction)(event) : [],
    CommentDistinguished: (event: Logged<'CommentDistinguished'>) =>
      isModerators(event) ? entry('CommentDistinguished', 'distinguish', distinction)(event) : [],
    CommentRemoved: entry('CommentRemoved', 'removecomment', removal),
    CommentApproved: entry('CommentApproved', 'approvecomment', approval),
    LinkStickied: entry('LinkStickied', 'sticky', ofThing),
    LinkUnstickied: (event: Logged<'LinkUnstickied'>) =>
      event.data.reason === 'deleted'
        ? [] // its author deleted it: not a moderator action
        : entry('LinkUnstickied', 'unsticky', ({ data }) => ({
            target: thing(data.target),
            details: data.reason === 'replaced' ? 'replaced' : null,
          }))(event),
    SubsiteSettingChanged: entry('SubsiteSettingChanged', 'editsettings', ({ data: { setting } }) => {
      const page = pages[setting]
      return page === undefined ? { details: setting } : { action: 'wikirevise', details: page }
    }),
    ModeratorAdded: (event: Logged<'ModeratorAdded'>) =>
      event.data.founder ? [] : entry('ModeratorAdded', 'addmoderator', ofAccount)(event),
    ModeratorInvited: entry('ModeratorInvited', 'invitemoderator', ofAccount),
    ModeratorInvitationWithdrawn: entry('ModeratorInvitationWithdrawn', 'uninvitemoderator', ofAccount),
    ModeratorInvitationAccepted: entry('ModeratorInvitationAccepted', 'acceptmoderatorinvite'),
    ModeratorPermissionsChanged: entry('ModeratorPermissionsChanged', 'setpermissions', ({ data }) => ({
      target: account(data.account),
      details: data.invitation ? 'permission_moderator_invite' : 'permission_moderator',
      description: data.after,
    })),
    ModeratorRemoved: entry('ModeratorRemoved', 'removemoderator', ({ data }) => ({
      target: account(data.account),
      details: data.left ? 'remove_self' : null,
    })),
    UserBanned: entry('UserBanned', 'banuser', ({ data }) => ({
      target: account(data.account),
      details: term(data),
      description: data.note ?? '',
    })),
    BanChanged: entry('BanChanged', 'banuser', ({ data }) => ({
      target: account(data.account),
      details: `changed to ${term(data)}`,
      description: data.note ?? '',
    })),
    BanNoteChanged: entry('BanNoteChanged', 'banuser', ({ data }) => ({
      target: account(data.account),
      details: 'changed note',
      description: data.note ?? '',
    })),
    UserUnbanned: entry('UserUnbanned', 'unbanuser', ofAccount),
    BanExpired: entry('BanExpired', 'unbanuser', ({ data }) => ({ target: account(data.account), description: 'was temporary' })),
    ContributorAdded: (event: Logged<'ContributorAdded'>) =>
      event.data.founder ? [] : entry('ContributorAdded', 'addcontributor', ofAccount)(event),
    ContributorRemoved: (event: Logged<'ContributorRemoved'>) =>
      event.data.left ? [] : entry('ContributorRemoved', 'removecontributor', ofAccount)(event),
  } satisfies { readonly [Name in ModEvent]: unknown },
}
