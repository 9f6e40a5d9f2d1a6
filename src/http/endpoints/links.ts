import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { App } from '../../app.ts'
import type { Command } from '../../commands/command.ts'
import { queues } from '../../commands/queues.ts'
import { canonicalUrl } from '../../domain/canonical-url.ts'
import { Comment } from '../../domain/comment.ts'
import { refuse } from '../../domain/decision.ts'
import { fullname as fullnameOf, id36, kindOf } from '../../domain/ids.ts'
import { Link, submitLink } from '../../domain/link.ts'
import { checkSubsiteName, claimOf } from '../../domain/names.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { Subsite, SubsiteName } from '../../domain/subsite.ts'
import { foldTitle } from '../../domain/title.ts'
import { isSelfWord, parseUrl } from '../../domain/url.ts'
import { castVote, type Direction, directions, type Votable, Vote } from '../../domain/vote.ts'
import { linksByUrl } from '../../queries/links.ts'
import { walk } from '../../queries/walk.ts'
import { mayView, placeOf, standingIn } from '../access.ts'
import { type AnyEndpoint, endpoint, type Viewer } from '../endpoint.ts'
import { described, flag, lenient, oneOf, optional, raw, strictInteger, subsiteName } from '../params.ts'
import { beginWait, isLimited, waitOf } from '../posting-limits.ts'
import { linkPermalink } from '../present/permalink.ts'

const section = 'Links and comments'

/** The subsite of a name as the log has it, also when it was founded a moment ago. */
const subsiteNow = async ({ load }: App, name: string, command: Command): Promise<Subsite | undefined> => {
  const claim = await load(SubsiteName, claimOf(name), command)
  return claim && load(Subsite, claim.subsite, command)
}

/** The permalink of the hottest link with this address in the subsite; deleted ones do not count, removed ones do. */
const duplicateOf = async ({ documents }: App, { id, name }: Subsite, url: string): Promise<string | undefined> => {
  const there = linksByUrl(documents, canonicalUrl(url))
  const { items } = await walk(there, 1, undefined, (links) => links.filter(({ subsite, deleted }) => subsite === id && !deleted))
  return items[0] && linkPermalink(name, items[0].id, items[0].title)
}

/** One address goes to one subsite after the other, each when the one before can be found: somebody may have clicked twice. */
const byAddress = queues()

export const submit = endpoint({
  method: 'POST',
  path: '/api/submit',
  facts: 'recent',
  scope: 'submit',
  login: 'user',
  errors: 'form',
  json: true,
  section,
  summary: 'Submit a link or a self-post.',
  notes:
    'The author holds an insightful vote on it from the start. An address that the subsite has already is ALREADY_SUB, with the permalink of the hottest one as `json.redirect`, unless `resubmit`. The word `self` as the address makes a self-post.',
  params: {
    kind: described(oneOf('link', 'self'), 'what is submitted'),
    sr: described(subsiteName(), 'name of the subsite'),
    title: described(raw(), 'at most 300 characters; the words nsfw and nsfl mark the link'),
    url: described(raw(), 'of a link'),
    text: described(raw(), 'of a self-post: markdown, at most 40,000 characters'),
    sendreplies: described(optional(flag()), 'whether replies come to the inbox; by default for self-posts only'),
    resubmit: described(flag(), 'whether the address may be there already'),
    extension: described(raw(), 'appended to the permalink of a redirect'),
  },
  handle: async ({ params, viewer, ip, command }, app) => {
    const { account } = viewer
    if (account === undefined) return refuse('USER_REQUIRED')
    const reserved = checkSubsiteName(params.sr)?.code === 'SUBSITE_EXISTS'
    if (reserved) return refuse('SUBSITE_NOTALLOWED', 'sr')
    const subsite = await subsiteNow(app, params.sr, command)
    if (!subsite) return refuse('SUBSITE_NOEXIST', 'sr')
    const standing = await standingIn(app, viewer, subsite.id, command)
    const poster = { viewer, ip }
    const limited = await isLimited(app, poster, { subsite: subsite.id, standing }, 'submit')
    const { kind, title, url, text, sendreplies, resubmit, extension } = params
    const link = fullnameOf('link', command.mint)
    const submission = { link, author: account, kind, title, url, text, sendReplies: sendreplies, resubmit }
    const record = async (duplicate: string | undefined) => {
      const redirect = duplicate && extension !== '' ? `${duplicate}.${extension}` : duplicate
      const facts = { subsite, standing, duplicate: redirect, wait: limited ? await waitOf(app, poster, 'submit') : undefined }
      return app.run(Link, link, submitLink(facts, submission), command)
    }
    const address = kind === 'link' && !isSelfWord(url) && !resubmit ? parseUrl(url) : undefined
    const recorded =
      address && E.isRight(address)
        ? await byAddress(`${subsite.id} ${canonicalUrl(address.right)}`, async () =>
            record(await duplicateOf(app, subsite, address.right)),
          )
        : await record(undefined)
    if (E.isLeft(recorded)) return recorded
    if (limited) await beginWait(app, poster, 'submit')
    const permalink = linkPermalink(subsite.name, link, foldTitle(title))
    return E.right({ kind: 'form', data: { url: `${app.config.publicUrl}${permalink}`, id: id36(link), name: link } })
  },
})

/** A link or a comment as the log has it, if the viewer may see where it is. */
const votableOf = async (app: App, viewer: Viewer, id: string, command: Command): Promise<Either<Refusal, Votable>> => {
  const kind = kindOf(id)
  if (kind === undefined) return refuse('NOT_FOUND')
  if (kind !== 'link' && kind !== 'comment') return refuse('BAD_REQUEST')
  const link = kind === 'link' ? await app.load(Link, id, command) : undefined
  const thing: Votable | undefined = link ? { ...link, link: link.id } : await app.load(Comment, id, command)
  if (!thing || thing.deleted) return refuse('NOT_FOUND')
  const place = await placeOf(app, thing.subsite, command)
  return place && (await mayView(app, viewer, place, command)) ? E.right(thing) : refuse('FORBIDDEN')
}

const directionOf = (dir: string): Direction | undefined => directions.find((direction) => String(direction) === dir.trim())

export const vote = endpoint({
  method: 'POST',
  path: '/api/vote',
  facts: 'recent',
  scope: 'vote',
  login: 'user',
  errors: 'silent',
  section,
  summary: 'Vote on a link or a comment, or take a vote back.',
  notes:
    'Two marks, each on its own: `1` and `11` set and clear the insightful one, `-1` and `-11` the funny one; `0` clears both. What does not fit changes nothing. Votes must be cast by humans: automated deciding or amplifying of votes is prohibited.',
  params: {
    id: described(raw(), 'fullname of a link or a comment'),
    dir: described(raw(), '1, -1, 11, -11 or 0; anything else is a 400'),
    rank: described(lenient(optional(strictInteger({ min: 2 })), undefined), 'where in its listing the thing stood; recorded, no effect'),
  },
  handle: async ({ params: { id, dir, rank }, viewer, command }, app) => {
    if (viewer.account === undefined) return refuse('USER_REQUIRED')
    const thing = await votableOf(app, viewer, id.trim().toLowerCase(), command)
    if (E.isLeft(thing)) return thing
    const direction = directionOf(dir)
    if (direction === undefined) return refuse('BAD_REQUEST', 'dir')
    const decide = castVote(thing.right, { voter: viewer.account, at: app.clock() }, direction, rank)
    return E.map(() => undefined)(await app.run(Vote, `${viewer.account}.${thing.right.id}`, decide, command))
  },
})

export const linkEndpoints: readonly AnyEndpoint[] = [submit, vote]
