import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import { document, validatorOf } from '../support/interface-document.ts'

type Content = Readonly<Record<string, { readonly example?: unknown; readonly schema: object }>>
type Example = { readonly where: string; readonly value: unknown; readonly schema: object; readonly pointer: readonly string[] }

/** The examples of JSON and forms in a body, with the place of their schema. */
const examplesIn = (where: string, content: Content | undefined, place: readonly string[]): readonly Example[] =>
  Object.entries(content ?? {})
    .filter(([media]) => /json|form/.test(media))
    .map(([media, { example, schema }]) => ({ where, value: example, schema, pointer: [...place, 'content', media, 'schema'] }))

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation, where: `${method} ${path}` })),
)
const ofOperations = operations.flatMap(({ path, method, operation, where }) =>
  Object.entries(operation.responses).flatMap(([status, { content }]) =>
    examplesIn(`${where} ${status}`, content as Content | undefined, ['paths', path, method, 'responses', status]),
  ),
)
const ofRequests = operations.flatMap(({ operation, where }) => {
  const { requestBody } = operation as unknown as { readonly requestBody?: { readonly content: Content } }
  return examplesIn(where, requestBody?.content, [])
})
const shared = Object.entries(document.components.responses).flatMap(([name, { content }]) =>
  examplesIn(name, content as Content | undefined, ['components', 'responses', name]),
)

test('every response in JSON has an example that its schema accepts', (t) => {
  t.true(ofOperations.length > 200 && shared.length > 10)
  for (const { where, value, pointer } of [...ofOperations, ...shared]) {
    const validate = validatorOf(pointer)
    t.true(validate(value), `${where}: ${JSON.stringify(validate.errors)}`)
  }
})

test('every request with a body has an example that its schema accepts', (t) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  t.true(ofRequests.length > 100)
  for (const { where, value, schema } of ofRequests) {
    const validate = ajv.compile({ ...schema, components: document.components })
    t.true(validate(value), `${where}: ${JSON.stringify(validate.errors)}`)
  }
})

test('a subsite in a path is any name, also where paths of several endpoints are one', (t) => {
  const closed = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap((operation) => {
      const { parameters = [] } = operation as { readonly parameters?: readonly { readonly name?: string; readonly schema?: object }[] }
      return parameters.some(({ name, schema }) => name === 'sub' && schema && 'enum' in schema) ? [path] : []
    }),
  )
  t.deepEqual(closed, [])
})

test('each response of a refusal has an example with its own status and code', (t) => {
  const refused = shared.map(({ value }) => value as { readonly error: number; readonly reason: string })
  t.is(new Set(refused.map(({ reason }) => reason)).size, shared.length)
  t.is(new Set(refused.map(({ error }) => error)).size, shared.length)
  const byName = new Map(shared.map(({ where, value }) => [where, (value as { readonly error: number }).error]))
  for (const { where, operation } of operations)
    for (const [status, { $ref }] of Object.entries(operation.responses)) {
      const error = byName.get($ref?.split('/').at(-1) ?? '')
      if (error !== undefined) t.is(String(error), status, where)
    }
})
