import { Link, toLinkTarget } from '../../../domain/link.ts'
import { type LinkTargets, STICKY_SLOTS, Stickies, type StickiesEvent, stickyLink, unstickyLink } from '../../../domain/stickies.ts'
import { lockLink, unlockLink } from '../../../domain/thing-moderation.ts'
import { type AnyEndpoint, type Context, section } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam, flag, integer, optional, replaceInvalid, replaceRefusal } from '../../contract/params.ts'
import { loadThing, requireModerator } from '../../needs/facts.ts'
import { column, kindsWith } from '../../things/kinds/all.ts'

const ofPosts = { scope: 'modposts', login: 'moderator', errors: 'silent' } as const
const { post } = section('Links and comments', ofPosts)
const moderation = section('Moderation', ofPosts)

/** A fullname; a missing or malformed one counts as a thing that the viewer does not moderate. */
const moderatable = describeParam(replaceRefusal(fullname(...kindsWith('post')), 'FORBIDDEN'), 'fullname of a link')
const withMail = describeParam(
  replaceRefusal(fullname(...kindsWith('moderation')), 'FORBIDDEN'),
  'a link, a comment, or a message to moderators',
)

/** Requires a moderator with `posts` for links and comments, and with `mail` for messages. */
const moderatingIt = requireModerator('id', (thing) => column(thing, 'moderation')?.permission ?? 'posts')

const lockEndpoint = (
  decide: typeof lockLink | typeof unlockLink,
  path: string,
  words: { readonly summary: string; readonly notes?: string },
) =>
  post(path, {
    ...words,
    params: { id: moderatable },
    needs: { act: requireModerator('id', 'posts'), link: loadThing(Link, 'id') },
    handle: ({ act, link, run }) => run(Link, link.id, decide(act.at)),
  })

const lock = lockEndpoint(lockLink, '/api/lock', {
  summary: 'Close a link to new comments.',
  notes: 'Moderators with `posts` may still comment. Locking a locked link changes and logs nothing; an archived link is 400.',
})

const unlock = lockEndpoint(unlockLink, '/api/unlock', { summary: 'Open a locked link to comments again.' })

const remove = moderation.post('/api/remove', {
  summary: 'Remove a link from all listings, or remove a comment or a message.',
  notes:
    'Each removal is a decision and an entry in the moderation log, also if the thing was already removed. A stickied link loses its slot. Deleted things are not changed. A message to moderators can be removed by those with `mail`, without an entry; then only its author and admins see it.',
  params: { id: withMail, spam: describeParam(flag(true), 'whether it is spam') },
  needs: { act: moderatingIt },
  handle: (context) => column(context.params.id, 'moderation')?.remove(context, context.params.id, context.params.spam),
})

const approve = moderation.post('/api/approve', {
  summary: 'Approve a link or a comment; a removed one is restored.',
  notes:
    'Each approval is a decision and an entry in the moderation log. Inbox entries of a restored comment return with their read state; a sticky slot is not restored.',
  params: { id: withMail },
  needs: { act: moderatingIt },
  handle: (context) => column(context.params.id, 'moderation')?.approve(context, context.params.id),
})

/** Returns the links in the slots as they are now, to describe the one displaced. */
const loadStickied = async ({ load }: Pick<Context, 'load'>, subsite: string): Promise<LinkTargets> => {
  const stickied = (await load(Stickies, subsite)) ?? []
  const links = await Promise.all(stickied.map(({ target }) => load(Link, target.id)))
  return new Map(links.flatMap((link) => (link ? [[link.id, toLinkTarget(link)]] : [])))
}

const setSticky = post('/api/set_subsite_sticky', {
  aliases: ['/api/set_subreddit_sticky'],
  accountQuota: 'sticky',
  errors: 'form',
  summary: 'Sticky a link to the top of its subsite, or unsticky it.',
  notes:
    'There are two slots. The link in a taken slot is replaced, with an `unsticky` entry in the moderation log; without `num`, or with one beyond the free slots, the last slot is used. A link that is already stickied is 409, a removed or deleted one 400.',
  params: {
    id: replaceRefusal(fullname('link'), 'BAD_REQUEST'),
    state: describeParam(flag(), 'true: put it up; false: take it down'),
    num: describeParam(replaceInvalid(optional(integer({ min: 1, max: STICKY_SLOTS })), undefined), 'the slot'),
  },
  needs: { act: requireModerator('id', 'posts'), link: loadThing(Link, 'id') },
  handle: async (context) => {
    const { act, link, params, run } = context
    const decide = params.state ? stickyLink(link, params.num, await loadStickied(context, act.subsite)) : unstickyLink(link)
    return run<Stickies, StickiesEvent>(Stickies, act.subsite, decide)
  },
})

export const actEndpoints: readonly AnyEndpoint[] = [lock, unlock, remove, approve, setSticky]
