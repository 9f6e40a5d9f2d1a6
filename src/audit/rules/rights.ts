// Decision 102.

import type { EventName, EventNamed } from '../../domain/events.ts'
import type { Permission } from '../../domain/moderators.ts'

// The right that each event needs: the account whose own act it may be, a permission of a moderator, an admin, or the service itself.

/**
 * The permissions that a moderator needs: all of those named; `any` for a seat; `all` for a seat without limits; `none` if the event
 * concerns the actor's own right.
 */
export type PermissionRequirement = 'none' | 'any' | 'all' | readonly Permission[]

export type Right<Data = never> = {
  /** Returns the account whose act it is, as a user. */
  readonly user?: (data: Data) => string | null
  /**
   * Returns the permissions that it needs as an act of a moderator of its subsite. `own` means that it concerns the moderator's own
   * account.
   */
  readonly moderator?: (data: Data, isOwn: boolean) => PermissionRequirement
  /** True if earlier versions recorded acts of moderators as those of users. */
  readonly onceByUsers?: true
  readonly admin?: true
  /** True if the service itself may do it, without a cause. */
  readonly service?: true
  /** True if it only follows from another event. */
  readonly onlyFollows?: true
  /** Returns the account that must have acted, in whatever capacity; null if anybody may. */
  readonly actor?: (data: Data) => string | null
  /** True if suspended accounts may do it. */
  readonly whileSuspended?: true
}

type ByType = { readonly [Name in EventName]: Right<EventNamed<Name>['data']> }

type Of<Field extends string> = Readonly<Record<Field, string>>
const ofAccount = { user: ({ account }: Of<'account'>) => account }
const ofAuthor = { user: ({ author }: Of<'author'>) => author }
const admin = { admin: true } as const
const service = { service: true } as const
const follows = { onlyFollows: true } as const

const staff = (...needed: readonly Permission[]) => ({ moderator: () => needed, ...admin }) as const
/** Allows a moderator to end any restriction or approval of their own. */
const ends = (...needed: readonly Permission[]) =>
  ({ moderator: (_: unknown, isOwn: boolean): PermissionRequirement => (isOwn ? 'any' : needed), ...admin }) as const

const [posts, config, flair, access] = [staff('posts'), staff('config'), staff('flair'), staff('access')]
const everySeat = { moderator: (): PermissionRequirement => 'any' } as const
const unlimited = { moderator: (): PermissionRequirement => 'all', ...admin } as const

type OnThing = { readonly target: Of<'author'> }
const targetAuthor = ({ target }: OnThing) => target.author
const distinguished = { ...posts, actor: targetAuthor } as const
const marked = { ...posts, user: targetAuthor } as const

/** Pages that configure the subsite. */
const SPECIAL: ReadonlySet<string> = new Set([
  'config/sidebar',
  'config/description',
  'config/submit_text',
  'config/stylesheet',
  'config/automoderator',
])
const onPage = {
  moderator: ({ page }: Of<'page'>): PermissionRequirement => (SPECIAL.has(page) ? ['wiki', 'config'] : ['wiki']),
  ...admin,
} as const

export const rights: ByType = {
  UsernameClaimed: ofAccount,
  AccountRegistered: ofAccount,
  AccountDeleted: ofAccount,
  AccountErased: { ...ofAccount, ...admin },
  AccountTextsErased: follows,
  AudienceApplied: follows,
  AccountSuspended: admin,
  AccountUnsuspended: admin,
  AccountSuspensionExpired: service,
  AdminGranted: service,
  AdminRevoked: service,
  PreferencesChanged: ofAccount,
  SubsiteNameClaimed: { user: ({ creator }) => creator },
  SubsiteCreated: { user: ({ creator }) => creator },
  SubsiteSettingChanged: config,
  RuleCreated: config,
  RuleEdited: config,
  RuleDeleted: config,
  RulesReordered: config,
  ImageUploaded: config,
  ImageDeleted: config,
  ImageErased: admin,
  StylesheetSaved: { ...config, actor: ({ author }) => author },
  LinkSubmitted: ofAuthor,
  LinkEdited: ofAuthor,
  LinkDeleted: ofAuthor,
  LinkRepliesSet: ofAuthor,
  LinkRemoved: posts,
  LinkApproved: posts,
  LinkLocked: posts,
  LinkUnlocked: posts,
  LinkReportsIgnored: posts,
  LinkReportsUnignored: posts,
  LinkDistinguished: distinguished,
  LinkMarkedNsfw: marked,
  LinkUnmarkedNsfw: marked,
  LinkContestModeSet: posts,
  LinkContestModeUnset: posts,
  LinkSortSuggested: posts,
  LinkErased: admin,
  LinkStickied: posts,
  LinkUnstickied: posts,
  CommentPosted: ofAuthor,
  CommentEdited: ofAuthor,
  CommentDeleted: ofAuthor,
  CommentRepliesSet: ofAuthor,
  CommentRemoved: posts,
  CommentApproved: posts,
  CommentReportsIgnored: posts,
  CommentReportsUnignored: posts,
  CommentDistinguished: distinguished,
  CommentErased: admin,
  CommentStickied: posts,
  CommentUnstickied: posts,
  VoteCast: { user: ({ voter }) => voter },
  ThingSaved: ofAccount,
  ThingUnsaved: ofAccount,
  ThingHidden: ofAccount,
  ThingUnhidden: ofAccount,
  ThingReported: ofAccount,
  MessageReported: ofAccount,
  Subscribed: ofAccount,
  Unsubscribed: ofAccount,
  Friended: ofAccount,
  FriendNoteChanged: ofAccount,
  Unfriended: ofAccount,
  AccountBlocked: ofAccount,
  AccountUnblocked: ofAccount,
  SubsiteMuted: ofAccount,
  SubsiteUnmuted: ofAccount,
  SubsiteBlocked: ofAccount,
  SubsiteUnblocked: ofAccount,
  ModeratorAdded: { user: ({ account, founder }) => (founder ? account : null), ...admin },
  ModeratorInvited: unlimited,
  ModeratorInvitationWithdrawn: access,
  ModeratorInvitationAccepted: { ...ofAccount, moderator: () => 'none', actor: ({ account }) => account, whileSuspended: true },
  ModeratorPermissionsChanged: unlimited,
  ModeratorRemoved: {
    moderator: ({ left }) => (left ? 'any' : 'all'),
    actor: ({ left, account }) => (left ? account : null),
    ...admin,
    whileSuspended: true,
  },
  UserBanned: access,
  BanChanged: access,
  BanNoteChanged: access,
  UserUnbanned: ends('access'),
  BanExpired: service,
  UserWikiBanned: staff('wiki'),
  WikiBanChanged: staff('wiki'),
  WikiBanNoteChanged: staff('wiki'),
  UserWikiUnbanned: ends('wiki'),
  WikiBanExpired: service,
  UserMuted: staff('access', 'mail'),
  MuteNoteChanged: staff('access', 'mail'),
  UserUnmuted: ends('access', 'mail'),
  MuteExpired: service,
  ContributorAdded: { ...access, user: ({ account, founder }) => (founder ? account : null) },
  ContributorRemoved: { ...ends('access'), user: ({ account, left }) => (left ? account : null) },
  WikiContributorAdded: staff('wiki'),
  WikiContributorRemoved: ends('wiki'),
  UserFlairChanged: { ...flair, ...ofAccount },
  UserFlairSwitched: ofAccount,
  LinkFlairChanged: { ...flair, ...ofAuthor },
  FlairSettingChanged: flair,
  FlairTemplateAdded: flair,
  FlairTemplateChanged: flair,
  FlairTemplateDeleted: flair,
  FlairTemplatesCleared: flair,
  MessageSent: {
    ...staff('mail'),
    user: ({ author, fromSubsite }) => (fromSubsite ? null : author),
    actor: ({ author }) => author,
  },
  MessageRemoved: staff('mail'),
  MessageApproved: staff('mail'),
  ModmailRead: { ...everySeat, onceByUsers: true },
  ModmailUnread: { ...everySeat, onceByUsers: true },
  MessageDistinguished: admin,
  MessageCollapsed: { ...everySeat, onceByUsers: true },
  MessageUncollapsed: { ...everySeat, onceByUsers: true },
  MessageDeleted: ofAccount,
  MessageErased: admin,
  InboxEntryRead: ofAccount,
  InboxEntryUnread: ofAccount,
  InboxCleared: ofAccount,
  MultiCreated: ofAccount,
  MultiEdited: ofAccount,
  MultiDeleted: ofAccount,
  WikiPageRevised: { ...staff('wiki'), ...ofAuthor, actor: ({ author }) => author },
  WikiPageListingChanged: onPage,
  WikiPagePermlevelChanged: onPage,
  WikiEditorAdded: onPage,
  WikiEditorRemoved: onPage,
  WikiRevisionHidden: onPage,
  WikiRevisionUnhidden: onPage,
  WikiRevisionErased: admin,
  CreditsGranted: { ...admin, ...service },
  ThingGilded: { ...ofAccount, ...admin, actor: ({ account }) => account },
  GoldGiven: { ...ofAccount, ...admin, actor: ({ account }) => account },
  GoldExtended: follows,
  GoldExpired: service,
}
