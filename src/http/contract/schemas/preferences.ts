import { type Preference, preferenceTable } from '../../../domain/preferences.ts'
import { subsiteName } from './names.ts'
import { choice, component, flag, integer, nullSchema, orNull, recordSchema, type SchemaOrComponent, someOf, text } from './schema.ts'

const preferenceShape = (preference: Preference): SchemaOrComponent => {
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
      return nullSchema
  }
}
const preferences: Readonly<Record<string, SchemaOrComponent>> = Object.fromEntries(
  Object.entries(preferenceTable).map(([name, preference]) => [name, preferenceShape(preference)]),
)
export const preferencesShape = component('Preferences', () => recordSchema(preferences))
/** The requested preferences. */
export const somePreferencesShape = component('SomePreferences', () => someOf(preferences))
