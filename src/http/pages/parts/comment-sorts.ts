/** The words for an order of comments, wherever one is chosen. A test compares the orders with those of the interface. */
export const commentSortWords = {
  confidence: 'best',
  top: 'top',
  new: 'new',
  insightful: 'insightful',
  fun: 'fun',
  old: 'old',
  qa: 'Q&A',
  random: 'random',
}

type CommentSort = keyof typeof commentSortWords

/** Returns orders of comments with their words. */
export const wordedSorts = (...sorts: readonly CommentSort[]): readonly (readonly [sort: CommentSort, words: string])[] =>
  sorts.map((sort) => [sort, commentSortWords[sort]])
