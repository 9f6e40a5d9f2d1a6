// Decision 130.

import { type Filter, isMembership, isRange } from '../ports/documents.ts'
import type { ChangedDocument } from '../ports/freshness.ts'
import type { FieldValues } from '../ports/orders.ts'

/** The values that a result demands of some fields of its documents. Results with the same fields share a record of changes. */
export type Demand = { readonly fields: readonly string[]; readonly shape: string; readonly key: string }

const toDemandKey = (row: FieldValues, fields: readonly string[]): string => fields.map((field) => row[field] ?? null).join(' ')

/** Returns the demand of a filter's conditions of equality. Other conditions restrict further. */
export const demandOf = (where: Filter): Demand => {
  const fields = Object.keys(where).filter((field) => !isRange(where[field] ?? null) && !isMembership(where[field] ?? null))
  return { fields, shape: fields.join(' '), key: toDemandKey(where as FieldValues, fields) }
}

/** The last changes of a collection's documents: by their ids, and by the values that results demand. */
export type ChangeIndex = {
  /** Returns the generation up to which changes were taken in. */
  readonly upTo: () => number
  /** Takes in the changes up to a generation; undefined means that they are not known. */
  readonly take: (changed: readonly ChangedDocument[] | undefined, upTo: number) => void
  /** Records changes by a demand from now on. */
  readonly follow: (demand: Demand) => void
  /** Tells whether certainly none of some items has changed since a generation, and no document that meets a demand. */
  readonly isUntouched: (items: readonly FieldValues[], demand: Demand, since: number) => boolean
}

/** The most ids and values of a collection whose last change is recorded. With more, all are forgotten. */
const MAX_KNOWN = 4_000

type Shape = { readonly fields: readonly string[]; readonly since: number; readonly last: Map<string, number> }

export const changeIndex = (from: number): ChangeIndex => {
  let upTo = from
  /** Changes before this generation are unknown. */
  let begun = from
  /** The last generation at which a document changed of which only the id is known. */
  let blurred = from
  const byId = new Map<string, number>()
  const shapes = new Map<string, Shape>()

  const forgetAll = (): void => {
    begun = upTo
    byId.clear()
    for (const { last } of shapes.values()) last.clear()
  }

  return {
    upTo: () => upTo,
    take: (changed, generation) => {
      upTo = generation
      if (!changed || byId.size + changed.length > MAX_KNOWN) return forgetAll()
      for (const { id, document, known } of changed) {
        byId.set(id, generation)
        if (known === 'nothing') blurred = generation
        if (shapes.size === 0) continue
        const row = document() as FieldValues | undefined
        if (row) for (const { fields, last } of shapes.values()) last.set(toDemandKey(row, fields), generation)
      }
    },
    follow: ({ fields, shape }) => {
      if (!shapes.has(shape)) shapes.set(shape, { fields, since: upTo, last: new Map() })
    },
    isUntouched: (items, { shape, key }, since) => {
      const known = shapes.get(shape)
      if (!known || since < begun || since < blurred || since < known.since || (known.last.get(key) ?? 0) > since) return false
      return items.every(({ id }) => (byId.get(String(id)) ?? 0) <= since)
    },
  }
}
