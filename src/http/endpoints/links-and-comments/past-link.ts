import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Place } from '../../../history/places.ts'
import { linkThen } from '../../../queries/as-of.ts'
import { openReading } from '../../../queries/reading.ts'
import { isLink, thingsById } from '../../../queries/things.ts'
import type { Context, HandlerOutcome, Uses } from '../../contract/endpoint.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import { lookBack } from '../../needs/past.ts'
import { renderAhead } from '../../present/markdown.ts'
import { pastLinkThing } from '../../present/past-link.ts'
import { wholeListing } from '../../things/listing.ts'

const oneOnly: Either<Refusal, never> = E.left({ code: 'BAD_REQUEST', field: 'names', text: 'one link at a time can be looked back at' })

/** Returns a link as it was at a place in the log, in a listing of its own. */
export const pastLink = async (
  context: Context & Uses<'readUntil'>,
  place: Place,
  [name = '', ...others]: readonly string[],
): Promise<HandlerOutcome> => {
  if (others.length > 0) return oneOnly
  const read = openReading(context, context.viewer)
  const now = (await thingsById(context.documents, [name])).get(name)
  if (!now || !isLink(now)) return refuseRule('NOT_FOUND')
  await read.places([now.subsite])
  if (!read.mayView(now.subsite)) return wholeListing([])
  const found = await lookBack(context, place, (back) => linkThen(back, now))
  if (E.isLeft(found)) return found
  const then = found.right
  if (then === undefined) return refuseRule('NOT_FOUND', 'at')
  await renderAhead([now.text])
  return { ...wholeListing([pastLinkThing(then, now, await read.around([then.link]))]), fleeting: true }
}
