import test from 'ava'
import type { Link } from '../../src/domain/link.ts'
import {
  freeSlot,
  LinkStickied,
  LinkUnstickied,
  STICKY_SLOTS,
  Stickies,
  type StickiesEvent,
  stickyLink,
  unstickyLink,
} from '../../src/domain/stickies.ts'
import fc from '../support/properties.ts'
import { specification, stateAfter } from '../support/specification.ts'

const { given } = specification(Stickies)

const link = (id: string, change: Partial<Link> = {}): Link => ({
  id: `t5_${id}`,
  subsite: 't4_1',
  author: 't2_ann',
  title: id,
  isSelf: false,
  excerpt: '',
  created: 0,
  over18: false,
  contestMode: false,
  suggestedSort: '',
  sendReplies: false,
  locked: false,
  removed: false,
  deleted: false,
  erased: false,
  ignoresReports: false,
  distinguished: null,
  ...change,
})
const target = (id: string) => ({ id: `t5_${id}`, author: 't2_ann', title: id, excerpt: '' })
const stickied = (id: string, slot: number) => LinkStickied({ subsite: 't4_1', target: target(id), slot })
const unstickied = (id: string, slot: number, reason: 'asked' | 'replaced' | 'removed' | 'deleted' = 'asked') =>
  LinkUnstickied({ subsite: 't4_1', target: target(id), slot, reason })
const one = stickied('a', 1)
const two = stickied('b', 2)

test(
  'the first sticky takes slot 1',
  given()
    .when(stickyLink(link('a')))
    .records(one),
)
test(
  'the second sticky takes slot 2',
  given(one)
    .when(stickyLink(link('b')))
    .records(two),
)
test(
  'a third sticky displaces the link in slot 2',
  given(one, two)
    .when(stickyLink(link('c')))
    .records(unstickied('b', 2, 'replaced'), stickied('c', 2)),
)
test(
  'the event describes a displaced link as it is then',
  given(one)
    .when(stickyLink(link('c'), 1, new Map([['t5_a', { ...target('a'), excerpt: 'edited' }]])))
    .records(
      LinkUnstickied({ subsite: 't4_1', target: { ...target('a'), excerpt: 'edited' }, slot: 1, reason: 'replaced' }),
      stickied('c', 1),
    ),
)
test(
  'the event describes an unstickied link as it is then',
  given(one)
    .when(unstickyLink(link('a', { excerpt: 'edited' })))
    .records(LinkUnstickied({ subsite: 't4_1', target: { ...target('a'), excerpt: 'edited' }, slot: 1, reason: 'asked' })),
)
test(
  'asking for slot 2 while none is taken gives slot 1',
  given()
    .when(stickyLink(link('a'), 2))
    .records(one),
)
test(
  'asking for slot 2 while slot 1 is taken gives slot 2',
  given(one)
    .when(stickyLink(link('b'), 2))
    .records(two),
)
test(
  'asking for slot 1 replaces the only sticky',
  given(one)
    .when(stickyLink(link('c'), 1))
    .records(unstickied('a', 1, 'replaced'), stickied('c', 1)),
)
test(
  'asking for slot 1 replaces the link there and keeps slot 2',
  given(one, two)
    .when(stickyLink(link('c'), 1))
    .records(unstickied('a', 1, 'replaced'), stickied('c', 1)),
)
test('after a replacement in slot 1, slot 2 holds the same link', (t) => {
  const state = stateAfter(Stickies, [one, two, unstickied('a', 1, 'replaced'), stickied('c', 1)])
  t.deepEqual(
    state?.map((one) => one.target.id),
    ['t5_c', 't5_b'],
  )
})
test(
  'a stickied link cannot be stickied again',
  given(one)
    .when(stickyLink(link('a'), 2))
    .refuses('ALREADY_STICKIED', 'id'),
)
test(
  'a removed link cannot be stickied',
  given()
    .when(stickyLink(link('a', { removed: true })))
    .refuses('BAD_REQUEST', 'id'),
)
test(
  'a deleted link cannot be stickied',
  given()
    .when(stickyLink(link('a', { deleted: true })))
    .refuses('BAD_REQUEST', 'id'),
)

test(
  'a stickied link can be unstickied',
  given(one, two)
    .when(unstickyLink(link('b')))
    .records(unstickied('b', 2)),
)
test(
  'the link in slot 2 moves to slot 1 when that is freed',
  given(one, two, unstickied('a', 1))
    .when(unstickyLink(link('b')))
    .records(unstickied('b', 1)),
)
test('unstickying a link that is not stickied changes nothing', given(one).when(unstickyLink(link('b'))).recordsNothing)
test(
  'a removed link cannot be unstickied by request',
  given(one)
    .when(unstickyLink(link('a', { removed: true })))
    .refuses('BAD_REQUEST', 'id'),
)
test(
  'removing a stickied link frees its slot',
  given(one)
    .when(freeSlot('t4_1', target('a'), 'removed'))
    .records(unstickied('a', 1, 'removed')),
)
test(
  'a removal does not free a slot that the link took after it',
  given(one, unstickied('a', 1), stickied('a', 1)).when(freeSlot('t4_1', target('a'), 'removed', ({ revision }) => revision < 2))
    .recordsNothing,
)
test('removing a link that is not stickied frees no slot', given(one).when(freeSlot('t4_1', target('b'), 'deleted')).recordsNothing)

test('after any commands at most two links are stickied, each once, and slots are as recorded', (t) => {
  const id = fc.constantFrom('a', 'b', 'c', 'd')
  const act = fc.oneof(
    fc.record({ kind: fc.constant('sticky' as const), id, slot: fc.constantFrom(undefined, 1, 2) }),
    fc.record({ kind: fc.constant('unsticky' as const), id, slot: fc.constant(undefined) }),
  )
  fc.assert(
    fc.property(fc.array(act, { maxLength: 20 }), (acts) => {
      let events: readonly StickiesEvent[] = []
      return acts.every(({ kind, id: name, slot }) => {
        const decide = kind === 'sticky' ? stickyLink(link(name), slot) : unstickyLink(link(name))
        const decision = decide(stateAfter(Stickies, events))
        const fresh = decision._tag === 'Right' ? decision.right : []
        events = [...events, ...fresh]
        const state = stateAfter(Stickies, events) ?? []
        const last = fresh.at(-1)
        const stands = last?.type !== 'LinkStickied' || state[last.data.slot - 1]?.target.id === last.data.target.id
        return state.length <= STICKY_SLOTS && new Set(state.map((s) => s.target.id)).size === state.length && stands
      })
    }),
  )
  t.pass()
})
