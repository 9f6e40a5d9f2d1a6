import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { resetSubscriptions } from '../../../commands/default-subscriptions.ts'
import { hasGoldNow } from '../../../commands/standings.ts'
import {
  changePreferences,
  initialPreferences,
  isPreference,
  type PreferenceName,
  type Preferences,
  PreferencesOf,
  preferenceNames,
} from '../../../domain/preferences.ts'
import { firstCharacters } from '../../../domain/text-limits.ts'
import { withinQuota } from '../../../limits/account-quota.ts'
import type { CommandResult } from '../../../runtime/run.ts'
import { type AnyEndpoint, type Need, type Param, type SignedInContext, section } from '../../contract/endpoint.ts'
import { describeParam, json, rawText } from '../../contract/params.ts'
import type { SignedIn } from '../../contract/request.ts'
import { preferencesShape, somePreferencesShape } from '../../contract/schemas/preferences.ts'
import { preferencesIn } from './preference-params.ts'

const { get, patch } = section('Account', { scope: 'identity', login: 'token', errors: 'coded' })

/** All preferences, or the named ones; the first unknown name is refused. */
const fields: Param<readonly PreferenceName[]> = {
  ...describeParam(rawText(), 'names of preferences, separated by commas; absent: all'),
  decode: (sent, name) => {
    const text = rawText().decode(sent, name)
    if (E.isLeft(text)) return text
    const names = text.right === '' ? preferenceNames : [...new Set(text.right.split(',').map((one) => one.trim()))]
    const unknown = names.find((one) => !isPreference(one))
    if (unknown === undefined) return E.right(names.filter(isPreference))
    return E.left({ code: 'NON_PREFERENCE', field: name, text: `"${firstCharacters(50, unknown)}" is not a preference` })
  },
}

const preferencesNow = async ({ load, viewer }: SignedInContext): Promise<Preferences> =>
  (await load(PreferencesOf, viewer.account)) ?? initialPreferences

const read = get('/api/v1/me/prefs', {
  answers: { 200: somePreferencesShape },
  summary: 'Your preferences, all or those named in `fields`.',
  params: { fields },
  handle: async (context) => {
    const preferences = await preferencesNow(context)
    return { kind: 'json', body: Object.fromEntries(context.params.fields.map((name) => [name, preferences[name]])) }
  },
})

const readOfSession = get('/prefs/options', {
  scope: 'any',
  login: 'session',
  answers: { 200: preferencesShape },
  summary: 'The preferences of the account of the session.',
  notes: 'Tokens use `/api/v1/me/prefs`.',
  handle: async (context) => ({ kind: 'json', body: await preferencesNow(context) }),
})

/** Decodes the changes after the gates, since some are looked up. */
const changesSent: Need<Partial<Preferences>, { readonly preferences: Readonly<Record<string, unknown>> }, SignedIn> = (context) =>
  preferencesIn(context, context.params.preferences)

const change = patch('/api/v1/me/prefs', {
  whileSuspended: true,
  scope: 'account',
  answers: { 200: preferencesShape },
  summary: 'Change some of your preferences.',
  notes:
    'A JSON object of preferences. Absent preferences are not changed, unknown members are ignored, and numbers are moved into their ranges; with an invalid value nothing is changed. docs/preferences.md says which preferences affect the service.',
  jsonBody: 'preferences',
  params: { preferences: json(t.UnknownRecord, { $ref: '#/components/schemas/SomePreferences' }) },
  needs: { sent: changesSent },
  handle: async (context) => {
    const { sent, viewer, run, command } = context
    const { account } = viewer
    const changed = await withinQuota(context, 'preferences', async () => {
      const isReset = sent.subscriptions_unsubscribe === 'subs_reset_subscriptions'
      const reset = isReset ? await resetSubscriptions(context, account, command) : []
      const gold = await hasGoldNow(context, account)
      const recorded = await run(PreferencesOf, account, changePreferences(account, sent, { gold }))
      return E.map(({ events, position }: CommandResult) => ({ events: [...reset, ...events], position }))(recorded)
    })
    if (E.isLeft(changed)) return changed
    const current = await context.load(PreferencesOf, account)
    return { kind: 'json', body: current ?? initialPreferences }
  },
})

export const preferenceEndpoints: readonly AnyEndpoint[] = [read, readOfSession, change]
