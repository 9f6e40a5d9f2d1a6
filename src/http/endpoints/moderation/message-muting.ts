import * as E from 'fp-ts/lib/Either.js'
import { Account } from '../../../domain/account.ts'
import { id36, type MessageId } from '../../../domain/ids.ts'
import { Message } from '../../../domain/message.ts'
import type { SubsiteAccount } from '../../../domain/relation.ts'
import { MUTE_HOURS } from '../../../domain/restrictions.ts'
import { countRelation, isQuotaSpent } from '../../../limits/relation-quota.ts'
import { type AnyEndpoint, type Need, nothingToDo, section } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { actIn, andThen } from '../../needs/facts.ts'
import { relations } from '../../things/relations.ts'

const { post } = section('Moderation', { scope: 'modcontributors', login: 'user', errors: 'silent' })

const { makes, make, end } = relations.muted

type Author = { readonly message: MessageId; readonly between: SubsiteAccount }

/**
 * Returns the author of a message to the moderators, for moderators who may mute. There is nothing to do if the message does not exist; it
 * is 403 if the account no longer does.
 */
const authorOfMail: Need<Author, { readonly id: string }> = async (context) => {
  const message = await context.load(Message, context.params.id)
  if (!message) return E.left(nothingToDo)
  const { subsite, author: account, modmail } = message
  if (!modmail || subsite === null || account === null) return refuseRule('FORBIDDEN')
  const act = await actIn(context, subsite, makes)
  if (E.isLeft(act)) return act
  const author = await context.load(Account, account)
  return author?.deleted ? refuseRule('FORBIDDEN') : E.right({ message: message.message, between: { subsite, account } })
}

/** Returns the author while the subsite may mute more. */
const mutable = andThen(authorOfMail, async (author, context) =>
  (await isQuotaSpent(context, author.between.subsite, 'muted')) ? refuseRule('FORBIDDEN') : E.right(author),
)

const muting = {
  params: { id: describeParam(fullname('message'), 'fullname of a message to the moderators') },
  needs: { author: authorOfMail },
} as const

const muteAuthor = post('/api/mute_message_author', {
  ...muting,
  summary: `Mute the author of a message to the moderators of a subsite for ${MUTE_HOURS} hours.`,
  notes:
    'For moderators with `access` and `mail`. Muting a moderator, an account that was deleted, or the author of a message that is not mail to moderators, is 403. The note of the mute is the address of the message. Muting a muted account changes and logs nothing.',
  needs: { author: mutable },
  handle: async (context) => {
    const { author, config } = context
    const { message, between } = author
    const note = `${config.publicUrl}/message/messages/${id36(message)}`
    const muted = await countRelation(context, between.subsite, 'muted', () => make(context, between, { note, over: message }))
    return E.isLeft(muted) ? refuseRule('FORBIDDEN') : muted
  },
})

const unmuteAuthor = post('/api/unmute_message_author', {
  ...muting,
  summary: 'Unmute the author of a message to the moderators of a subsite.',
  notes: 'A deleted account is 403; its mute ends by itself.',
  handle: (context) => end(context, context.author.between),
})

export const mutingEndpoints: readonly AnyEndpoint[] = [muteAuthor, unmuteAuthor]
