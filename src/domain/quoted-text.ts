import type * as t from 'io-ts'
import { field, record, sealed } from './event.ts'
import { AccountId } from './ids.ts'

/** A text of another account, sealed under that account's key: its erasure erases it where it is quoted, too. */
export const QuotedText = record('QuotedText', {
  author: field(AccountId, 'Who wrote it, which its readers may not learn.', 'admins'),
  text: field(sealed('author', 'root'), 'What they wrote.', 'party'),
})
export type QuotedText = t.TypeOf<typeof QuotedText>
