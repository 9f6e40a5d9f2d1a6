import { type Html, html, renderIf, url } from '../../wire/html.ts'
import type { Wire } from '../page.ts'
import { author } from '../parts/rows.ts'
import { count, DAY_MS } from '../parts/time.ts'

/** An event as a reader gets it. `names` are those of the accounts and subsites in it. */
export type ShownEvent = Pick<Wire<'ThingEvent'>, 'n' | 'type' | 'at' | 'by' | 'data' | 'withheld'> & {
  readonly names: Readonly<Record<string, string>>
}
type EventType = ShownEvent['type']

/** Renders the words of an event after the name of its actor. */
type Say = (event: ShownEvent) => Html

const MAX_QUOTED_CHARACTERS = 90

const quote = (text: string): string => {
  const characters = [...text]
  return `‘${characters.length > MAX_QUOTED_CHARACTERS ? `${characters.slice(0, MAX_QUOTED_CHARACTERS - 1).join('')}…` : text}’`
}

/** Returns a text of an event; undefined if it is withheld, empty or none. */
const textOf = ({ data }: ShownEvent, field: string): string | undefined => {
  const value = data[field]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const recordOf = ({ data }: ShownEvent, field: string): Readonly<Record<string, unknown>> => {
  const value = data[field]
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}
}

const accountOrSubsite = ({ names }: ShownEvent, id: unknown, unknown: string): Html =>
  typeof id === 'string' && names[id] !== undefined ? author(names[id]) : html`${unknown}`

const account = (event: ShownEvent, field = 'account'): Html => accountOrSubsite(event, event.data[field], 'an account')

const subsite = (event: ShownEvent): Html => {
  const name = event.names[textOf(event, 'subsite') ?? '']
  return name === undefined ? html`a subsite` : html`<a href="${url(`/s/${name}`)}">${name}</a>`
}

const toThing = (id: unknown, words: string): Html =>
  typeof id === 'string' && /^t[15]_\w+$/.test(id) ? html`<a href="${url(`/history/things/${id}`)}">${words}</a>` : html`${words}`

/** Returns a link or a comment as it was then, where the event describes it. */
const target = (event: ShownEvent): Html => {
  const { id, title, excerpt, author: by } = recordOf(event, 'target')
  const thing = typeof id === 'string' && id.startsWith('t1_') ? 'the comment' : 'the link'
  const words = typeof title === 'string' && title !== '' ? title : typeof excerpt === 'string' ? excerpt : ''
  return html`${toThing(id, words === '' ? thing : `${thing} ${quote(words)}`)}${by === undefined ? undefined : html` by ${accountOrSubsite(event, by, 'an account')}`}`
}

const thingLink = ({ data }: ShownEvent): Html => {
  const id = data.thing ?? data.comment ?? data.link
  return toThing(id, typeof id === 'string' && id.startsWith('t1_') ? 'the comment' : 'the link')
}

/** Returns the reason or the note of an event, which is its why. */
const why = (event: ShownEvent): Html =>
  html`${renderIf(textOf(event, 'reason'), (text) => html`, because of ${quote(text)}`)}${renderIf(textOf(event, 'note'), (text) => html`, noting ${quote(text)}`)}`

const sayEnd = ({ data }: ShownEvent): string => {
  if (data.until === null) return ' for good'
  return typeof data.until === 'number' ? ` until ${new Date(Math.floor(data.until / 1000) * 1000).toISOString().slice(0, 10)}` : ''
}

const sayPlainly =
  (words: string): Say =>
  (event) =>
    html`${words}${why(event)}`

const onTarget =
  (words: string, after = ''): Say =>
  (event) =>
    html`${words} ${target(event)}${after}${why(event)}`

const onThing =
  (words: string, after = ''): Say =>
  (event) =>
    html`${words} ${thingLink(event)}${after}${why(event)}`

const onAccount =
  (words: string, after = '', field = 'account'): Say =>
  (event) =>
    html`${words} ${account(event, field)}${after}${why(event)}`

const sayBan =
  (words: string, after = ''): Say =>
  (event) =>
    html`${words} ${account(event)}${after}${sayEnd(event)}${why(event)}`

const inSubsite =
  (words: string): Say =>
  (event) =>
    html`${words} ${subsite(event)}${why(event)}`

const ofPage =
  (words: string): Say =>
  (event) =>
    html`${words} the wiki page ${textOf(event, 'page') ?? 'of the subsite'}${why(event)}`

const saySetting =
  (words: string): Say =>
  (event) =>
    html`${words} ${quote((textOf(event, 'setting') ?? '').replaceAll('_', ' '))}${why(event)}`

const rule =
  (words: string, field = 'name'): Say =>
  (event) =>
    html`${words} the rule ${quote(textOf(event, field) ?? '')}`

const image =
  (words: string): Say =>
  (event) =>
    html`${words} the image ${quote(textOf(event, 'name') ?? textOf(event, 'use') ?? '')}`

const flairOf =
  (say: Say): Say =>
  (event) =>
    html`${textOf(event, 'text') === undefined ? 'took the flair from ' : html`set the flair ${quote(textOf(event, 'text') ?? '')} of `}${say(event)}`

const saySubmission: Say = (event) => {
  const title = textOf(event, 'title')
  return html`posted ${toThing(event.data.link, title === undefined ? 'the link' : `the link ${quote(title)}`)} in ${subsite(event)}`
}

const sayComment: Say = (event) =>
  html`${typeof event.data.parent === 'string' ? html`replied to ${toThing(event.data.parent, 'a comment')}` : html`commented on ${toThing(event.data.link, 'the link')}`}${renderIf(
    textOf(event, 'body'),
    (text) => html`: ${toThing(event.data.comment, quote(text))}`,
  )}`

const marks = ({ data }: ShownEvent): string => {
  const after = data.after !== null && typeof data.after === 'object' && !Array.isArray(data.after) ? data.after : {}
  const marks = ['insightful', 'funny'].filter((mark) => after[mark] === true)
  return marks.length === 0 ? 'took the marks from' : `marked as ${marks.join(' and ')}`
}

const sayRemoval: Say = (event) => html`removed ${target(event)}${event.data.spam === true ? ' as spam' : ''}${why(event)}`

const gold: Say = (event) =>
  html`gave ${account(event, 'to')} ${count(typeof event.data.months === 'number' ? event.data.months : 1, 'month')} of gold`

const sayExtension: Say = ({ data }) => html`has gold for ${count(typeof data.days === 'number' ? data.days : 1, 'day')} more`

/** Every type of event has a sentence: a new one does not compile without it. */
const sentences: { readonly [Type in EventType]: Say } = {
  AccountRegistered: sayPlainly('registered'),
  AccountDeleted: sayPlainly('deleted the account: its posts stay without its name'),
  AccountErased: sayPlainly('erased the account and all its texts for good'),
  AccountTextsErased: sayPlainly('took unreadable texts out of what is shown'),
  AccountSuspended: sayBan('suspended'),
  AccountUnsuspended: onAccount('ended the suspension of'),
  AccountSuspensionExpired: (event) => html`the suspension of ${account(event)} ran out`,
  UsernameClaimed: (event) => html`took the name ${quote(textOf(event, 'name') ?? '')}`,
  PreferencesChanged: sayPlainly('changed preferences'),
  AdminGranted: onAccount('made', ' an admin'),
  AdminRevoked: (event) => html`${account(event)} is no longer an admin`,
  SubsiteCreated: inSubsite('founded'),
  SubsiteSettingChanged: saySetting('changed the setting'),
  AudienceApplied: sayPlainly('put things into the listings that the new type of the subsite asks for'),
  SubsiteNameClaimed: (event) => html`took the name ${quote(textOf(event, 'name') ?? '')} for a subsite`,
  ModeratorAdded: (event) => (event.data.founder === true ? html`moderates it as its founder` : html`made ${account(event)} a moderator`),
  ModeratorInvited: onAccount('invited', ' to moderate'),
  ModeratorInvitationWithdrawn: onAccount('withdrew the invitation of'),
  ModeratorInvitationAccepted: sayPlainly('accepted the invitation to moderate'),
  ModeratorPermissionsChanged: onAccount('changed what', ' may do as a moderator'),
  ModeratorRemoved: (event) =>
    event.data.left === true ? html`stepped down as a moderator` : html`removed ${account(event)} from the moderators`,
  LinkStickied: onTarget('pinned'),
  LinkUnstickied: onTarget('unpinned'),
  CommentStickied: onTarget('pinned'),
  CommentUnstickied: onTarget('unpinned'),
  RuleCreated: rule('made'),
  RuleEdited: rule('edited'),
  RuleDeleted: rule('deleted'),
  RulesReordered: sayPlainly('put the rules in another order'),
  ImageUploaded: image('uploaded'),
  ImageDeleted: image('deleted'),
  ImageErased: sayPlainly('erased an image for good'),
  StylesheetSaved: sayPlainly('changed the stylesheet'),
  UserBanned: sayBan('banned'),
  BanChanged: sayBan('changed the ban of', ': now'),
  BanNoteChanged: onAccount('changed the note on the ban of'),
  UserUnbanned: onAccount('lifted the ban of'),
  BanExpired: (event) => html`the ban of ${account(event)} ran out`,
  UserWikiBanned: sayBan('banned', ' from the wiki'),
  WikiBanChanged: sayBan('changed the wiki ban of', ': now'),
  WikiBanNoteChanged: onAccount('changed the note on the wiki ban of'),
  UserWikiUnbanned: onAccount('lifted the wiki ban of'),
  WikiBanExpired: (event) => html`the wiki ban of ${account(event)} ran out`,
  UserMuted: sayBan('muted'),
  MuteNoteChanged: onAccount('changed the note on the mute of'),
  UserUnmuted: onAccount('unmuted'),
  MuteExpired: (event) => html`the mute of ${account(event)} ran out`,
  ContributorAdded: onAccount('approved', ' as a contributor'),
  ContributorRemoved: onAccount('withdrew the approval of', ' as a contributor'),
  WikiContributorAdded: onAccount('approved', ' as a contributor to the wiki'),
  WikiContributorRemoved: onAccount('withdrew the approval of', ' as a contributor to the wiki'),
  Friended: onAccount('made', ' a friend', 'other'),
  FriendNoteChanged: onAccount('changed the note about', '', 'other'),
  Unfriended: onAccount('ended the friendship with', '', 'other'),
  AccountBlocked: onAccount('blocked', '', 'other'),
  AccountUnblocked: onAccount('unblocked', '', 'other'),
  SubsiteMuted: inSubsite('left out of the common listings:'),
  SubsiteUnmuted: inSubsite('took back into the common listings:'),
  SubsiteBlocked: inSubsite('blocked messages of'),
  SubsiteUnblocked: inSubsite('takes messages again of'),
  Subscribed: inSubsite('subscribed to'),
  Unsubscribed: inSubsite('unsubscribed from'),
  LinkSubmitted: saySubmission,
  LinkEdited: onThing('edited the text of'),
  LinkDeleted: onThing('deleted'),
  LinkRemoved: sayRemoval,
  LinkApproved: onTarget('approved'),
  LinkLocked: onTarget('locked'),
  LinkUnlocked: onTarget('unlocked'),
  LinkReportsIgnored: onTarget('ignored further reports of'),
  LinkReportsUnignored: onTarget('heeds reports again of'),
  LinkDistinguished: onTarget('changed the mark of a moderator on'),
  LinkErased: onTarget('erased', ' for good'),
  LinkMarkedNsfw: onTarget('marked', ' as over 18'),
  LinkUnmarkedNsfw: onTarget('took the mark ‘over 18’ from'),
  LinkContestModeSet: onTarget('turned contest mode on for'),
  LinkContestModeUnset: onTarget('turned contest mode off for'),
  LinkSortSuggested: onTarget('suggested an order for the comments of'),
  LinkRepliesSet: onThing('chose whether comments reach the inbox, for'),
  CommentPosted: sayComment,
  CommentEdited: onThing('edited the text of'),
  CommentDeleted: onThing('deleted'),
  CommentRemoved: sayRemoval,
  CommentApproved: onTarget('approved'),
  CommentReportsIgnored: onTarget('ignored further reports of'),
  CommentReportsUnignored: onTarget('heeds reports again of'),
  CommentDistinguished: onTarget('changed the mark of a moderator on'),
  CommentRepliesSet: onThing('chose whether replies reach the inbox, for'),
  CommentErased: onTarget('erased', ' for good'),
  VoteCast: (event) => html`${marks(event)} ${thingLink(event)}`,
  MessageSent: sayPlainly('sent a message'),
  MessageRemoved: sayPlainly('hid mail of the subsite'),
  MessageApproved: sayPlainly('showed hidden mail of the subsite again'),
  ModmailRead: sayPlainly('marked mail of the subsite as read'),
  ModmailUnread: sayPlainly('marked mail of the subsite as unread'),
  MessageDistinguished: sayPlainly('changed the mark on a message'),
  MessageCollapsed: sayPlainly('folded a message'),
  MessageUncollapsed: sayPlainly('unfolded a message'),
  MessageDeleted: sayPlainly('deleted a message from the inbox'),
  MessageErased: sayPlainly('erased a message for good'),
  InboxEntryRead: sayPlainly('marked an entry of the inbox as read'),
  InboxEntryUnread: sayPlainly('marked an entry of the inbox as unread'),
  InboxCleared: sayPlainly('marked all of the inbox as read'),
  ThingSaved: onThing('saved'),
  ThingUnsaved: onThing('no longer saves'),
  ThingHidden: onThing('hid', ' from the own listings'),
  ThingUnhidden: onThing('no longer hides'),
  ThingReported: onThing('reported'),
  MessageReported: sayPlainly('reported a message'),
  MultiCreated: sayPlainly('made a multi'),
  MultiEdited: sayPlainly('changed a multi'),
  MultiDeleted: sayPlainly('deleted a multi'),
  WikiPageRevised: ofPage('edited'),
  WikiPageListingChanged: ofPage('changed whether the list of pages shows'),
  WikiPagePermlevelChanged: ofPage('changed who may edit'),
  WikiEditorAdded: ofPage('let another account edit'),
  WikiEditorRemoved: ofPage('no longer lets another account edit'),
  WikiRevisionHidden: ofPage('hid a revision of'),
  WikiRevisionUnhidden: ofPage('showed a hidden revision again of'),
  WikiRevisionErased: ofPage('erased a revision for good of'),
  CreditsGranted: onAccount('gave', ' credits'),
  ThingGilded: onThing('gilded'),
  GoldGiven: gold,
  GoldExtended: sayExtension,
  GoldExpired: sayPlainly('has no gold any more'),
  UserFlairChanged: flairOf((event) => account(event)),
  UserFlairSwitched: sayPlainly('chose whether the own flair is shown'),
  LinkFlairChanged: flairOf(target),
  FlairSettingChanged: saySetting('changed how flair works:'),
  FlairTemplateAdded: sayPlainly('made a flair template'),
  FlairTemplateChanged: sayPlainly('edited a flair template'),
  FlairTemplateDeleted: sayPlainly('deleted a flair template'),
  FlairTemplatesCleared: sayPlainly('deleted all flair templates'),
}

export const eventTypes = Object.keys(sentences) as readonly EventType[]

/** The types of events in the history of a thing, by the prefix of its fullname. */
const typesByKind: Readonly<Record<string, RegExp>> = {
  t1: /^(?:Comment|Thing|VoteCast$)/,
  t2: /^Account(?!Blocked|Unblocked)/,
  t4: /^(?:SubsiteCreated$|SubsiteSettingChanged$|Moderator|Rule|Image)/,
  t5: /^(?:Link|Thing|VoteCast$)/,
}

/** Returns the types of events that the history of a thing can have. */
export const eventTypesOf = (name: string): readonly EventType[] => {
  const types = typesByKind[name.slice(0, 2)]
  return types === undefined ? eventTypes : eventTypes.filter((type) => types.test(type))
}

const capacities = { user: '', moderator: ' as a moderator', admin: ' as an admin', system: '' }

/** Renders the actor. The log withholds from others who voted, reported or gilded. */
const actor = (event: ShownEvent): Html => {
  const { by } = event
  if (by === undefined) return html`<b>Somebody</b>`
  if (by.account === null) return html`<b class="service">The service:</b>`
  return html`<b>${accountOrSubsite(event, by.account, 'An account')}</b>${capacities[by.as] === '' ? undefined : html`,${capacities[by.as]},`}`
}

/** Renders an event as a sentence: who did what to what as it was then, and why. */
export const eventSentence = (event: ShownEvent): Html => html`${actor(event)} ${sentences[event.type](event)}`

/** A field that an event changed. */
export type ChangedWords = { readonly field: string; readonly before: string; readonly after: string }

const valueInWords = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number' && value > 1000 * DAY_MS) return new Date(value).toISOString().slice(0, 10)
  if (Array.isArray(value)) return value.length === 0 ? 'nothing' : value.map(valueInWords).join(', ')
  return typeof value === 'object' ? Object.values(value).map(valueInWords).join(', ') : String(value)
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Returns what was before an event and after it, as far as the event says so to this reader. */
export const changesOf = (event: ShownEvent): readonly ChangedWords[] => {
  const { before, after, ...data } = event.data
  if (before === undefined) return []
  if (!isRecord(before)) {
    const now = after ?? (event.type === 'RuleEdited' ? data.name : undefined)
    return now === undefined ? [] : [{ field: textOf(event, 'setting') ?? 'state', before: valueInWords(before), after: valueInWords(now) }]
  }
  const now = isRecord(after) ? after : data
  return Object.entries(before)
    .filter(([field, value]) => field in now && valueInWords(value) !== valueInWords(now[field]) && !/^t2_/.test(String(value)))
    .map(([field, value]) => ({ field, before: valueInWords(value), after: valueInWords(now[field]) }))
}

const stern = /(?:Removed|Deleted|Erased|Banned|Muted|Locked|Suspended|Revoked|Withdrawn)$/
const kind = /(?:Approved|Unbanned|Unmuted|Unlocked|Unsuspended)$/

/** Returns the edge of an event: stern for what takes something away, kind for what gives it back. */
export const toneOfEvent = ({ type }: ShownEvent): 'stern' | 'kind' | 'plain' => {
  if (kind.test(type)) return 'kind'
  return stern.test(type) ? 'stern' : 'plain'
}
