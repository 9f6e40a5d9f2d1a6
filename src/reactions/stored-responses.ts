import type { Consequence, Reactions } from './reaction.ts'

const forget =
  (thing: string): Consequence =>
  ({ forgetAnswers }) =>
    forgetAnswers(thing)

/** A deleted text is also deleted from the responses that are stored for repeated requests. */
export const storedResponses: Reactions = {
  LinkDeleted: ({ data }) => [forget(data.link)],
  CommentDeleted: ({ data }) => [forget(data.comment)],
}
