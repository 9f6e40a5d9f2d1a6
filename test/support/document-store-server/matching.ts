import type { Json } from './wire.ts'

/** The server's order of values, and whether a document meets a filter. */

const isPlain = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

const TYPES = ['number', 'string', 'object', 'boolean', 'date'] as const

const rankOf = (value: unknown): number => {
  if (value === undefined || value === null) return 0
  if (value instanceof Date) return TYPES.indexOf('date') + 1
  const at = (TYPES as readonly string[]).indexOf(typeof value)
  return (at < 0 ? TYPES.indexOf('object') : at) + 1
}

/**
 * Maps a unit so that comparing gives the order of UTF-8, in which characters beyond the first plane, which are pairs of surrogates in
 * UTF-16, come last.
 */
const unitInOrder = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

const compareTexts = (a: string, b: string): number => {
  const shorter = Math.min(a.length, b.length)
  for (let at = 0; at < shorter; at++) {
    const difference = unitInOrder(a.charCodeAt(at)) - unitInOrder(b.charCodeAt(at))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

export const compareValues = (a: unknown, b: unknown): number => {
  if (a === b) return 0
  const [left, right] = [rankOf(a), rankOf(b)]
  if (left !== right) return left - right
  if (left === 0) return 0
  if (typeof a === 'string' && typeof b === 'string') return compareTexts(a, b)
  const [one, other] = left === TYPES.indexOf('object') + 1 ? [JSON.stringify(a), JSON.stringify(b)] : [Number(a), Number(b)]
  return one < other ? -1 : one > other ? 1 : 0
}

export const valueAt = (document: unknown, path: string): unknown =>
  path.includes('.')
    ? path.split('.').reduce<unknown>((part, name) => (part as Json | null | undefined)?.[name], document)
    : (document as Json)[path]

/** A comparison is only ever true of values of one type. */
const compareOrdered = (value: unknown, bound: unknown, fits: (order: number) => boolean): boolean =>
  rankOf(value) === rankOf(bound) && fits(compareValues(value, bound))

type Test = (value: unknown) => boolean

/** Tests a list also by its members: one of them is enough. */
const anyOf =
  (test: Test): Test =>
  (value) =>
    test(value) || (Array.isArray(value) && value.some(test))

const operatorTest = (name: string, wanted: unknown): Test => {
  switch (name) {
    case '$eq':
      return anyOf((value) => compareValues(value, wanted) === 0)
    case '$ne':
      return negate(operatorTest('$eq', wanted))
    case '$in': {
      const all = wanted as readonly unknown[]
      const texts = new Set(all)
      return anyOf((value) => texts.has(value ?? null) || (typeof value === 'object' && all.some((one) => compareValues(value, one) === 0)))
    }
    case '$all': {
      const tests = (wanted as readonly unknown[]).map((one) => operatorTest('$eq', one))
      return (value) => tests.every((test) => test(value))
    }
    case '$gt':
      return anyOf((value) => compareOrdered(value, wanted, (order) => order > 0))
    case '$gte':
      return anyOf((value) => compareOrdered(value, wanted, (order) => order >= 0))
    case '$lt':
      return anyOf((value) => compareOrdered(value, wanted, (order) => order < 0))
    case '$lte':
      return anyOf((value) => compareOrdered(value, wanted, (order) => order <= 0))
    case '$not':
      return negate(conditionTest(wanted))
    case '$type':
      return (value) => typeof value === wanted
    default:
      throw new Error(`the operator ${name} is not known here`)
  }
}

const negate =
  (test: Test): Test =>
  (value) =>
    !test(value)

const isOperators = (condition: unknown): condition is Json =>
  isPlain(condition) && Object.keys(condition).some((key) => key.startsWith('$'))

const conditionTest = (condition: unknown): Test => {
  if (!isOperators(condition)) return operatorTest('$eq', condition)
  const tests = Object.entries(condition).map(([name, wanted]) => operatorTest(name, wanted))
  return (value) => tests.every((test) => test(value))
}

export type Fits = (document: Json) => boolean

export const filterTest = (filter: Json): Fits => {
  const tests = Object.entries(filter).map(([path, condition]): Fits => {
    const parts = path.startsWith('$') ? (condition as readonly Json[]).map(filterTest) : []
    if (path === '$and') return (document) => parts.every((fits) => fits(document))
    if (path === '$or') return (document) => parts.some((fits) => fits(document))
    if (path === '$nor') return (document) => !parts.some((fits) => fits(document))
    const test = conditionTest(condition)
    return (document) => test(valueAt(document, path))
  })
  return (document) => tests.every((fits) => fits(document))
}

/** Returns the values that a filter allows at a path, if it names them. */
export const valuesIn = (filter: Json, path: string): readonly unknown[] | undefined => {
  const condition = filter[path]
  if (condition !== undefined && !isOperators(condition)) return [condition]
  if (isOperators(condition) && '$eq' in condition) return [condition.$eq]
  if (isOperators(condition) && '$in' in condition) return condition.$in as readonly unknown[]
  for (const part of (filter.$and as readonly Json[] | undefined) ?? []) {
    const found = valuesIn(part, path)
    if (found) return found
  }
  return undefined
}

/** The value of an expression of an update that is a pipeline. */
const expressionValue = (expression: unknown, document: Json): unknown => {
  if (typeof expression === 'string' && expression.startsWith('$')) return valueAt(document, expression.slice(1))
  if (!isOperators(expression)) return expression
  const [[name, given] = ['', undefined]] = Object.entries(expression)
  if (name === '$literal') return given
  const values = (given as readonly unknown[]).map((one) => expressionValue(one, document))
  const [first, second, third] = values
  switch (name) {
    case '$max':
      return values.reduce((most, value) => (compareValues(value, most) > 0 ? value : most))
    case '$add':
      return Number(first) + Number(second)
    case '$ifNull':
      return first ?? second
    case '$cond':
      return first ? second : third
    case '$and':
      return values.every(Boolean)
    case '$ne':
      return compareValues(first, second) !== 0
    case '$gt':
      return compareValues(first, second) > 0
    case '$lte':
      return compareValues(first, second) <= 0
    default:
      throw new Error(`the expression ${name} is not known here`)
  }
}

/** Returns a document after an update by operators or by a pipeline of one stage. */
export const applyUpdate = (document: Json, update: unknown): Json => {
  const { $set = {}, ...others } = (Array.isArray(update) ? update[0] : update) as { $set?: Json }
  if (Object.keys(others).length > 0 || (Array.isArray(update) && update.length > 1)) throw new Error('of updates only $set is known here')
  const values = Object.entries($set).map(([path, value]) => [path, Array.isArray(update) ? expressionValue(value, document) : value])
  return { ...document, ...Object.fromEntries(values) }
}
