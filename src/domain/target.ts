// Decision 34.

import type * as t from 'io-ts'
import { field, optional, recordCodec, sealedText } from './event.ts'
import { AccountId, LinkId, ThingId } from './ids.ts'

/** The target of a moderation action, as it was then. Permalinks are derived, so no slug outlives an erased title. */
export const Target = recordCodec('Target', {
  id: field(ThingId, 'The link or comment.', 'public'),
  author: field(AccountId, 'Who wrote it.', 'public'),
  title: field(optional(sealedText('author', 'id')), 'Its title then; only of a link.', 'public'),
  excerpt: field(optional(sealedText('author', 'id')), 'The first 500 characters of its text then.', 'subsite'),
  link: field(optional(LinkId), 'The link that a comment stands under.', 'public'),
})
export type Target = t.TypeOf<typeof Target>

/** Returns the excerpt of a text that a target carries. It never ends in half a character. */
export const excerptOf = (text: string): string => text.slice(0, 500).replace(/[\uD800-\uDBFF]$/, '')
