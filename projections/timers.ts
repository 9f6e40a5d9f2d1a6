import type { Envelope } from '../src/domain/event.ts'
import { type ExpiringEffectName, expiringEffects } from '../src/domain/expiring-effects.ts'
import type { Document } from '../src/ports/documents.ts'
import { collection, type Projection, putDocument, remove, type Touch } from './engine/projection.ts'

/** An effect that ends at a set time; a reaction records its end. */
export type TimerDocument = Document & {
  /** Milliseconds since 1970. */
  readonly due: number
  readonly effect: ExpiringEffectName
  /** Id of the aggregate that has the effect. */
  readonly aggregate: string
  /** Id of the event that set it. */
  readonly cause: string
}

export const timers = collection<TimerDocument>({ name: 'timers', version: 2, indexes: [{ fields: ['due', 'id'] }] })

const aggregateOf = ({ stream }: Envelope): string => stream.slice(stream.indexOf('-') + 1)

const timerId = (effect: ExpiringEffectName, aggregate: string): string => `${effect}.${aggregate}`

/** Sets or removes the timer of an effect after an event. An effect without an end has none. */
const touch =
  (effect: ExpiringEffectName, isSet: boolean) =>
  (event: Envelope): readonly Touch<TimerDocument>[] => {
    const aggregate = aggregateOf(event)
    const id = timerId(effect, aggregate)
    const until = isSet ? (event.data as { readonly until: number | null }).until : null
    return [until === null ? remove(id) : putDocument({ id, due: until, effect, aggregate, cause: event.id })]
  }

const names = Object.keys(expiringEffects) as readonly ExpiringEffectName[]

export const timersProjection: Projection<TimerDocument> = {
  collection: timers,
  on: Object.fromEntries(
    names.flatMap((name) => [
      ...expiringEffects[name].setBy.map((type) => [type, touch(name, true)] as const),
      ...expiringEffects[name].endedBy.map((type) => [type, touch(name, false)] as const),
    ]),
  ),
}
