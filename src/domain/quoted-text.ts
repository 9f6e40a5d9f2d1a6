import type * as t from 'io-ts'
import { field, recordCodec, sealedText } from './event.ts'
import { AccountId } from './ids.ts'

/** A quoted text of another account. It is sealed under that account's key, so that the account's erasure erases the quotation, too. */
export const QuotedText = recordCodec('QuotedText', {
  author: field(AccountId, 'Who wrote it, which its readers may not learn.', 'admins'),
  text: field(sealedText('author', 'root'), 'What they wrote.', 'party'),
})
export type QuotedText = t.TypeOf<typeof QuotedText>
