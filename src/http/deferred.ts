import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { Refusal } from '../domain/refusal.ts'
import type { Param } from './endpoint.ts'

/** A parameter whose refusal is the handler's to answer: for endpoints that check something else before it. */
export const deferred = <T>(p: Param<T>): Param<Either<Refusal, T>> => ({ ...p, decode: (raw, name) => E.right(p.decode(raw, name)) })

type Values<Fields> = { readonly [Name in keyof Fields]: Fields[Name] extends Either<Refusal, infer T> ? T : never }

/** The values of deferred parameters, or the first refusal among them, in their order. */
export const settle = <Fields extends Readonly<Record<string, Either<Refusal, unknown>>>>(
  fields: Fields,
): Either<Refusal, Values<Fields>> => {
  const values: Record<string, unknown> = {}
  for (const [name, field] of Object.entries(fields)) {
    if (E.isLeft(field)) return field
    values[name] = field.right
  }
  return E.right(values as Values<Fields>)
}
