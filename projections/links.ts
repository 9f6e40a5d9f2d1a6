import { canonicalUrl, domainOf } from '../src/domain/canonical-url.ts'
import type { Distinction } from '../src/domain/distinction.ts'
import { numberOf } from '../src/domain/ids.ts'
import { type Buckets, bucketsOf } from '../src/domain/ranking.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, put } from './engine/projection.ts'
import { isLink, type Ranks, rankedBy, ranksAtBirth, withVote } from './engine/ranked.ts'
import { approvedBy, deletedByAuthor, removedBy, type Verdict, verdictAtBirth } from './engine/verdicts.ts'

export type LinkDocument = Document &
  Ranks &
  Verdict &
  Buckets & {
    readonly seq: number
    readonly subsite: string
    readonly author: string
    readonly title: string
    readonly url: string | null
    readonly urlKey: string | null
    /** Host without `www.`; empty for a self-post. */
    readonly domain: string
    readonly isSelf: boolean
    readonly text: string
    readonly over18: boolean
    readonly created: number
    readonly edited: number | null
    /** Posted and not deleted by their authors. */
    readonly comments: number
    readonly locked: boolean
    readonly sendReplies: boolean
    /** The slot it was stickied into; the order in which stickies stand now is in the collection `stickies`. */
    readonly slot: number | null
    readonly distinguished: Distinction | null
  }

/** Besides `new`, `hot` and the whole of each ranking, every ranking within an hour, a day and a month of creation. */
const listings = ['-score', '-ups', '-fun'].flatMap((key) =>
  ['hour', 'day', 'month'].flatMap((bucket) => [
    { fields: ['subsite', 'listed', bucket, key, '-seq'] },
    { fields: ['listed', bucket, key, '-seq'] },
  ]),
)

export const links = collection<LinkDocument>({
  name: 'links',
  version: 3,
  indexes: [
    ...rankedBy('subsite', 'listed'),
    ...rankedBy('listed'),
    ...rankedBy('author', 'deleted'),
    ...listings,
    { fields: ['urlKey', '-hot', '-seq'] },
  ],
  search: {
    text: ['title', 'text'],
    filters: ['subsite', 'listed', 'author', 'domain', 'isSelf', 'over18'],
    orders: { new: ['-seq'], top: ['-score', '-seq'], hot: ['-hot', '-seq'], comments: ['-comments', '-seq'] },
  },
})

export const linksProjection: Projection<LinkDocument> = {
  collection: links,
  on: {
    LinkSubmitted: ({ data, at }) => [
      put<LinkDocument>({
        id: data.link,
        seq: numberOf(data.link),
        subsite: data.subsite,
        author: data.author,
        title: data.title,
        url: data.url ?? null,
        urlKey: data.url === undefined ? null : canonicalUrl(data.url),
        domain: data.url === undefined ? '' : domainOf(data.url),
        isSelf: data.url === undefined,
        text: data.text ?? '',
        over18: data.over18,
        created: at,
        edited: null,
        ...ranksAtBirth(at),
        comments: 0,
        locked: false,
        sendReplies: data.sendReplies,
        slot: null,
        distinguished: null,
        ...verdictAtBirth(data.filtered, at),
        ...bucketsOf(at),
      }),
    ],
    LinkEdited: ({ data, at }) => [change(data.link, (link) => ({ ...link, text: data.text, edited: at }))],
    LinkDeleted: ({ data }) => [change(data.link, (link) => ({ ...deletedByAuthor(link), text: '' }))],
    LinkRemoved: (event) => [change(event.data.target.id, (link) => removedBy(link, event, event.data.spam))],
    LinkApproved: (event) => [change(event.data.target.id, (link) => approvedBy(link, event))],
    LinkLocked: ({ data }) => [change(data.target.id, (link) => ({ ...link, locked: true }))],
    LinkUnlocked: ({ data }) => [change(data.target.id, (link) => ({ ...link, locked: false }))],
    LinkDistinguished: ({ data }) => [change(data.target.id, (link) => ({ ...link, distinguished: data.after }))],
    LinkStickied: ({ data }) => [change(data.target.id, (link) => ({ ...link, slot: data.slot }))],
    LinkUnstickied: ({ data }) => [change(data.target.id, (link) => ({ ...link, slot: null }))],
    CommentPosted: ({ data }) => [change(data.link, (link) => ({ ...link, comments: link.comments + 1 }))],
    CommentDeleted: ({ data }) => [change(data.link, (link) => ({ ...link, comments: link.comments - 1 }))],
    VoteCast: ({ data }) => (isLink(data.thing) ? [change(data.thing, (link) => withVote(link, data))] : []),
  },
}
