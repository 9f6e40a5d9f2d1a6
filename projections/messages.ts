import { numberOf } from '../src/domain/ids.ts'
import { isNews } from '../src/domain/message.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, put } from './engine/projection.ts'
import { type ReasonCount, withReason } from './engine/report-counts.ts'

export type MessageDocument = Document & {
  readonly seq: number
  /** Null: the service itself. */
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
  readonly distinguished: 'moderator' | 'admin' | null
  readonly modmail: boolean
  /** By a moderator: out of the sight of all but its author and the admins. */
  readonly removed: boolean
  /** By the moderators, who share one mark. */
  readonly unread: boolean
  readonly isReported: boolean
  /** Out of the sight of these; the first of them, who are the recipient and moderators. */
  readonly reporters: readonly string[]
  readonly reasons: readonly ReasonCount[]
}

const MOST_REPORTERS = 50

export const messages = collection<MessageDocument>({
  name: 'messages',
  version: 4,
  indexes: [
    { fields: ['author', '-seq'] },
    { fields: ['root', 'seq'] },
    { fields: ['subsite', 'modmail', '-seq'] },
    { fields: ['subsite', 'modmail', 'unread', '-seq'] },
    { fields: ['isReported', '-seq'] },
  ],
})

export const messagesProjection: Projection<MessageDocument> = {
  collection: messages,
  on: {
    MessageSent: ({ data, at, meta }) => {
      const { message, inboxes: _, ...sent } = data
      return [
        put<MessageDocument>({
          id: message,
          seq: numberOf(message),
          ...sent,
          created: at,
          removed: false,
          unread: isNews(data, meta),
          isReported: false,
          reporters: [],
          reasons: [],
        }),
      ]
    },
    MessageRemoved: ({ data }) => [change(data.message, (message) => ({ ...message, removed: true }))],
    MessageApproved: ({ data }) => [change(data.message, (message) => ({ ...message, removed: false }))],
    MessageReported: ({ data: { message: id, account, reason } }) => [
      change(id, (message) => ({
        ...message,
        isReported: true,
        reporters: [...message.reporters, account].slice(0, MOST_REPORTERS),
        reasons: withReason(message.reasons, reason),
      })),
    ],
    ModmailRead: ({ data }) => [change(data.message, (message) => ({ ...message, unread: false }))],
    ModmailUnread: ({ data }) => [change(data.message, (message) => ({ ...message, unread: true }))],
  },
}
