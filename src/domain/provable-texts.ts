/**
 * Texts that can be proved one by one to anybody who may see them, by the type of their event and their name in its data, in alphabetical
 * order. They are fixed for ever, like the leaves of these events: a new text needs a new type or schema.
 */
const provable = {
  LinkSubmitted: ['text', 'title', 'url'],
  LinkEdited: ['text'],
  CommentPosted: ['body'],
  CommentEdited: ['body'],
} as const

export const provableTexts: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(provable))
