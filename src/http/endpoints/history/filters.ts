import * as E from 'fp-ts/lib/Either.js'
import type { Disclosed } from '../../../disclosure/disclosure.ts'
import { thingOf } from '../../../disclosure/redactions.ts'
import { eventDefinitions } from '../../../domain/events.ts'
import { AccountId, SubsiteId, ThingId } from '../../../domain/ids.ts'
import type { RecordedEvent } from '../../../ports/event-store.ts'
import { accountNamed } from '../../../queries/accounts.ts'
import { openReading } from '../../../queries/reading.ts'
import { subsiteNamed } from '../../../queries/subsites.ts'
import type { Need } from '../../contract/endpoint.ts'
import { describeParam, optional, param, rawText, refuseParam, replaceRefusal, withSchema } from '../../contract/params.ts'
import { logPlace } from '../../contract/place-params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'

const types = param({ type: 'string' }, 'INVALID_OPTION', (text, name): E.Either<Refusal, ReadonlySet<string>> => {
  const names = text.split(/[\s,]+/).filter((one) => one !== '')
  const unknown = names.find((one) => !eventDefinitions.has(one))
  return unknown === undefined ? E.right(new Set(names)) : refuseParam('INVALID_OPTION', name, `there are no events called ${unknown}`)
})

export const filterParams = {
  since: describeParam(
    optional(logPlace),
    'After which event: its number, or a time from which on. `-1`: from the first one. Absent, a page begins with the first, a stream with the next.',
  ),
  until: describeParam(optional(logPlace), 'Up to which event, that one included, or up to which time, that one excluded.'),
  type: describeParam(optional(types), 'Types of events, separated by commas.'),
  subsite: describeParam(optional(rawText()), 'The name or fullname of a subsite: only events that name it.'),
  actor: describeParam(optional(rawText()), 'The name or fullname of an account: only events of which you may read that it acted.'),
  thing: describeParam(
    optional(replaceRefusal(withSchema(rawText(), { type: 'string' }), 'BAD_REQUEST')),
    'The fullname of a link or comment: only events that are about it.',
  ),
}

type Filtered = {
  readonly type: ReadonlySet<string> | undefined
  readonly subsite: string | undefined
  readonly actor: string | undefined
  readonly thing: string | undefined
}

/** The filters of a request; undefined without any. */
export type EventFilter =
  | {
      /** Tells whether a disclosed event passes. Withheld fields match nothing. */
      readonly passes: (event: Disclosed) => boolean
      /** Tells whether an event may pass, by its stored form. */
      readonly mayPass: (event: RecordedEvent) => boolean
    }
  | undefined

type Types = Filtered['type']

/** Tells whether an event may be of some types and by an account, by its stored form: most are passed over without being opened. */
export const mayBeOf = (types: Types, actor: string | undefined, { type, meta }: Pick<RecordedEvent, 'type' | 'meta'>): boolean =>
  (types?.has(type) ?? true) && (actor === undefined || meta.includes(actor))

/** Tells whether a disclosed event is of some types and by an account. A withheld account matches none. */
export const isOf = (types: Types, actor: string | undefined, { type, by }: Pick<Disclosed, 'type' | 'by'>): boolean =>
  (types?.has(type) ?? true) && (actor === undefined || by?.account === actor)

/** Returns the account that a parameter names by its name or fullname. */
export const accountOfActor: Need<AccountId | undefined, Pick<Filtered, 'actor'>, Viewer> = async ({ documents, params: { actor } }) => {
  const account = actor === undefined || AccountId.is(actor) ? actor : (await accountNamed(documents, actor))?.id
  return actor !== undefined && account === undefined
    ? E.left({ code: 'USER_DOESNT_EXIST', field: 'actor', status: 404 })
    : E.right(account)
}

/** Filters by disclosed fields alone, so that no filter tells of withheld ones. */
export const eventFilter: Need<EventFilter, Filtered, Viewer> = async (context, name) => {
  const { documents, viewer, params } = context
  const { type, subsite, thing } = params
  const place = subsite === undefined || SubsiteId.is(subsite) ? subsite : (await subsiteNamed(documents, subsite))?.id
  if (subsite !== undefined && place === undefined) return E.left({ code: 'SUBSITE_NOEXIST', field: 'subsite', status: 404 })
  if (place !== undefined) {
    const read = openReading(context, viewer)
    await read.loadSubsites([place])
    if (read.subsite(place) === undefined) return E.left({ code: 'SUBSITE_NOEXIST', field: 'subsite', status: 404 })
    if (!read.mayView(place)) return refuseRule('FORBIDDEN', 'subsite')
  }
  const actor = await accountOfActor(context, name)
  if (E.isLeft(actor)) return actor
  const account = actor.right
  if (thing !== undefined && !ThingId.is(thing)) return E.left({ code: 'BAD_REQUEST', field: 'thing' })
  if (type === undefined && place === undefined && account === undefined && thing === undefined) return E.right(undefined)
  const named = [place, thing].filter((one) => one !== undefined)
  return E.right({
    passes: (event) =>
      isOf(type, account, event) &&
      (place === undefined || event.data.subsite === place) &&
      (thing === undefined || thingOf(event.data) === thing),
    mayPass: (event) => mayBeOf(type, account, event) && named.every((one) => event.data.includes(one)),
  })
}
