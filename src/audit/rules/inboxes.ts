import type { Logged } from '../../domain/events.ts'
import type { LedgerEntry } from '../ledger.ts'
import { amendFigures, figuresBook, putFigures } from './figures.ts'
import { drop, type LedgerRules } from './rule.ts'

// Unread entries of inboxes, and unread mail of moderators.

const entryId = (account: string, thing: string): string => `${account}.${thing}`

/** Adds an entry that is unread, unless the account wrote it. */
const arrive = (account: string, thing: string, from: string | null): LedgerEntry =>
  putFigures('inbox', entryId(account, thing), { account, thing, from, new: account !== from })

const mark = ({ account, thing }: { readonly account: string; readonly thing: string }, isUnread: boolean): readonly LedgerEntry[] => [
  amendFigures<{ readonly from: string | null }>('inbox', entryId(account, thing), (row) => ({
    ...row,
    new: isUnread && account !== row.from,
  })),
]

const leave = (account: string, thing: string): LedgerEntry => drop(figuresBook('inbox'), entryId(account, thing))

const markMail = ({ data: { message } }: Logged<'ModmailRead' | 'ModmailUnread'>, unread: boolean): readonly LedgerEntry[] => [
  amendFigures('messages', message, (row) => ({ ...row, unread })),
]

const announce = (notified: readonly { readonly account: string }[], comment: string, author: string): readonly LedgerEntry[] =>
  notified.map(({ account }) => arrive(account, comment, author))

export const inboxRules: LedgerRules = {
  MessageSent: ({ data: { message, author, to, inboxes, modmail }, meta }) => {
    const isAsked = meta.commandId === meta.causationId // false for a notice of an act of the moderators themselves
    return [
      putFigures('messages', message, { unread: modmail && (isAsked || to === null) }),
      ...inboxes.map((account) => arrive(account, message, author)),
    ]
  },
  MessageReported: ({ data }) => [leave(data.account, data.message)],
  MessageDeleted: ({ data }) => [leave(data.account, data.message)],
  ModmailRead: (event) => markMail(event, false),
  ModmailUnread: (event) => markMail(event, true),
  CommentPosted: ({ data: { notified, comment, author } }) => announce(notified, comment, author),
  CommentEdited: ({ data: { notified, withdrawn, comment, author } }) => [
    ...announce(notified, comment, author),
    ...withdrawn.map((account) => leave(account, comment)),
  ],
  CommentDeleted: ({ data }) => data.notified.map((account) => leave(account, data.comment)),
  CommentDistinguished: ({ data: { target, notified } }) => announce(notified, target.id, target.author),
  InboxEntryRead: ({ data }) => mark(data, false),
  InboxEntryUnread: ({ data }) => mark(data, true),
}
