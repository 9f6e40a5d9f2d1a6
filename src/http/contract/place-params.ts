import * as E from 'fp-ts/lib/Either.js'
import type { Param } from './endpoint.ts'
import { no, optional, param } from './params.ts'

export type { Place } from '../../history/places.ts'

/** What names a place in the log: after the event of a number, or at a time (milliseconds since 1970). */
export type Moment = { readonly n: number } | { readonly time: number }

const NUMBER = /^\d{1,15}$/
/** Beside dates, times with their offset; where a client sent `+` as it is, a space stands for it. */
const TIME = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+ -]\d\d:\d\d))?$/

/** The number of an event in the log of all events, or a time. */
export const moment = (): Param<Moment | undefined> =>
  optional(
    param<Moment>({ type: 'string', examples: ['2026-03-01T12:00:00Z'] }, 'BAD_REQUEST', (value, name) => {
      if (NUMBER.test(value)) return E.right({ n: Number(value) })
      const time = TIME.test(value) ? Date.parse(value.replace(' ', '+')) : Number.NaN
      return Number.isNaN(time)
        ? no('BAD_REQUEST', name, 'this is neither the number of an event nor a time such as 2026-03-01T12:00:00Z')
        : E.right({ time })
    }),
  )
