// Decision 121.

import * as E from 'fp-ts/lib/Either.js'
import type { SubsiteDocument } from '../../../projections/subsites.ts'
import { moderatesWiki } from '../../domain/wiki-access.ts'
import { mirroredSettings } from '../../domain/wiki-page-name.ts'
import { type LookingBack, MAX_EVENTS_LOOKED_BACK, subsiteAsOf } from '../../queries/as-of.ts'
import { REMOVED_PLACEHOLDER } from '../../queries/visibility.ts'
import { revisionAsOf } from '../../queries/wiki.ts'
import type { Context, Need, Uses } from '../contract/endpoint.ts'
import { describeParam, optional } from '../contract/params.ts'
import { type LogPlace, logPlace, type Place } from '../contract/place-params.ts'
import { type Refusal, refuseRule } from '../contract/refusals.ts'
import type { Viewer } from '../contract/request.ts'
import { loadViewerStanding } from '../things/access.ts'
import { subsiteIdHere } from './facts.ts'

/** The parameter of reads that can look back. */
export const at = describeParam(
  optional(logPlace),
  'as it was then: right after the event of this number in the log of all events, or at a time such as `2026-03-01T12:00:00Z`; who may read what is judged as of today',
)

type At = { readonly at: LogPlace | undefined }
const problem = (text: string): E.Either<Refusal, never> => E.left({ code: 'BAD_REQUEST', field: 'at', text })

/** Looks up the place that `at` names; undefined means now. */
export const placeAt: Need<Place | undefined, At, Viewer, Uses<'places'>> = async ({ params: { at: moment }, places, clock }) => {
  if (moment === undefined) return E.right(undefined)
  if (places === undefined) return problem('no history is kept here, so events have no numbers')
  if ('time' in moment) {
    if (moment.time > clock()) return problem('this is in the future')
    const place = await places.ofTime(moment.time)
    return place ? E.right(place) : refuseRule('NOT_FOUND', 'at')
  }
  if (moment.n < 0) return refuseRule('NOT_FOUND', 'at')
  const place = await places.ofNumber(moment.n)
  if (place) return E.right(place)
  const size = await places.size()
  return problem(size === 0 ? 'no event has a number yet' : `no event has this number yet; the last one has ${size - 1}`)
}

/** Looks up the place for content of the subsite of the path, which must have existed then. */
export const placeHere: Need<Place | undefined, At, Viewer, Uses<'places' | 'readEvent'>> = async (context, name) => {
  const place = await placeAt(context, name)
  if (E.isLeft(place) || place.right === undefined) return place
  const subsite = subsiteIdHere(context)
  if (subsite === undefined) return problem('a past state needs exactly one subsite in the path')
  const created = await context.readEvent(`subsite-${subsite}`, 0)
  return created && created.position <= place.right.position ? place : refuseRule('NOT_FOUND', 'at')
}

/** Looks back, or refuses if too much would have to be read for it. */
export const lookBack = async <T>(
  { readUntil }: Uses<'readUntil'>,
  { position: upTo }: Place,
  at: (back: LookingBack) => Promise<E.Either<'too many events', T>>,
): Promise<E.Either<Refusal, T>> =>
  E.mapLeft(
    (): Refusal => ({
      code: 'BAD_REQUEST',
      field: 'at',
      text: `more than ${MAX_EVENTS_LOOKED_BACK} events would have to be read to show this state`,
    }),
  )(await at({ readUntil, upTo }))

/** Leaves out a text of a setting that its wiki page no longer shows to the viewer. */
const withoutHidden = async (context: Context, then: SubsiteDocument, upTo: Place['position']): Promise<SubsiteDocument> => {
  const standing = await loadViewerStanding(context, then.id)
  const settings: Record<string, unknown> = { ...then.settings }
  for (const [page, setting] of mirroredSettings) {
    const revision = await revisionAsOf(context.documents, then.id, page, upTo)
    if (revision?.erased || (revision?.hidden && !moderatesWiki(standing))) settings[setting] = REMOVED_PLACEHOLDER
  }
  return { ...then, settings: settings as SubsiteDocument['settings'] }
}

type Found = { readonly subsite: SubsiteDocument; readonly place: Place | undefined }

/** Looks up the subsite as it was at the place; undefined means now. */
export const subsiteThen: Need<SubsiteDocument | undefined, unknown, Viewer, Uses<'readUntil'> & Found> = async (context) => {
  const { subsite, place } = context
  if (place === undefined) return E.right(undefined)
  const then = await lookBack(context, place, (back) => subsiteAsOf(back, subsite.id))
  if (E.isLeft(then)) return then
  return then.right ? E.right(await withoutHidden(context, then.right, place.position)) : refuseRule('NOT_FOUND', 'at')
}
