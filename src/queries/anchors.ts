import { LRUCache } from 'lru-cache'
import type { Anchor } from '../ports/documents.ts'

/**
 * Under which key an item was last served to somebody in some order: an item that moved or left stays the anchor it was. A
 * bounded memory; what it forgot is found at its current key.
 */
export type Anchors = {
  readonly remember: (reader: string, order: readonly string[], name: string, key: Anchor) => void
  readonly recall: (reader: string, order: readonly string[], name: string) => Anchor | undefined
}

const MOST = 50_000

export const anchors = (most = MOST): Anchors => {
  const keys = new LRUCache<string, Anchor>({ max: most })
  const idOf = (reader: string, order: readonly string[], name: string) => `${reader} ${order.join()} ${name}`
  return {
    remember: (reader, order, name, key) => {
      keys.set(idOf(reader, order, name), key)
    },
    recall: (reader, order, name) => keys.get(idOf(reader, order, name)),
  }
}
