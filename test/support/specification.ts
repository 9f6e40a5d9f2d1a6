import type { ExecutionContext } from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { type Aggregate, type Decide, type Decision, fold } from '../../src/domain/decision.ts'
import type { Actor, AnyEvent, Envelope } from '../../src/domain/event.ts'
import type { RefusalCode } from '../../src/domain/refusal.ts'

/** When the given events happened, unless they say otherwise. */
export const NOW = Date.UTC(2026, 5, 1)

type Circumstances = { readonly at?: number; readonly by?: Actor }
type Past<Event extends AnyEvent> = Event | { readonly event: Event; readonly circumstances: Circumstances }

/** Makes an event of the past at another time or by somebody in particular. */
export const pastEvent = <Event extends AnyEvent>(event: Event, circumstances: Circumstances) => ({ event, circumstances })

const envelopeOf = <Event extends AnyEvent>(past: Past<Event>, revision: number): Envelope<Event> => {
  const { event, circumstances } = 'event' in past ? past : { event: past, circumstances: {} }
  const { at = NOW, by = { account: 't2_0', as: 'user' } as const } = circumstances
  const id = `00000000-0000-5000-8000-${String(revision).padStart(12, '0')}`
  const meta = { commandId: id, correlationId: id, causationId: id, schema: 1, seen: {} }
  return { ...event, id, stream: 'a-stream', revision, position: String(revision).padStart(20, '0'), at, by, meta }
}

/** Returns the state that past events leave. */
export const stateAfter = <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>, past: readonly Past<Event>[]) =>
  fold(aggregate, undefined, past.map(envelopeOf))

type Test = (t: ExecutionContext) => void

/** `given(…events).when(decider).records(…)`: each ending is the body of a test. */
export const specification = <State, Event extends AnyEvent>(aggregate: Aggregate<State, Event>) => {
  const endings = (decide: () => Decision<Event>) => ({
    records:
      (...events: readonly Event[]): Test =>
      (t) =>
        t.deepEqual(decide(), E.right(events)),
    recordsNothing: ((t) => t.deepEqual(decide(), E.right([]))) as Test,
    refuses:
      (code: RefusalCode, field: string | null = null): Test =>
      (t) => {
        const decision = decide()
        if (E.isRight(decision)) return t.fail(`recorded ${decision.right.map(({ type }) => type).join(', ') || 'nothing'}`)
        const { code: actualCode, field: actualField } = decision.left
        t.deepEqual({ code: actualCode, field: actualField }, { code, field })
      },
  })
  return {
    given: (...past: readonly Past<Event>[]) => ({
      when: (decide: Decide<State, Event>) => endings(() => decide(stateAfter(aggregate, past))),
    }),
  }
}
