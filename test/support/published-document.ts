import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { threadId } from 'node:worker_threads'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'

type Content<Schema> = Readonly<Record<string, { readonly schema: Schema }>>
type Response<Schema> = {
  readonly content?: Content<Schema>
  readonly 'x-other-media-types'?: readonly string[]
  readonly $ref?: string
}
type Operation<Schema> = { readonly responses: Readonly<Record<string, Response<Schema>>> }
type Responses<Schema> = {
  readonly components: { readonly responses: Readonly<Record<string, Response<Schema>>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation<Schema>>>>>
}

type Document = Responses<object> & { readonly components: { readonly schemas: Readonly<Record<string, unknown>> } }

/** The responses of the document, at the same places as there, with the name of its validator instead of each schema. */
export type DeclaredResponses = Responses<string>

/** The published document, which is what the endpoints declare (test/docs/generated.test.ts). */
export const document: Document = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8'))

/** Members that say nothing about responses. */
const unused = new Set(['description', 'example', 'examples', 'parameters', 'requestBody', 'security', 'summary', 'tags'])

/** A schema of the document as the validator takes it. */
const toValidatorSchema = (value: unknown, isProperties = false): unknown => {
  if (Array.isArray(value)) return value.map((item) => toValidatorSchema(item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) => {
      if (isProperties) return [[key, toValidatorSchema(member)]]
      if (key === '$ref') return [[key, String(member).replace(/^#\/components\/schemas\//, '')]]
      return unused.has(key) ? [] : [[key, toValidatorSchema(member, key === 'properties')]]
    }),
  )
}

const mapValues = <From, To>(record: Readonly<Record<string, From>>, to: (from: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, to(value)]))

/** Writes a module of the validators of all responses, each by its name, and of `declared`, which says where each belongs. */
export const compileResponses = (file: string): void => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, code: { source: true } })
  for (const [name, schema] of Object.entries(document.components.schemas)) ajv.addSchema(toValidatorSchema(schema) as object, name)
  const names = new Map<string, string>()
  const nameOf = (schema: object): string => {
    const text = JSON.stringify(toValidatorSchema(schema))
    const name = names.get(text) ?? `response${names.size}`
    if (!names.has(text)) ajv.addSchema(JSON.parse(text), name)
    names.set(text, name)
    return name
  }
  const response = ({ content, 'x-other-media-types': others, $ref }: Response<object>): Response<string> => ({
    ...($ref !== undefined && { $ref }),
    ...(content && { content: mapValues(content, ({ schema }) => ({ schema: nameOf(schema) })) }),
    ...(others && { 'x-other-media-types': others }),
  })
  const declared: DeclaredResponses = {
    components: { responses: mapValues(document.components.responses, response) },
    paths: mapValues(document.paths, (methods) => mapValues(methods, ({ responses }) => ({ responses: mapValues(responses, response) }))),
  }
  const code = standalone.default(ajv, Object.fromEntries([...names.values()].map((name) => [name, name])))
  mkdirSync(dirname(file), { recursive: true })
  const unfinished = `${file}.${process.pid}.${threadId}`
  writeFileSync(unfinished, `${code}\nexports.declared = ${JSON.stringify(declared)}\n`)
  renameSync(unfinished, file)
}
