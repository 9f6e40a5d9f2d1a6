import { audienceIn } from '../src/domain/audience.ts'
import type { Reason } from '../src/domain/comment.ts'
import { numberOf } from '../src/domain/ids.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, putDocument, remove } from './engine/projection.ts'

/** One thing in one account's inbox: a message, or a comment that concerns it. */
export type InboxDocument = Document & {
  readonly account: string
  readonly thing: string
  readonly seq: number
  readonly reason: 'message' | Reason
  readonly from: string | null
  readonly subsite: string | null
  /** The audience of the comment; `RECIPIENT_AUDIENCE` for messages. */
  readonly audience: string
  readonly at: number
  /** Unread. A message that the account wrote itself never is. */
  readonly new: boolean
  /** Hidden while the comment or message is removed; its read mark stays. */
  readonly withdrawn: boolean
}

export const inbox = collection<InboxDocument>({
  name: 'inbox',
  version: 4,
  unique: { seq: ['account'] },
  indexes: [
    { fields: ['account', 'audience', 'withdrawn', '-seq'] },
    { fields: ['account', 'audience', 'withdrawn', 'new', '-seq'] },
    { fields: ['account', 'audience', 'withdrawn', 'reason', '-seq'] },
    { fields: ['subsite', 'audience', 'id'] },
  ],
})

/** The audience of messages, whatever subsite they are mail of: they are for the account whose inbox it is. */
export const RECIPIENT_AUDIENCE = 'recipient'

export const inboxId = (account: string, thing: string): string => `${account}.${thing}`

type InboxFields = Omit<InboxDocument, 'id' | 'seq' | 'new'>
const enter = (entry: InboxFields) =>
  putDocument<InboxDocument>({
    ...entry,
    id: inboxId(entry.account, entry.thing),
    seq: numberOf(entry.thing),
    new: entry.account !== entry.from,
  })

type CommentPlace = { readonly comment: string; readonly subsite: string; readonly author: string; readonly audience?: string }
const notice =
  ({ comment, subsite, author, ...place }: CommentPlace, at: number, withdrawn: boolean) =>
  (to: { readonly account: string; readonly reason: Reason }) =>
    enter({ ...to, thing: comment, from: author, subsite, audience: audienceIn(place), at, withdrawn })

const withdraw = (withdrawn: boolean, thing: string) => (account: string) =>
  change<InboxDocument>(inboxId(account, thing), (entry) => ({ ...entry, withdrawn }))
const take = (thing: string) => (account: string) => remove<InboxDocument>(inboxId(account, thing))
const mark = (unread: boolean, { account, thing }: { readonly account: string; readonly thing: string }) =>
  change<InboxDocument>(inboxId(account, thing), (entry) => ({ ...entry, new: unread && entry.account !== entry.from }))

export const inboxProjection: Projection<InboxDocument> = {
  collection: inbox,
  on: {
    MessageSent: ({ data, at }) =>
      data.inboxes.map((account) =>
        enter({
          account,
          thing: data.message,
          reason: 'message',
          from: data.author,
          subsite: data.subsite,
          audience: RECIPIENT_AUDIENCE,
          at,
          withdrawn: false,
        }),
      ),
    CommentPosted: ({ data, at }) => data.notified.map(notice(data, at, data.filtered)),
    CommentEdited: ({ data, at }) => [...data.notified.map(notice(data, at, false)), ...data.withdrawn.map(take(data.comment))],
    CommentDeleted: ({ data }) => data.notified.map(take(data.comment)),
    CommentDistinguished: ({ data: { target, notified, removed, ...place }, at }) =>
      notified.map(notice({ ...place, comment: target.id, author: target.author }, at, removed)),
    CommentRemoved: ({ data }) => data.notified.map(withdraw(true, data.target.id)),
    CommentApproved: ({ data }) => data.notified.map(withdraw(false, data.target.id)),
    AudienceApplied: ({ data: { entries, audience } }) => entries.map((id) => change(id, (entry) => ({ ...entry, audience }))),
    MessageRemoved: ({ data }) => data.inboxes.map(withdraw(true, data.message)),
    MessageApproved: ({ data }) => data.inboxes.map(withdraw(false, data.message)),
    MessageReported: ({ data: { account, message } }) => [take(message)(account)],
    MessageDeleted: ({ data: { account, message } }) => [take(message)(account)],
    InboxEntryRead: ({ data }) => [mark(false, data)],
    InboxEntryUnread: ({ data }) => [mark(true, data)],
  },
}
