import type { Actor } from '../src/domain/event.ts'
import type { Logged } from '../src/domain/events.ts'
import type { Target } from '../src/domain/target.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, put, type Touch } from './projection.ts'

export type ModAction =
  | 'acceptmoderatorinvite'
  | 'addcontributor'
  | 'addmoderator'
  | 'approvecomment'
  | 'approvelink'
  | 'banuser'
  | 'editsettings'
  | 'invitemoderator'
  | 'lock'
  | 'removecomment'
  | 'removecontributor'
  | 'removelink'
  | 'removemoderator'
  | 'setpermissions'
  | 'sticky'
  | 'unbanuser'
  | 'uninvitemoderator'
  | 'unlock'
  | 'unsticky'
  | 'wikirevise'

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

type Act = { readonly id: string; readonly at: number; readonly by: Actor; readonly data: { readonly subsite: string } }
type Said = {
  readonly action?: ModAction
  readonly target?: ModTarget
  readonly details?: string | null
  readonly description?: string
}

/** The entry that an act yields: the action, and what the event says about it. */
const entry =
  <Event extends Act>(action: ModAction, say: (event: Event) => Said = () => ({})) =>
  (event: Event): readonly Touch<ModLogDocument>[] => {
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

const ofThing = ({ data }: Act & { readonly data: { readonly target: Target } }) => ({ target: thing(data.target) })
const ofAccount = ({ data }: Act & { readonly data: { readonly account: string } }) => ({ target: account(data.account) })

const removal = ({ data }: Logged<'LinkRemoved' | 'CommentRemoved'>) => ({
  target: thing(data.target),
  details: data.spam ? (data.before ? 'confirm_spam' : 'spam') : 'remove',
})
const approval = ({ data }: Logged<'LinkApproved' | 'CommentApproved'>) => ({
  target: thing(data.target),
  details: data.before ? 'unspam' : 'confirm_ham',
})

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
    LinkRemoved: entry('removelink', removal),
    LinkApproved: entry('approvelink', approval),
    LinkLocked: entry('lock', ofThing),
    LinkUnlocked: entry('unlock', ofThing),
    CommentRemoved: entry('removecomment', removal),
    CommentApproved: entry('approvecomment', approval),
    LinkStickied: entry('sticky', ofThing),
    LinkUnstickied: (event) =>
      event.data.reason === 'deleted'
        ? [] // its author deleted it: nobody's act of moderation
        : entry<Logged<'LinkUnstickied'>>('unsticky', ({ data }) => ({
            target: thing(data.target),
            details: data.reason === 'replaced' ? 'replaced' : null,
          }))(event),
    SubsiteSettingChanged: entry('editsettings', ({ data: { setting } }) => {
      const page = pages[setting]
      return page === undefined ? { details: setting } : { action: 'wikirevise', details: page }
    }),
    ModeratorAdded: (event) => (event.data.founder ? [] : entry<Logged<'ModeratorAdded'>>('addmoderator', ofAccount)(event)),
    ModeratorInvited: entry('invitemoderator', ofAccount),
    ModeratorInvitationWithdrawn: entry('uninvitemoderator', ofAccount),
    ModeratorInvitationAccepted: entry('acceptmoderatorinvite'),
    ModeratorPermissionsChanged: entry('setpermissions', ({ data }) => ({
      target: account(data.account),
      details: data.invitation ? 'permission_moderator_invite' : 'permission_moderator',
      description: data.after,
    })),
    ModeratorRemoved: entry('removemoderator', ({ data }) => ({
      target: account(data.account),
      details: data.left ? 'remove_self' : null,
    })),
    UserBanned: entry('banuser', ({ data }) => ({
      target: account(data.account),
      details: term(data),
      description: data.note ?? '',
    })),
    BanChanged: entry('banuser', ({ data }) => ({
      target: account(data.account),
      details: `changed to ${term(data)}`,
      description: data.note ?? '',
    })),
    BanNoteChanged: entry('banuser', ({ data }) => ({
      target: account(data.account),
      details: 'changed note',
      description: data.note ?? '',
    })),
    UserUnbanned: entry('unbanuser', ofAccount),
    BanExpired: entry('unbanuser', ({ data }) => ({ target: account(data.account), description: 'was temporary' })),
    ContributorAdded: (event) => (event.data.founder ? [] : entry<Logged<'ContributorAdded'>>('addcontributor', ofAccount)(event)),
    ContributorRemoved: (event) => (event.data.left ? [] : entry<Logged<'ContributorRemoved'>>('removecontributor', ofAccount)(event)),
  },
}
