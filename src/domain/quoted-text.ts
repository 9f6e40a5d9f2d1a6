import type * as t from 'io-ts'
import { field, recordCodec, sealedText } from './event.ts'
import { AccountId } from './ids.ts'

/** A text of another account, sealed under that account's key: its erasure erases it where it is quoted, too. */
export const QuotedText = recordCodec('QuotedText', {
  author: field(AccountId, 'Who wrote it, which its readers may not learn.', 'admins'),
  text: field(sealedText('author', 'root'), 'What they wrote.', 'party'),
})
export type QuotedText = t.TypeOf<typeof QuotedText>
