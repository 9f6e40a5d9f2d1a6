import * as E from 'fp-ts/lib/Either.js'
import type { SubsiteId } from '../../../domain/ids.ts'
import { acceptInvitation } from '../../../domain/moderator-invitations.ts'
import { Moderators } from '../../../domain/moderators.ts'
import { type AnyEndpoint, type Need, nothingToDo, section } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam, optional } from '../../contract/params.ts'
import { subsiteHere, subsiteIdHere } from '../../needs/facts.ts'
import { leave, restrictionsOf } from '../../things/relations.ts'

const { post } = section('Moderation', { scope: 'modself', login: 'user', errors: 'silent' })

export const acceptModeratorInvite = post('[/s/{sub}]/api/accept_moderator_invite', {
  whileSuspended: true,
  errors: 'form',
  summary: 'Accept an invitation to moderate the subsite.',
  notes:
    'The new moderator has the permissions of the invitation. An account that is banned, or permanently suspended, is refused with `BANNED_FROM_SUBSITE`; a ban withdraws the invitation. Without an invitation, or without a subsite in the path: `NO_INVITE_FOUND`.',
  needs: { subsite: subsiteHere('NO_INVITE_FOUND') },
  handle: async (context) => {
    const between = { subsite: context.subsite.id, account: context.viewer.account }
    const restricted = await restrictionsOf(context, between)
    context.actAs('moderator') // accepting makes the account a moderator
    return context.run(Moderators, between.subsite, acceptInvitation(between, restricted))
  },
})

/** Returns the subsite of a parameter or of the path; nothing to do without either. */
const subsiteMeant: Need<SubsiteId, { readonly id: string | undefined }> = (context) => {
  const subsite = context.params.id ?? subsiteIdHere(context)
  return subsite === undefined ? E.left(nothingToDo) : E.right(subsite)
}

const leaveEndpoint = (as: keyof typeof leave, path: string, words: { readonly summary: string; readonly notes: string }) =>
  post(path, {
    ...words,
    whileSuspended: true,
    aliases: [`/s/{sub}${path}`],
    params: { id: describeParam(optional(fullname('subsite')), 'the subsite; absent: that of the path') },
    needs: { subsite: subsiteMeant },
    handle: (context) => leave[as](context, context.subsite),
  })

const leaveModerator = leaveEndpoint('moderator', '/api/leavemoderator', {
  summary: 'Resign as moderator of a subsite.',
  notes: 'The last moderator may resign, too. The entry in the moderation log has the details `remove_self`.',
})

const leaveContributor = leaveEndpoint('contributor', '/api/leavecontributor', {
  summary: 'Resign as approved submitter of a subsite.',
  notes: 'Makes no entry in the moderation log.',
})

export const leavingEndpoints: readonly AnyEndpoint[] = [leaveModerator, leaveContributor]
