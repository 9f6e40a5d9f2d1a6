import { kindOf } from '../../domain/ids.ts'
import { Link, lockLink, targetOf, unlockLink } from '../../domain/link.ts'
import { acceptInvitation, Moderators } from '../../domain/moderators.ts'
import { isBanned, Relation } from '../../domain/relation.ts'
import { type Now, Stickies, type StickiesEvent, stickyLink, unstickyLink } from '../../domain/stickies.ts'
import { withinQuota } from '../account-quota.ts'
import { type AnyEndpoint, type Context, endpoint } from '../endpoint.ts'
import { moderationOf } from '../kinds.ts'
import { moderating, subsiteHere, the } from '../needs.ts'
import { described, flag, fullname, integer, lenient, optional, refusing } from '../params.ts'
import { distinguish } from './distinguish.ts'
import { modLog } from './mod-log.ts'
import { modQueue } from './mod-queues.ts'
import { ignoreReports, unignoreReports } from './report.ts'

const section = 'Moderation'
const ofLinks = 'Links and comments'

/** A missing or malformed id is no thing of a subsite that the caller moderates. */
const moderatable = described(refusing(fullname('link', 'comment'), 'FORBIDDEN'), 'a link or a comment')
const withMail = described(refusing(fullname('link', 'comment', 'message'), 'FORBIDDEN'), 'a link, a comment, or a message to moderators')

/** Things are for moderators with `posts`, messages for those with `mail`. */
const moderatingIt = moderating('id', (thing) => (kindOf(thing) === 'message' ? 'mail' : 'posts'))

const lock = endpoint({
  method: 'POST',
  path: '/api/lock',
  scope: 'modposts',
  login: 'moderator',
  errors: 'silent',
  section: ofLinks,
  summary: 'Close a link to new comments.',
  notes: 'Moderators with `posts` may still comment. Locking a locked link changes nothing and logs nothing; an archived one is 400.',
  params: { id: moderatable },
  needs: { act: moderating('id', 'posts'), link: the('link', 'id') },
  handle: ({ act, link, run }) => run(Link, link.id, lockLink(act.at)),
})

const unlock = endpoint({
  method: 'POST',
  path: '/api/unlock',
  scope: 'modposts',
  login: 'moderator',
  errors: 'silent',
  section: ofLinks,
  summary: 'Open a locked link to comments again.',
  params: { id: moderatable },
  needs: { act: moderating('id', 'posts'), link: the('link', 'id') },
  handle: ({ act, link, run }) => run(Link, link.id, unlockLink(act.at)),
})

const remove = endpoint({
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
  needs: { act: moderatingIt },
  handle: (context) => moderationOf(context.params.id)?.remove(context, context.params.id, context.params.spam),
})

const approve = endpoint({
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
  needs: { act: moderatingIt },
  handle: (context) => moderationOf(context.params.id)?.approve(context, context.params.id),
})

/** The links in the slots, as they are now: the one displaced is described so. */
const stickiedNow = async ({ load }: Pick<Context, 'load'>, subsite: string): Promise<Now> => {
  const stickied = (await load(Stickies, subsite)) ?? []
  const links = await Promise.all(stickied.map(({ target }) => load(Link, target.id)))
  return new Map(links.flatMap((link) => (link ? [[link.id, targetOf(link)]] : [])))
}

const setSticky = endpoint({
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
    id: refusing(fullname('link'), 'BAD_REQUEST'),
    state: described(flag(), 'true: put it up; false: take it down'),
    num: described(lenient(optional(integer({ min: 1, max: 2 })), undefined), 'the slot'),
  },
  needs: { act: moderating('id', 'posts'), link: the('link', 'id') },
  handle: (context) => {
    const { act, link, params, run } = context
    const { state, num } = params
    return withinQuota(context, 'sticky', async () =>
      run<Stickies, StickiesEvent>(
        Stickies,
        act.subsite,
        state ? stickyLink(link, num, await stickiedNow(context, act.subsite)) : unstickyLink(link),
      ),
    )
  },
})

const acceptModeratorInvite = endpoint({
  method: 'POST',
  path: '[/s/{sub}]/api/accept_moderator_invite',
  scope: 'modself',
  login: 'user',
  errors: 'form',
  json: true,
  section,
  summary: 'Accept an invitation to moderate the subsite.',
  notes:
    'The permissions are those of the invitation. A banned account is refused with `BANNED_FROM_SUBSITE`, and a ban withdraws the invitation. Without an invitation, or without a subsite in the path: `NO_INVITE_FOUND`.',
  params: {},
  needs: { subsite: subsiteHere('NO_INVITE_FOUND') },
  handle: async ({ subsite: { id: subsite }, viewer: { account }, load, clock, run }) => {
    const banned = isBanned(await load(Relation, `${subsite}.${account}`), clock())
    return run(Moderators, subsite, acceptInvitation({ subsite, account }, { banned }))
  },
})

export const moderationEndpoints: readonly AnyEndpoint[] = [
  lock,
  unlock,
  remove,
  approve,
  distinguish,
  ignoreReports,
  unignoreReports,
  setSticky,
  acceptModeratorInvite,
  modLog,
  modQueue,
]
