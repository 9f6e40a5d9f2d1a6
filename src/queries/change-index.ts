import { type Filter, isMembership, isRange } from '../ports/documents.ts'
import type { ChangedDocument } from '../ports/freshness.ts'
import type { Row } from '../ports/orders.ts'

/** What a result demands of its documents: values of some fields. Results with the same fields share what is known of changes. */
export type Demand = { readonly fields: readonly string[]; readonly shape: string; readonly key: string }

const keyOf = (row: Row, fields: readonly string[]): string => fields.map((field) => row[field] ?? null).join(' ')

/** The conditions of equality; others restrict further. */
export const demandOf = (where: Filter): Demand => {
  const fields = Object.keys(where).filter((field) => !isRange(where[field] ?? null) && !isMembership(where[field] ?? null))
  return { fields, shape: fields.join(' '), key: keyOf(where as Row, fields) }
}

/** When documents of a collection last changed: by their ids, and by the values that results demand. */
export type ChangeIndex = {
  /** The generation up to which changes were taken in. */
  readonly upTo: () => number
  /** Takes in the changes up to a generation; undefined: they are not known. */
  readonly take: (changed: readonly ChangedDocument[] | undefined, upTo: number) => void
  /** From now on changes are known by what is demanded. */
  readonly follow: (demand: Demand) => void
  /** Whether certainly none of some items has changed since a generation, and nothing that meets a demand. */
  readonly isUntouched: (items: readonly Row[], demand: Demand, since: number) => boolean
}

/** Ids and values of which the last change is known, of each collection; with more, all are forgotten. */
const MAX_KNOWN = 4_000

type Shape = { readonly fields: readonly string[]; readonly since: number; readonly last: Map<string, number> }

export const changeIndex = (from: number): ChangeIndex => {
  let upTo = from
  /** Before it nothing is known. */
  let begun = from
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
      for (const { id, document } of changed) {
        byId.set(id, generation)
        if (shapes.size === 0) continue
        const row = document() as Row | undefined
        if (row) for (const { fields, last } of shapes.values()) last.set(keyOf(row, fields), generation)
      }
    },
    follow: ({ fields, shape }) => {
      if (!shapes.has(shape)) shapes.set(shape, { fields, since: upTo, last: new Map() })
    },
    isUntouched: (items, { shape, key }, since) => {
      const known = shapes.get(shape)
      if (!known || since < begun || since < known.since || (known.last.get(key) ?? 0) > since) return false
      return items.every(({ id }) => (byId.get(String(id)) ?? 0) <= since)
    },
  }
}
