import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { audience, audienceOf, toRecordedAudience } from './audience.ts'
import { isWithin } from './canonical-url.ts'
import { type Aggregate, type Decide, decideEvents, noEvents, refuse, setState } from './decision.ts'
import { distinctionChange } from './distinction.ts'
import { ERASED_PLACEHOLDER, event, field, type OneOf, optional, sealedText } from './event.ts'
import type { AccountId, LinkId } from './ids.ts'
import { type LinkOptions, linkOptionEvents, ownLink } from './link-options.ts'
import {
  actOnThing,
  byAuthor,
  erasureOfThing,
  initialModeration,
  type ModeratedThing,
  removedBefore,
  spamVerdict,
} from './moderated-thing.ts'
import type { Refusal } from './refusal.ts'
import { may, type Standing } from './standing.ts'
import type { Subsite } from './subsite.ts'
import { isFiltered, maySubmit } from './subsite-access.ts'
import { excerptOf, type Target } from './target.ts'
import { checkLength, checkLine, foldLine, limits } from './text-limits.ts'
import { DAY } from './time.ts'
import { isSelfWord, parseUrl } from './url.ts'

export const LinkSubmitted = event(
  'LinkSubmitted',
  'An account posted a link to an address, or a self-post with a text of its own. It holds its author’s insightful mark from the start.',
  {
    ...ownLink,
    title: field(sealedText('author', 'link'), 'The title, which cannot be changed.', 'public'),
    url: field(optional(sealedText('author', 'link')), 'The address; absent: a self-post.', 'public'),
    text: field(optional(sealedText('author', 'link')), 'The text of a self-post, in markdown.', 'public'),
    over18: field(t.boolean, 'Whether it is marked as nsfw.', 'public'),
    sendReplies: field(t.boolean, 'Whether comments on it enter the author’s inbox.', 'party'),
    filtered: field(t.boolean, 'Whether the spam settings of the subsite removed it at once.', 'subsite'),
    audience,
  },
  { by: 'public' },
)
export const LinkEdited = event(
  'LinkEdited',
  'The author of a self-post replaced its text.',
  { ...ownLink, text: field(sealedText('author', 'link'), 'The new text, in markdown.', 'public') },
  { by: 'public' },
)
export const LinkDeleted = event('LinkDeleted', 'The author of a link deleted it: it stays without text and author.', ownLink, {
  by: 'public',
})
export const LinkRemoved = event(
  'LinkRemoved',
  'A moderator removed a link from the listings; its text is for its author and the moderators alone.',
  { ...actOnThing, spam: spamVerdict, before: removedBefore },
  { by: 'public' },
)
export const LinkApproved = event(
  'LinkApproved',
  'A moderator approved a link, and returned it if it was removed.',
  { ...actOnThing, before: removedBefore },
  { by: 'public' },
)
export const LinkLocked = event('LinkLocked', 'A moderator closed a link to new comments.', actOnThing, { by: 'public' })
export const LinkUnlocked = event('LinkUnlocked', 'A moderator opened a link to new comments again.', actOnThing, { by: 'public' })
export const LinkReportsIgnored = event(
  'LinkReportsIgnored',
  'A moderator decided that reports do not put a link into the queue, until that is undone or its author edits it.',
  actOnThing,
  { by: 'public' },
)
export const LinkReportsUnignored = event(
  'LinkReportsUnignored',
  'A moderator decided that reports put a link into the queue again.',
  actOnThing,
  { by: 'public' },
)
export const LinkDistinguished = event(
  'LinkDistinguished',
  'The author of a link marked it as written by a moderator or by an admin, or took the mark away.',
  { ...actOnThing, ...distinctionChange('public') },
  { by: 'public' },
)
export const LinkErased = event('LinkErased', 'An admin erased a link: its texts are unreadable for good, here too.', erasureOfThing, {
  by: 'public',
})
export const linkEvents = [
  LinkSubmitted,
  LinkEdited,
  LinkDeleted,
  LinkRemoved,
  LinkApproved,
  LinkLocked,
  LinkUnlocked,
  LinkReportsIgnored,
  LinkReportsUnignored,
  LinkDistinguished,
  LinkErased,
  ...linkOptionEvents,
] as const
export type LinkEvent = OneOf<typeof linkEvents>

export type Link = LinkOptions &
  ModeratedThing & {
    readonly id: LinkId
    readonly title: string
    readonly isSelf: boolean
    readonly excerpt: string
    readonly created: number
    readonly locked: boolean
  }

const withoutText = (link: Link): Link => ({ ...link, title: ERASED_PLACEHOLDER, excerpt: link.isSelf ? ERASED_PLACEHOLDER : '' })

export const Link: Aggregate<Link, LinkEvent> = {
  category: 'link',
  subsiteOf: (_, link) => link?.subsite ?? null,
  on: {
    LinkSubmitted: (_, { link, subsite, author, title, url, text = '', over18, sendReplies, filtered }, { at }) => ({
      id: link,
      subsite,
      author,
      title,
      isSelf: url === undefined,
      excerpt: excerptOf(text),
      created: at,
      over18,
      contestMode: false,
      suggestedSort: '',
      sendReplies,
      locked: false,
      ...initialModeration(filtered),
    }),
    LinkEdited: (link, { text }) => link && { ...link, excerpt: excerptOf(text), ignoresReports: false },
    LinkDeleted: setState({ deleted: true }),
    LinkRemoved: setState({ removed: true }),
    LinkApproved: setState({ removed: false }),
    LinkLocked: setState({ locked: true }),
    LinkUnlocked: setState({ locked: false }),
    LinkReportsIgnored: setState({ ignoresReports: true }),
    LinkReportsUnignored: setState({ ignoresReports: false }),
    LinkDistinguished: (link, { after }) => link && { ...link, distinguished: after },
    LinkErased: (link) => link && { ...withoutText(link), erased: true },
    LinkMarkedNsfw: setState({ over18: true }),
    LinkUnmarkedNsfw: setState({ over18: false }),
    LinkContestModeSet: setState({ contestMode: true }),
    LinkContestModeUnset: setState({ contestMode: false }),
    LinkSortSuggested: (link, { after }) => link && { ...link, suggestedSort: after },
    LinkRepliesSet: (link, { after }) => link && { ...link, sendReplies: after },
  },
  text: {
    without: (link) => ({ ...link, title: '', excerpt: '' }),
    writtenBy: ['LinkEdited'],
    restored: (link, { title, excerpt }) => (link.erased ? withoutText(link) : { ...link, title, excerpt }),
  },
}

/** Describes the link as the target of a moderator's act. */
export const toLinkTarget = ({ id, author, title, excerpt }: Link): Target => ({ id, author, title, excerpt })

export type Submission = {
  readonly link: LinkId
  readonly author: AccountId
  readonly kind: 'link' | 'self'
  /** The fields as the client sent them. Only the one that fits `kind` is stored. */
  readonly title: string
  readonly url: string
  readonly text: string
  /** Undefined means true for self-posts only. */
  readonly sendReplies: boolean | undefined
  readonly resubmit: boolean
}

export type SubmissionFacts = {
  readonly subsite: Pick<Subsite, 'id' | 'settings'>
  readonly standing: Standing
  /** Hosts that nothing may link to, nor to a host below them. */
  readonly bannedDomains: readonly string[]
  /** The permalink of the hottest link with this URL in the subsite. */
  readonly duplicate: string | undefined
  /** The refusal of an author who must wait. */
  readonly wait: Refusal | undefined
}

export const checkTitle = (folded: string): Refusal | undefined => checkLine(folded, limits.title, 'title')

/** Tells whether a title contains the word nsfw or nsfl, which marks its link. */
export const saysNsfw = (title: string): boolean => /\bnsf[wl]\b/i.test(title)

/** The stored content of a submission: a URL or a text, never both. */
type Content = { readonly url: string } | { readonly text: string }

const kindRefusal = (kind: Submission['kind'], { settings }: SubmissionFacts['subsite'], standing: Standing): Refusal | undefined => {
  if (settings.link_type === 'any' || settings.link_type === kind || may(standing, 'posts')) return undefined
  return { code: kind === 'self' ? 'NO_SELFS' : 'NO_LINKS', field: 'sr' }
}

const contentOf = ({ url, text, resubmit }: Submission, isSelf: boolean, facts: SubmissionFacts): E.Either<Refusal, Content> => {
  if (isSelf) {
    const refused = facts.standing.admin ? undefined : checkLength(text, limits.selfText, 'text')
    return refused ? E.left(refused) : E.right({ text })
  }
  const parsed = parseUrl(url)
  if (E.isLeft(parsed)) return parsed
  if (isWithin(parsed.right, facts.bannedDomains)) return refuse('DOMAIN_BANNED', 'url')
  if (facts.duplicate !== undefined && !resubmit) return E.left({ code: 'ALREADY_SUB', field: 'url', extra: { redirect: facts.duplicate } })
  return E.right({ url: parsed.right })
}

/** Submits a new link or self-post. Only the first error is returned. */
export const submitLink =
  (facts: SubmissionFacts, submission: Submission): Decide<Link, LinkEvent> =>
  (existing) => {
    if (existing) return noEvents
    const { subsite, standing } = facts
    const { link, author, url, sendReplies } = submission
    const isSelf = submission.kind === 'self' || isSelfWord(url)
    const title = foldLine(submission.title)
    if (!maySubmit(subsite.settings.type, standing)) return refuse('SUBSITE_NOTALLOWED', 'sr')
    const refused = kindRefusal(isSelf ? 'self' : 'link', subsite, standing) ?? checkTitle(title) ?? facts.wait
    if (refused) return E.left(refused)
    const content = contentOf(submission, isSelf, facts)
    if (E.isLeft(content)) return content
    return decideEvents(
      LinkSubmitted({
        link,
        subsite: subsite.id,
        author,
        title,
        ...content.right,
        over18: saysNsfw(title),
        sendReplies: sendReplies ?? isSelf,
        filtered: isFiltered(isSelf ? subsite.settings.spam_selfposts : subsite.settings.spam_links, standing),
        ...toRecordedAudience(audienceOf(subsite.id, subsite.settings)),
      }),
    )
  }

/** Edits the text of a self-post. Authors may do so also after a lock, a removal or a ban. Each edit is an event. */
export const editLink =
  ({ account, admin }: { readonly account: AccountId; readonly admin: boolean }, text: string): Decide<Link, LinkEvent> =>
  (link) => {
    if (!link || link.author !== account) return refuse('NOT_AUTHOR', 'thing_id')
    if (link.deleted || !link.isSelf) return refuse('FORBIDDEN')
    if (link.erased) return refuse('THING_ERASED', 'thing_id')
    const refused = admin ? undefined : checkLength(text, limits.selfText, 'text')
    if (refused) return E.left(refused)
    return decideEvents(LinkEdited({ link: link.id, subsite: link.subsite, author: account, text }))
  }

export const deleteLink = (account: AccountId): Decide<Link, LinkEvent> =>
  byAuthor(
    account,
    ({ deleted }) => deleted,
    ({ id, subsite, author }) => LinkDeleted({ link: id, subsite, author }),
  )

const ARCHIVED_AFTER_MS = 180 * DAY

/** Tells whether a thing is archived: after 180 days it takes no more votes, replies or locks. */
export const isArchived = (created: number, at: number): boolean => at - created >= ARCHIVED_AFTER_MS
