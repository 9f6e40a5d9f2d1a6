import test from 'ava'
import { initialPreferences, preferenceNames } from '../../src/domain/preferences.ts'
import { newcomer, startCast } from '../support/cast.ts'
import { recordsNothing } from '../support/community.ts'
import { foundSubsite } from '../support/posting.ts'
import { PREFS, patchPreferences, prefer } from '../support/preferring.ts'
import type { Answer } from '../support/site.ts'

const { site, ann } = await startCast(['ann', 'bob'])
await foundSubsite(ann, 'tea')
test.after.always(() => site.stop())

const refusedAs = ({ status, at }: Answer) => [status, at('reason'), at('fields')]

test.serial('a new account has the default preferences', async (t) => {
  t.deepEqual((await (await newcomer(site)).get(PREFS)).body, initialPreferences)
  t.is(preferenceNames.length, 51)
})

test.serial('fields selects preferences, all if empty; a name that no preference has is refused', async (t) => {
  const who = await newcomer(site)
  t.deepEqual((await who.get(`${PREFS}?fields=numsites,%20over_18,numsites`)).body, { numsites: 25, over_18: false })
  t.deepEqual((await who.get(`${PREFS}?fields=`)).body, initialPreferences)
  const refused = await who.get(`${PREFS}?fields=numsites,tea,lang`)
  t.deepEqual(refusedAs(refused), [400, 'NON_PREFERENCE', ['fields']])
  t.regex(String(refused.at('explanation')), /"tea"/)
  for (const name of ['__proto__', 'constructor', 'toString', 'theme_selector'])
    t.is((await who.get(`${PREFS}?fields=${name}`)).at('reason'), 'NON_PREFERENCE', name)
})

test.serial('preferences can be read and changed only with a token of the account and the scope', async (t) => {
  const session = await ann.session()
  t.is((await session.get(PREFS)).status, 401)
  t.is((await session.request('PATCH', PREFS, { json: {} })).status, 401)
  t.is((await site.get(PREFS)).status, 401)
  t.is((await (await site.appOnly()).get(PREFS)).at('reason'), 'USER_REQUIRED')
  const identity = await ann.withScopes('identity')
  t.is((await identity.get(PREFS)).status, 200)
  t.is((await patchPreferences(identity, { numsites: 3 })).status, 403)
  const account = await ann.withScopes('account')
  t.is((await account.get(PREFS)).status, 403)
  t.is((await patchPreferences(account, {})).status, 200)
})

test.serial('a patch changes the preferences it names to values they may have, and returns all', async (t) => {
  const who = await newcomer(site)
  const answer = await patchPreferences(who, {
    numsites: 500,
    num_comments: 0,
    min_link_score: -1000,
    hide_ups: 'on',
    lang: 'de',
    newwindow: 1,
    tea: 9,
  })
  const expected = {
    ...initialPreferences,
    numsites: 100,
    num_comments: 1,
    min_link_score: -100,
    hide_ups: true,
    lang: 'de',
    newwindow: true,
  }
  t.deepEqual(answer.body, expected)
  t.deepEqual((await who.get(PREFS)).body, expected)
  t.deepEqual((await patchPreferences(who, { hide_ups: 'Off', newwindow: null, lang: 'klingon of kronos' })).body, {
    ...expected,
    hide_ups: false,
    newwindow: false,
    lang: 'en',
  })
})

test.serial('a patch that changes no preference records nothing', async (t) => {
  const who = await newcomer(site)
  await patchPreferences(who, { numsites: 500, lang: 'de' })
  t.true(await recordsNothing(site, () => patchPreferences(who, { numsites: 100, lang: 'de' })))
  t.true(await recordsNothing(site, () => patchPreferences(who, { tea: 'green' })))
})

test.serial('a patch can be sent as the field json of a form', async (t) => {
  const who = await newcomer(site)
  const send = (json: string) =>
    who.request('PATCH', PREFS, {
      body: String(new URLSearchParams({ api_type: 'json', json })),
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    })
  t.deepEqual((await send('{"hide_ups": true}')).body, { ...initialPreferences, hide_ups: true })
  t.is((await send('no json')).at('reason'), 'JSON_PARSE_ERROR')
  t.is((await send('')).at('reason'), 'JSON_PARSE_ERROR')
  t.true(await recordsNothing(site, () => patchPreferences(who, { json: '{"hide_ups": false}' })), 'a member of that name is no preference')
})

test.serial('an invalid value changes nothing, also beside valid ones', async (t) => {
  const who = await newcomer(site)
  const wrong: readonly (readonly [object, string, string])[] = [
    [{ min_link_score: 'abc', numsites: 50 }, 'BAD_NUMBER', 'min_link_score'],
    [{ numsites: 1.5 }, 'BAD_NUMBER', 'numsites'],
    [{ numsites: null }, 'BAD_NUMBER', 'numsites'],
    [{ numsites: [5] }, 'BAD_NUMBER', 'numsites'],
    [{ numsites: true }, 'BAD_NUMBER', 'numsites'],
    [{ default_comment_sort: 'hot', numsites: 50 }, 'INVALID_OPTION', 'default_comment_sort'],
    [{ media: 5 }, 'INVALID_OPTION', 'media'],
    [{ site_theme: 'x'.repeat(100_000) }, 'INVALID_OPTION', 'site_theme'],
    [{ default_theme_sr: 'nowhere', numsites: 50 }, 'SUBSITE_NOEXIST', 'default_theme_sr'],
    [{ theme_selector: 'x'.repeat(100_000) }, 'SUBSITE_NOEXIST', 'theme_selector'],
    [{ other_theme: 'nowhere' }, 'SUBSITE_NOEXIST', 'other_theme'],
  ]
  for (const [json, reason, field] of wrong)
    t.deepEqual(refusedAs(await patchPreferences(who, json)), [400, reason, [field]], JSON.stringify(json).slice(0, 80))
  for (const body of ['', 'numsites=3', '{"numsites":'])
    t.is(
      (await who.request('PATCH', PREFS, { body, headers: { 'Content-Type': 'application/json' } })).at('reason'),
      'JSON_PARSE_ERROR',
      body,
    )
  for (const json of [[], 5, null, 'numsites']) t.is((await patchPreferences(who, json)).at('reason'), 'JSON_INVALID', JSON.stringify(json))
  t.deepEqual((await who.get(PREFS)).body, initialPreferences)
})

test.serial('a number can be written in every valid form', async (t) => {
  const who = await newcomer(site)
  for (const [sent, kept] of [
    ['42', 42],
    [0, 1],
    [1e300, 100],
    [' +7 ', 7],
  ] as const)
    t.is((await prefer(who, { numsites: sent })).numsites, kept, String(sent))
})

test.serial('a theme must be a subsite that the viewer may view; the other name of the preference is checked and not stored', async (t) => {
  const who = await newcomer(site)
  await foundSubsite(ann, 'cellar', { type: 'private' })
  t.is((await prefer(who, { theme_selector: '/s/TEA/' })).default_theme_sr, 'tea')
  t.deepEqual(refusedAs(await patchPreferences(who, { default_theme_sr: 'cellar' })), [400, 'SUBSITE_NO_ACCESS', ['default_theme_sr']])
  t.is((await prefer(ann, { default_theme_sr: 'cellar' })).default_theme_sr, 'cellar')
  t.is((await prefer(who, { other_theme: 'tea' })).other_theme, null)
  t.is((await prefer(who, { default_theme_sr: '' })).default_theme_sr, null)
})

test.serial('profanity can be shown only to accounts that already see things for adults', async (t) => {
  const who = await newcomer(site)
  t.like(await prefer(who, { over_18: true, no_profanity: false, label_nsfw: false }), {
    over_18: true,
    no_profanity: true,
    label_nsfw: true,
  })
  t.like(await prefer(who, { no_profanity: false, label_nsfw: false }), { no_profanity: false, label_nsfw: true })
  t.like(await prefer(who, { label_nsfw: false }), { no_profanity: false, label_nsfw: false })
  t.like(await prefer(who, { over_18: false }), { no_profanity: true, label_nsfw: true })
  t.like(await prefer(who, { hide_ads: true, show_gold_expiration: true }), { hide_ads: false, show_gold_expiration: false }, 'needs gold')
})
