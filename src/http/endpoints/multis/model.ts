import * as E from 'fp-ts/lib/Either.js'
import type { SubsiteId } from '../../../domain/ids.ts'
import { COLOR, icons, MAX_SUBSITES_PER_MULTI, type MultiContent, parseColor, visibilities, weightings } from '../../../domain/multi.ts'
import { bareSubsite, isReserved, mayBeSubsiteName } from '../../../domain/names.ts'
import { checkLength, checkLine, foldLine, isBlank, limits } from '../../../domain/text-limits.ts'
import { subsitesNamed } from '../../../queries/subsites.ts'
import type { Context, Param } from '../../contract/endpoint.ts'
import { describeParam, documentRequired, rawText, withSchema } from '../../contract/params.ts'
import { parseJson } from '../../contract/parse-json.ts'
import type { Refusal, RefusalCode } from '../../contract/refusals.ts'
import { subsiteCalled } from '../../needs/facts.ts'
import { unrenderableOf } from '../../present/markdown.ts'

/** The most characters of a model, including JSON escapes. */
const MAX_MODEL_CHARACTERS = 200_000

/** The `model` parameter, as documentation. */
const modelSchema = {
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: {
    type: 'object',
    properties: {
      display_name: { type: 'string', minLength: 1, maxLength: limits.multiName },
      description_md: { type: ['string', 'null'], maxLength: limits.multiDescription },
      icon_name: { enum: [...icons, 'None', null] },
      key_color: { type: ['string', 'null'], pattern: COLOR.source },
      subreddits: {
        type: 'array',
        maxItems: MAX_SUBSITES_PER_MULTI,
        items: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
      },
      visibility: { enum: visibilities },
      weighting_scheme: { enum: weightings },
    },
  },
} as const

export const model: Param<string> = describeParam(
  documentRequired(withSchema(rawText({ max: MAX_MODEL_CHARACTERS }), modelSchema)),
  'a JSON object',
)

/** A JSON object. Absent keys change nothing, and unknown ones are ignored. */
export type Model = Readonly<Record<string, unknown>>

const refuseModel = (code: RefusalCode, field: string): E.Either<Refusal, never> => E.left({ code, field })

/** Parses the `model` parameter: `JSON_PARSE_ERROR` if it is missing or not JSON, `JSON_INVALID` if it is not an object. */
export const parseModel = (text: string): E.Either<Refusal, Model> => {
  const parsed = parseJson(text)
  if (E.isLeft(parsed)) return refuseModel('JSON_PARSE_ERROR', 'model')
  const value = parsed.right
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? E.right(value as Model)
    : refuseModel('JSON_INVALID', 'model')
}

/** Returns the value of a key that a model must have. */
export const requireKey = (text: string, key: string): E.Either<Refusal, unknown> =>
  E.chain(
    (parsed: Model): E.Either<Refusal, unknown> =>
      parsed[key] === undefined ? refuseModel('JSON_MISSING_KEY', key) : E.right(parsed[key]),
  )(parseModel(text))

const textIn = (value: unknown, field: string): E.Either<Refusal, string> =>
  typeof value === 'string' ? E.right(value) : value === null ? E.right('') : refuseModel('JSON_INVALID', field)

const displayName = (value: unknown): E.Either<Refusal, string> => {
  const text = E.map(foldLine)(textIn(value, 'display_name'))
  if (E.isLeft(text)) return text
  const problem = checkLine(text.right, limits.multiName, 'display_name')
  return problem ? E.left(problem) : text
}

/** Parses Markdown that can be rendered; null and blank texts are empty. */
export const descriptionIn = async (value: unknown, field: string): Promise<E.Either<Refusal, string>> => {
  const text = textIn(value, field)
  if (E.isLeft(text)) return text
  const problem = checkLength(text.right, limits.multiDescription, field) ?? (await unrenderableOf([{ name: field, text: text.right }]))
  return problem ? E.left(problem) : E.right(isBlank(text.right) ? '' : text.right)
}

const choice =
  <V extends string>(field: string, values: readonly V[], decodeOther: (value: unknown) => unknown = (value) => value) =>
  (value: unknown): E.Either<Refusal, V> => {
    const known = values.find((one) => one === decodeOther(value))
    return known === undefined ? refuseModel('INVALID_OPTION', field) : E.right(known)
  }

const icon = choice('icon_name', icons, (value) => (value === null || value === 'None' ? '' : value))
const visibility = choice('visibility', visibilities)
const weighting = choice('weighting_scheme', weightings)

const color = (value: unknown): E.Either<Refusal, string> => parseColor(value ?? '')

/** Returns the subsite of a name, which must be valid and exist. An unknown one in a body is 400. */
export const subsiteIn = async (context: Pick<Context, 'load'>, name: string, field: string): Promise<E.Either<Refusal, SubsiteId>> => {
  const problem = problemOfName(name, field)
  if (problem) return E.left(problem)
  return E.mapLeft((refusal: Refusal): Refusal => ({ ...refusal, status: 400 }))(await subsiteCalled(context, name, field))
}

const problemOfName = (name: string, field: string): Refusal | undefined => {
  if (isReserved(name)) return { code: 'MULTI_SPECIAL_SUBSITE', field }
  return mayBeSubsiteName(name) ? undefined : { code: 'BAD_SR_NAME', field }
}

const FIELD = 'subreddits'

/** Returns the names in a list of `{name}`, each once. */
const namesIn = (value: unknown): E.Either<Refusal, readonly string[]> => {
  if (!Array.isArray(value)) return refuseModel('JSON_INVALID', FIELD)
  const names = new Set<string>()
  for (const element of value as readonly unknown[]) {
    if (typeof element !== 'object' || element === null || Array.isArray(element)) return refuseModel('JSON_INVALID', FIELD)
    if (!('name' in element)) return refuseModel('JSON_MISSING_KEY', FIELD)
    const name = typeof element.name === 'string' ? bareSubsite(element.name).toLowerCase() : ''
    const problem = problemOfName(name, FIELD)
    if (problem) return E.left(problem)
    if (names.add(name).size > MAX_SUBSITES_PER_MULTI) return refuseModel('MULTI_TOO_MANY_SUBSITES', FIELD)
  }
  return E.right([...names])
}

/** Returns subsites by name. Read models have nearly all of them; the newest ones are read from the log. */
const subsitesIn = async (
  context: Pick<Context, 'load' | 'documents'>,
  value: unknown,
): Promise<E.Either<Refusal, readonly SubsiteId[]>> => {
  const names = namesIn(value)
  if (E.isLeft(names)) return names
  const shown = new Map((await subsitesNamed(context.documents, names.right)).map(({ lower, id }) => [lower, id]))
  const ids: SubsiteId[] = []
  for (const name of names.right) {
    const id = shown.get(name)
    const found = id === undefined ? await subsiteIn(context, name, FIELD) : E.right(id)
    if (E.isLeft(found)) return found
    ids.push(found.right)
  }
  return E.right(ids)
}

type ModelRules = {
  readonly [Field in keyof MultiContent]: readonly [
    key: string,
    rule: (
      value: unknown,
      context: Pick<Context, 'load' | 'documents'>,
    ) => E.Either<Refusal, unknown> | Promise<E.Either<Refusal, unknown>>,
  ]
}

/** The keys of a model, in the order in which their errors are reported. */
const rules: ModelRules = {
  displayName: ['display_name', displayName],
  description: ['description_md', (value) => descriptionIn(value, 'description_md')],
  icon: ['icon_name', icon],
  color: ['key_color', color],
  visibility: ['visibility', visibility],
  weighting: ['weighting_scheme', weighting],
  subsites: [FIELD, (value, context) => subsitesIn(context, value)],
}

/** Returns the changes that a model makes. */
export const changesIn = async (
  context: Pick<Context, 'load' | 'documents'>,
  model: Model,
): Promise<E.Either<Refusal, Partial<MultiContent>>> => {
  const changes: Record<string, unknown> = {}
  for (const [field, [key, rule]] of Object.entries(rules)) {
    if (model[key] === undefined) continue
    const decoded = await rule(model[key], context)
    if (E.isLeft(decoded)) return decoded
    changes[field] = decoded.right
  }
  return E.right(changes)
}
