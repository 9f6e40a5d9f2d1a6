// Decision 86.

import type { AccountId } from './ids.ts'
import { type Multi, type MultiTexts, paragraphs } from './multi.ts'
import type { QuotedText } from './quoted-text.ts'

/**
 * Returns the texts of an account's copy of a multi at the path `from`, which the description names. Texts of others stay theirs, so the
 * erasure of their author erases them here as well.
 */
export const copyTexts = (source: Multi, from: string, account: AccountId): MultiTexts => {
  const quote = (text: string): QuotedText => ({ author: source.account, text })
  const isQuoted = ({ author, text }: QuotedText) => author !== account && text !== ''
  const name = source.quotedName ?? quote(source.displayName)
  const description = source.quotedDescription ?? quote(source.description)
  // the source's own description names only its origins if it is a copy itself
  const earlierOrigins = source.quotedDescription ? source.description : ''
  const origins = paragraphs(earlierOrigins, `copied from [${from}](${from})`)
  return {
    ...(isQuoted(name) ? { displayName: '', quotedName: name } : { displayName: name.text || source.name }),
    ...(isQuoted(description)
      ? { description: origins, quotedDescription: description }
      : { description: paragraphs(description.text, origins) }),
  }
}
