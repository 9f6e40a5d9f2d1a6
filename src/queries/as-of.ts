// Decision 121.

import * as E from 'fp-ts/lib/Either.js'
import { type AccountDocument, accountsProjection } from '../../projections/accounts.ts'
import { type CommentDocument, commentsProjection } from '../../projections/comments.ts'
import { readersOf } from '../../projections/engine/batch.ts'
import type { Projection } from '../../projections/engine/projection.ts'
import { type LinkDocument, linksProjection } from '../../projections/links.ts'
import { type RelationDocument, relationsProjection } from '../../projections/relations.ts'
import { type StickiesDocument, stickiesProjection } from '../../projections/stickies.ts'
import { type SubsiteDocument, subsitesProjection } from '../../projections/subsites.ts'
import { Account } from '../domain/account.ts'
import { Comment } from '../domain/comment.ts'
import type { Logged } from '../domain/events.ts'
import { Images } from '../domain/images.ts'
import { Link } from '../domain/link.ts'
import { Moderators } from '../domain/moderators.ts'
import { SubsiteRules } from '../domain/rules.ts'
import { Stickies } from '../domain/stickies.ts'
import { Subsite } from '../domain/subsite.ts'
import type { Document } from '../ports/documents.ts'
import type { Position } from '../ports/event-store.ts'

/*
 * Folds documents as they were at a place in the log, by their projections, from the streams that they are read from. Changes from other
 * streams, such as votes, comments and subscriptions, are not in them.
 */

/** Yields the events of a stream up to a position of the log, in parts. */
export type ReadUntil = (stream: string, upTo: Position) => AsyncIterable<readonly Logged[]>

/** The place to look back to, and the reads that this needs. */
export type LookingBack = { readonly readUntil: ReadUntil; readonly upTo: Position }

/** The most events that one look back reads. It reads them again for each request. */
export const MAX_EVENTS_LOOKED_BACK = 5_000

/** The result, or the error that too many events make it. */
type AsOf<T> = Promise<E.Either<'too many events', T>>

const foldPast = async <D extends Document>(
  { readUntil, upTo }: LookingBack,
  { collection, on }: Projection<D>,
  ...streams: readonly string[]
): AsOf<ReadonlyMap<string, D>> => {
  const readers = readersOf([{ collection, on } as unknown as Projection])
  const documents = new Map<string, Document>()
  let events = 0
  for (const stream of streams)
    for await (const part of readUntil(stream, upTo)) {
      events += part.length
      if (events > MAX_EVENTS_LOOKED_BACK) return E.left('too many events')
      for (const event of part)
        for (const { read } of readers.get(event.type) ?? [])
          for (const { id, change } of read(event)) {
            const document = change(documents.get(id))
            if (document) documents.set(id, document)
            else documents.delete(id)
          }
    }
  return E.right(documents as ReadonlyMap<string, Document> as ReadonlyMap<string, D>)
}

/** Returns a link as of a place, without votes, comments, flair and gold. */
export const linkAsOf = async (back: LookingBack, link: string): AsOf<LinkDocument | undefined> =>
  E.map((links: ReadonlyMap<string, LinkDocument>) => links.get(link))(await foldPast(back, linksProjection, `${Link.category}-${link}`))

/** Returns a comment as of a place, without votes and gold; undefined if it did not exist yet. */
export const commentAsOf = async (back: LookingBack, comment: string): AsOf<CommentDocument | undefined> =>
  E.map((comments: ReadonlyMap<string, CommentDocument>) => comments.get(comment))(
    await foldPast(back, commentsProjection, `${Comment.category}-${comment}`),
  )

/** Returns an account as of a place, without credits and gold; undefined if it did not exist yet. */
export const accountAsOf = async (back: LookingBack, account: string): AsOf<AccountDocument | undefined> =>
  E.map((accounts: ReadonlyMap<string, AccountDocument>) => accounts.get(account))(
    await foldPast(back, accountsProjection, `${Account.category}-${account}`),
  )

/** Returns the stickied links of a subsite as of a place. */
export const stickiesAsOf = async (back: LookingBack, subsite: string): AsOf<readonly string[]> =>
  E.map((stickies: ReadonlyMap<string, StickiesDocument>) => stickies.get(subsite)?.links ?? [])(
    await foldPast(back, stickiesProjection, `${Stickies.category}-${subsite}`),
  )

/**
 * Returns a subsite as of a place with its settings, rules and images, without its number of subscribers. Its own stream comes first: the
 * others change the document that it makes.
 */
export const subsiteAsOf = async (back: LookingBack, subsite: string): AsOf<SubsiteDocument | undefined> => {
  const streams = [Subsite, SubsiteRules, Images].map(({ category }) => `${category}-${subsite}`)
  return E.map((subsites: ReadonlyMap<string, SubsiteDocument>) => subsites.get(subsite))(
    await foldPast(back, subsitesProjection, ...streams),
  )
}

/** Returns the moderators of a subsite as of a place, most senior first. */
export const moderatorsAsOf = async (back: LookingBack, subsite: string): AsOf<readonly RelationDocument[]> =>
  E.map((relations: ReadonlyMap<string, RelationDocument>) =>
    [...relations.values()].filter(({ type }) => type === 'moderator').toSorted((one, other) => one.revision - other.revision),
  )(await foldPast(back, relationsProjection, `${Moderators.category}-${subsite}`))

/** A link as it was, with its subsite at that time. */
export type PastLink = { readonly link: LinkDocument; readonly subsite: SubsiteDocument; readonly isStickied: boolean }

/** Returns a link as it was; undefined if it did not exist yet. */
export const linkThen = async (
  back: LookingBack,
  { id, subsite: place }: Pick<LinkDocument, 'id' | 'subsite'>,
): AsOf<PastLink | undefined> => {
  const link = await linkAsOf(back, id)
  if (E.isLeft(link) || link.right === undefined) return link as E.Either<'too many events', undefined>
  const subsite = await subsiteAsOf(back, place)
  if (E.isLeft(subsite)) return subsite
  const stickies = await stickiesAsOf(back, place)
  if (E.isLeft(stickies)) return stickies
  return E.right(subsite.right && { link: link.right, subsite: subsite.right, isStickied: stickies.right.includes(id) })
}
