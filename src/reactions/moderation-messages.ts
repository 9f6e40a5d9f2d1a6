import * as E from 'fp-ts/lib/Either.js'
import { Account } from '../domain/account.ts'
import { type Actor, positionAtMost } from '../domain/event.ts'
import type { Stored } from '../domain/events.ts'
import { Contact } from '../domain/friends-and-blocks.ts'
import { type AccountId, fullname, type MessageId } from '../domain/ids.ts'
import { Message, type MessageData } from '../domain/message.ts'
import { sendNotice } from '../domain/message-sending.ts'
import { Moderators } from '../domain/moderators.ts'
import { Subsite } from '../domain/subsite.ts'
import { type Command, followUp } from '../runtime/command.ts'
import { derivedIds } from '../runtime/mint.ts'
import { banMessage, changedBanMessage, muteMessage, type Text } from './ban-and-mute-texts.ts'
import type { Consequence, Ports, Reactions } from './reaction.ts'

type Restriction = Stored<'UserBanned' | 'BanChanged' | 'UserMuted'>
type NoticeEvent =
  | Restriction
  | Stored<'ModeratorInvited' | 'ModeratorInvitationAccepted' | 'ModeratorAdded' | 'ModeratorRemoved' | 'ContributorAdded'>
type Envelope = Pick<MessageData, 'author' | 'to' | 'subsite' | 'fromSubsite' | 'modmail' | 'distinguished'>

/** `answered` puts the message into its conversation. It does not enter the inboxes of `blockers` accounts. */
type Delivery = { readonly answered?: Message | undefined; readonly blockers?: readonly AccountId[] }

/** Names as people write them: `/s/tea`, `/u/ann`. */
type Names = { readonly subsite: string; readonly account: string; readonly actor: string }

const namesOf = async ({ load }: Ports, { data, by }: NoticeEvent): Promise<Names> => {
  const subsite = await load(Subsite, data.subsite)
  const account = await load(Account, data.account)
  const actor = by.account === null ? undefined : await load(Account, by.account)
  return { subsite: `/s/${subsite?.name ?? ''}`, account: `/u/${account?.name ?? ''}`, actor: `/u/${actor?.name ?? ''}` }
}

/** Sends under the first derived id that is free. A message sent by an earlier try is found there. */
export const sendNoticeOf = async (
  { run, load }: Ports,
  cause: Pick<Stored, 'at' | 'id'>,
  by: Command,
  envelope: Envelope,
  text: Text,
  { answered, blockers = [] }: Delivery = {},
): Promise<unknown> => {
  const moderators = envelope.subsite === null ? undefined : await load(Moderators, envelope.subsite)
  for (const id of derivedIds(cause.at, cause.id)) {
    const message = fullname('message', id)
    const outcome = await run(Message, message, sendNotice({ ...envelope, ...text, message }, { moderators, blockers }, answered), by)
    if (E.isLeft(outcome) || outcome.right.events.length > 0) return outcome
  }
  return undefined
}

const send = (ports: Ports, cause: NoticeEvent, key: string, envelope: Envelope, text: Text, delivery?: Delivery) =>
  sendNoticeOf(ports, cause, followUp(cause, key, cause.by), envelope, text, delivery)

const notice =
  (cause: NoticeEvent, key: string, envelope: Envelope, textOf: (names: Names) => Text): Consequence =>
  async (ports) =>
    send(ports, cause, key, envelope, textOf(await namesOf(ports, cause)))

const distinctionOf = ({ as }: Actor) => (as === 'admin' ? 'admin' : 'moderator')

/** Addresses a message to the account concerned, in the name of the subsite. Its moderators get the message, too, and also the replies. */
const fromSubsite = ({ data, by }: NoticeEvent): Envelope => ({
  author: by.account,
  to: data.account,
  subsite: data.subsite,
  fromSubsite: true,
  modmail: true,
  distinguished: distinctionOf(by),
})

const toModerators = ({ data }: NoticeEvent, author: string | null): Envelope => ({
  author,
  to: null,
  subsite: data.subsite,
  fromSubsite: false,
  modmail: true,
  distinguished: author === null ? null : 'moderator',
})

/** Sends a message to an account that took part in the subsite before. Others are not notified of their restrictions there. */
const toParticipant =
  (cause: Restriction, key: string, textOf: (names: Names) => Text, over?: MessageId): Consequence =>
  async (ports) => {
    const { account, subsite } = cause.data
    if (!(await ports.hadParticipated(account, subsite, positionAtMost(cause)))) return undefined
    const answered = over === undefined ? undefined : await ports.load(Message, over)
    return send(ports, cause, key, fromSubsite(cause), textOf(await namesOf(ports, cause)), { answered })
  }

/** Tells whether the account blocked the actor before, and had no part in the subsite. */
const isBlockedWithoutPart = async ({ historyBefore, hadParticipated }: Ports, cause: NoticeEvent): Promise<boolean> => {
  const { data, by } = cause
  if (by.account === null) return false
  const blocks = (await historyBefore(cause, `${Contact.category}-${data.account}.${by.account}`)).findLast(
    ({ type }) => type === 'AccountBlocked' || type === 'AccountUnblocked',
  )
  return blocks?.type === 'AccountBlocked' && !(await hadParticipated(data.account, data.subsite, positionAtMost(cause)))
}

/** Sends a message to an account that may have no part in the subsite yet. It does not hear from an actor whom it blocks then. */
const toNewcomer =
  (cause: Stored<'ModeratorInvited' | 'ContributorAdded'>, key: string, textOf: (names: Names) => Text): Consequence =>
  async (ports) => {
    const blockers = (await isBlockedWithoutPart(ports, cause)) ? [cause.data.account] : []
    return send(ports, cause, key, fromSubsite(cause), textOf(await namesOf(ports, cause)), { blockers })
  }

const banNotice = (cause: Stored<'UserBanned' | 'BanChanged'>): Consequence =>
  toParticipant(cause, 'ban message', ({ subsite }) =>
    (cause.type === 'UserBanned' ? banMessage : changedBanMessage)(subsite, cause.data.days, cause.data.message ?? ''),
  )

/** Sends a message in the conversation for which the account was muted, if there is one. */
const muteNotice = (cause: Stored<'UserMuted'>): Consequence =>
  toParticipant(cause, 'mute message', ({ subsite }) => muteMessage(subsite), cause.data.over)

/** Messages about acts of moderators. */
export const moderationMessages: Reactions = {
  ModeratorInvited: (event) => [
    toNewcomer(event, 'invitation', ({ subsite }) => ({
      subject: `invitation to moderate ${subsite}`,
      body: `you are invited to become a moderator of [${subsite}](${subsite}). nothing changes until you accept the invitation.`,
    })),
    notice(event, 'invitation notice', toModerators(event, null), ({ subsite, account, actor }) => ({
      subject: 'moderator invited',
      body: `${account} has been invited by ${actor} to moderate ${subsite}.`,
    })),
  ],
  ModeratorInvitationAccepted: (event) => [
    notice(event, 'acceptance', toModerators(event, event.data.account), ({ subsite, account }) => ({
      subject: 'moderator added',
      body: `${account} has accepted an invitation to become a moderator of ${subsite}.`,
    })),
  ],
  ModeratorAdded: (event) =>
    event.data.founder
      ? []
      : [
          notice(
            event,
            'appointment',
            { author: event.by.account, to: event.data.account, subsite: null, fromSubsite: false, modmail: false, distinguished: 'admin' },
            ({ subsite }) => ({ subject: 'you are a moderator', body: `you have been added as a moderator to [${subsite}](${subsite}).` }),
          ),
        ],
  ModeratorRemoved: (event) =>
    event.data.left
      ? []
      : [
          notice(event, 'dismissal', fromSubsite(event), ({ subsite }) => ({
            subject: `you have been removed as a moderator of ${subsite}`,
            body: `you have been removed as a moderator of [${subsite}](${subsite}).`,
          })),
        ],
  ContributorAdded: (event) =>
    event.data.founder
      ? []
      : [
          toNewcomer(event, 'approval', ({ subsite }) => ({
            subject: `you are an approved submitter of ${subsite}`,
            body: `you have been added as an approved submitter to [${subsite}](${subsite}).`,
          })),
        ],
  UserBanned: (event) => [banNotice(event)],
  BanChanged: (event) => [banNotice(event)],
  UserMuted: (event) => [muteNotice(event)],
}
