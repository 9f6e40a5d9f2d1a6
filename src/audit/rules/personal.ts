import { type Entry, short } from '../ledger.ts'
import { reportedMessage } from './queues.ts'
import { amend, amendKnown, drop, entry, isLinkName, put, type Rules, serialOf } from './rule.ts'

// What belongs to one account: inbox, messages, friends, what it saved and hid.

type Incoming = {
  readonly account: string
  readonly thing: string
  readonly reason: string
  readonly from: string | null
  readonly subsite: string | null
  readonly at: number
  readonly withdrawn: boolean
}
type InboxRow = { readonly account: string; readonly from: string | null }

const inboxId = (account: string, thing: string): string => `${account}.${thing}`

/** Unread, unless it is one's own. */
const arrive = (incoming: Incoming): Entry => {
  const { account, thing, from } = incoming
  return put('inbox', { id: inboxId(account, thing), seq: serialOf(thing), new: account !== from, ...incoming })
}

const withdraw = (accounts: readonly string[], thing: string, withdrawn: boolean): readonly Entry[] =>
  accounts.map((account) => amend('inbox', inboxId(account, thing), (row) => ({ ...row, withdrawn })))

const isUnread = ({ account, thing }: { readonly account: string; readonly thing: string }, unread: boolean): readonly Entry[] => [
  amend<InboxRow>('inbox', inboxId(account, thing), (row) => ({ ...row, new: unread && row.account !== row.from })),
]

type Placed = { readonly comment: string; readonly subsite: string; readonly author: string }
type Notified = readonly { readonly account: string; readonly reason: string }[]

const announce = ({ comment, subsite, author }: Placed, notified: Notified, at: number, withdrawn: boolean): readonly Entry[] =>
  notified.map(({ account, reason }) => arrive({ account, thing: comment, reason, from: author, subsite, at, withdrawn }))

export const mailRules: Rules = {
  MessageSent: ({ data, at, meta }) => {
    const { message: id, author, to, subsite, fromSubsite, parent, root, subject, body, inboxes, modmail, distinguished } = data
    const isAsked = meta.commandId === meta.causationId // else it tells of an act of the moderators themselves
    return [
      put('messages', {
        ...{ id, seq: serialOf(id), author, to, subsite, fromSubsite, parent, root, subject: short(subject), body: short(body) },
        ...{ modmail, distinguished, created: at, removed: false, unread: modmail && (isAsked || to === null) },
        ...{ isReported: false, reporters: [], reasons: [] },
      }),
      ...inboxes.map((account) => arrive({ account, thing: id, reason: 'message', from: author, subsite, at, withdrawn: false })),
    ]
  },
  MessageRemoved: ({ data }, note) => [
    amendKnown('messages', data.message, note, (row) => ({ ...row, removed: true })),
    ...withdraw(data.inboxes, data.message, true),
  ],
  MessageApproved: ({ data }, note) => [
    amendKnown('messages', data.message, note, (row) => ({ ...row, removed: false })),
    ...withdraw(data.inboxes, data.message, false),
  ],
  MessageReported: ({ data: { message, account, reason } }, note) => [
    amendKnown<Parameters<typeof reportedMessage>[0]>('messages', message, note, (row) => ({
      ...row,
      ...reportedMessage(row, account, reason),
    })),
    drop('inbox', inboxId(account, message)),
  ],
  ModmailRead: ({ data }, note) => [amendKnown('messages', data.message, note, (row) => ({ ...row, unread: false }))],
  ModmailUnread: ({ data }, note) => [amendKnown('messages', data.message, note, (row) => ({ ...row, unread: true }))],
  CommentPosted: ({ data, at }) => announce(data, data.notified, at, data.filtered),
  CommentEdited: ({ data, at }) => [
    ...announce(data, data.notified, at, false),
    ...data.withdrawn.map((account) => drop('inbox', inboxId(account, data.comment))),
  ],
  CommentDeleted: ({ data }) => data.notified.map((account) => drop('inbox', inboxId(account, data.comment))),
  CommentDistinguished: ({ data: { target, subsite, notified, removed }, at }) =>
    announce({ comment: target.id, subsite, author: target.author }, notified, at, removed),
  CommentRemoved: ({ data }) => withdraw(data.notified, data.target.id, true),
  CommentApproved: ({ data }) => withdraw(data.notified, data.target.id, false),
  InboxEntryRead: ({ data }) => isUnread(data, false),
  InboxEntryUnread: ({ data }) => isUnread(data, true),
}

type Shelved = { readonly account: string; readonly thing: string; readonly subsite: string }
type Shelf = { readonly category: string }

const shelve = ({ account, thing, subsite }: Shelved, change: (shelf: Shelf) => object): Entry => {
  const id = `${account}.${thing}`
  const kind = isLinkName(thing) ? 'link' : 'comment'
  const empty = { id, account, thing, kind, subsite, saved: false, savedAt: 0, category: '', hidden: false, hiddenAt: 0 }
  return entry<Shelf>('shelves', id, (shelf = empty) => ({ ...shelf, ...change(shelf) }))
}

export const shelfRules: Rules = {
  ThingSaved: ({ data, at }) => [shelve(data, ({ category }) => ({ saved: true, savedAt: at, category: data.category ?? category }))],
  ThingUnsaved: ({ data }) => [shelve(data, () => ({ saved: false, savedAt: 0, category: '' }))],
  ThingHidden: ({ data, at }) => [shelve(data, () => ({ hidden: true, hiddenAt: at }))],
  ThingUnhidden: ({ data }) => [shelve(data, () => ({ hidden: false, hiddenAt: 0 }))],
  Friended: ({ data: { account, other, note }, at }) => [
    put('contacts', { id: `${account}.${other}`, account, other, friend: true, since: at, note: short(note) }),
  ],
  FriendNoteChanged: ({ data }, problem) => [
    amendKnown('contacts', `${data.account}.${data.other}`, problem, (row) => ({ ...row, note: short(data.note) })),
  ],
  Unfriended: ({ data }, problem) => [
    amendKnown('contacts', `${data.account}.${data.other}`, problem, (row) => ({ ...row, friend: false, since: 0, note: '' })),
  ],
}
