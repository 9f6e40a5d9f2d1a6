import type { Either } from 'fp-ts/lib/Either.js'
import * as E from 'fp-ts/lib/Either.js'
import type { Disclosed } from '../../../disclosure/disclosure.ts'
import { thingOf } from '../../../disclosure/redactions.ts'
import { eventDefinitions } from '../../../domain/events.ts'
import { AccountId, SubsiteId, ThingId } from '../../../domain/ids.ts'
import { accountNamed } from '../../../queries/accounts.ts'
import { subsiteNamed } from '../../../queries/subsites.ts'
import type { Need } from '../../contract/endpoint.ts'
import { described, no, optional, param, raw, refusing, withSchema } from '../../contract/params.ts'
import { logPlace } from '../../contract/place-params.ts'
import type { Refusal } from '../../contract/refusals.ts'
import type { Viewer } from '../../contract/request.ts'

const types = param({ type: 'string' }, 'INVALID_OPTION', (text, name): Either<Refusal, ReadonlySet<string>> => {
  const names = text.split(/[\s,]+/).filter((one) => one !== '')
  const unknown = names.find((one) => !eventDefinitions.has(one))
  return unknown === undefined ? E.right(new Set(names)) : no('INVALID_OPTION', name, `there are no events called ${unknown}`)
})

export const filterParams = {
  since: described(
    optional(logPlace),
    'After which event: its number, or a time from which on. `-1`: from the first one. Absent, a page begins with the first, a stream with the next.',
  ),
  until: described(optional(logPlace), 'Up to which event, that one included, or up to which time, that one excluded.'),
  type: described(optional(types), 'Types of events, separated by commas.'),
  subsite: described(optional(raw()), 'The name or fullname of a subsite: only events that name it.'),
  actor: described(optional(raw()), 'The name or fullname of an account: only events of which you may read that it acted.'),
  thing: described(
    optional(refusing(withSchema(raw(), { type: 'string' }), 'BAD_REQUEST')),
    'The fullname of a link or comment: only events that are about it.',
  ),
}

type Filtered = {
  readonly type: ReadonlySet<string> | undefined
  readonly subsite: string | undefined
  readonly actor: string | undefined
  readonly thing: string | undefined
}

/** Of what is disclosed to a reader, what the filters let through; undefined where there are none. What is withheld matches nothing. */
export type EventFilter = ((event: Disclosed) => boolean) | undefined

/** By what is disclosed alone, so that no filter tells of what is withheld. */
export const eventFilter: Need<EventFilter, Filtered, Viewer> = async ({ documents, params: { type, subsite, actor, thing } }) => {
  const place = subsite === undefined || SubsiteId.is(subsite) ? subsite : (await subsiteNamed(documents, subsite))?.id
  if (subsite !== undefined && place === undefined) return E.left({ code: 'SUBSITE_NOEXIST', field: 'subsite', status: 404 })
  const account = actor === undefined || AccountId.is(actor) ? actor : (await accountNamed(documents, actor))?.id
  if (actor !== undefined && account === undefined) return E.left({ code: 'USER_DOESNT_EXIST', field: 'actor', status: 404 })
  if (thing !== undefined && !ThingId.is(thing)) return E.left({ code: 'BAD_REQUEST', field: 'thing' })
  if (type === undefined && place === undefined && account === undefined && thing === undefined) return E.right(undefined)
  return E.right(
    (event: Disclosed) =>
      (type?.has(event.type) ?? true) &&
      (place === undefined || event.data.subsite === place) &&
      (account === undefined || event.by?.account === account) &&
      (thing === undefined || thingOf(event.data) === thing),
  )
}
