import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toEndpointName } from '../src/http/contract/endpoint.ts'
import { endpoints } from '../src/http/endpoints/all.ts'
import { openApiOf } from '../src/http/openapi/document.ts'
import { typesOf } from '../test/support/openapi-types.ts'

type Typed = { readonly schema: unknown }
type Content = { readonly 'application/json'?: Typed; readonly 'application/x-ndjson'?: Typed }
type Document = {
  readonly paths: Readonly<
    Record<string, { readonly get?: { readonly responses: Readonly<Record<string, { readonly content?: Content }>> } }>
  >
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> }
}

const note =
  '/** The answers of GET requests that pages name, by their endpoints. Made by `npm run generate` from the OpenAPI document. */\n\n'

/** Reads what makes pages. A page names the endpoint whose answer it shows, and those whose answers it needs besides. */
const readPageSources = (): string => {
  const http = join(import.meta.dirname, '../src/http')
  const files = globSync('{pages,pipeline}/**/*.ts', { cwd: http, exclude: ['pages/wire-types.ts'] })
  return files.map((file) => readFileSync(join(http, file), 'utf8')).join('')
}

const MAX_LINE = 120

/** Writes each record that is short enough in one line. */
const joinShortRecords = (types: string): string =>
  types.replaceAll(/\{\n([^{}]*)\}/g, (record: string, members: string) => {
    const line = `{ ${members.trim().replace(/;$/, '').replaceAll(/\n */g, ' ')} }`
    return line.length <= MAX_LINE ? line : record
  })

/** A schema without what makes no difference to its type. */
const bare = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(bare)
  if (value === null || typeof value !== 'object') return value
  const members = Object.entries(value).filter(([name, member]) => !/^(?:description|examples?)$/.test(name) || typeof member === 'object')
  return Object.fromEntries(
    members.filter(([name]) => name !== 'examples' && name !== 'example').map(([name, member]) => [name, bare(member)]),
  )
}

/** The schemas that a schema refers to, and those that these refer to. */
const referredBy = (schema: unknown, schemas: Document['components']['schemas'], names = new Set<string>()): ReadonlySet<string> => {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g))
    if (!names.has(name)) {
      names.add(name)
      referredBy(schemas[name], schemas, names)
    }
  return names
}

/** A path whatever its variables are called: the document has endpoints that differ only in them as one path. */
const shapeOf = (path: string): string => path.replace(/\{\w+\}/g, '{}')

/** Returns the types of the answers that pages are made of. An answer of lines is a list. */
export const wireTypes = async (): Promise<string> => {
  const { paths, components } = openApiOf(endpoints, { current: true }) as Document
  const byShape = new Map(Object.entries(paths).map(([path, item]) => [shapeOf(path), item]))
  const sources = readPageSources()
  const answers = endpoints.flatMap((endpoint) => {
    if (endpoint.method !== 'GET' || !sources.includes(`'${toEndpointName(endpoint)}'`)) return []
    const path = endpoint.path.replace('[/s/{sub}]', '/s/{sub}').replace(/\.json$/, '')
    const content = byShape.get(shapeOf(path))?.get?.responses[200]?.content
    const line = content?.['application/x-ndjson']?.schema
    const schema = content?.['application/json']?.schema ?? (line && { type: 'array', items: line })
    return schema === undefined ? [] : [[toEndpointName(endpoint), schema] as const]
  })
  const all = { type: 'object', required: answers.map(([name]) => name), properties: Object.fromEntries(answers) }
  const referred = referredBy(all, components.schemas)
  const schemas = { Answers: all, ...Object.fromEntries(Object.entries(components.schemas).filter(([name]) => referred.has(name))) }
  const document = { openapi: '3.1.0', info: { title: 'Answers', version: '1' }, paths: {}, components: { schemas: bare(schemas) } }
  const text = await typesOf(JSON.stringify(document))
  const begins = text.indexOf('export interface components')
  // leaves out comments, which repeat the types beside them
  const types = text.slice(begins, text.indexOf('export type $defs')).replaceAll(/^ *\/\*\*[^/]*\*\/\n/gm, '')
  return `${note}${joinShortRecords(types)}`
}
