type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)

const holdsObject = (value: unknown): boolean =>
  Array.isArray(value) ? value.some(holdsObject) : typeof value === 'object' && value !== null

const firstExample = (schema: Schema, otherwise: unknown): unknown => (Array.isArray(schema.examples) ? schema.examples[0] : otherwise)

const plainValues: Readonly<Record<string, unknown>> = { string: 'text', integer: 1, number: 0.5, boolean: false, null: null }

/**
 * Values that a schema accepts, so many that each object which it describes is in one of them. `components`: the schemas it refers to; one
 * that contains itself is left out below itself.
 */
export const samplesOf = (
  schema: unknown,
  components: Readonly<Record<string, unknown>>,
  above: readonly string[] = [],
): readonly unknown[] => {
  const within = (part: unknown) => samplesOf(part, components, above)

  /** Returns the first sample of every part, then each further one with an object in it, beside the first samples of the other parts. */
  const combined = (parts: readonly (readonly [key: string, samples: readonly unknown[]])[]): readonly Schema[] => {
    const first = Object.fromEntries(parts.map(([key, [sample]]) => [key, sample]))
    return [first, ...parts.flatMap(([key, [, ...others]]) => others.filter(holdsObject).map((other) => ({ ...first, [key]: other })))]
  }

  if (!isSchema(schema)) return ['anything']
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return above.includes(name) ? [] : samplesOf(components[name], components, [...above, name])
  }
  if ('const' in schema) return [schema.const]
  if (Array.isArray(schema.enum)) return [schema.enum[0]]
  if (Array.isArray(schema.anyOf)) return schema.anyOf.flatMap(within)
  if (schema.type === 'array') {
    if (Array.isArray(schema.prefixItems))
      return combined(schema.prefixItems.map((item, place) => [`${place}`, within(item)])).map((one) => Object.values(one))
    const items = schema.maxItems === 0 ? [] : within(schema.items)
    return [items.length > 1 && schema.maxItems === 1 ? items.slice(0, 1) : items]
  }
  if (schema.type === 'object') {
    const { properties, required } = schema
    if (!isSchema(properties)) return [firstExample(schema, {})]
    const parts = Object.entries(properties).map(([name, part]) => [name, within(part)] as const)
    if (parts.some(([name, samples]) => samples.length === 0 && Array.isArray(required) && required.includes(name))) return []
    return combined(parts.filter(([, samples]) => samples.length > 0))
  }
  return [firstExample(schema, plainValues[String(schema.type)])]
}
