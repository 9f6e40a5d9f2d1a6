import { either as E } from 'fp-ts'
import { comments } from '../../../projections/comments.ts'
import { links } from '../../../projections/links.ts'
import type { Recorded } from '../../app.ts'
import { mentionedIn } from '../../commands/mentions.ts'
import { Comment, deleteComment, editComment, postComment } from '../../domain/comment.ts'
import { refuse } from '../../domain/decision.ts'
import { fullname as fullnameOf, kindOf } from '../../domain/ids.ts'
import { deleteLink, editLink, Link } from '../../domain/link.ts'
import { Subsite } from '../../domain/subsite.ts'
import { limits } from '../../domain/text.ts'
import { asWritten } from '../../queries/log-fallback.ts'
import { reading } from '../../queries/reading.ts'
import { standingIn } from '../access.ts'
import { withinQuota } from '../account-quota.ts'
import { type AnyEndpoint, type Context, endpoint, nothingToDo, type Outcome, type Param, type Reply, type SignedIn } from '../endpoint.ts'
import { aliased, described, markdown, raw } from '../params.ts'
import { postInTime } from '../posting-limits.ts'
import { form } from '../schemas/answers.ts'
import { messageThingShape } from '../schemas/people.ts'
import * as shape from '../schemas/schema.ts'
import { commentThingShape, linkThingShape } from '../schemas/things.ts'
import { presentThings } from '../things.ts'
import { replyTo } from './messages.ts'

const section = 'Links and comments'

type Writing = Context<unknown, SignedIn>

const nameIn = (text: string): string => text.trim().toLowerCase()
const trimmed = (param: Param<string>): Param<string> => ({
  ...param,
  decode: (value, name) => E.map(nameIn)(param.decode(value, name)),
})

/** What was just written, as a form's one thing; `change` is made to what late read models show. */
const shown = async <D extends 'link' | 'comment'>(context: Writing, kind: D, id: string, text: string): Promise<Reply> => {
  const written = asWritten(context)
  const edited = context.clock()
  const link = kind === 'link' ? (await written.documents.getMany(links, [id])).get(id) : undefined
  const comment = kind === 'comment' ? (await written.documents.getMany(comments, [id])).get(id) : undefined
  const now =
    link && link.text !== text
      ? { ...link, text, edited }
      : comment && comment.body !== text
        ? { ...comment, body: text, edited }
        : undefined
  const thing = now ?? link ?? comment
  const things = thing ? await presentThings(written, reading(written, context.viewer), [thing]) : []
  return { kind: 'form', data: { things } }
}

const commentOn = async (context: Writing, parentId: string, body: string): Promise<Outcome> => {
  const { load, run, viewer, command, clock } = context
  const parent = kindOf(parentId) === 'comment' ? await load(Comment, parentId) : undefined
  const thread = await load(Link, parent?.link ?? parentId)
  const subsite = thread && (await load(Subsite, thread.subsite))
  if (!thread || !subsite) return refuse('FORBIDDEN')
  const standing = await standingIn(context, subsite.id)
  const comment = fullnameOf('comment', command.mint)
  const post = async (wait: () => Promise<Parameters<typeof postComment>[0]['wait']>) => {
    const mentioned = await mentionedIn(context, body, subsite)
    const facts = { comment, author: viewer.account, at: clock(), thread, parent, subsite, standing, mentioned, wait: await wait() }
    return run(Comment, comment, postComment(facts, body))
  }
  const isOwnSelfPost = thread.isSelf && thread.author === viewer.account
  const recorded = isOwnSelfPost
    ? await post(async () => undefined)
    : await postInTime(context, { subsite: subsite.id, standing }, 'comment', post)
  return E.isLeft(recorded) ? recorded : shown(context, 'comment', comment, body)
}

const comment = endpoint({
  method: 'POST',
  path: '/api/comment',
  facts: 'recent',
  scope: ({ thing_id }) => [kindOf(thing_id) === 'message' ? 'privatemessages' : 'submit'],
  login: 'user',
  errors: 'form',
  json: true,
  section,
  answers: { 200: form(shape.record({ things: shape.listOf(shape.either(commentThingShape, messageThingShape)) })) },
  summary: 'Comment on a link, or reply to a comment or a message.',
  notes:
    'Answers the new thing. On a locked link only its moderators may comment. Up to three accounts mentioned as `/u/name` are told so; with more nobody is.',
  params: {
    thing_id: trimmed(aliased(described(raw(), 'fullname of what is replied to'), 'parent')),
    text: markdown(limits.comment, aliased(described(raw({ max: limits.comment }), 'markdown, at most 10,000 characters'), 'comment')),
  },
  handle: (context) => {
    const { thing_id: parent, text } = context.params
    const kind = kindOf(parent)
    if (kind === 'message') return replyTo(context, parent, text)
    return kind === 'link' || kind === 'comment' ? commentOn(context, parent, text) : refuse('FORBIDDEN')
  },
})

const edits = {
  link: ({ run, viewer }: Writing, id: string, text: string) => run(Link, id, editLink(viewer, text)),
  comment: async (context: Writing, id: string, text: string) => {
    const { load, run, viewer } = context
    const before = await load(Comment, id)
    const subsite = before?.author === viewer.account ? await load(Subsite, before.subsite) : undefined
    const mentioned = subsite ? await mentionedIn(context, text, subsite) : []
    return run(Comment, id, editComment({ account: viewer.account, mentioned }, text))
  },
}

const editUserText = endpoint({
  method: 'POST',
  path: '/api/editusertext',
  scope: 'edit',
  login: 'user',
  errors: 'form',
  json: true,
  section,
  answers: { 200: form(shape.record({ things: shape.listOf(shape.either(commentThingShape, linkThingShape)) })) },
  summary: 'Change the text of an own comment or self-post.',
  notes: 'Also after a lock, a removal or a ban. Answers the changed thing; `edited` is the time of the last edit. New mentions are told.',
  params: {
    thing_id: trimmed(described(raw(), 'fullname of an own comment or self-post')),
    text: markdown(
      limits.selfText,
      described(raw({ max: Number.POSITIVE_INFINITY }), 'markdown: at most 10,000 characters for a comment, 40,000 for a self-post'),
    ),
  },
  handle: async (context) => {
    const { thing_id: id, text } = context.params
    const kind = kindOf(id)
    if (kind !== 'link' && kind !== 'comment') return refuse('NOT_AUTHOR', 'thing_id')
    const recorded = await withinQuota<Recorded>(context, 'edit', () => edits[kind](context, id, text))
    return E.isLeft(recorded) ? recorded : shown(context, kind, id, text)
  },
})

const del = endpoint({
  method: 'POST',
  path: '/api/del',
  scope: 'edit',
  login: 'user',
  errors: 'silent',
  section,
  summary: 'Delete an own link or comment.',
  notes:
    'It leaves every listing; its page stays, without name and text. What is not the own, or not there, stays as it is, without an error.',
  params: { id: trimmed(described(raw(), 'fullname of an own link or comment')) },
  handle: ({ params: { id }, viewer: { account }, run }) => {
    if (kindOf(id) === 'link') return run(Link, id, deleteLink(account))
    return kindOf(id) === 'comment' ? run(Comment, id, deleteComment(account)) : E.left(nothingToDo)
  },
})

export const commentEndpoints: readonly AnyEndpoint[] = [comment, editUserText, del]
