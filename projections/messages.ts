import { placesOf } from '../src/domain/account.ts'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import { kindOf, numberOf } from '../src/domain/ids.ts'
import { isNews, type Message, subjectOf } from '../src/domain/message.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, putDocument } from './engine/projection.ts'
import { type ReportByAccount, withErasedReason, withReport } from './engine/reports.ts'

export type MessageDocument = Document & {
  readonly seq: number
  /** Null if the service itself wrote it. */
  readonly author: string | null
  readonly to: string | null
  readonly subsite: string | null
  readonly fromSubsite: boolean
  readonly parent: string | null
  /** The first message of the conversation, which may be this one. */
  readonly root: string
  readonly subject: string
  readonly body: string
  readonly created: number
  readonly distinguished: Message['distinguished']
  readonly modmail: boolean
  /** Removed by a moderator: only its author and the admins see it. */
  readonly removed: boolean
  /** Unread by the moderators, who share one mark. */
  readonly unread: boolean
  /** Collapsed by its recipient, or by the moderators together; null if it was neither collapsed nor uncollapsed so far. */
  readonly collapsedByRecipient: boolean | null
  readonly collapsedByAuthor: boolean | null
  /** Hidden from its recipient. */
  readonly deletedByRecipient: boolean
  readonly isReported: boolean
  /** The first reports by its recipient or by moderators, from whom it is hidden. */
  readonly reports: readonly ReportByAccount[]
}

export const messages = collection<MessageDocument>({
  name: 'messages',
  version: 7,
  unique: { seq: [] },
  indexes: [
    { fields: ['author', '-seq'] },
    { fields: ['root', 'seq'] },
    { fields: ['subsite', 'modmail', '-seq'] },
    { fields: ['subsite', 'modmail', 'unread', '-seq'] },
    { fields: ['isReported', '-seq'] },
  ],
})

const isMessage = (thing: string): boolean => kindOf(thing) === 'message'

const collapse = (id: string, side: 'recipient' | 'author', collapsed: boolean) =>
  change<MessageDocument>(id, (message) => ({
    ...message,
    ...(side === 'recipient' ? { collapsedByRecipient: collapsed } : { collapsedByAuthor: collapsed }),
  }))

export const messagesProjection: Projection<MessageDocument> = {
  collection: messages,
  on: {
    MessageSent: ({ data, at, meta }) => {
      const { message, inboxes: _, quotedSubject: __, ...sent } = data
      return [
        putDocument<MessageDocument>({
          id: message,
          seq: numberOf(message),
          ...sent,
          subject: subjectOf(data),
          created: at,
          removed: false,
          unread: isNews(data, meta),
          collapsedByRecipient: null,
          collapsedByAuthor: null,
          deletedByRecipient: false,
          isReported: false,
          reports: [],
        }),
      ]
    },
    AccountTextsErased: ({ data }) => [
      ...placesOf(data, 'body').map((id) => change<MessageDocument>(id, (message) => ({ ...message, body: ERASED_PLACEHOLDER }))),
      ...data.things
        .filter(isMessage)
        .map((id) => change<MessageDocument>(id, (message) => ({ ...message, subject: ERASED_PLACEHOLDER, body: ERASED_PLACEHOLDER }))),
      ...placesOf(data, 'subject').map((id) => change<MessageDocument>(id, (message) => ({ ...message, subject: ERASED_PLACEHOLDER }))),
      ...placesOf(data, 'report')
        .filter(isMessage)
        .map((id) => change<MessageDocument>(id, (message) => ({ ...message, reports: withErasedReason(message.reports, data.account) }))),
    ],
    MessageRemoved: ({ data }) => [change(data.message, (message) => ({ ...message, removed: true }))],
    MessageApproved: ({ data }) => [change(data.message, (message) => ({ ...message, removed: false }))],
    MessageReported: ({ data: { message: id, account, reason } }) => [
      change(id, (message) => ({
        ...message,
        isReported: true,
        reports: withReport(message.reports, { account, reason }),
      })),
    ],
    ModmailRead: ({ data }) => [change(data.message, (message) => ({ ...message, unread: false }))],
    ModmailUnread: ({ data }) => [change(data.message, (message) => ({ ...message, unread: true }))],
    MessageDistinguished: ({ data }) => [change(data.message, (message) => ({ ...message, distinguished: data.after }))],
    MessageCollapsed: ({ data: { message, side } }) => [collapse(message, side, true)],
    MessageUncollapsed: ({ data: { message, side } }) => [collapse(message, side, false)],
    MessageDeleted: ({ data }) => [change(data.message, (message) => ({ ...message, deletedByRecipient: true }))],
  },
}
