import { type Preference, preferenceTable } from '../../../domain/preferences.ts'
import { subsiteName } from './names.ts'
import { choice, component, flag, integer, nothing, orNull, type Part, record, someOf, text } from './schema.ts'

const preferenceShape = (preference: Preference): Part => {
  switch (preference.kind) {
    case 'flag':
      return preference.initial === null ? orNull(flag) : flag
    case 'integer':
      return { ...integer(preference.initial), minimum: preference.min, maximum: preference.max }
    case 'choice':
      return choice(...preference.values)
    case 'language':
      return text(preference.initial)
    case 'subsite':
      return orNull(subsiteName)
    case 'unused':
      return nothing
  }
}
const preferences: Readonly<Record<string, Part>> = Object.fromEntries(
  Object.entries(preferenceTable).map(([name, preference]) => [name, preferenceShape(preference)]),
)
export const preferencesShape = component('Preferences', () => record(preferences))
/** The requested preferences. */
export const somePreferencesShape = component('SomePreferences', () => someOf(preferences))
