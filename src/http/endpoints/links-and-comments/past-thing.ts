import * as E from 'fp-ts/lib/Either.js'
import type { CommentDocument } from '../../../../projections/comments.ts'
import type { LinkDocument } from '../../../../projections/links.ts'
import type { Place } from '../../../history/places.ts'
import { commentAsOf, linkThen } from '../../../queries/as-of.ts'
import { openReading, type Reading } from '../../../queries/reading.ts'
import { isLink, type ThingDocument, thingsById } from '../../../queries/things.ts'
import type { Context, HandlerOutcome, Uses } from '../../contract/endpoint.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import { lookBack } from '../../needs/past.ts'
import { renderAhead } from '../../present/markdown.ts'
import { pastCommentThing } from '../../present/past-comment.ts'
import { pastLinkThing } from '../../present/past-link.ts'
import { wholeListing } from '../../things/listing.ts'

type Back = Context & Uses<'readUntil'>
type Found = E.Either<Refusal, object | undefined>

/** Returns a link as it was; undefined if it did not exist yet. */
const pastLink = async (context: Back, read: Reading, place: Place, now: LinkDocument): Promise<Found> => {
  const found = await lookBack(context, place, (back) => linkThen(back, now))
  if (E.isLeft(found) || found.right === undefined) return found as Found
  await renderAhead([now.text])
  return E.right(pastLinkThing(found.right, now, await read.loadSurroundings([found.right.link])))
}

/** Returns a comment as it was; undefined if it did not exist yet. */
const pastComment = async (context: Back, read: Reading, place: Place, now: CommentDocument): Promise<Found> => {
  const found = await lookBack(context, place, (back) => commentAsOf(back, now.id))
  if (E.isLeft(found) || found.right === undefined) return found as Found
  await renderAhead([now.body])
  return E.right(pastCommentThing(found.right, now, await read.loadSurroundings([found.right], [now.link])))
}

/** Returns a link or a comment as it was at a place in the log, in a listing of its own. Refuses more than one. */
export const pastThing = async (context: Back, place: Place, names: readonly string[]): Promise<HandlerOutcome> => {
  const [name = ''] = names
  if (names.length > 1) return E.left({ code: 'BAD_REQUEST', field: 'names', text: 'one link or comment at a time can be looked back at' })
  const read = openReading(context, context.viewer)
  const now: ThingDocument | undefined = (await thingsById(context.documents, [name])).get(name)
  if (!now) return refuseRule('NOT_FOUND')
  await read.loadSubsites([now.subsite])
  if (!read.mayView(now.subsite)) return wholeListing([])
  const then = await (isLink(now) ? pastLink(context, read, place, now) : pastComment(context, read, place, now))
  if (E.isLeft(then)) return then
  return then.right === undefined ? refuseRule('NOT_FOUND', 'at') : { ...wholeListing([then.right]), fleeting: true }
}
