import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import { document, openPlace, validatorOf } from '../support/interface-document.ts'
import { samplesOf } from '../support/schema-samples.ts'

/*
 * A schema that accepts everything checks nothing: that a response is as the document has it says something only if the validator refuses
 * what is not.
 */

const { components, paths } = document

/** The JSON responses of every operation, and where their schemas stand. */
const responses = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, { responses }]) =>
    Object.entries(responses).flatMap(([status, response]) => {
      const shared = response.$ref?.split('/').at(-1)
      const schema = (shared === undefined ? response : components.responses[shared])?.content?.['application/json']?.schema
      const place = shared === undefined ? ['paths', path, method, 'responses', status] : ['components', 'responses', shared]
      const pointer = [...place, 'content', 'application/json', 'schema']
      return schema ? [{ where: `${method.toUpperCase()} ${path} ${status}`, schema, pointer }] : []
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
