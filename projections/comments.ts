// Decision 3.

import { audienceIn } from '../src/domain/audience.ts'
import type { Distinction } from '../src/domain/distinction.ts'
import { ERASED_PLACEHOLDER } from '../src/domain/event.ts'
import { isLinkId, kindOf, numberOf } from '../src/domain/ids.ts'
import { voteRanks } from '../src/domain/link-sorts.ts'
import type { Document } from '../src/ports/documents.ts'
import { change, collection, type Projection, putDocument } from './engine/projection.ts'
import { indexRanks, type Ranks, ranksAtBirth, withVote } from './engine/ranked.ts'
import { markApproved, markDeleted, markRemoved, type Verdict, verdictAtBirth } from './engine/verdicts.ts'

export type CommentDocument = Document &
  Ranks &
  Verdict & {
    readonly seq: number
    readonly link: string
    readonly subsite: string
    readonly audience: string
    readonly author: string
    readonly linkAuthor: string
    readonly parent: string | null
    readonly body: string
    /** The length of the body in UTF-16 units. */
    readonly length: number
    readonly created: number
    readonly edited: number | null
    /** True if `removed` is not null; for indexes. */
    readonly isRemoved: boolean
    readonly distinguished: Distinction | null
    /** The number of gildings. */
    readonly gilded: number
  }

export const comments = collection<CommentDocument>({
  name: 'comments',
  version: 6,
  unique: { seq: [] },
  indexes: [
    {
      fields: ['link', '$position', 'id'],
      feed: true,
      covers: ['seq', 'parent', 'author', 'ups', 'downs', 'length', 'deleted', 'isRemoved', 'distinguished'],
    },
    ...indexRanks(voteRanks, 'author', 'audience', 'deleted'),
    { fields: ['author', 'deleted', '-seq'] },
    { fields: ['audience', 'deleted', 'isRemoved', '-seq'] },
    { fields: ['subsite', 'deleted', 'isRemoved', '-seq'] },
    { fields: ['subsite', 'audience', '-seq'], covers: ['id'] },
  ],
})

const isComment = (thing: string) => kindOf(thing) === 'comment'

/** Returns the fields as if the comment had been made from erased text. */
const blank = (comment: CommentDocument): CommentDocument =>
  comment.deleted ? comment : { ...comment, body: ERASED_PLACEHOLDER, length: ERASED_PLACEHOLDER.length }

export const commentsProjection: Projection<CommentDocument> = {
  collection: comments,
  on: {
    CommentPosted: ({ data, at }) => [
      putDocument<CommentDocument>({
        id: data.comment,
        seq: numberOf(data.comment),
        link: data.link,
        subsite: data.subsite,
        audience: audienceIn(data),
        author: data.author,
        linkAuthor: data.linkAuthor,
        parent: data.parent,
        body: data.body,
        length: data.body.length,
        created: at,
        edited: null,
        ...ranksAtBirth(at),
        ...verdictAtBirth(data.filtered, at),
        isRemoved: data.filtered,
        distinguished: null,
        gilded: 0,
      }),
    ],
    CommentEdited: ({ data, at }) => [
      change(data.comment, (comment) => ({ ...comment, body: data.body, length: data.body.length, edited: at })),
    ],
    CommentDeleted: ({ data }) => [change(data.comment, (comment) => ({ ...markDeleted(comment), body: '', length: 0 }))],
    AudienceApplied: ({ data: { things, audience } }) =>
      things.filter(isComment).map((id) => change(id, (comment) => ({ ...comment, audience }))),
    AccountTextsErased: ({ data }) => data.things.filter(isComment).map((id) => change(id, blank)),
    CommentRemoved: (event) => [
      change(event.data.target.id, (comment) => ({ ...markRemoved(comment, event, event.data.spam), isRemoved: true })),
    ],
    CommentApproved: (event) => [change(event.data.target.id, (comment) => ({ ...markApproved(comment, event), isRemoved: false }))],
    CommentDistinguished: ({ data }) => [change(data.target.id, (comment) => ({ ...comment, distinguished: data.after }))],
    ThingGilded: ({ data }) =>
      isLinkId(data.thing) ? [] : [change(data.thing, (comment) => ({ ...comment, gilded: comment.gilded + 1 }))],
    VoteCast: ({ data }) => (!isLinkId(data.thing) ? [change(data.thing, (comment) => withVote(comment, data))] : []),
  },
}
