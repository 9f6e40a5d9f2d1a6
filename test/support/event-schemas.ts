import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { eventSchema, ownKeywords, versionsOf } from '../../src/domain/event-schema.ts'
import { eventDefinitions } from '../../src/domain/events.ts'

const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true })
ajv.addVocabulary([...ownKeywords])

const validators = new Map<string, ValidateFunction>()

/** The schema of an event as it is served; every version of it compiles. */
export const eventValidator = (type: string): ValidateFunction => {
  const known = validators.get(type)
  if (known) return known
  const definition = eventDefinitions.get(type)
  const compiled =
    definition && versionsOf(definition).map((version) => ajv.compile(eventSchema(definition, version, 'https://rostra.example')))
  const current = compiled?.at(-1)
  if (!current) throw new Error(`${type} has no schema`)
  validators.set(type, current)
  return current
}

/** Returns the difference between an event and its schema, if any. */
export const departureFromSchema = (event: { readonly type: string }): string | undefined => {
  const { type } = event
  const validate = eventValidator(type)
  return validate(event) ? undefined : `${type}: ${JSON.stringify(validate.errors)}`
}
