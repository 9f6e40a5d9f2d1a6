import type { CommentDocument } from '../../../projections/comments.ts'
import type { InboxDocument } from '../../../projections/inbox.ts'
import type { LinkDocument } from '../../../projections/links.ts'
import type { MessageDocument } from '../../../projections/messages.ts'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import type { VoteDocument } from '../../../projections/votes.ts'
import { type AccountId, id36, numberOf } from '../../domain/ids.ts'
import type { Names } from '../../queries/accounts.ts'
import { bodyHtml } from './markdown.ts'
import { commentPermalink } from './permalink.ts'
import { countedReasons } from './reported.ts'
import { authorFullname, epoch } from './thing.ts'

/** What messages and notices are shown with. */
export type MessageSurroundings = {
  readonly viewer: string
  readonly names: Names
  readonly subsites: ReadonlyMap<string, SubsiteDocument>
  /** Subsites in whose name messages were sent and whose moderators may see by whom. */
  readonly moderated: ReadonlySet<string>
  /** The viewer prefers read messages to be collapsed, except those uncollapsed one by one. */
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

/** The author as records have it. */
const authored = (author: AccountId | null, name: string | null) => ({
  author: name,
  author_fullname: author === null || name === null ? null : authorFullname(author, name),
})

/** Whether the viewer, as author or recipient, has it collapsed; an unread message never is. */
const isCollapsed = (message: MessageDocument, isNew: boolean, { viewer, collapsesRead }: MessageSurroundings): boolean => {
  const { to, author, collapsedByAuthor, collapsedByRecipient } = message
  if (isNew) return false
  return author === viewer && to !== viewer ? (collapsedByAuthor ?? false) : (collapsedByRecipient ?? collapsesRead)
}

type Face = Pick<MessageDocument, 'subject' | 'body'> & { readonly isBlocked: boolean }

/** What the viewer sees of a message: of a blocked account's, neither subject nor body; of a blocked subsite's, no subject. */
const faceOf = (message: MessageDocument, around: MessageSurroundings): Face => {
  const { subject, body, author, subsite } = message
  if (author === around.viewer) return { subject, body, isBlocked: false }
  if (author !== null && around.blocked.has(author) && authorOf(message, around) !== null)
    return { subject: '[message from a blocked user]', body: '[unblock the user to read this message]', isBlocked: true }
  if (subsite !== null && around.blockedSubsites.has(subsite)) return { subject: '[message from a blocked subsite]', body, isBlocked: true }
  return { subject, body, isBlocked: false }
}

/** A private message or moderators' mail. `replies` is a Listing in the view of a conversation, else the empty text. */
export const messageThing = (message: MessageDocument, unread: boolean, around: MessageSurroundings, replies: unknown = '') => {
  const isNew = unread && message.author !== around.viewer
  const { subject, body, isBlocked } = faceOf(message, around)
  return {
    kind: 't6' as const,
    data: {
      id: id36(message.id),
      name: message.id,
      created: epoch(message.created),
      created_utc: epoch(message.created),
      ...authored(message.author, authorOf(message, around)),
      dest: destination(message, around),
      subject,
      body,
      body_html: bodyHtml(body),
      subsite: message.subsite === null ? null : (around.subsites.get(message.subsite)?.name ?? null),
      new: isNew,
      is_collapsed: isBlocked || isCollapsed(message, isNew, around),
      type: 'unknown',
      was_comment: false,
      context: '',
      first_message: message.root === message.id ? null : numberOf(message.root),
      first_message_name: message.root === message.id ? null : message.root,
      parent_id: message.parent,
      replies,
      distinguished: message.distinguished,
    },
  }
}

/** The same record with the reports on the message. */
export const withReports = ({ reports }: MessageDocument, thing: ReturnType<typeof messageThing> | undefined) =>
  thing && {
    ...thing,
    data: {
      ...thing.data,
      num_reports: reports.length,
      user_reports: countedReasons(reports),
    },
  }

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

/** A comment as the inbox shows it. */
export const commentNotice = ({ entry, reason, comment, link, vote }: Notice, { viewer, names, subsites }: MessageSurroundings) => {
  const subsite = subsites.get(comment.subsite)?.name ?? ''
  return {
    kind: 't1',
    data: {
      id: id36(comment.id),
      name: comment.id,
      created: epoch(comment.created),
      created_utc: epoch(comment.created),
      ...authored(comment.author, names(comment.author)),
      dest: names(viewer),
      subject: notices[reason].subject,
      body: comment.body,
      body_html: bodyHtml(comment.body),
      subsite,
      new: entry.new,
      is_collapsed: false,
      type: notices[reason].type,
      was_comment: true,
      // the slash must stay: clients find the ids by their positions
      context: `${commentPermalink(subsite, link.id, link.title, comment.id)}/?context=3`,
      first_message: null,
      first_message_name: null,
      parent_id: comment.parent ?? comment.link,
      replies: '',
      distinguished: comment.distinguished,
      likes: vote?.insightful ? true : null,
      dislikes: vote?.funny ? true : null,
      link_title: link.title,
    },
  }
}
