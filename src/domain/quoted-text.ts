import type * as t from 'io-ts'
import { record, sealed } from './event.ts'
import { AccountId } from './ids.ts'

/** A text of another account, sealed under that account's key: its erasure erases it where it is quoted, too. */
export const QuotedText = record('QuotedText', { author: AccountId, text: sealed('author', 'root') })
export type QuotedText = t.TypeOf<typeof QuotedText>
