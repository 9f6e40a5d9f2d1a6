import type { Logged } from '../../domain/events.ts'
import type { LedgerEntry } from '../ledger.ts'
import type { JudgedEvent } from './authority-facts.ts'
import { isConsequence, type LedgerRules, type Note, readRow } from './rule.ts'

// Checks the capacity in which mail is written, judged and marked. Earlier versions recorded some of it as by a user, which is accepted.

type Message = { readonly author: string | null; readonly to: string | null; readonly fromSubsite: boolean; readonly modmail: boolean }
type Seat = { readonly permissions: string }

const hasMail = (seat: Seat): boolean => ['+all', '+mail'].some((permission) => seat.permissions.split(',').includes(permission))

/** Looks at the actor's seat among the moderators of a subsite. It sees nothing if they changed between the decision and its record. */
const lookAtSeat = ({ by, meta }: JudgedEvent, subsite: string, see: (seat: Seat | undefined) => void): readonly LedgerEntry[] => {
  const stream = `moderators-${subsite}`
  const decidedOn = meta.seen[stream]
  let isRaced = false
  return [
    readRow<{ readonly revision: number }>('audit_tips', stream, (tip) => {
      isRaced = decidedOn !== undefined && decidedOn !== (tip?.revision ?? 'none')
    }),
    readRow<Seat>('relations', `${subsite}.${by.account}.moderator`, (seat) => {
      if (!isRaced) see(seat)
    }),
  ]
}

const isOneOf = (account: string | null, ...accounts: readonly (string | null | undefined)[]): boolean =>
  account !== null && accounts.includes(account)

type SentMessage = Logged<'MessageSent'>

const noteCapacity = ({ by }: JudgedEvent, allowed: readonly string[], note: Note): void => {
  if (!allowed.includes(by.as)) note(`recorded as ${by.as} instead of ${allowed.join(' or ')}`)
}

/** Checks a message that begins a conversation: it needs authority only in the name of a subsite. */
const checkBeginning = (event: SentMessage, note: Note): readonly LedgerEntry[] => {
  const { subsite, fromSubsite } = event.data
  if (subsite === null || !fromSubsite) {
    noteCapacity(event, ['user'], note)
    return []
  }
  return lookAtSeat(event, subsite, (seat) => noteCapacity(event, seat && hasMail(seat) ? ['moderator'] : ['admin'], note))
}

/**
 * Checks the capacity of a reply. The two accounts of a conversation reply as users. Everybody else replies as a moderator with `mail` or
 * as an admin.
 */
const checkReply = (event: SentMessage, note: Note): readonly LedgerEntry[] => {
  const { author, subsite, parent, root, distinguished } = event.data
  let first: Message | undefined
  let answered: Message | undefined
  const read = [
    readRow<Message>('messages', root, (row) => {
      first = row
    }),
    readRow<Message>('messages', String(parent), (row) => {
      answered = row
    }),
  ]
  const tookPart = () => isOneOf(author, first?.author, first?.to, answered?.author, answered?.to)
  if (subsite === null)
    return [
      ...read,
      readRow('messages', root, () => {
        const isParty = isOneOf(author, first?.author, first?.to)
        noteCapacity(event, isParty ? ['user'] : tookPart() || distinguished === 'admin' ? ['admin', 'user'] : ['admin'], note)
      }),
    ]
  return [
    ...read,
    ...lookAtSeat(event, subsite, (seat) => {
      if (isOneOf(author, first?.fromSubsite ? first.to : first?.author)) noteCapacity(event, ['user'], note)
      else noteCapacity(event, [seat && hasMail(seat) ? 'moderator' : 'admin', ...(tookPart() ? ['user'] : [])], note)
    }),
  ]
}

const checkSent = (event: SentMessage, note: Note): readonly LedgerEntry[] => {
  const { data, by } = event
  if (isConsequence(event)) return [] // a consequence is compared with its cause
  if (data.author !== by.account) note('written in the name of somebody else')
  if (data.author === null) return []
  return data.parent === null ? checkBeginning(event, note) : checkReply(event, note)
}

/** Checks a verdict on mail, which needs a moderator with `mail`, or an admin. */
const checkVerdict = (event: Logged<'MessageRemoved' | 'MessageApproved'>, note: Note): readonly LedgerEntry[] =>
  lookAtSeat(event, event.data.subsite, (seat) => noteCapacity(event, [seat && hasMail(seat) ? 'moderator' : 'admin'], note))

/** Checks a mark on mail, which needs any moderator. */
const checkMark = (event: Logged<'ModmailRead' | 'ModmailUnread'>, note: Note): readonly LedgerEntry[] =>
  lookAtSeat(event, event.data.subsite, (seat) => {
    if (!seat) note('marked by an account that moderates nothing there')
    noteCapacity(event, ['moderator', 'user'], note)
  })

/** Checks that an account collapses its own side as a user, and that of the moderators as one of them. */
const checkCollapse = (event: Logged<'MessageCollapsed' | 'MessageUncollapsed'>, note: Note): readonly LedgerEntry[] => {
  const { message, side } = event.data
  return [
    readRow<Message>('messages', message, (row) => {
      const { account } = event.by
      if (isOneOf(account, side === 'author' ? row?.author : row?.to)) noteCapacity(event, ['user'], note)
      else if (side === 'author' || !row?.modmail) note('of a message that is not of the account')
      else noteCapacity(event, ['moderator', 'user'], note)
    }),
  ]
}

export const mailCapacityRules: LedgerRules = {
  MessageSent: checkSent,
  MessageRemoved: checkVerdict,
  MessageApproved: checkVerdict,
  ModmailRead: checkMark,
  ModmailUnread: checkMark,
  MessageCollapsed: checkCollapse,
  MessageUncollapsed: checkCollapse,
  MessageDistinguished: ({ data: { message, before }, by }, note) => {
    if (by.as !== 'admin') note(`a message distinguished as a ${by.as}`)
    return [
      readRow<Pick<Message, 'author'> & { readonly distinguished: string | null }>('messages', message, (row) => {
        if (row && row.author !== by.account) note('its message is by somebody else')
        if (row && row.distinguished !== before) note(`its message was ${row.distinguished ?? 'not'} distinguished`)
      }),
    ]
  },
}
