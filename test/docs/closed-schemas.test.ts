import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import { openPlace, validatorOf } from '../support/interface-document.ts'
import { document } from '../support/published-document.ts'
import { samplesOf } from '../support/schema-samples.ts'

/*
 * A schema that accepts everything checks nothing: that a response is as the document has it says something only if the validator refuses
 * what is not.
 */

const { components, paths } = document

/** Media types whose schemas describe JSON: a whole body, or each of its lines. */
const mediaOfJson = ['application/json', 'application/x-ndjson']

/** The JSON responses of every operation, and where their schemas stand. */
const responses = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { responses }]) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const shared = response.$ref?.split('/').at(-1)
      const place = shared === undefined ? ['paths', path, method, 'responses', status] : ['components', 'responses', shared]
      const content = (shared === undefined ? response : components.responses[shared])?.content
      return mediaOfJson.flatMap((media) => {
        const schema = content?.[media]?.schema
        return schema
          ? [{ where: `${method.toUpperCase()} ${path} ${status}`, schema, pointer: [...place, 'content', media, 'schema'] }]
          : []
      })
    }),
  ),
)

test('in every response of every operation a made-up member is refused in each of its objects', (t) => {
  let objects = 0
  t.true(responses.length > 2_000)
  for (const { where, schema, pointer } of responses) {
    const validate = validatorOf(pointer)
    const samples = samplesOf(schema, components.schemas)
    t.true(samples.length > 0, where)
    for (const sample of samples) {
      t.true(validate(sample), `${where}: ${JSON.stringify(validate.errors?.slice(-3))}`)
      const tried = new Set<string>()
      t.is(openPlace(where, validate, sample, tried), undefined, where)
      objects += tried.size
    }
  }
  t.log(`${responses.length} responses, ${objects} objects`)
})

test('a member that is not declared is found at every depth of a schema that is closed, and one that is open at any depth is found', (t) => {
  const closed = {
    type: 'object',
    properties: { inner: { type: 'object', properties: {}, additionalProperties: false } },
    additionalProperties: false,
  }
  const open = { ...closed, properties: { inner: { type: 'object', properties: {} } } }
  const validatorFor = (schema: object) => new Ajv2020({ strict: false }).compile(schema)
  const [sample] = samplesOf(closed, {})
  t.deepEqual(sample, { inner: {} })
  t.is(openPlace('', validatorFor(closed), sample), undefined)
  t.is(openPlace('', validatorFor(open), sample), '/inner')
  t.is(openPlace('', validatorFor({ anyOf: [closed, {}] }), sample), '')
})

/** The parts of a schema that accept any value, of objects beside the declared members, or of lists beside the declared items. */
function* openParts(schema: unknown, where: string): Generator<string> {
  const {
    $ref,
    enum: values,
    anyOf,
    type,
    properties,
    additionalProperties,
    propertyNames,
    items,
    prefixItems,
    maxItems,
    ...rest
  } = schema as Record<string, unknown>
  if ($ref !== undefined || values !== undefined || 'const' in rest) return
  if (Array.isArray(anyOf)) for (const [place, part] of anyOf.entries()) yield* openParts(part, `${where} ${place}`)
  else if (type === 'object') {
    // a map, where it says which names there are
    if (propertyNames !== undefined && additionalProperties) yield* openParts(additionalProperties, `${where}.*`)
    else if (additionalProperties !== false) yield where
    for (const [name, part] of Object.entries(properties ?? {})) yield* openParts(part, `${where}.${name}`)
  } else if (type === 'array' && Array.isArray(prefixItems)) {
    if (maxItems !== prefixItems.length) yield where
    for (const [place, part] of prefixItems.entries()) yield* openParts(part, `${where}[${place}]`)
  } else if (type === 'array' && maxItems !== 0) {
    if (items === undefined) yield where
    else yield* openParts(items, `${where}[]`)
  } else if (!['string', 'integer', 'number', 'boolean', 'null', 'array'].includes(String(type))) yield where
}

test('no part of a response accepts any value, except inside the parts of the OpenAPI document itself and of JSON Schemas', (t) => {
  const named = Object.entries(components.schemas).map(([name, schema]) => ({ where: name, schema }))
  const open = [...responses, ...named].flatMap(({ where, schema }) => [...openParts(schema, where)])
  t.deepEqual(
    open.filter(
      (where) =>
        !/^(GET \/openapi(-current)? 200\.(info|servers\[\]|tags\[\]|paths|components)|EventSchemaDocument\.(properties|if|else))$/.test(
          where,
        ),
    ),
    [],
  )
  t.deepEqual(
    [{}, { type: 'array' }, { type: 'object' }, { anyOf: [{ type: 'null' }, {}] }, { type: ['string', 'null'] }].flatMap((schema, n) => [
      ...openParts(schema, `${n}`),
    ]),
    ['0', '1', '2', '3 1', '4'],
    'each is found',
  )
})
