import * as E from 'fp-ts/lib/Either.js'
import { canonicalUrl } from '../../../domain/canonical-url.ts'
import type { LinkFlair } from '../../../domain/flair.ts'
import { fullname as fullnameOf, id36, kindOf, type LinkId } from '../../../domain/ids.ts'
import { Link, submitLink } from '../../../domain/link.ts'
import { checkSubsiteName } from '../../../domain/names.ts'
import { isStickied, StickyComment } from '../../../domain/sticky-comment.ts'
import { Subsite } from '../../../domain/subsite.ts'
import { foldLine, limits } from '../../../domain/text-limits.ts'
import { isSelfWord, parseUrl } from '../../../domain/url.ts'
import { castVote, type Direction, directions, takesBack, Vote } from '../../../domain/vote.ts'
import { withinQuota } from '../../../limits/account-quota.ts'
import { postInTime } from '../../../limits/posting-wait.ts'
import { queues } from '../../../ports/queues.ts'
import { karmaIn } from '../../../queries/karma.ts'
import { linksByUrl } from '../../../queries/links.ts'
import { type AnyEndpoint, type Context, type Need, type Param, type SignedInContext, section } from '../../contract/endpoint.ts'
import { fullname, nameThings, subsiteName } from '../../contract/name-params.ts'
import {
  describeParam,
  documentRequired,
  flag,
  markdown,
  oneOf,
  optional,
  rawText,
  replaceInvalid,
  strictInteger,
  text as textOf,
  withSchema,
} from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { form } from '../../contract/schemas/answers.ts'
import { cast, linkId, linkNameShape } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { guardByCaptcha } from '../../needs/captcha.ts'
import { andThen, decodeLate, postNamed, requireStanding, subsiteCalled } from '../../needs/facts.ts'
import { linkPermalink } from '../../present/permalink.ts'
import { choiceOfOwn, type FlairChoice, flairFrom, onLink } from '../../things/flair.ts'
import { column, kindsWith } from '../../things/kinds/all.ts'
import type { Post } from '../../things/kinds/kind.ts'

const { post } = section('Links and comments', { scope: 'submit', login: 'user', errors: 'form' })

/** Returns the subsite to post in. A name that stands for several is refused. */
const subsiteToPostIn = andThen(decodeLate(describeParam(subsiteName(), 'name of the subsite'), 'sr'), async (sr, context) => {
  if (checkSubsiteName(sr)?.code === 'SUBSITE_EXISTS') return refuseRule('SUBSITE_NOTALLOWED', 'sr')
  const id = await subsiteCalled(context, sr, 'sr')
  const subsite = E.isRight(id) ? await context.load(Subsite, id.right) : undefined
  return subsite ? E.right(subsite) : refuseRule('SUBSITE_NOEXIST', 'sr')
})

/** Returns the permalink of the hottest link with this address in the subsite. Deleted ones do not count, removed ones do. */
const duplicateOf = async ({ documents }: Pick<Context, 'documents'>, { id, name }: Subsite, url: string): Promise<string | undefined> => {
  const linksHere = linksByUrl(documents, canonicalUrl(url), { subsites: [id] })
  const [hottest] = await linksHere.find({ limit: 1, uncached: true })
  return hottest && linkPermalink(name, hottest.id, hottest.title)
}

const flairText = describeParam(
  textOf({ max: limits.flair, empty: true, line: true }),
  'replaces the words of the template, where they may be changed: at most 64 characters',
)

type NewFlair = { readonly flair: LinkFlair; readonly capacity: FlairChoice['capacity'] }

/** Returns the flair that a submission asks for; undefined for none. The submission itself stays an act of a user. */
const flairChosen: Need<
  NewFlair | undefined,
  { readonly flair_id: string },
  SignedIn,
  { readonly subsite: Subsite; readonly flair_text: string }
> = async (context) => {
  const { params, subsite, flair_text, actAs } = context
  if (params.flair_id === '') return E.right(undefined)
  const choice = await choiceOfOwn(context, subsite.id, 'link')
  actAs('user')
  if (E.isLeft(choice)) return refuseRule('FORBIDDEN', 'flair_id')
  const flair = flairFrom(choice.right, params.flair_id, flair_text, 'flair_id')
  return E.map((chosen: LinkFlair) => ({ flair: chosen, capacity: choice.right.capacity }))(flair)
}

/** Sets the flair of a link that was just submitted, as its author or as a moderator. */
const setNewFlair = async (
  context: SignedInContext,
  link: LinkId,
  { flair, capacity = 'user' }: NewFlair,
): Promise<E.Either<Refusal, unknown>> => {
  const submitted = await context.load(Link, link)
  if (!submitted) throw new Error(`${link} was submitted and cannot be loaded`)
  context.actAs(capacity)
  return onLink(submitted).set(context, flair)
}

/** Submissions of one address to a subsite run one at a time, so that a double click finds the first. */
const byAddress = queues()

const submit = post('/api/submit', {
  facts: 'recent',
  answers: { 200: form(shape.recordSchema({ url: shape.text(cast.service + cast.linkPath), id: linkId, name: linkNameShape })) },
  summary: 'Submit a link or a self-post.',
  notes:
    'The author’s insightful vote is cast automatically. An address that was already submitted to the subsite is ALREADY_SUB, with the permalink of the hottest such link as `json.redirect`, unless `resubmit` is set. The address `self` creates a self-post. With `flair_id` the link has flair from the start, for those who may choose it there.',
  params: {
    kind: describeParam(oneOf('link', 'self'), 'what is submitted'),
    title: describeParam(documentRequired(rawText()), 'at most 300 characters; the words nsfw and nsfl mark the link'),
    url: describeParam(rawText(), 'of a link'),
    text: markdown(
      limits.selfText,
      describeParam(rawText({ max: Number.POSITIVE_INFINITY }), 'of a self-post: markdown, at most 40,000 characters'),
    ),
    sendreplies: describeParam(optional(flag()), 'whether replies come to the inbox; by default for self-posts only'),
    resubmit: describeParam(flag(), 'whether the address may be there already'),
    extension: describeParam(rawText(), 'appended to the permalink of a redirect'),
    flair_id: describeParam(rawText({ max: 100 }), 'a template of `/api/link_flair_v2`; absent: no flair'),
  },
  needs: {
    subsite: subsiteToPostIn,
    standing: requireStanding,
    flair_text: decodeLate(flairText),
    newFlair: flairChosen,
  },
  handle: async (context) => {
    const { params, viewer, command, config, run, subsite, standing, newFlair } = context
    const { kind, title, url, text, sendreplies, resubmit, extension } = params
    const link = fullnameOf('link', command.mint)
    const submission = { link, author: viewer.account, kind, title, url, text, sendReplies: sendreplies, resubmit }
    const address = kind === 'link' && !isSelfWord(url) && !resubmit ? parseUrl(url) : undefined
    const karma = () => karmaIn(context.documents, viewer.account, subsite.id, 'link')
    const recorded = await postInTime(context, { standing, karma }, 'submit', (wait) => {
      const record = async (duplicate: string | undefined) => {
        const redirect = duplicate && extension !== '' ? `${duplicate}.${extension}` : duplicate
        return run(
          Link,
          link,
          submitLink({ subsite, standing, bannedDomains: config.bannedDomains, duplicate: redirect, wait: await wait() }, submission),
        )
      }
      if (!address || E.isLeft(address)) return record(undefined)
      const { right } = address
      return byAddress(`${subsite.id} ${canonicalUrl(right)}`, async () => record(await duplicateOf(context, subsite, right)))
    })
    if (E.isLeft(recorded)) return recorded
    const flaired = newFlair && (await setNewFlair(context, link, newFlair))
    if (flaired && E.isLeft(flaired)) return flaired
    // the title may have been erased before the request is repeated
    const [submitted] = recorded.right.events
    const recordedTitle = submitted?.type === 'LinkSubmitted' ? submitted.data.title : foldLine(title)
    const permalink = linkPermalink(subsite.name, link, recordedTitle)
    return { kind: 'form', data: { url: `${config.publicUrl}${permalink}`, id: id36(link), name: link } }
  },
})

/** A thing that can be voted on. An invalid fullname is not found; a fullname of another kind cannot be voted on. */
const votable: Param<string> = {
  ...nameThings(
    describeParam(documentRequired(withSchema(rawText(), fullname(...kindsWith('post')).schema)), 'fullname of a link or a comment'),
  ),
  decode: (value = '', name) => {
    const id = value.trim().toLowerCase()
    if (column(id, 'post')) return E.right(id)
    return refuseRule(kindOf(id) === undefined ? 'NOT_FOUND' : 'BAD_REQUEST', name)
  },
}

const direction: Param<Direction> = {
  ...describeParam(documentRequired(withSchema(rawText(), { type: 'integer', enum: directions })), 'anything else is a 400'),
  decode: (value = '', name) => {
    const known = directions.find((one) => String(one) === value.trim())
    return known === undefined ? refuseRule('BAD_REQUEST', name) : E.right(known)
  },
}

/** Tells whether a comment leads its thread. Only an act of a moderator or an admin in that capacity counts. */
const leadsItsThread = async ({ load }: Pick<Context, 'load'>, { id, link, distinguished }: Post): Promise<boolean> =>
  id !== link && distinguished !== null && isStickied(await load(StickyComment, link), id)

const vote = post('/api/vote', {
  facts: 'recent',
  scope: 'vote',
  errors: 'silent',
  summary: 'Vote on a link or a comment, or withdraw a vote.',
  notes:
    'There are two independent votes: `1` sets and `11` clears insightful, `-1` sets and `-11` clears funny, `0` clears both. Clearing a vote that is not set changes nothing. Votes must be cast by humans: automated deciding or amplifying of votes is prohibited.',
  params: {
    id: votable,
    rank: describeParam(
      replaceInvalid(optional(strictInteger({ min: 2 })), undefined),
      'where in its listing the thing stood; recorded, no effect',
    ),
  },
  needs: { thing: postNamed('id', 'NOT_FOUND'), dir: decodeLate(direction) },
  handle: (context) => {
    const { thing, dir, params, viewer, clock, run } = context
    const { account } = viewer
    const cast = async () => {
      const stickied = await leadsItsThread(context, thing)
      return run(Vote, `${account}.${thing.id}`, castVote(thing, { voter: account, at: clock(), stickied }, dir, params.rank))
    }
    return takesBack(dir) ? withinQuota(context, 'unvote', cast) : cast()
  },
})

export const linkEndpoints: readonly AnyEndpoint[] = [guardByCaptcha(submit), vote]
