import type * as t from 'io-ts'
import { field, optional, record, sealed } from './event.ts'
import { AccountId, LinkId, ThingId } from './ids.ts'

/** The target of a moderation action, as it was then. Permalinks are derived, so that no slug outlives an erased title. */
export const Target = record('Target', {
  id: field(ThingId, 'The link or comment.', 'public'),
  author: field(AccountId, 'Who wrote it.', 'public'),
  title: field(optional(sealed('author', 'id')), 'Its title then; only of a link.', 'public'),
  excerpt: field(optional(sealed('author', 'id')), 'The first 500 characters of its text then.', 'public'),
  link: field(optional(LinkId), 'The link that a comment stands under.', 'public'),
})
export type Target = t.TypeOf<typeof Target>

/** The excerpt of a text that a target carries; it never ends in half a character. */
export const excerptOf = (text: string): string => text.slice(0, 500).replace(/[\uD800-\uDBFF]$/, '')
