import { readdirSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import { cast, idIn } from '../../src/http/contract/schemas/names.ts'
import { endpoints } from '../../src/http/endpoints/all.ts'
import { curlOf } from '../../src/http/openapi/curl-commands.ts'
import { openApiOf } from '../../src/http/openapi/document.ts'
import { validatorOf } from '../support/interface-document.ts'
import { document } from '../support/published-document.ts'

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

test('the command of each endpoint stands beside its operation, and in the small document none', (t) => {
  const samples = operations.flatMap(({ operation }) => Reflect.get(operation, 'x-codeSamples') ?? [])
  t.deepEqual(samples.map(({ source }) => source).toSorted(), endpoints.map(curlOf).toSorted())
  t.false(JSON.stringify(openApiOf(endpoints, { current: true })).includes('x-codeSamples'))
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

const FULLNAME = /\bt[1-6]_[0-9a-z]+/g
const known: ReadonlySet<string> = new Set(Object.values(cast))

type Members = Readonly<Record<string, unknown>>

/** Pairs of members of one object. If both are there, the second follows from the first. */
const agreements: readonly (readonly [string, string, (value: string) => string])[] = [
  ['author', 'author_fullname', () => cast.account],
  ['mod', 'mod_id36', () => idIn(cast.account)],
  ['subsite', 'subsite_id', () => cast.subsite],
  ['subsite', 'sr_id36', () => idIn(cast.subsite)],
  ['first_message_name', 'parent_id', (name) => name],
]

/** Yields the contradictions of an example with itself or the others. */
function* contradictions(value: unknown, kind?: unknown): Generator<string> {
  if (typeof value === 'string') {
    for (const [name] of value.matchAll(FULLNAME)) if (!known.has(name)) yield `${name} is not known`
    for (const [, link, comment] of value.matchAll(/\/comments\/(\w+)(?:\/\w*)?(?:\/(\w+))?/g))
      if (link !== idIn(cast.link) || (comment ?? idIn(cast.comment)) !== idIn(cast.comment)) yield `${value} leads elsewhere`
    if (/^https?:\/\//.test(value) && !/^https?:\/\/(rostra\.example|example\.com|localhost|json-schema\.org)\//.test(value))
      yield `${value} is elsewhere`
  }
  if (typeof value !== 'object' || value === null) return
  const members = value as Members
  const { id, name, permalink } = members
  if (typeof kind === 'string' && /^t[12456]$/.test(kind)) {
    if (name !== `${kind}_${id}` && !(kind === 't2' && `t2_${id}` === cast.account && name === 'ann')) yield `${kind}, ${id} is ${name}`
    if (permalink !== undefined && !String(permalink).includes(String(id))) yield `${id} is at ${permalink}`
  }
  if (typeof id === 'string' && typeof name === 'string' && /^t[1-6]_/.test(name) && idIn(name) !== id) yield `${id} is ${name}`
  for (const [one, other, follows] of agreements)
    if (typeof members[one] === 'string' && typeof members[other] === 'string' && members[other] !== follows(members[one]))
      yield `${one} is ${members[one]}, but ${other} ${members[other]}`
  for (const member of Object.values(members)) yield* contradictions(member, members.kind)
}

test('examples are about the same things everywhere, and agree with themselves', (t) => {
  for (const { where, value } of [...ofOperations, ...ofRequests, ...shared]) t.deepEqual([...contradictions(value)], [], where)
  const link = {
    kind: 't5',
    data: { id: idIn(cast.link), name: cast.link, permalink: cast.linkPath, author: 'ann', author_fullname: cast.account },
  }
  t.deepEqual([...contradictions(link)], [])
  for (const wrong of [
    { ...link, data: { ...link.data, id: '9k' } },
    { ...link, data: { ...link.data, permalink: '/s/tea/comments/9k/on_water/' } },
    { ...link, data: { ...link.data, author_fullname: cast.link } },
    { parent_id: 't1_7b' },
    { url: 'http://127.0.0.1:8080/' },
  ])
    t.not([...contradictions(wrong)].length, 0, JSON.stringify(wrong))
})

test('the link and the comment of the examples are those of the guides', (t) => {
  const guides = new URL('../../docs/guide/', import.meta.url)
  const text = readdirSync(guides)
    .filter((file) => file.endsWith('.md'))
    .map((file) => readFileSync(new URL(file, guides), 'utf8'))
    .join('\n')
  for (const name of [cast.link, cast.comment, cast.message, cast.linkPath]) t.true(text.includes(name), name)
})

type Property = { readonly default?: unknown; readonly [keyword: string]: unknown }

/** The schemas in a value that have a default. */
function* defaultsIn(value: unknown, isProperties = false): Generator<Property> {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value) && !isProperties && 'default' in value && ('type' in value || 'enum' in value || 'anyOf' in value))
    yield value as Property
  for (const [key, member] of Object.entries(value)) yield* defaultsIn(member, key === 'properties' && !isProperties)
}

test('every default satisfies its schema', (t) => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  const found = new Map([...defaultsIn(document)].map((schema) => [JSON.stringify(schema), schema]))
  t.true(found.size > 20)
  for (const [text, schema] of found) t.true(ajv.validate({ ...schema, components: document.components }, schema.default), text)
})
