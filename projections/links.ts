// Decision 3.

import { placesOf } from '../src/domain/account.ts'
import { audienceIn } from '../src/domain/audience.ts'
import { canonicalUrl, domainOf, lastLabels } from '../src/domain/canonical-url.ts'
import type { Distinction } from '../src/domain/distinction.ts'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import { isLinkId, numberOf } from '../src/domain/ids.ts'
import type { Suggestion } from '../src/domain/link-options.ts'
import { linkOrders, rankFields, rankings } from '../src/domain/link-sorts.ts'
import { type Buckets, bucketsOf } from '../src/domain/ranking.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, putDocument } from './engine/projection.ts'
import { indexRanks, type Ranks, ranksAtBirth, withVote } from './engine/ranked.ts'
import { markApproved, markDeleted, markRemoved, type Verdict, verdictAtBirth } from './engine/verdicts.ts'

export type LinkDocument = Document &
  Ranks &
  Verdict &
  Buckets & {
    readonly seq: number
    readonly subsite: string
    readonly audience: string
    readonly author: string
    readonly title: string
    readonly url: string | null
    readonly urlKey: string | null
    /** Host without `www.`; empty for a self-post. */
    readonly domain: string
    /** The last two labels of the host, or its only one; null for a self-post. */
    readonly domain2: string | null
    /** The last three labels of the host; null if it has fewer. */
    readonly domain3: string | null
    readonly isSelf: boolean
    readonly text: string
    readonly over18: boolean
    readonly created: number
    readonly edited: number | null
    /** The number of comments that are posted and not deleted by their authors. */
    readonly comments: number
    readonly locked: boolean
    readonly sendReplies: boolean
    readonly contestMode: boolean
    /** `blank` means none, whatever the subsite suggests; empty means that of the subsite. */
    readonly suggestedSort: Suggestion
    /** The slot it was stickied into; the present order of stickies is in the collection `stickies`. */
    readonly slot: number | null
    /** The id of the thread's stickied comment. */
    readonly stickyComment?: string
    readonly distinguished: Distinction | null
    /** The number of gildings. */
    readonly gilded: number
    /** Empty without flair. */
    readonly flairText: string
    /** Names of classes, separated by spaces. */
    readonly flairCss: string
    /** The template of the flair, if one was chosen and recorded. */
    readonly flairTemplate?: string
  }

/** Besides `new` and the whole of each order, every ranking within an hour, a day and a month of creation. */
const listings = rankings.flatMap((sort) =>
  (['hour', 'day', 'month'] as const).flatMap((bucket) => [
    { fields: ['subsite', 'listed', bucket, ...linkOrders[sort]] as const },
    { fields: ['audience', 'listed', bucket, ...linkOrders[sort]] as const },
  ]),
)

export const links = collection<LinkDocument>({
  name: 'links',
  version: 11,
  unique: { seq: [] },
  seldomFound: ['urlKey'],
  indexes: [
    ...indexRanks(rankFields, 'subsite', 'listed'),
    ...indexRanks(rankFields, 'audience', 'listed'),
    ...indexRanks(rankFields, 'author', 'audience', 'deleted'),
    ...indexRanks(rankFields, 'domain2', 'audience', 'listed'),
    ...indexRanks(rankFields, 'domain3', 'audience', 'listed'),
    ...listings,
    { fields: ['author', 'deleted', '-seq'] },
    { fields: ['subsite', 'audience', '-seq'], covers: ['id'] },
    { fields: ['urlKey', 'audience', 'deleted', '-hot', '-seq'] },
    { fields: ['urlKey', 'audience', 'deleted', '-comments', '-seq'] },
    { fields: ['subsite', 'urlKey', 'deleted', '-hot', '-seq'] },
  ],
  search: {
    text: ['title', 'text', 'url', 'domain', 'author', 'subsite', 'audience', 'isSelf', 'over18', 'flairText', 'flairCss'],
    only: 'listed',
    ids: ['author', 'subsite', 'audience'],
    common: ['audience', 'isSelf', 'over18'],
    filters: ['created'],
    orders: { new: ['-seq'], top: ['-score', '-seq'], hot: ['-hot', '-seq'], comments: ['-comments', '-seq'] },
  },
})

/** Returns the fields by which links are listed by their host and the hosts above it. */
const hostFields = (url: string | undefined): Pick<LinkDocument, 'domain' | 'domain2' | 'domain3'> => {
  const domain = url === undefined ? '' : domainOf(url)
  return { domain, domain2: lastLabels(domain, 2) ?? (domain || null), domain3: lastLabels(domain, 3) }
}

/** Returns the fields as if the link had been made from erased texts. */
const blank = (link: LinkDocument): LinkDocument => ({
  ...link,
  title: ERASED_PLACEHOLDER,
  ...(link.isSelf
    ? { text: link.deleted ? '' : ERASED_PLACEHOLDER }
    : { url: ERASED_PLACEHOLDER, urlKey: canonicalUrl(ERASED_PLACEHOLDER), ...hostFields(ERASED_PLACEHOLDER) }),
})

export const linksProjection: Projection<LinkDocument> = {
  collection: links,
  on: {
    LinkSubmitted: ({ data, at }) => [
      putDocument<LinkDocument>({
        id: data.link,
        seq: numberOf(data.link),
        subsite: data.subsite,
        audience: audienceIn(data),
        author: data.author,
        title: data.title,
        url: data.url ?? null,
        urlKey: data.url === undefined ? null : canonicalUrl(data.url),
        ...hostFields(data.url),
        isSelf: data.url === undefined,
        text: data.text ?? '',
        over18: data.over18,
        created: at,
        edited: null,
        ...ranksAtBirth(at),
        comments: 0,
        locked: false,
        sendReplies: data.sendReplies,
        contestMode: false,
        suggestedSort: '',
        slot: null,
        distinguished: null,
        gilded: 0,
        flairText: '',
        flairCss: '',
        ...verdictAtBirth(data.filtered, at),
        ...bucketsOf(at),
      }),
    ],
    LinkEdited: ({ data, at }) => [change(data.link, (link) => ({ ...link, text: data.text, edited: at }))],
    LinkDeleted: ({ data }) => [change(data.link, (link) => ({ ...markDeleted(link), text: '' }))],
    LinkRemoved: (event) => [change(event.data.target.id, (link) => markRemoved(link, event, event.data.spam))],
    LinkApproved: (event) => [change(event.data.target.id, (link) => markApproved(link, event))],
    LinkLocked: ({ data }) => [change(data.target.id, (link) => ({ ...link, locked: true }))],
    LinkUnlocked: ({ data }) => [change(data.target.id, (link) => ({ ...link, locked: false }))],
    LinkDistinguished: ({ data }) => [change(data.target.id, (link) => ({ ...link, distinguished: data.after }))],
    LinkFlairChanged: ({ data: { target, text, css, template } }) => [
      change(target.id, ({ flairTemplate: _, ...link }) => ({
        ...link,
        flairText: text,
        flairCss: css,
        ...(template !== undefined && { flairTemplate: template }),
      })),
    ],
    LinkMarkedNsfw: ({ data }) => [change(data.target.id, (link) => ({ ...link, over18: true }))],
    LinkUnmarkedNsfw: ({ data }) => [change(data.target.id, (link) => ({ ...link, over18: false }))],
    LinkContestModeSet: ({ data }) => [change(data.target.id, (link) => ({ ...link, contestMode: true }))],
    LinkContestModeUnset: ({ data }) => [change(data.target.id, (link) => ({ ...link, contestMode: false }))],
    LinkSortSuggested: ({ data }) => [change(data.target.id, (link) => ({ ...link, suggestedSort: data.after }))],
    LinkRepliesSet: ({ data }) => [change(data.link, (link) => ({ ...link, sendReplies: data.after }))],
    LinkStickied: ({ data }) => [change(data.target.id, (link) => ({ ...link, slot: data.slot }))],
    LinkUnstickied: ({ data }) => [change(data.target.id, (link) => ({ ...link, slot: null }))],
    CommentStickied: ({ data }) => [change(data.link, (link) => ({ ...link, stickyComment: data.target.id }))],
    CommentUnstickied: ({ data }) => [change(data.link, ({ stickyComment: _, ...link }) => link)],
    AudienceApplied: ({ data: { things, audience } }) => things.filter(isLinkId).map((id) => change(id, (link) => ({ ...link, audience }))),
    AccountTextsErased: ({ data }) => [
      ...data.things.filter(isLinkId).map((id) => change(id, blank)),
      ...placesOf(data, 'link-flair').map((id) => change<LinkDocument>(id, (link) => ({ ...link, flairText: '' }))),
    ],
    CommentPosted: ({ data }) => [change(data.link, (link) => ({ ...link, comments: link.comments + 1 }))],
    CommentDeleted: ({ data }) => [change(data.link, (link) => ({ ...link, comments: link.comments - 1 }))],
    ThingGilded: ({ data }) => (isLinkId(data.thing) ? [change(data.thing, (link) => ({ ...link, gilded: link.gilded + 1 }))] : []),
    VoteCast: ({ data }) => (isLinkId(data.thing) ? [change(data.thing, (link) => withVote(link, data))] : []),
  },
}
