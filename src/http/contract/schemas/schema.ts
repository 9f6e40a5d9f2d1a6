// Decision 105.

/** A JSON schema (2020-12) whose parts may be components, which stand in the OpenAPI document under their name. */
export type Schema = { readonly [keyword: string]: unknown }

/** A schema with a name of its own. `schema` is a function, so that a record can contain itself. */
export class Component {
  readonly name: string
  readonly schema: () => Schema

  constructor(name: string, schema: () => Schema) {
    this.name = name
    this.schema = schema
  }
}

export type SchemaOrComponent = Schema | Component
export type Optional = { readonly optional: SchemaOrComponent }

export const component = (name: string, schema: () => Schema): Component => new Component(name, schema)

const example = (value: unknown) => ({ examples: [value] })

export const text = (value = 'soft water', description?: string): Schema => ({
  type: 'string',
  ...(description && { description }),
  ...example(value),
})
export const integer = (value = 1, description?: string): Schema => ({
  type: 'integer',
  ...(description && { description }),
  ...example(value),
})
export const decimal = (value = 0.5): Schema => ({ type: 'number', ...example(value) })
export const flag: Schema = { type: 'boolean' }
export const nullSchema: Schema = { type: 'null' }
/** Any value, for members that the interface keeps open. */
export const anything: Schema = {}
/** Seconds since 1970. */
export const epoch: Schema = { type: 'number', description: 'Seconds since 1970 (UTC).', ...example(1_795_000_000) }
/** Returns the schema of HTML. `paragraph` is the text of the example. */
export const html = (paragraph = 'soft water'): Schema => ({
  type: 'string',
  description: 'Safe HTML.',
  ...example(`<div class="md"><p>${paragraph}</p>\n</div>`),
})
export const id36 = (value: string): Schema => ({
  type: 'string',
  description: 'Base 36, without its kind.',
  pattern: '^[0-9a-z]+$',
  ...example(value),
})

/** Adds the type of the value, without which a generated client in Go takes any. */
const withType = (value: unknown) => ({ type: typeof value === 'number' ? 'integer' : typeof value })
export const constant = (value: string | number | boolean): Schema => ({ ...withType(value), const: value })
export const choice = (...values: readonly (string | number)[]): Schema => ({ ...withType(values[0]), enum: values })
export const orNull = (part: SchemaOrComponent): Schema => ({ anyOf: [part, nullSchema] })
/** Accepts any of these, each once: `anyOf`, which generators of clients turn into a union. */
export const union = (...parts: readonly SchemaOrComponent[]): Schema => ({ anyOf: [...new Set(parts)] })
/** Returns the alternatives of a schema. */
export const alternativesOf = (part: SchemaOrComponent): readonly SchemaOrComponent[] =>
  part instanceof Component || !Array.isArray(part.anyOf) ? [part] : part.anyOf
export const listOf = (items: SchemaOrComponent): Schema => ({ type: 'array', items })

/** Accepts a list of exactly these. `items` adds nothing, except for generators that do not know `prefixItems`. */
export const tuple = (...parts: readonly SchemaOrComponent[]): Schema => ({
  type: 'array',
  prefixItems: parts,
  items: parts.every((part) => part === parts[0]) ? parts[0] : union(...parts),
  minItems: parts.length,
  maxItems: parts.length,
})

/** Marks a field that a response may lack. */
export const optional = (part: SchemaOrComponent): Optional => ({ optional: part })
const isOptional = (part: SchemaOrComponent | Optional): part is Optional => !(part instanceof Component) && 'optional' in part

export type Fields = Readonly<Record<string, SchemaOrComponent | Optional>>

/** Returns the schema of an object with these members and no others. All but the optional ones are always there. */
export const recordSchema = (fields: Fields): Schema => {
  const entries = Object.entries(fields)
  const required = entries.filter(([, part]) => !isOptional(part)).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, part]) => [name, isOptional(part) ? part.optional : part])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

type Value = NonNullable<unknown> | null

/** A field of a record: its schema and its value. */
export type RecordField<Shown> = readonly [schema: SchemaOrComponent, value: (shown: Shown) => Value]

/** The fields of a record. Only an optional one may lack a value. */
export type RecordTable<Shown> = Readonly<
  Record<string, RecordField<Shown> | readonly [schema: Optional, value: (shown: Shown) => Value | undefined]>
>

/** Returns the schema of a table's record: a closed object. */
export const tableRecord = (table: RecordTable<never>): Schema =>
  recordSchema(Object.fromEntries(Object.entries(table).map(([field, [part]]) => [field, part])))

/** Returns the schema of a table's record as a component. */
export const tableShape = (name: string, table: RecordTable<never>): Component => component(name, () => tableRecord(table))

/** Returns the record of a table for an item. JSON leaves out its undefined members. */
export const valuesOf = <Shown>(table: RecordTable<Shown>, shown: Shown): Readonly<Record<string, unknown>> => {
  const values: Record<string, unknown> = {}
  for (const field in table) values[field] = table[field]?.[1](shown)
  return values
}

/** Returns the schema of an object with some of these members. */
export const someOf = (fields: Readonly<Record<string, SchemaOrComponent>>): Schema =>
  recordSchema(Object.fromEntries(Object.entries(fields).map(([name, part]) => [name, optional(part)])))

/** Returns the schema of an object whose keys are data, with the schema of its keys if there is one. */
export const mapOf = (values: SchemaOrComponent, keys?: Schema): Schema => ({
  type: 'object',
  additionalProperties: values,
  ...(keys && { propertyNames: keys }),
})

const isPlain = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the schema as JSON. Components become references, and their own schemas are put into `components`. */
export const writeSchema = (part: unknown, components: Map<string, unknown>): unknown => {
  if (part instanceof Component) {
    if (!components.has(part.name)) {
      components.set(part.name, {}) // it may contain itself
      components.set(part.name, writeSchema(part.schema(), components))
    }
    return { $ref: `#/components/schemas/${part.name}` }
  }
  if (Array.isArray(part)) return part.map((item) => writeSchema(item, components))
  if (!isPlain(part)) return part
  return Object.fromEntries(Object.entries(part).map(([keyword, value]) => [keyword, writeSchema(value, components)]))
}

/**
 * Returns a value that the schema accepts, made from its examples. `within` are the components that it is part of. It contains none of them
 * again; undefined if it would have to.
 */
export const exampleOf = (part: SchemaOrComponent, within: ReadonlySet<SchemaOrComponent> = new Set()): unknown => {
  if (part instanceof Component) return within.has(part) ? undefined : exampleOf(part.schema(), new Set([...within, part]))
  const inner = (one: unknown) => exampleOf(one as SchemaOrComponent, within)
  if (Array.isArray(part.examples)) return part.examples[0]
  if ('const' in part) return part.const
  if (Array.isArray(part.enum)) return part.enum[0]
  if (Array.isArray(part.anyOf)) return part.anyOf.map(inner).find((one) => one !== undefined)
  switch (part.type) {
    case 'object': {
      const members = Object.entries(part.properties ?? {}).map(([name, property]) => [name, inner(property)] as const)
      return members.some(([, value]) => value === undefined) ? undefined : Object.fromEntries(members)
    }
    case 'array':
      if (Array.isArray(part.prefixItems)) return part.prefixItems.map(inner)
      return [inner(part.items)].filter((item) => item !== undefined)
    case 'boolean':
      return false
    case 'null':
      return null
    default:
      return {}
  }
}
