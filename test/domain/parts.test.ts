import test from 'ava'
import { type Aggregate, fold, type StatePart, selectRelevant } from '../../src/domain/decision.ts'
import type { AnyEvent, Envelope } from '../../src/domain/event.ts'
import { Contact } from '../../src/domain/friends-and-blocks.ts'
import { Relation } from '../../src/domain/relation.ts'
import { Shelf } from '../../src/domain/shelf.ts'
import fc from '../support/properties.ts'

const divided = [Contact, Relation, Shelf] as readonly unknown[] as readonly Aggregate<object, AnyEvent>[]

/** Any history of types; what comes first of a part makes it, as the commands have it. */
const historyOf = ({ on, parts = {} }: Aggregate<object, AnyEvent>) =>
  fc.array(fc.tuple(fc.constantFrom(...Object.keys(on)), fc.nat(9)), { maxLength: 40 }).map((chosen) => {
    const made = new Set<string>()
    return chosen.flatMap(([type, n]): readonly Envelope[] => {
      const { of, anew }: StatePart = (parts as Readonly<Record<string, StatePart>>)[type] ?? { of: type, anew: true }
      if (!anew && !made.has(of)) return []
      made.add(of)
      const data = { note: `note ${n}`, until: n === 0 ? null : n }
      return [{ type, data, at: n, by: { account: `t2_${n}`, as: 'moderator' } } as unknown as Envelope]
    })
  })

for (const aggregate of divided)
  test(`the last events of each part of a ${aggregate.category} give the same state as all its events`, (t) => {
    fc.assert(
      fc.property(historyOf(aggregate), fc.nat(40), (events, cut) => {
        const matter = (some: readonly Envelope[]) => selectRelevant(aggregate.parts ?? {}, some)
        const first = fold(aggregate, undefined, matter(events.slice(0, cut)) as never)
        t.deepEqual(fold(aggregate, first, matter(events.slice(cut)) as never), fold(aggregate, undefined, events as never))
      }),
    )
  })

test('at most two events of one part of a state matter', (t) => {
  const types = ['UserBanned', 'BanNoteChanged', 'UserUnbanned', 'UserBanned', 'BanNoteChanged']
  const events = Array.from({ length: 500 }, (_, n) => ({ type: types[n % types.length] ?? '' }))
  t.is(selectRelevant(Relation.parts ?? {}, events).length, 2)
  t.is(selectRelevant(Relation.parts ?? {}, [...events, { type: 'Unheard' }]).length, 3)
})
