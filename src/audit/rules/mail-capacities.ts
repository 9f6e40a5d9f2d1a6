import type { Logged } from '../../domain/events.ts'
import type { Entry } from '../ledger.ts'
import type { JudgedEvent } from './authority-facts.ts'
import { look, type Note, type Rules } from './rule.ts'

// In which capacity mail is written, judged and marked. Earlier versions recorded some of it as by a user, which is accepted.

type Message = { readonly author: string | null; readonly to: string | null; readonly fromSubsite: boolean; readonly modmail: boolean }
type Seat = { readonly permissions: string }

const hasMail = (seat: Seat): boolean => ['+all', '+mail'].some((permission) => seat.permissions.split(',').includes(permission))

/** The actor's seat among the moderators of a subsite; nothing is seen if they changed between the decision and its record. */
const lookAtSeat = ({ by, meta }: JudgedEvent, subsite: string, see: (seat: Seat | undefined) => void): readonly Entry[] => {
  const stream = `moderators-${subsite}`
  const decidedOn = meta.seen[stream]
  let isRaced = false
  return [
    look<{ readonly revision: number }>('audit_tips', stream, (tip) => {
      isRaced = decidedOn !== undefined && decidedOn !== (tip?.revision ?? 'none')
    }),
    look<Seat>('relations', `${subsite}.${by.account}.moderator`, (seat) => {
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

/** A message that begins a conversation takes authority only in the name of a subsite. */
const begun = (event: SentMessage, note: Note): readonly Entry[] => {
  const { subsite, fromSubsite } = event.data
  if (subsite === null || !fromSubsite) {
    noteCapacity(event, ['user'], note)
    return []
  }
  return lookAtSeat(event, subsite, (seat) => noteCapacity(event, seat && hasMail(seat) ? ['moderator'] : ['admin'], note))
}

/** Who began a conversation or was written to replies as a user, others as moderators with `mail` or as admins. */
const replied = (event: SentMessage, note: Note): readonly Entry[] => {
  const { author, subsite, parent, root, distinguished } = event.data
  let first: Message | undefined
  let answered: Message | undefined
  const read = [
    look<Message>('messages', root, (row) => {
      first = row
    }),
    look<Message>('messages', String(parent), (row) => {
      answered = row
    }),
  ]
  const tookPart = () => isOneOf(author, first?.author, first?.to, answered?.author, answered?.to)
  if (subsite === null)
    return [
      ...read,
      look('messages', root, () => {
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

const sent = (event: SentMessage, note: Note): readonly Entry[] => {
  const { data, by, meta } = event
  if (meta.causationId !== meta.commandId) return [] // a consequence, which is compared with its cause
  if (data.author !== by.account) note('written in the name of somebody else')
  if (data.author === null) return []
  return data.parent === null ? begun(event, note) : replied(event, note)
}

/** By a moderator with `mail`, or by an admin. */
const judged = (event: Logged<'MessageRemoved' | 'MessageApproved'>, note: Note): readonly Entry[] =>
  lookAtSeat(event, event.data.subsite, (seat) => noteCapacity(event, [seat && hasMail(seat) ? 'moderator' : 'admin'], note))

/** By any moderator. */
const marked = (event: Logged<'ModmailRead' | 'ModmailUnread'>, note: Note): readonly Entry[] =>
  lookAtSeat(event, event.data.subsite, (seat) => {
    if (!seat) note('marked by an account that moderates nothing there')
    noteCapacity(event, ['moderator', 'user'], note)
  })

/** One's own side as a user, that of the moderators as one of them. */
const folded = (event: Logged<'MessageCollapsed' | 'MessageUncollapsed'>, note: Note): readonly Entry[] => {
  const { message, side } = event.data
  return [
    look<Message>('messages', message, (row) => {
      const { account } = event.by
      if (isOneOf(account, side === 'author' ? row?.author : row?.to)) noteCapacity(event, ['user'], note)
      else if (side === 'author' || !row?.modmail) note('of a message that is not of the account')
      else noteCapacity(event, ['moderator', 'user'], note)
    }),
  ]
}

export const mailCapacityRules: Rules = {
  MessageSent: sent,
  MessageRemoved: judged,
  MessageApproved: judged,
  ModmailRead: marked,
  ModmailUnread: marked,
  MessageCollapsed: folded,
  MessageUncollapsed: folded,
}
