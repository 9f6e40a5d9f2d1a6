import { mentionedIn } from '../../commands/mentions.ts'
import { audienceOf } from '../../domain/audience.ts'
import { Comment, deleteComment, editComment, setCommentReplies } from '../../domain/comment.ts'
import { deleteLink, editLink, Link } from '../../domain/link.ts'
import { setLinkReplies } from '../../domain/link-moderation.ts'
import { Subsite } from '../../domain/subsite.ts'
import type { Context } from '../contract/endpoint.ts'
import type { SignedIn } from '../contract/request.ts'

type Writing = Context<unknown, SignedIn>
type Outcome = ReturnType<Context['run']>

/** What authors may do with their things of one kind. An edit of another account's thing is refused; the other acts have no effect on one. */
export type Authored = {
  readonly edit: (context: Writing, id: string, text: string) => Outcome
  readonly delete: (context: Writing, id: string) => Outcome
  /** Whether replies to it enter the author's inbox. */
  readonly setReplies: (context: Writing, id: string, on: boolean) => Outcome
}

export const ownLinks: Authored = {
  edit: ({ run, viewer }, id, text) => run(Link, id, editLink(viewer, text)),
  delete: ({ run, viewer }, id) => run(Link, id, deleteLink(viewer.account)),
  setReplies: ({ run, viewer }, id, on) => run(Link, id, setLinkReplies(viewer.account, on)),
}

export const ownComments: Authored = {
  edit: async (context, id, text) => {
    const { load, run, viewer } = context
    const before = await load(Comment, id)
    const subsite = before?.author === viewer.account ? await load(Subsite, before.subsite) : undefined
    const mentioned = subsite ? await mentionedIn(context, text, subsite, viewer) : []
    const audience = subsite ? audienceOf(subsite.id, subsite.settings) : 'everybody'
    return run(Comment, id, editComment({ account: viewer.account, mentioned, audience }, text))
  },
  delete: ({ run, viewer }, id) => run(Comment, id, deleteComment(viewer.account)),
  setReplies: ({ run, viewer }, id, on) => run(Comment, id, setCommentReplies(viewer.account, on)),
}
