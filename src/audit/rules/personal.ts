import type { Logged } from '../../domain/events.ts'
import { type Entry, short } from '../ledger.ts'
import { multiOf } from './due.ts'
import { type Complaint, filed } from './queues.ts'
import { amend, amendKnown, drop, entry, isLinkName, type Note, put, type Rules, serialOf } from './rule.ts'

// What belongs to one account: inbox, messages, friends, what it saved and hid.

type InboxData = {
  readonly account: string
  readonly thing: string
  readonly reason: string
  readonly from: string | null
  readonly subsite: string | null
  readonly audience: string
  readonly at: number
  readonly withdrawn: boolean
}
type InboxRow = { readonly account: string; readonly from: string | null }

const inboxId = (account: string, thing: string): string => `${account}.${thing}`

/** Unread, unless the account wrote it. */
const arrive = (incoming: InboxData): Entry => {
  const { account, thing, from } = incoming
  return put('inbox', { id: inboxId(account, thing), seq: serialOf(thing), new: account !== from, ...incoming })
}

const withdraw = (accounts: readonly string[], thing: string, withdrawn: boolean): readonly Entry[] =>
  accounts.map((account) => amend('inbox', inboxId(account, thing), (row) => ({ ...row, withdrawn })))

const isUnread = ({ account, thing }: { readonly account: string; readonly thing: string }, unread: boolean): readonly Entry[] => [
  amend<InboxRow>('inbox', inboxId(account, thing), (row) => ({ ...row, new: unread && row.account !== row.from })),
]

type CommentPlace = { readonly comment: string; readonly subsite: string; readonly author: string; readonly audience?: string }
type Notifications = readonly { readonly account: string; readonly reason: string }[]

const announce = (
  { comment, subsite, author, audience = 'everybody' }: CommentPlace,
  notified: Notifications,
  at: number,
  withdrawn: boolean,
): readonly Entry[] =>
  notified.map(({ account, reason }) => arrive({ account, thing: comment, reason, from: author, subsite, audience, at, withdrawn }))

const foldAway = ({ message, side }: Logged<'MessageCollapsed'>['data'], collapsed: boolean, note: Note): Entry =>
  amendKnown('messages', message, note, (row) => ({
    ...row,
    [side === 'author' ? 'collapsedByAuthor' : 'collapsedByRecipient']: collapsed,
  }))

export const mailRules: Rules = {
  MessageSent: ({ data, at, meta }) => {
    const { message: id, author, to, subsite, fromSubsite, parent, root, body, inboxes, modmail, distinguished } = data
    const subject = short(data.quotedSubject?.text ?? data.subject)
    const isAsked = meta.commandId === meta.causationId // else it tells of an act of the moderators themselves
    return [
      put('messages', {
        id,
        seq: serialOf(id),
        author,
        to,
        subsite,
        fromSubsite,
        parent,
        root,
        subject,
        body: short(body),
        modmail,
        distinguished,
        created: at,
        removed: false,
        unread: modmail && (isAsked || to === null),
        isReported: false,
        reports: [],
        deletedByRecipient: false,
        collapsedByRecipient: null,
        collapsedByAuthor: null,
      }),
      ...inboxes.map((account) =>
        arrive({ account, thing: id, reason: 'message', from: author, subsite, audience: 'recipient', at, withdrawn: false }),
      ),
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
    amendKnown<{ readonly reports: readonly Complaint[] }>('messages', message, note, (row) => ({
      ...row,
      isReported: true,
      reports: filed(row.reports, account, reason),
    })),
    drop('inbox', inboxId(account, message)),
  ],
  ModmailRead: ({ data }, note) => [amendKnown('messages', data.message, note, (row) => ({ ...row, unread: false }))],
  ModmailUnread: ({ data }, note) => [amendKnown('messages', data.message, note, (row) => ({ ...row, unread: true }))],
  MessageDistinguished: ({ data: { message, before, after }, by }, note) => {
    if (by.as !== 'admin') note(`a message distinguished as a ${by.as}`)
    return [
      amendKnown<{ readonly author: string | null; readonly distinguished: string | null }>('messages', message, note, (row) => {
        if (row.author !== by.account) note('its message is by somebody else')
        if (row.distinguished !== before) note(`its message was ${row.distinguished ?? 'not'} distinguished`)
        return { ...row, distinguished: after }
      }),
    ]
  },
  MessageCollapsed: ({ data }, note) => [foldAway(data, true, note)],
  MessageUncollapsed: ({ data }, note) => [foldAway(data, false, note)],
  MessageDeleted: ({ data }, note) => [
    amendKnown('messages', data.message, note, (row) => ({ ...row, deletedByRecipient: true })),
    drop('inbox', inboxId(data.account, data.message)),
  ],
  CommentPosted: ({ data, at }) => announce(data, data.notified, at, data.filtered),
  CommentEdited: ({ data, at }) => [
    ...announce(data, data.notified, at, false),
    ...data.withdrawn.map((account) => drop('inbox', inboxId(account, data.comment))),
  ],
  CommentDeleted: ({ data }) => data.notified.map((account) => drop('inbox', inboxId(account, data.comment))),
  CommentDistinguished: ({ data: { target, subsite, notified, removed, audience = 'everybody' }, at }) =>
    announce({ comment: target.id, subsite, author: target.author, audience }, notified, at, removed),
  CommentRemoved: ({ data }) => withdraw(data.notified, data.target.id, true),
  CommentApproved: ({ data }) => withdraw(data.notified, data.target.id, false),
  InboxEntryRead: ({ data }) => isUnread(data, false),
  InboxEntryUnread: ({ data }) => isUnread(data, true),
}

type ShelfData = { readonly account: string; readonly thing: string; readonly subsite: string }
type Shelf = { readonly category: string }

const shelve = ({ account, thing, subsite }: ShelfData, change: (shelf: Shelf) => object): Entry => {
  const id = `${account}.${thing}`
  const kind = isLinkName(thing) ? 'link' : 'comment'
  const empty = { id, account, thing, kind, subsite, saved: false, savedAt: 0, category: '', hidden: false, hiddenAt: 0 }
  return entry<Shelf>('shelves', id, (shelf = empty) => ({ ...shelf, ...change(shelf) }))
}

const avoid = ({ account, subsite }: { readonly account: string; readonly subsite: string }, fields: object): Entry => {
  const id = `${account}.${subsite}`
  return entry<object>('avoidances', id, (row = { id, account, subsite, muted: false, mutedAt: 0, blocked: false }) => ({
    ...row,
    ...fields,
  }))
}

type PreferenceData = { readonly preference: string; readonly value: unknown }

export const preferenceRules: Rules = {
  PreferencesChanged: ({ data: { account, changes, preferences } }, note) => [
    entry<{ readonly preferences: readonly PreferenceData[] }>('preferences', account, (row) => {
      const known = new Map(row?.preferences.map(({ preference, value }) => [preference, value]))
      for (const { preference, before, after } of changes) {
        if (known.has(preference) && known.get(preference) !== before) note(`its previous value of ${preference} differs`)
        known.set(preference, after)
      }
      for (const { preference, value } of preferences)
        if (known.get(preference) !== value) note(`it says that ${preference} is what no event made it`)
      return { id: account, preferences }
    }),
  ],
}

type ContactPair = { readonly account: string; readonly other: string }

const know = ({ account, other }: ContactPair, more: object): Entry => {
  const id = `${account}.${other}`
  const stranger = { id, account, other, friend: false, since: 0, note: '', blocked: false, blockedAt: 0 }
  return entry('contacts', id, (row = stranger) => ({ ...row, ...more }))
}

export const shelfRules: Rules = {
  ThingSaved: ({ data, at }) => [
    shelve(data, ({ category }) => ({ saved: true, savedAt: at, category: data.sealedCategory ?? data.category ?? category })),
  ],
  ThingUnsaved: ({ data }) => [shelve(data, () => ({ saved: false, savedAt: 0, category: '' }))],
  ThingHidden: ({ data, at }) => [shelve(data, () => ({ hidden: true, hiddenAt: at }))],
  ThingUnhidden: ({ data }) => [shelve(data, () => ({ hidden: false, hiddenAt: 0 }))],
  Friended: ({ data, at }) => [know(data, { friend: true, since: at, note: short(data.note) })],
  AccountBlocked: ({ data, at }) => [know(data, { blocked: true, blockedAt: at })],
  AccountUnblocked: ({ data }) => [know(data, { blocked: false, blockedAt: 0 })],
  SubsiteMuted: ({ data, at }) => [avoid(data, { muted: true, mutedAt: at })],
  SubsiteUnmuted: ({ data }) => [avoid(data, { muted: false, mutedAt: 0 })],
  SubsiteBlocked: ({ data }) => [avoid(data, { blocked: true })],
  SubsiteUnblocked: ({ data }) => [avoid(data, { blocked: false })],
  FriendNoteChanged: ({ data }, problem) => [
    amendKnown('contacts', `${data.account}.${data.other}`, problem, (row) => ({ ...row, note: short(data.note) })),
  ],
  Unfriended: ({ data }, problem) => [
    amendKnown('contacts', `${data.account}.${data.other}`, problem, (row) => ({ ...row, friend: false, since: 0, note: '' })),
  ],
}

const asMade = ({ data }: Logged<'MultiCreated' | 'MultiEdited'>): Entry => {
  const { account, kind, name, subsites, visibility, icon, color, weighting, created, copiedFrom, quotedName, quotedDescription } = data
  const texts = { displayName: short(data.displayName), description: short(data.description) }
  const quotes = {
    ...(quotedName && { quotedName: { author: quotedName.author, text: short(quotedName.text) } }),
    ...(quotedDescription && { quotedDescription: { author: quotedDescription.author, text: short(quotedDescription.text) } }),
  }
  const set = { subsites, visibility, icon, color, weighting, created, copiedFrom, ...quotes }
  return put('multis', { id: multiOf(data), account, kind, name, ...texts, ...set })
}

export const multiRules: Rules = {
  MultiCreated: (event) => [asMade(event)],
  MultiEdited: (event, note) => [amendKnown('multis', multiOf(event.data), note, (row) => row), asMade(event)],
  MultiDeleted: ({ data }) => [drop('multis', multiOf(data))],
}
