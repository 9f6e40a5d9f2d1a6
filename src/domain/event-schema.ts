import * as t from 'io-ts'
import { envelopeFields, servedFields } from './envelope-fields.ts'
import { type EventDefinition, type EventField, type Fields, type Readers, readersWithin, SealedText, schemaOf } from './event.ts'

/** A JSON Schema (2020-12). */
type Schema = { readonly [keyword: string]: unknown }
/** Keywords of our own, for validators that refuse unknown ones. */
export const ownKeywords = ['x-readers', 'x-unit', 'x-party', 'x-sealed'] as const

const plain: ReadonlyMap<t.Mixed, Schema> = new Map<t.Mixed, Schema>([
  [t.string, { type: 'string' }],
  [t.number, { type: 'integer' }],
  [t.boolean, { type: 'boolean' }],
  [t.null, { type: 'null' }],
])

/** Returns the schema of a value. `readers` are those of the field that holds it. */
const valueSchema = (codec: t.Mixed, readers: Readers): Schema => {
  const inner = (one: t.Mixed) => valueSchema(one, readers)
  if (codec instanceof SealedText) return { type: 'string', 'x-sealed': codec.subject }
  if ('fields' in codec) return membersSchema(codec.fields as Fields, readers)
  if ('pattern' in codec) return { type: 'string', pattern: codec.pattern }
  if (codec instanceof t.KeyofType) return { type: 'string', enum: Object.keys(codec.keys) }
  if (codec instanceof t.LiteralType) return { const: codec.value }
  if (codec instanceof t.UnionType) return { anyOf: (codec.types as readonly t.Mixed[]).map(inner) }
  if (codec instanceof t.ReadonlyArrayType) return { type: 'array', items: inner(codec.type) }
  if (codec instanceof t.DictionaryType) return { type: 'object', additionalProperties: inner(codec.codomain) }
  const schema = plain.get(codec)
  if (schema === undefined) throw new Error(`${codec.name} has no JSON Schema`)
  return schema
}

/** Returns the schema of a field. `within` are the readers of the record that holds it. */
const fieldSchema = ({ codec, meaning, unit, readers, party }: EventField, within: Readers): Schema => {
  const effective = readersWithin(within, readers)
  return {
    description: meaning,
    ...valueSchema(codec, effective),
    ...(unit && { 'x-unit': unit }),
    ...(party && { 'x-party': true }),
    'x-readers': effective,
  }
}

const membersOf = (fields: Fields, within: Readers): Schema =>
  Object.fromEntries(Object.entries(fields).map(([name, one]) => [name, fieldSchema(one, within)]))

const membersSchema = (fields: Fields, within: Readers): Schema => ({
  type: 'object',
  properties: membersOf(fields, within),
  additionalProperties: false,
})

/** Returns a schema which demands that nothing is missing, at any depth. */
const completeness = (codec: t.Mixed): Schema | undefined => {
  if ('fields' in codec) return membersComplete(codec.fields as Fields)
  const members = codec instanceof t.UnionType ? (codec.types as readonly t.Mixed[]) : []
  for (const member of members) if (completeness(member)) return completeness(member)
  const items = codec instanceof t.ReadonlyArrayType ? completeness(codec.type) : undefined
  return items && { items }
}

const membersComplete = (fields: Fields): Schema => {
  const entries = Object.entries(fields)
  const properties = entries.flatMap(([name, { codec }]) => {
    const complete = completeness(codec)
    return complete ? [[name, complete]] : []
  })
  return {
    required: entries.filter(([, { optional }]) => !optional).map(([name]) => name),
    ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
  }
}

const formerNote = (version: number, current: number): string =>
  version === current
    ? ''
    : ` Events that are stored in version ${version} are served in the form of version ${current}, which this is: what they did not say, they do not say here.`

/** Returns the versions of an event; the current one is the last. */
export const versionsOf = (definition: Pick<EventDefinition, 'upcasts'>): readonly number[] =>
  Array.from({ length: schemaOf(definition) }, (_, past) => past + 1)

export const schemaAddress = (base: string, type: string, version: number): string => `${base}/history/schemas/${type}/${version}`

/**
 * Returns the schema of an event as a reader gets it. Fields that the reader may not read are absent and named in `withheld`. If nothing is
 * withheld, every field is there that is not optional. `base` is the address of the service, which the schema's own address begins with.
 */
export const eventSchema = (definition: EventDefinition, version: number, base: string): Schema => {
  const { type, meaning, fields, by } = definition
  const envelope = Object.entries(envelopeFields).map(([name, part]) => {
    const field = { ...part, readers: part.readers === 'by' ? by : part.readers }
    return [name, fieldSchema(field, 'public')]
  })
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: schemaAddress(base, type, version),
    title: type,
    description: meaning + formerNote(version, schemaOf(definition)),
    type: 'object',
    properties: {
      ...Object.fromEntries(envelope),
      type: { description: envelopeFields.type.meaning, const: type, 'x-readers': 'public' },
      data: { description: 'What happened in particular.', ...membersSchema(fields, 'public') },
      ...membersOf(servedFields, 'public'),
    },
    required: ['type', 'at', 'data'],
    additionalProperties: false,
    if: { required: ['withheld'], properties: { withheld: { minItems: 1 } } },
    else: { properties: { data: membersComplete(fields) } },
  }
}
