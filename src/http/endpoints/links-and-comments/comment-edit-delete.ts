// Decision 15.

import * as E from 'fp-ts/lib/Either.js'
import { isBlocking } from '../../../commands/blocks.ts'
import { findMentioned } from '../../../commands/mentions.ts'
import { Comment } from '../../../domain/comment.ts'
import { postComment } from '../../../domain/comment-posting.ts'
import { CommentId, fullname as fullnameOf } from '../../../domain/ids.ts'
import { Link } from '../../../domain/link.ts'
import type { Standing } from '../../../domain/standing.ts'
import { Subsite } from '../../../domain/subsite.ts'
import { limits } from '../../../domain/text-limits.ts'
import { postInTime } from '../../../limits/posting-wait.ts'
import { karmaIn } from '../../../queries/karma.ts'
import { asWritten } from '../../../queries/log-fallback.ts'
import { isLink, type ThingDocument, thingsById } from '../../../queries/things.ts'
import type { CommandResult } from '../../../runtime/run.ts'
import {
  type AnyEndpoint,
  type HandlerOutcome,
  type Need,
  nothingToDo,
  type Param,
  type SignedInContext,
  section,
} from '../../contract/endpoint.ts'
import type { Reply } from '../../contract/handler-response.ts'
import { nameThings } from '../../contract/name-params.ts'
import { addAliases, describeParam, documentRequired, flag, mapParam, markdown, rawText, requireSent } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import { form } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { eitherThing, type Thing } from '../../contract/schemas/things.ts'
import { commentThingShape } from '../../present/comment.ts'
import { linkThingShape } from '../../present/link.ts'
import { accountsLinkedBy } from '../../present/markdown.ts'
import { messageThingShape } from '../../present/message.ts'
import { loadViewerStanding, mayViewSubsite } from '../../things/access.ts'
import { column, recordsOf } from '../../things/kinds/all.ts'
import { type Conversation, conversationOf, replyIn } from '../../things/message-sending.ts'
import { dataOf } from '../../wire/json-writing.ts'

const { post } = section('Links and comments', { scope: 'edit', login: 'user', errors: 'form' })

const thingName = (param: Param<string>): Param<string> => nameThings(mapParam(param, (text) => text.trim().toLowerCase()))

const withText = (thing: ThingDocument, text: string, edited: number): ThingDocument => {
  if (isLink(thing)) return thing.text === text ? thing : { ...thing, text, edited }
  return thing.body === text ? thing : { ...thing, body: text, edited }
}

/** Returns the recorded text, which may have been erased before a request is repeated. */
const textIn = ({ events }: CommandResult, sent: string): string => {
  const { body, text } = (events[0]?.data ?? {}) as { readonly body?: string; readonly text?: string }
  return body ?? text ?? sent
}

/**
 * Returns the new thing as the form's one thing. The text is applied to late read models. There is none if its author may not view the
 * subsite: the record would show the title of the link and the votes.
 */
const showWritten = async (context: SignedInContext, id: string, recorded: CommandResult, sent: string): Promise<Reply> => {
  const text = textIn(recorded, sent)
  const written = asWritten(context, recorded.written)
  const thing = (await thingsById(written.documents, [id])).get(id)
  const inView = thing && (await mayViewSubsite(context, thing.subsite)) ? [withText(thing, text, context.clock())] : []
  return { kind: 'form', data: { things: [...(await recordsOf(written, inView)).values()] } }
}

const bareParam = describeParam(flag(), 'with success, the answer is the bare thing (the `data` of its record), not a form’s')

/** Returns a form with the thing that was written, or its data alone. */
const formOrBare = (...things: readonly Thing[]) =>
  shape.union(form(shape.recordSchema({ things: shape.listOf(eitherThing(...things)) })), ...things.map(({ data }) => data))

/** Returns the one thing of a form without the form, for a client that asks for it so; the form if its author may not view the thing. */
const bareIfAsked = (outcome: HandlerOutcome, isAsked: boolean): HandlerOutcome => {
  if (!isAsked || outcome === undefined || !('kind' in outcome) || outcome.kind !== 'form') return outcome
  const [thing] = (outcome.data as { readonly things: readonly object[] }).things
  return thing ? { kind: 'json', body: dataOf(thing) } : outcome
}

/** The place where a comment is written. */
type CommentPlace = {
  readonly thread: Link
  /** Undefined if the comment is on the link itself. */
  readonly parent: Comment | undefined
  readonly subsite: Subsite
  readonly standing: Standing
}

const placeOfReply = async (context: SignedInContext, replied: string): Promise<E.Either<Refusal, CommentPlace>> => {
  const { load } = context
  const parent = CommentId.is(replied) ? await load(Comment, replied) : undefined
  const thread = await load(Link, parent?.link ?? replied)
  const subsite = thread && (await load(Subsite, thread.subsite))
  if (!thread || !subsite) return refuseRule('FORBIDDEN')
  return E.right({ thread, parent, subsite, standing: await loadViewerStanding(context, subsite.id, subsite.settings.type) })
}

const commentOn = async (context: SignedInContext, place: CommentPlace, body: string): Promise<HandlerOutcome> => {
  const { run, viewer, command, clock } = context
  const { thread, parent, subsite, standing } = place
  const comment = fullnameOf('comment', command.mint)
  const post = async (wait: () => Promise<Parameters<typeof postComment>[0]['wait']>) => {
    const mentioned = await findMentioned(context, await accountsLinkedBy(body), subsite, viewer)
    const answered = parent?.author ?? (thread.deleted ? viewer.account : thread.author)
    const blocks = {
      blocksParent: await isBlocking(context, viewer.account, answered),
      blockedByParent: !viewer.admin && (await isBlocking(context, answered, viewer.account)),
    }
    const facts = { ...place, comment, author: viewer.account, at: clock(), mentioned, ...blocks, wait: await wait() }
    return run(Comment, comment, postComment(facts, body))
  }
  const karma = () => karmaIn(context.documents, viewer.account, subsite.id, 'comment')
  const isOwnSelfPost = thread.isSelf && thread.author === viewer.account
  const recorded = isOwnSelfPost ? await post(async () => undefined) : await postInTime(context, { standing, karma }, 'comment', post)
  return E.isLeft(recorded) ? recorded : showWritten(context, comment, recorded.right, body)
}

const requireReplyPlace: Need<CommentPlace | Conversation, { readonly thing_id: string }> = (context) => {
  const { thing_id: id } = context.params
  const replies = column(id, 'replies')
  if (replies === undefined) return refuseRule('FORBIDDEN')
  return replies.are === 'comment' ? placeOfReply(context, id) : conversationOf(context, id)
}

const comment = post('/api/comment', {
  facts: ({ thing_id }) => column(thing_id, 'replies')?.facts ?? 'recent',
  scope: ({ thing_id }) => [column(thing_id, 'replies')?.scope ?? 'submit'],
  answers: { 200: formOrBare(commentThingShape, messageThingShape) },
  summary: 'Comment on a link, or reply to a comment or a message.',
  notes:
    'Returns the new thing. On a locked link only moderators of its subsite may comment. Accounts mentioned as `/u/name` are notified, unless more than three are mentioned. A token needs the scope `submit`; to reply to a message, `privatemessages`.',
  params: {
    thing_id: thingName(addAliases(describeParam(documentRequired(rawText()), 'fullname of what is replied to'), 'parent')),
    text: markdown(limits.comment, addAliases(describeParam(documentRequired(rawText({ max: limits.comment })), 'markdown'), 'comment')),
    return_rtjson: bareParam,
  },
  needs: { replied: requireReplyPlace },
  handle: async (context) => {
    const { replied, params } = context
    const written = await ('root' in replied ? replyIn(context, replied, params.text) : commentOn(context, replied, params.text))
    return bareIfAsked(written, params.return_rtjson)
  },
})

const editUserText = post('/api/editusertext', {
  whileSuspended: true,
  answers: { 200: formOrBare(commentThingShape, linkThingShape) },
  accountQuota: 'edit',
  summary: 'Change the text of your comment or self-post.',
  notes:
    'Allowed also after a lock, a removal or a ban. Returns the changed thing, except to an author who may no longer view the subsite; `edited` is the time of the last edit. Newly mentioned accounts are notified.',
  params: {
    thing_id: thingName(describeParam(documentRequired(rawText()), 'fullname of an own comment or self-post')),
    text: markdown(
      limits.selfText,
      describeParam(
        requireSent(rawText({ max: Number.POSITIVE_INFINITY }), 'NO_TEXT'),
        'markdown: at most 10,000 characters for a comment, 40,000 for a self-post, which may be empty',
      ),
    ),
    return_rtjson: bareParam,
  },
  handle: async (context) => {
    const { thing_id: id, text } = context.params
    const recorded = await column(id, 'authorActs')?.edit(context, id, text)
    if (recorded === undefined) return refuseRule('NOT_AUTHOR', 'thing_id')
    return E.isLeft(recorded) ? recorded : bareIfAsked(await showWritten(context, id, recorded.right, text), context.params.return_rtjson)
  },
})

const del = post('/api/del', {
  whileSuspended: true,
  errors: 'silent',
  summary: 'Delete your link or comment.',
  notes:
    'It is removed from every listing; its page stays, without author and text. A thing that belongs to another account or does not exist is ignored, without an error.',
  params: { id: thingName(describeParam(rawText(), 'fullname of an own link or comment')) },
  handle: (context) => {
    const { id } = context.params
    return column(id, 'authorActs')?.delete(context, id) ?? E.left(nothingToDo)
  },
})

export const commentEndpoints: readonly AnyEndpoint[] = [comment, editUserText, del]
