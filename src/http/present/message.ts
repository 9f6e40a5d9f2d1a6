import type { CommentDocument } from '../../../projections/comments.ts'
import type { InboxDocument } from '../../../projections/inbox.ts'
import type { LinkDocument } from '../../../projections/links.ts'
import type { MessageDocument } from '../../../projections/messages.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import type { VoteDocument } from '../../../projections/votes.ts'
import { id36, numberOf } from '../../domain/ids.ts'
import type { Names } from '../../queries/accounts.ts'
import {
  authorFullname as authorFullnameShape,
  cast,
  commentId,
  commentName,
  idIn,
  messageId,
  messageName,
  subsiteName,
  username,
} from '../contract/schemas/names.ts'
import * as shape from '../contract/schemas/schema.ts'
import { eitherThing, listingShape, thingShape } from '../contract/schemas/things.ts'
import { bodyHtml } from './markdown.ts'
import { commentPermalink } from './permalink.ts'
import { countReasons } from './reported.ts'
import { authorFullname, createdFields } from './thing.ts'

/** The surroundings with which messages and notices are shown. */
export type MessageSurroundings = {
  readonly viewer: string
  readonly names: Names
  readonly subsites: ReadonlyMap<string, SubsiteDocument>
  /** Subsites in whose name messages were sent and whose moderators may see by whom. */
  readonly moderated: ReadonlySet<string>
  /** True if the viewer prefers read messages to be collapsed, except those uncollapsed one by one. */
  readonly collapsesRead: boolean
  /** Accounts, and subsites where the viewer is no moderator, that the viewer blocks. */
  readonly blocked: ReadonlySet<string>
  readonly blockedSubsites: ReadonlySet<string>
}

/** Addressed to a subsite, `dest` is `#name`. */
const destination = ({ to, subsite }: MessageDocument, { names, subsites }: MessageSurroundings): string => {
  if (to !== null) return names(to)
  return subsite === null ? '' : `#${subsites.get(subsite)?.name ?? ''}`
}

const authorOf = ({ author, fromSubsite, subsite }: MessageDocument, { viewer, names, moderated }: MessageSurroundings): string | null => {
  const hidden = fromSubsite && subsite !== null && author !== viewer && !moderated.has(subsite)
  return hidden || author === null ? null : names(author)
}

/** Tells whether the viewer, as author or recipient, has it collapsed. An unread message never is. */
const isCollapsed = (message: MessageDocument, isNew: boolean, { viewer, collapsesRead }: MessageSurroundings): boolean => {
  const { to, author, collapsedByAuthor, collapsedByRecipient } = message
  if (isNew) return false
  return author === viewer && to !== viewer ? (collapsedByAuthor ?? false) : (collapsedByRecipient ?? collapsesRead)
}

/** The subject that a viewer reads in place of that of a subsite which they block. */
export const BLOCKED_SUBSITE_SUBJECT = '[message from a blocked subsite]'

type VisibleMessage = Pick<MessageDocument, 'subject' | 'body'> & { readonly isBlocked: boolean }

/**
 * Returns the part of a message that the viewer sees: neither subject nor body of a blocked account's, no subject of a blocked subsite's.
 */
const visiblePartOf = (message: MessageDocument, around: MessageSurroundings): VisibleMessage => {
  const { subject, body, author, subsite } = message
  if (author === around.viewer) return { subject, body, isBlocked: false }
  if (author !== null && around.blocked.has(author) && authorOf(message, around) !== null)
    return { subject: '[message from a blocked user]', body: '[unblock the user to read this message]', isBlocked: true }
  if (subsite !== null && around.blockedSubsites.has(subsite)) return { subject: BLOCKED_SUBSITE_SUBJECT, body, isBlocked: true }
  return { subject, body, isBlocked: false }
}

/** A message or a notice of a comment as its reader sees it. */
type Mail = {
  readonly thing: Pick<MessageDocument, 'id' | 'created' | 'author' | 'distinguished'>
  /** The name of the author; null where it is not shown. */
  readonly author: string | null
  readonly dest: string
  readonly subject: string
  readonly body: string
  readonly subsite: string | null
  readonly isNew: boolean
  readonly isCollapsed: boolean
}

const mailFields: shape.RecordTable<Mail> = {
  id: [messageId, ({ thing }) => id36(thing.id)],
  name: [messageName, ({ thing }) => thing.id],
  ...createdFields<Mail>(({ thing }) => thing.created),
  author: [shape.orNull(username), ({ author }) => author],
  author_fullname: [
    authorFullnameShape,
    ({ thing, author }) => (thing.author === null || author === null ? null : authorFullname(thing.author, author)),
  ],
  dest: [shape.text('bob', 'The recipient; `#name` for the moderators of a subsite.'), ({ dest }) => dest],
  subject: [shape.text('On water'), ({ subject }) => subject],
  body: [shape.text('Soft.'), ({ body }) => body],
  body_html: [shape.html('Soft.'), ({ body }) => bodyHtml(body)],
  subsite: [shape.orNull(subsiteName), ({ subsite }) => subsite],
  new: [shape.flag, ({ isNew }) => isNew],
  is_collapsed: [shape.flag, ({ isCollapsed }) => isCollapsed],
}

const first = shape.orNull(shape.integer(Number.parseInt(idIn(cast.conversation), 36)))
const firstName = shape.orNull(shape.text(cast.conversation))
const distinguished: shape.RecordField<Mail> = [
  shape.orNull(shape.choice('moderator', 'admin', 'special', 'gold-auto')),
  ({ thing }) => thing.distinguished,
]

export const messageListingShape = shape.component('MessageListing', () => listingShape(messageThingShape))

type MessageView = Mail & {
  readonly thing: MessageDocument
  /** A listing in the view of a conversation, else the empty text. */
  readonly replies: object | ''
}

const messageFields: shape.RecordTable<MessageView> = {
  ...mailFields,
  type: [shape.constant('unknown'), () => 'unknown'],
  was_comment: [shape.constant(false), () => false],
  context: [shape.constant(''), () => ''],
  first_message: [first, ({ thing: { root, id } }) => (root === id ? null : numberOf(root))],
  first_message_name: [firstName, ({ thing: { root, id } }) => (root === id ? null : root)],
  parent_id: [firstName, ({ thing }) => thing.parent],
  replies: [shape.union(messageListingShape, shape.constant('')), ({ replies }) => replies],
  distinguished,
}

const reportFields: shape.RecordTable<MessageDocument> = {
  num_reports: [shape.optional(shape.integer(0)), ({ reports }) => reports.length],
  user_reports: [
    shape.optional(shape.listOf(shape.tuple(shape.orNull(shape.text('off topic')), shape.integer(2)))),
    ({ reports }) => countReasons(reports),
  ],
}

export const messageThingShape = thingShape('t6', shape.tableShape('Message', { ...messageFields, ...reportFields }))

/** Returns a private message or moderators' mail. */
export const messageThing = (thing: MessageDocument, unread: boolean, around: MessageSurroundings, replies: object | '' = '') => {
  const isNew = unread && thing.author !== around.viewer
  const { subject, body, isBlocked } = visiblePartOf(thing, around)
  const view: MessageView = {
    thing,
    author: authorOf(thing, around),
    dest: destination(thing, around),
    subject,
    body,
    subsite: thing.subsite === null ? null : (around.subsites.get(thing.subsite)?.name ?? null),
    isNew,
    isCollapsed: isBlocked || isCollapsed(thing, isNew, around),
    replies,
  }
  return { kind: 't6', data: shape.valuesOf(messageFields, view) }
}

/** Adds the reports on the message to its record. */
export const withReports = (message: MessageDocument, thing: ReturnType<typeof messageThing> | undefined) =>
  thing && { ...thing, data: { ...thing.data, ...shape.valuesOf(reportFields, message) } }

const notices = {
  comment_reply: { subject: 'comment reply', type: 'comment_reply' },
  post_reply: { subject: 'post reply', type: 'post_reply' },
  mention: { subject: 'username mention', type: 'username_mention' },
} as const

type Notice = {
  readonly entry: InboxDocument
  readonly reason: keyof typeof notices
  readonly comment: CommentDocument
  readonly link: LinkDocument
  readonly vote: VoteDocument | undefined
}

type NoticeView = Mail & Notice & { readonly subsite: string }

const trueOrNull = { anyOf: [shape.constant(true), shape.nullSchema] }

const noticeFields: shape.RecordTable<NoticeView> = {
  ...mailFields,
  id: [commentId, ({ thing }) => id36(thing.id)],
  name: [commentName, ({ thing }) => thing.id],
  type: [shape.choice(...Object.values(notices).map(({ type }) => type)), ({ reason }) => notices[reason].type],
  was_comment: [shape.constant(true), () => true],
  context: [
    shape.text(`${cast.commentPath}/?context=3`),
    // the slash must stay: clients find the ids by their positions
    ({ subsite, comment, link }) => `${commentPermalink(subsite, link.id, link.title, comment.id)}/?context=3`,
  ],
  first_message: [first, () => null],
  first_message_name: [firstName, () => null],
  parent_id: [shape.orNull(shape.text(cast.link)), ({ comment }) => comment.parent ?? comment.link],
  replies: [shape.constant(''), () => ''],
  distinguished,
  likes: [trueOrNull, ({ vote }) => vote?.insightful || null],
  dislikes: [trueOrNull, ({ vote }) => vote?.funny || null],
  link_title: [shape.text('On water'), ({ link }) => link.title],
}

export const inboxListingShape = shape.component('InboxListing', () =>
  listingShape(eitherThing(messageThingShape, thingShape('t1', shape.tableShape('CommentNotice', noticeFields)))),
)

/** A comment as the inbox shows it. */
export const commentNotice = (notice: Notice, { viewer, names, subsites }: MessageSurroundings) => {
  const { entry, reason, comment } = notice
  const view: NoticeView = {
    ...notice,
    thing: comment,
    author: names(comment.author),
    dest: names(viewer),
    subject: notices[reason].subject,
    body: comment.body,
    subsite: subsites.get(comment.subsite)?.name ?? '',
    isNew: entry.new,
    isCollapsed: false,
  }
  return { kind: 't1', data: shape.valuesOf(noticeFields, view) }
}
