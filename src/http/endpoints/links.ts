import { either as E } from 'fp-ts'
import { canonicalUrl } from '../../domain/canonical-url.ts'
import { refuse } from '../../domain/decision.ts'
import { fullname as fullnameOf, id36, kindOf } from '../../domain/ids.ts'
import { Link, submitLink } from '../../domain/link.ts'
import { checkSubsiteName } from '../../domain/names.ts'
import { Subsite } from '../../domain/subsite.ts'
import { limits } from '../../domain/text.ts'
import { foldTitle } from '../../domain/title.ts'
import { isSelfWord, parseUrl } from '../../domain/url.ts'
import { castVote, type Direction, directions, takesBack, Vote } from '../../domain/vote.ts'
import { linksByUrl } from '../../queries/links.ts'
import { walk } from '../../queries/walk.ts'
import { queues } from '../../runtime/queues.ts'
import { standingIn } from '../access.ts'
import { withinQuota } from '../account-quota.ts'
import { type AnyEndpoint, type Context, endpoint, type Need, type Param } from '../endpoint.ts'
import { late, post, subsiteCalled } from '../needs.ts'
import { described, flag, lenient, markdown, oneOf, optional, raw, strictInteger, subsiteName } from '../params.ts'
import { postInTime } from '../posting-limits.ts'
import { linkPermalink } from '../present/permalink.ts'
import { form } from '../schemas/answers.ts'
import { linkNameShape } from '../schemas/names.ts'
import * as shape from '../schemas/schema.ts'
import { report } from './report.ts'

const section = 'Links and comments'

/** The subsite to post in; what stands for several is none. */
const subsiteToPostIn: Need<Subsite, { readonly sr: string }> = async (context) => {
  const { sr } = context.params
  if (checkSubsiteName(sr)?.code === 'SUBSITE_EXISTS') return refuse('SUBSITE_NOTALLOWED', 'sr')
  const id = await subsiteCalled(context, sr, 'sr')
  const subsite = E.isRight(id) ? await context.load(Subsite, id.right) : undefined
  return subsite ? E.right(subsite) : refuse('SUBSITE_NOEXIST', 'sr')
}

/** The permalink of the hottest link with this address in the subsite; deleted ones do not count, removed ones do. */
const duplicateOf = async ({ documents }: Pick<Context, 'documents'>, { id, name }: Subsite, url: string): Promise<string | undefined> => {
  const there = linksByUrl(documents, canonicalUrl(url))
  const { items } = await walk(there, 1, undefined, (links) => links.filter(({ subsite, deleted }) => subsite === id && !deleted))
  return items[0] && linkPermalink(name, items[0].id, items[0].title)
}

/** One address goes to one subsite after the other, each when the one before can be found: somebody may have clicked twice. */
const byAddress = queues()

const submit = endpoint({
  method: 'POST',
  path: '/api/submit',
  facts: 'recent',
  scope: 'submit',
  login: 'user',
  errors: 'form',
  json: true,
  section,
  answers: { 200: form(shape.record({ url: shape.text(), id: shape.id, name: linkNameShape })) },
  summary: 'Submit a link or a self-post.',
  notes:
    'The author holds an insightful vote on it from the start. An address that the subsite has already is ALREADY_SUB, with the permalink of the hottest one as `json.redirect`, unless `resubmit`. The word `self` as the address makes a self-post.',
  params: {
    kind: described(oneOf('link', 'self'), 'what is submitted'),
    sr: described(subsiteName(), 'name of the subsite'),
    title: described(raw(), 'at most 300 characters; the words nsfw and nsfl mark the link'),
    url: described(raw(), 'of a link'),
    text: markdown(
      limits.selfText,
      described(raw({ max: Number.POSITIVE_INFINITY }), 'of a self-post: markdown, at most 40,000 characters'),
    ),
    sendreplies: described(optional(flag()), 'whether replies come to the inbox; by default for self-posts only'),
    resubmit: described(flag(), 'whether the address may be there already'),
    extension: described(raw(), 'appended to the permalink of a redirect'),
  },
  needs: { subsite: subsiteToPostIn },
  handle: async (context) => {
    const { params, viewer, command, config, run, subsite } = context
    const { kind, title, url, text, sendreplies, resubmit, extension } = params
    const standing = await standingIn(context, subsite.id)
    const link = fullnameOf('link', command.mint)
    const submission = { link, author: viewer.account, kind, title, url, text, sendReplies: sendreplies, resubmit }
    const address = kind === 'link' && !isSelfWord(url) && !resubmit ? parseUrl(url) : undefined
    const recorded = await postInTime(context, { subsite: subsite.id, standing }, 'submit', (wait) => {
      const record = async (duplicate: string | undefined) => {
        const redirect = duplicate && extension !== '' ? `${duplicate}.${extension}` : duplicate
        return run(Link, link, submitLink({ subsite, standing, duplicate: redirect, wait: await wait() }, submission))
      }
      if (!address || E.isLeft(address)) return record(undefined)
      const { right } = address
      return byAddress(`${subsite.id} ${canonicalUrl(right)}`, async () => record(await duplicateOf(context, subsite, right)))
    })
    if (E.isLeft(recorded)) return recorded
    const permalink = linkPermalink(subsite.name, link, foldTitle(title))
    return { kind: 'form', data: { url: `${config.publicUrl}${permalink}`, id: id36(link), name: link } }
  },
})

/** What is no fullname is nothing to be found; what names something else than a link or a comment cannot be voted on. */
const votable: Param<string> = {
  ...described(raw(), 'fullname of a link or a comment'),
  decode: (value = '') => {
    const id = value.trim().toLowerCase()
    const kind = kindOf(id)
    if (kind === undefined) return refuse('NOT_FOUND')
    return kind === 'link' || kind === 'comment' ? E.right(id) : refuse('BAD_REQUEST')
  },
}

const direction: Param<Direction> = {
  ...described(raw(), '1, -1, 11, -11 or 0; anything else is a 400'),
  decode: (value = '', name) => {
    const known = directions.find((one) => String(one) === value.trim())
    return known === undefined ? refuse('BAD_REQUEST', name) : E.right(known)
  },
}

const vote = endpoint({
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
    id: votable,
    rank: described(lenient(optional(strictInteger({ min: 2 })), undefined), 'where in its listing the thing stood; recorded, no effect'),
  },
  needs: { thing: post('id', 'NOT_FOUND'), dir: late(direction) },
  handle: (context) => {
    const { thing, dir, params, viewer, clock, run } = context
    const { account } = viewer
    const cast = () => run(Vote, `${account}.${thing.id}`, castVote(thing, { voter: account, at: clock() }, dir, params.rank))
    return takesBack(dir) ? withinQuota(context, 'unvote', cast) : cast()
  },
})

export const linkEndpoints: readonly AnyEndpoint[] = [submit, vote, report]
