import * as E from 'fp-ts/lib/Either.js'
import type { SubsiteId } from '../../../domain/ids.ts'
import { bareSubsite } from '../../../domain/names.ts'
import {
  initialPreferences,
  type Preference,
  type PreferenceName,
  type Preferences,
  type PreferenceValue,
  preferenceNames,
  preferenceTable,
} from '../../../domain/preferences.ts'
import { Subsite } from '../../../domain/subsite.ts'
import { firstCharacters } from '../../../domain/text-limits.ts'
import type { Context } from '../../contract/endpoint.ts'
import { languageOf } from '../../contract/language-tag.ts'
import { integer, isTrue, oneOf } from '../../contract/params.ts'
import type { Refusal, RefusalCode } from '../../contract/refusals.ts'
import { subsiteCalled } from '../../needs/facts.ts'
import { loadSubsiteAccess, mayView } from '../../things/access.ts'

/** Further names under which older clients send a preference. */
const formerNames: Partial<Record<PreferenceName, string>> = { default_theme_sr: 'theme_selector' }

/** Returns the refusal of a field, which is a 400 here, whatever its usual status. */
const refuseField = (code: RefusalCode, field: string): E.Either<Refusal, never> => E.left({ code, field, status: 400 })

/** Returns a member of the JSON body as form text; undefined if it is not a text, number or boolean. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined

/** Returns the name of a subsite that the viewer may view, as it is written; empty or null means none. */
const themeOf = async (context: Context, value: unknown, field: string): Promise<E.Either<Refusal, string | null>> => {
  if (value === null || value === '') return E.right(null)
  const named = await subsiteCalled(context, bareSubsite(typeof value === 'string' ? firstCharacters(100, value) : ''), field)
  if (E.isLeft(named)) return refuseField('SUBSITE_NOEXIST', field)
  const id: SubsiteId = named.right
  const [place, subsite] = [await loadSubsiteAccess(context, id), await context.load(Subsite, id)]
  if (!place || !subsite) return refuseField('SUBSITE_NOEXIST', field)
  return (await mayView(context, place)) ? E.right(subsite.name) : refuseField('SUBSITE_NO_ACCESS', field)
}

const decodePreference = async (
  context: Context,
  preference: Preference,
  value: unknown,
  field: string,
): Promise<E.Either<Refusal, PreferenceValue>> => {
  switch (preference.kind) {
    case 'flag':
      return E.right(value !== null && isTrue(textOf(value) ?? 'true'))
    case 'integer': {
      // a number too large for its digits is written with an exponent
      const placed =
        typeof value === 'number' && Number.isInteger(value) ? Math.max(Math.min(value, preference.max), preference.min) : value
      return integer(preference).decode(typeof placed === 'boolean' ? undefined : textOf(placed), field)
    }
    case 'choice':
      return oneOf(...preference.values).decode(typeof value === 'string' ? value : undefined, field) as E.Either<Refusal, string>
    case 'language':
      return E.right(typeof value === 'string' ? languageOf(firstCharacters(100, value)) : initialPreferences.lang)
    case 'subsite':
      return themeOf(context, value, field)
    case 'unused': {
      const theme = await themeOf(context, value, field)
      return E.isLeft(theme) ? theme : E.right(null)
    }
  }
}

/** Returns the preferences in a JSON object. Unknown members are ignored; the first invalid value is refused. */
export const preferencesIn = async (
  context: Context,
  sent: Readonly<Record<string, unknown>>,
): Promise<E.Either<Refusal, Partial<Preferences>>> => {
  const preferences: Record<string, PreferenceValue> = {}
  for (const name of preferenceNames) {
    const field = [name, formerNames[name] ?? name].find((one) => Object.hasOwn(sent, one))
    if (field === undefined) continue
    const value = await decodePreference(context, preferenceTable[name], sent[field], field)
    if (E.isLeft(value)) return value
    preferences[name] = value.right
  }
  return E.right(preferences as Partial<Preferences>)
}
