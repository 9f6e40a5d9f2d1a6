import { either as E } from 'fp-ts'
import type { App } from '../../app.ts'
import type { Command } from '../../commands/command.ts'
import { approveComment, Comment, removeComment } from '../../domain/comment.ts'
import { refuse } from '../../domain/decision.ts'
import { kindOf, type SubsiteId } from '../../domain/ids.ts'
import { approveLink, Link, lockLink, removeLink, targetOf, unlockLink } from '../../domain/link.ts'
import { approveMessage, Message, removeMessage } from '../../domain/message.ts'
import { acceptInvitation, Moderators } from '../../domain/moderators.ts'
import { type Now, Stickies, stickyLink, unstickyLink } from '../../domain/stickies.ts'
import { moderatorOf } from '../access.ts'
import { type Access, type AnyEndpoint, done, endpoint, type Reply } from '../endpoint.ts'
import { described, flag, fullname, integer, lenient, optional, refusing } from '../params.ts'
import { modLog } from './mod-log.ts'

const section = 'Moderation'
const ofLinks = 'Links and comments'

const answer = () => done

/** A missing or malformed id is no thing of a subsite that the caller moderates. */
const moderatable = described(refusing(fullname('link', 'comment'), 'FORBIDDEN'), 'a link or a comment')
const withMail = described(refusing(fullname('link', 'comment', 'message'), 'FORBIDDEN'), 'a link, a comment, or a message to moderators')

/** Things are for moderators with `posts`, messages for those with `mail`. */
const moderatorOfIt: Access<{ readonly id: string }> = (request, app) =>
  moderatorOf('id', kindOf(request.params.id) === 'message' ? 'mail' : 'posts')(request, app)

const onlyLink = refusing(fullname('link'), 'BAD_REQUEST')

export const lock = endpoint({
  method: 'POST',
  path: '/api/lock',
  scope: 'modposts',
  login: 'moderator',
  errors: 'silent',
  section: ofLinks,
  summary: 'Close a link to new comments.',
  notes: 'Moderators with `posts` may still comment. Locking a locked link changes nothing and logs nothing; an archived one is 400.',
  params: { id: moderatable },
  access: moderatorOf('id', 'posts'),
  handle: async ({ params: { id }, command }, { run }) => {
    if (kindOf(id) !== 'link') return refuse('BAD_REQUEST')
    return E.map(answer)(await run(Link, id, lockLink(command.at), command))
  },
})

export const unlock = endpoint({
  method: 'POST',
  path: '/api/unlock',
  scope: 'modposts',
  login: 'moderator',
  errors: 'silent',
  section: ofLinks,
  summary: 'Open a locked link to comments again.',
  params: { id: moderatable },
  access: moderatorOf('id', 'posts'),
  handle: async ({ params: { id }, command }, { run }) => {
    if (kindOf(id) !== 'link') return refuse('BAD_REQUEST')
    return E.map(answer)(await run(Link, id, unlockLink(command.at), command))
  },
})

export const remove = endpoint({
  method: 'POST',
  path: '/api/remove',
  scope: 'modposts',
  login: 'moderator',
  errors: 'silent',
  section,
  summary: 'Take a link out of all listings, or redact a comment.',
  notes:
    'Each removal is a decision and an entry of its own, also of what was removed already. A stickied link loses its slot. What its author deleted stays as it is. A message to moderators is removed by those with `mail`, without an entry; then only its author and admins see it.',
  params: { id: withMail, spam: described(flag(true), 'whether it is spam') },
  access: moderatorOfIt,
  handle: async ({ params: { id, spam }, command }, { run }) => {
    switch (kindOf(id)) {
      case 'link':
        return E.map(answer)(await run(Link, id, removeLink(spam), command))
      case 'comment':
        return E.map(answer)(await run(Comment, id, removeComment(spam), command))
      default:
        return E.map(answer)(await run(Message, id, removeMessage(spam), command))
    }
  },
})

export const approve = endpoint({
  method: 'POST',
  path: '/api/approve',
  scope: 'modposts',
  login: 'moderator',
  errors: 'silent',
  section,
  summary: 'Approve a link or a comment; what was removed comes back.',
  notes:
    'Each approval is a decision and an entry of its own. Notices of a comment come back as unread as they were; a sticky slot does not.',
  params: { id: withMail },
  access: moderatorOfIt,
  handle: async ({ params: { id }, command }, { run }) => {
    switch (kindOf(id)) {
      case 'link':
        return E.map(answer)(await run(Link, id, approveLink, command))
      case 'comment':
        return E.map(answer)(await run(Comment, id, approveComment, command))
      default:
        return E.map(answer)(await run(Message, id, approveMessage, command))
    }
  },
})

/** The links in the slots, as they are now: the one displaced is described so. */
const stickiedNow = async ({ load }: Pick<App, 'load'>, subsite: SubsiteId, command: Command): Promise<Now> => {
  const stickied = (await load(Stickies, subsite, command)) ?? []
  const links = await Promise.all(stickied.map(({ id }) => load(Link, id, command)))
  return new Map(links.flatMap((link) => (link ? [[link.id, targetOf(link)]] : [])))
}

export const setSticky = endpoint({
  method: 'POST',
  path: '/api/set_subsite_sticky',
  aliases: ['/api/set_subreddit_sticky'],
  scope: 'modposts',
  login: 'moderator',
  errors: 'form',
  json: true,
  section: ofLinks,
  summary: 'Put a link at the top of its subsite, or take it down.',
  notes:
    'Two slots. A taken slot is replaced, with an `unsticky` entry for the link displaced; without `num`, or with one beyond the free slots, the bottom-most slot is used. A link that is stickied already is 409, one that is removed or deleted 400.',
  params: {
    id: onlyLink,
    state: described(flag(), 'true: put it up; false: take it down'),
    num: described(lenient(optional(integer({ min: 1, max: 2 })), undefined), 'the slot'),
  },
  access: moderatorOf('id', 'posts'),
  handle: async ({ params: { id, state, num }, command }, app) => {
    const link = await app.load(Link, id, command)
    if (!link) return refuse('FORBIDDEN')
    const decide = state ? stickyLink(link, num, await stickiedNow(app, link.subsite, command)) : unstickyLink(link)
    const recorded = await app.run(Stickies, link.subsite, decide, command)
    return E.map((): Reply => ({ kind: 'form' }))(recorded)
  },
})

export const acceptModeratorInvite = endpoint({
  method: 'POST',
  path: '[/s/{sub}]/api/accept_moderator_invite',
  scope: 'modself',
  login: 'user',
  errors: 'form',
  json: true,
  section,
  summary: 'Accept an invitation to moderate the subsite.',
  notes: 'The permissions are those of the invitation. Without an invitation, or without a subsite in the path: `NO_INVITE_FOUND`.',
  params: {},
  handle: async ({ site, viewer: { account }, command }, { run }) => {
    if (account === undefined) return refuse('USER_REQUIRED')
    if (site.kind !== 'subsite') return refuse('NO_INVITE_FOUND')
    const subsite = site.subsite.id
    return E.map((): Reply => ({ kind: 'form' }))(await run(Moderators, subsite, acceptInvitation({ subsite, account }), command))
  },
})

export const moderationEndpoints: readonly AnyEndpoint[] = [lock, unlock, remove, approve, setSticky, acceptModeratorInvite, modLog]
