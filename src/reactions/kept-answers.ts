import type { Consequence, Reactions } from './reaction.ts'

const forget =
  (thing: string): Consequence =>
  ({ forgetAnswers }) =>
    forgetAnswers(thing)

/** A deleted text goes from the answers that are kept for repeated requests, too. */
export const keptAnswers: Reactions = {
  LinkDeleted: ({ data }) => [forget(data.link)],
  CommentDeleted: ({ data }) => [forget(data.comment)],
}
