// Decision 30.

import type { Logged } from '../src/domain/events.ts'
import { isEmpty } from '../src/domain/flair.ts'
import type { ModAction, ModEvent } from '../src/domain/mod-actions.ts'
import type { Target } from '../src/domain/target.ts'
import { editLabel } from '../src/domain/wiki-page-name.ts'

/** The target of an act, as it was then; an account is its own author. */
export type ActedOn = {
  readonly id: string
  readonly author: string
  readonly title: string | null
  readonly excerpt: string | null
  /** The link that a comment belongs to. */
  readonly link: string | null
}

/** The content of a moderation log entry beside who acted where and when. */
export type ModEntry = {
  /** Present only if it is not the first action of the event's type. */
  readonly action?: ModAction
  readonly target?: ActedOn
  readonly details?: string | null
  readonly description?: string
  /** The wiki page that was acted on, which not everybody may view. */
  readonly page?: string
}

const thingTarget = ({ id, author, title, excerpt, link }: Target): ActedOn => ({
  id,
  author,
  title: title ?? null,
  excerpt: excerpt ?? null,
  link: link ?? null,
})
const account = (id: string): ActedOn => ({ id, author: id, title: null, excerpt: null, link: null })

const ofThing = ({ data }: { readonly data: { readonly target: Target } }) => ({ target: thingTarget(data.target) })
const ofAccount = ({ data }: { readonly data: { readonly account: string } }) => ({ target: account(data.account) })

const removal = ({ data }: Logged<'LinkRemoved' | 'CommentRemoved'>) => ({
  target: thingTarget(data.target),
  details: data.spam ? (data.before ? 'confirm_spam' : 'spam') : 'remove',
})
const approval = ({ data }: Logged<'LinkApproved' | 'CommentApproved'>) => ({
  target: thingTarget(data.target),
  details: data.before ? 'unspam' : 'confirm_ham',
})

const erasure = ({ data }: Logged<'LinkErased' | 'CommentErased'>) => ({
  target: thingTarget(data.target),
  details: 'erase',
  description: data.reason,
})

type DistinguishEvent = Logged<'LinkDistinguished' | 'CommentDistinguished'>
const distinction = ({ data }: DistinguishEvent) => ({ target: thingTarget(data.target), details: data.after === null ? 'remove' : null })

type UnstickyEvent = Logged<'LinkUnstickied' | 'CommentUnstickied'>
const takenDown = ({ data }: UnstickyEvent) => ({
  target: thingTarget(data.target),
  details: data.reason === 'replaced' ? 'replaced' : null,
})

const flairDetails = ({ data: { text, css, csv, cleared } }: Logged<'UserFlairChanged'>) => {
  if (cleared || isEmpty({ text, css })) return 'flair_delete' // earlier events lack `cleared`
  return csv ? 'flair_csv' : 'flair_edit'
}
const ofSubsite = (details: string) => () => ({ details })

type Term = Logged<'UserBanned' | 'BanChanged' | 'UserWikiBanned' | 'WikiBanChanged'>
const term = ({ until, days }: Term['data']) => (until === null ? 'permanent' : `${days ?? 0} days`)

const banEntry = ({ data }: Term) => ({ target: account(data.account), details: term(data), description: data.note ?? '' })
const changedBan = ({ data }: Term) => ({ ...banEntry({ data } as Term), details: `changed to ${term(data)}` })

type NoteEvent = { readonly data: { readonly account: string; readonly note?: string } }
const withNote = ({ data }: NoteEvent) => ({ target: account(data.account), description: data.note ?? '' })
const changedNote = (event: NoteEvent) => ({ ...withNote(event), details: 'changed note' })
const ranOut = ({ data }: { readonly data: { readonly account: string } }) => ({
  target: account(data.account),
  description: 'was temporary',
})

const visibility =
  (details: string) =>
  ({ data: { page, revision } }: Logged<'WikiRevisionHidden' | 'WikiRevisionUnhidden'>) => ({
    details,
    description: `Page ${page}, revision ${revision}`,
    page,
  })
const editorship =
  (details: string) =>
  ({ data }: Logged<'WikiEditorAdded' | 'WikiEditorRemoved'>) => ({
    target: account(data.account),
    details,
    description: `Page ${data.page}`,
    page: data.page,
  })

/** Settings that are pages of text. Their entries say which one changed, not its content. */
const pages: { readonly [Setting in string]?: string } = {
  description: 'Updated subsite sidebar',
  public_description: 'Updated subsite description',
  submit_text: 'Updated submission text',
}

/** Returns the content of an entry for each act of moderation. The domain decides which events are acts. */
export const modEntries: { readonly [Name in ModEvent]: (event: Logged<Name>) => ModEntry } = {
  LinkRemoved: removal,
  LinkApproved: approval,
  LinkLocked: ofThing,
  LinkUnlocked: ofThing,
  LinkMarkedNsfw: ofThing,
  LinkUnmarkedNsfw: (event) => ({ ...ofThing(event), details: 'remove' }),
  LinkContestModeSet: ofThing,
  LinkContestModeUnset: ofThing,
  LinkSortSuggested: ofThing,
  LinkReportsIgnored: ofThing,
  LinkReportsUnignored: ofThing,
  CommentReportsIgnored: ofThing,
  CommentReportsUnignored: ofThing,
  LinkDistinguished: distinction,
  CommentDistinguished: distinction,
  CommentRemoved: removal,
  CommentApproved: approval,
  LinkErased: erasure,
  CommentErased: erasure,
  LinkStickied: ofThing,
  CommentStickied: ofThing,
  LinkUnstickied: takenDown,
  CommentUnstickied: takenDown,
  SubsiteSettingChanged: ({ data: { setting, reason = '' } }) => {
    const page = pages[setting]
    return page === undefined ? { details: setting } : { action: 'wikirevise', details: page, description: reason }
  },
  RuleCreated: ({ data }) => ({ details: data.name }),
  RuleEdited: ({ data }) => ({ details: data.name }),
  RuleDeleted: ({ data }) => ({ details: data.name }),
  RulesReordered: ({ data }) => ({ details: 'reordered', description: data.after.join(', ') }),
  ImageUploaded: ({ data: { use, name } }) =>
    use === 'img' ? { details: 'upload_image', description: name } : { details: `upload_image_${use}` },
  ImageDeleted: ({ data: { use, name } }) => (use === 'img' ? { details: 'del_image', description: name } : { details: `del_${use}` }),
  ImageErased: ({ data: { reason } }) => ({ details: 'erase_image', description: reason }),
  StylesheetSaved: ({ data }) => ({
    details: 'Updated subsite stylesheet',
    description: data.reason,
  }),
  WikiPageRevised: ({ data: { page, reason, reverts } }) =>
    reverts === undefined
      ? { details: editLabel(page), description: reason ?? '', page }
      : { details: 'revert', description: [`Page ${page}`, ...(reason ? [reason] : [])].join(', '), page },
  WikiRevisionHidden: visibility('hide'),
  WikiRevisionUnhidden: visibility('unhide'),
  WikiRevisionErased: ({ data: { page, revision, reason } }) => ({
    details: 'erase',
    description: `Page ${page}, revision ${revision}: ${reason}`,
    page,
  }),
  WikiPageListingChanged: ({ data: { page, listed } }) => ({
    description: `${listed ? 'Relisted' : 'Delisted'} page ${page}`,
    page,
  }),
  WikiPagePermlevelChanged: ({ data: { page, before, after } }) => ({
    description: `Page ${page}: level ${before} to ${after}`,
    page,
  }),
  WikiEditorAdded: editorship('alloweditor_add'),
  WikiEditorRemoved: editorship('alloweditor_del'),
  ModeratorAdded: ofAccount,
  ModeratorInvited: ofAccount,
  ModeratorInvitationWithdrawn: ofAccount,
  ModeratorInvitationAccepted: () => ({}),
  ModeratorPermissionsChanged: ({ data }) => ({
    target: account(data.account),
    details: data.invitation ? 'permission_moderator_invite' : 'permission_moderator',
    description: data.after,
  }),
  ModeratorRemoved: ({ data }) => ({
    target: account(data.account),
    details: data.left ? 'remove_self' : null,
  }),
  UserFlairChanged: (event) => ({ ...ofAccount(event), details: flairDetails(event) }),
  LinkFlairChanged: (event) => ({ ...ofThing(event), details: 'flair_edit' }),
  FlairSettingChanged: ({ data }) => ({ details: data.setting }),
  FlairTemplateAdded: ofSubsite('flair_template'),
  FlairTemplateChanged: ofSubsite('flair_template'),
  FlairTemplateDeleted: ofSubsite('flair_delete_template'),
  FlairTemplatesCleared: ofSubsite('flair_clear_template'),
  UserBanned: banEntry,
  BanChanged: changedBan,
  BanNoteChanged: changedNote,
  UserUnbanned: ofAccount,
  BanExpired: ranOut,
  UserWikiBanned: banEntry,
  WikiBanChanged: changedBan,
  WikiBanNoteChanged: changedNote,
  UserWikiUnbanned: ofAccount,
  WikiBanExpired: ranOut,
  UserMuted: withNote,
  MuteNoteChanged: changedNote,
  UserUnmuted: ofAccount,
  MuteExpired: ranOut,
  WikiContributorAdded: ofAccount,
  WikiContributorRemoved: ofAccount,
  ContributorAdded: ofAccount,
  ContributorRemoved: ofAccount,
}
