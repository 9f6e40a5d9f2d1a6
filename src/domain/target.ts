import type * as t from 'io-ts'
import { optional, record, sealed } from './event.ts'
import { AccountId, LinkId, ThingId } from './ids.ts'

/**
 * The target of a moderation action, as it was then. `title` only for links, `excerpt` the first 500 characters of its text,
 * `link` the link a comment stands under. Permalinks are derived, so that no slug outlives an erased title.
 */
export const Target = record('Target', {
  id: ThingId,
  author: AccountId,
  title: optional(sealed('author', 'id')),
  excerpt: optional(sealed('author', 'id')),
  link: optional(LinkId),
})
export type Target = t.TypeOf<typeof Target>

/** The excerpt of a text that a target carries; it never ends in half a character. */
export const excerptOf = (text: string): string => text.slice(0, 500).replace(/[\uD800-\uDBFF]$/, '')
