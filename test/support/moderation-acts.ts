import { FULL } from './full.ts'
import type { Act } from './moderation-oracle.ts'
import fc from './properties.ts'
import { type Actor, actors, type Doer, relations } from './staff-oracle.ts'

/*
 * Histories of what accounts of every standing may try on some things of a subsite, on its staff and in its mail.
 */

const MAX_ACTS = FULL ? 120 : 60

const on = fc.nat({ max: 6 })
const letter = fc.nat({ max: 9 })
const whom = fc.constantFrom<Doer>(...actors, 'chief')
const permissions = fc.constantFrom('+posts', '+access,+mail', '+posts,+wiki', '+mail', '+all')
const restricted = fc.constantFrom<Actor>('alice', 'bob')
const anybody = fc.constantFrom(...actors, 'ann') // more often ann, who may do all at first

const term = { days: fc.constantFrom(null, 3, 30), note: fc.constantFrom('', 'rude') } as const

type Weighted = { readonly weight: number; readonly arbitrary: fc.Arbitrary<Act> }

/** The acts that moderators and admins do, and others try. */
const ofModerators: readonly Weighted[] = [
  { weight: 2, arbitrary: fc.record({ act: fc.constant('remove'), on, spam: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constantFrom('approve', 'report', 'report', 'ignore_reports', 'unignore_reports', 'edit'), on }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('lock', 'unlock', 'marknsfw', 'unmarknsfw'), on }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constantFrom('sticky', 'contest'), on, state: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('distinguish'), on, state: fc.boolean(), sticky: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('del'), on }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('relate'), type: fc.constantFrom(...relations), whom: restricted, ...term }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('unrelate'), type: fc.constantFrom(...relations), whom: restricted }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('invite', 'permit', 'permit_invite'), whom, permissions }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('uninvite', 'dismiss'), whom }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('accept', 'accept', 'accept', 'leavemoderator', 'leavecontributor') }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('mute_author', 'unmute_author'), letter }) },
]

const act = fc.oneof<Weighted[]>(
  ...ofModerators,
  { weight: 4, arbitrary: fc.record({ act: fc.constant('write'), to: fc.constantFrom(...actors, 'moderators'), inName: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constantFrom('answer', 'answer', 'discard', 'complain', 'hide', 'show'), letter }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('mark'), entry: letter, unread: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constantFrom('read_all', 'read_shared', 'read_shared') }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('block'), entry: letter }) },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ act: fc.constant('unblock' as const), whom: fc.constantFrom(...actors) }),
      fc.record({ act: fc.constant('unblock_subsite' as const), letter }),
    ),
  },
)

/** The moderators whose comments on the link are the sixth and the seventh thing, and who distinguish them. */
const leading = fc.constantFrom<readonly [Actor, number]>(['ann', 5], ['mod', 6]).chain(([actor, on]) =>
  fc.tuple(
    fc.constant(actor),
    fc.record({
      act: fc.constant('distinguish' as const),
      on: fc.constant(on),
      state: fc.constantFrom(true, true, false),
      sticky: fc.constantFrom(true, true, false),
    }),
  ),
)

/** The admin becomes a moderator with some permissions, and acts as one where those allow it. */
const seating = fc.oneof(
  fc.tuple(
    fc.constant('ann' as const),
    fc.record({ act: fc.constantFrom('invite' as const, 'permit' as const), whom: fc.constant('chief' as const), permissions }),
  ),
  fc.tuple(fc.constant('chief' as const), fc.constant({ act: 'accept' as const })),
)

const byMuter = fc.constantFrom<Actor>('ann', 'gate')

/** One account is restricted again and again, so that the same term, another one and another note all occur. */
const restricting = fc.tuple(
  byMuter,
  fc.record({
    act: fc.constant('relate' as const),
    type: fc.constantFrom('banned' as const, 'wikibanned' as const, 'muted' as const),
    whom: fc.constant('bob' as const),
    ...term,
  }),
)

/** Messages to the moderators, and what happens to their authors for it. */
const complaining = fc.oneof(
  fc.tuple(fc.constantFrom<Actor>('alice', 'bob', 'mod'), fc.constant({ act: 'write' as const, to: 'moderators' as const, inName: false })),
  fc.tuple(byMuter, fc.record({ act: fc.constantFrom('mute_author' as const, 'unmute_author' as const), letter })),
)

/** Acts with their actors, in order. */
export const acts: fc.Arbitrary<(readonly [Doer, Act])[]> = fc.array(
  fc.oneof(
    { weight: 10, arbitrary: fc.tuple(anybody, act) },
    { weight: 3, arbitrary: fc.tuple(fc.constant('chief' as const), fc.oneof(...ofModerators)) },
    { weight: 1, arbitrary: leading },
    { weight: 2, arbitrary: seating },
    { weight: 2, arbitrary: restricting },
    { weight: 2, arbitrary: complaining },
  ),
  { minLength: 20, maxLength: MAX_ACTS },
)
