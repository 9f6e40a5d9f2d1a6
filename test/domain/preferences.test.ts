import test from 'ava'
import * as E from 'fp-ts/lib/Either.js'
import { fold } from '../../src/domain/decision.ts'
import { changePreferences, initialPreferences, type Preferences, PreferencesOf } from '../../src/domain/preferences.ts'
import { inNameOf, loggedFrom } from '../support/logged-events.ts'
import fc from '../support/properties.ts'

const ann = 't2_ann'
const change = (before: Preferences | undefined, sent: Partial<Preferences>, gold = false) => {
  const decided = changePreferences(ann, sent, { gold })(before)
  if (E.isLeft(decided)) throw new Error('preferences are never refused')
  return decided.right
}
const after = (before: Preferences | undefined, sent: Partial<Preferences>, gold = false): Preferences => {
  const events = loggedFrom(change(before, sent, gold).map((event) => inNameOf(ann)(event)))
  return fold(PreferencesOf, before, events as never) ?? initialPreferences
}

test('changed preferences are one event with old and new values; unchanged ones are no event', (t) => {
  const [event, ...others] = change(undefined, { numsites: 50, hide_ups: true, newwindow: false })
  t.deepEqual(others, [])
  t.deepEqual(event?.data, {
    account: ann,
    changes: [
      { preference: 'numsites', before: 25, after: 50 },
      { preference: 'hide_ups', before: false, after: true },
    ],
    preferences: [
      { preference: 'numsites', value: 50 },
      { preference: 'hide_ups', value: true },
    ],
  })
  const changed = after(undefined, { numsites: 50, hide_ups: true })
  t.deepEqual(change(changed, { numsites: 50 }), [])
  t.deepEqual(change(changed, { numsites: 25, hide_ups: false })[0]?.data.preferences, [])
})

test('only accounts with gold can hide ads and show when their gold ends', (t) => {
  const wish = { hide_ads: true, show_gold_expiration: true }
  t.deepEqual(change(undefined, wish), [])
  t.like(after(undefined, wish, true), wish)
  t.like(after(after(undefined, wish, true), { hide_ads: false }), wish, 'without gold nothing changes, either way')
})

test('a stored preference that no longer exists, or with an invalid value, counts as not set', (t) => {
  const stored = (preference: string, value: boolean | number | string | null) =>
    loggedFrom([inNameOf(ann)({ type: 'PreferencesChanged', data: { account: ann, changes: [], preferences: [{ preference, value }] } })])
  for (const [name, value] of [
    ['tea', true],
    ['__proto__', 'x'],
    ['numsites', 1000],
    ['numsites', 'many'],
    ['media', 'sometimes'],
    ['other_theme', 'tea'],
  ] as const)
    t.deepEqual(fold(PreferencesOf, undefined, stored(name, value) as never), initialPreferences, name)
})

const some = fc.record(
  {
    numsites: fc.integer({ min: 1, max: 100 }),
    over_18: fc.boolean(),
    no_profanity: fc.boolean(),
    label_nsfw: fc.boolean(),
    hide_ups: fc.boolean(),
    media: fc.constantFrom('on', 'off', 'subsite'),
    subscriptions_unsubscribe: fc.constantFrom('subs_do_nothing', 'subs_reset_subscriptions'),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<Preferences>>

test('after any changes profanity is shown only with adult content and labelled when filtered, a reset is not stored, and the last event has all preferences', (t) => {
  fc.assert(
    fc.property(fc.array(some, { maxLength: 8 }), (patches) => {
      let now: Preferences | undefined
      for (const patch of patches) now = after(now, patch)
      const { over_18, no_profanity, label_nsfw, subscriptions_unsubscribe } = now ?? initialPreferences
      return (over_18 || no_profanity) && (!no_profanity || label_nsfw) && subscriptions_unsubscribe === 'subs_do_nothing'
    }),
  )
  t.pass()
})
