import { either as E } from 'fp-ts'
import { moderates } from '../../commands/standings.ts'
import { type AccountId, id36, type MessageId, type SubsiteId } from '../../domain/ids.ts'
import { Message } from '../../domain/message.ts'
import { Relation } from '../../domain/relation.ts'
import { MUTE_HOURS, muteUser, unmuteUser } from '../../domain/restrictions.ts'
import { type AnyEndpoint, type Context, type Need, nothingToDo, section } from '../endpoint.ts'
import { fullname } from '../name-params.ts'
import { actIn } from '../needs.ts'
import { described } from '../params.ts'
import { refuse } from '../refusals.ts'
import { countRelation, isQuotaSpent } from '../relation-quota.ts'

const { post } = section('Moderation', { scope: 'modcontributors', login: 'user', errors: 'silent' })

type Author = { readonly message: MessageId; readonly subsite: SubsiteId; readonly account: AccountId }

/** The author of a message to the moderators, for moderators who may mute; nothing to do if the message does not exist. */
const authorOfMail: Need<Author, { readonly id: string }> = async (context: Context<{ readonly id: string }>) => {
  const message = await context.load(Message, context.params.id)
  if (!message) return E.left(nothingToDo)
  const { subsite, author: account, modmail } = message
  if (!modmail || subsite === null || account === null) return refuse('FORBIDDEN')
  return E.map(() => ({ message: message.message, subsite, account }))(await actIn(context, subsite, ['access', 'mail']))
}

const muting = {
  params: { id: described(fullname('message'), 'fullname of a message to the moderators') },
  needs: { author: authorOfMail },
} as const

const muteAuthor = post('/api/mute_message_author', {
  ...muting,
  summary: `Mute the author of a message to the moderators of a subsite for ${MUTE_HOURS} hours.`,
  notes:
    'For moderators with `access` and `mail`. Muting a moderator, or the author of a message that is not mail to moderators, is 403. The note of the mute is the address of the message. Muting a muted account changes and logs nothing.',
  handle: async (context) => {
    const { author, run, clock, config, viewer, command } = context
    const { message, subsite, account } = author
    if (await moderates(context, { subsite, account })) return refuse('FORBIDDEN')
    if (!command.retried && !viewer.admin && (await isQuotaSpent(context, subsite, 'muted'))) return refuse('FORBIDDEN')
    const note = `${config.publicUrl}/message/messages/${id36(message)}`
    const decide = muteUser({ subsite, account }, { moderator: false, at: clock() }, { note, over: message })
    const muted = await run(Relation, `${subsite}.${account}`, decide)
    if (E.isRight(muted) && muted.right.events.length > 0) await countRelation(context, subsite, 'muted')
    return muted
  },
})

const unmuteAuthor = post('/api/unmute_message_author', {
  ...muting,
  summary: 'Unmute the author of a message to the moderators of a subsite.',
  handle: ({ author: { subsite, account }, run, clock }) =>
    run(Relation, `${subsite}.${account}`, unmuteUser({ subsite, account }, clock())),
})

export const mutingEndpoints: readonly AnyEndpoint[] = [muteAuthor, unmuteAuthor]
