import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import { Comment } from '../../../domain/comment.ts'
import { distinguishComment } from '../../../domain/comment-moderation.ts'
import { type Distinction, distinctions, type How } from '../../../domain/distinction.ts'
import { kindOf } from '../../../domain/ids.ts'
import { Link } from '../../../domain/link.ts'
import { distinguishLink } from '../../../domain/link-moderation.ts'
import { distinguishMessage, Message } from '../../../domain/message.ts'
import { StickyComment, type StickyCommentEvent, stickyComment, unstickyComment } from '../../../domain/sticky-comment.ts'
import { asWritten } from '../../../queries/log-fallback.ts'
import type { Recorded } from '../../../runtime/run.ts'
import { withinQuota } from '../../account-quota.ts'
import { type Context, type Need, section } from '../../endpoint.ts'
import { documentsNamed, type Post, recordsOf } from '../../kinds.ts'
import { fullname } from '../../name-params.ts'
import { actIn, adminOnly, postCalled } from '../../needs.ts'
import { described, flag, oneOf, refusing } from '../../params.ts'
import { type Refusal, refuse } from '../../refusals.ts'
import type { SignedIn } from '../../request.ts'
import { form } from '../../schemas/answers.ts'
import { messageThingShape } from '../../schemas/people.ts'
import * as shape from '../../schemas/schema.ts'
import { commentThingShape, linkThingShape } from '../../schemas/things.ts'

type Asked = { readonly id: string; readonly how: How }

/** The viewer's own message, which only admins may distinguish. */
const ownMessage: Need<Message, Asked> = async (context) => {
  const { viewer, params, load } = context
  const message = await load(Message, params.id)
  if (!message) return refuse('NOT_FOUND', 'id')
  if (message.author !== viewer.account) return refuse('FORBIDDEN')
  return E.map(() => message)(await adminOnly()(context, 'thing'))
}

/** The viewer's own thing that they may distinguish: moderators with `posts` as moderator, admins in any way. */
const speaking: Need<Post | Message, Asked> = async (context) => {
  const { viewer, params } = context
  if (kindOf(params.id) === 'message') return ownMessage(context, 'thing')
  const found = await postCalled(context, params.id, 'NOT_FOUND', 'id')
  if (E.isLeft(found)) return found
  const { author, subsite } = found.right
  if (author !== viewer.account) return refuse('FORBIDDEN')
  if (params.how === 'yes' || params.how === 'no') return E.map(() => found.right)(await actIn(context, subsite, 'posts'))
  return E.map(() => found.right)(await adminOnly()(context, 'thing'))
}

/** Sticky a comment, or unsticky it. */
const lead = async ({ run, load }: Context, { id, link }: Post, sticky: boolean): Promise<Either<Refusal, Recorded>> => {
  const state = await load(StickyComment, link)
  const comment = await load(Comment, id)
  const former = state?.stickied?.target.id
  if (!comment) return refuse('NOT_FOUND', 'id')
  if (!sticky) return run(StickyComment, link, unstickyComment(comment, 'asked'))
  return run<StickyComment, StickyCommentEvent>(
    StickyComment,
    link,
    stickyComment(comment, former === undefined || former === id ? undefined : await load(Comment, former)),
  )
}

type Own = Context<unknown, SignedIn>
type Wanted = { readonly after: Distinction | null; readonly sticky: boolean }

const markComment = async (context: Own, thing: Post, { after, sticky }: Wanted): Promise<Either<Refusal, Recorded>> => {
  const { run, load, viewer } = context
  const thread = await load(Link, thing.link)
  if (!thread) return refuse('NOT_FOUND', 'id')
  const distinguished = await run(Comment, thing.id, distinguishComment(viewer.account, thread, { after, sticky }))
  if (E.isLeft(distinguished)) return distinguished
  const isRecorded = distinguished.right.position !== undefined
  const led = await lead(context, thing, sticky && after !== null)
  // the comment was removed or deleted since it was distinguished: a request that recorded something is not refused
  if (E.isLeft(led)) return isRecorded && led.left.code === 'COMMENT_NOT_STICKYABLE' ? distinguished : led
  return led.right.position === undefined ? distinguished : led
}

const markPost = async (context: Own, thing: Post, wanted: Wanted): Promise<Either<Refusal, Recorded>> => {
  const { id, link } = thing
  if (id !== link) return markComment(context, thing, wanted)
  return wanted.sticky ? refuse('BAD_REQUEST', 'sticky') : context.run(Link, id, distinguishLink(context.viewer.account, wanted.after))
}

const mark = async (context: Own, thing: Post | Message, wanted: Wanted): Promise<Either<Refusal, Recorded>> => {
  if (!('message' in thing)) return markPost(context, thing, wanted)
  if (wanted.sticky) return refuse('BAD_REQUEST', 'sticky')
  return context.run(Message, thing.message, distinguishMessage(context.viewer.account, wanted.after))
}

export const distinguish = section('Moderation').post('/api/distinguish', {
  aliases: ['/api/distinguish/{how}'],
  scope: 'modposts',
  login: 'user',
  errors: 'form',
  answers: { 200: form(shape.record({ things: shape.listOf(shape.either(commentThingShape, linkThingShape, messageThingShape)) })) },
  summary: 'Mark your link, comment or message as written by a moderator or by an admin, or remove the mark.',
  notes:
    '`yes` and `no` for moderators with `posts` there, `admin` and `special` for admins; 403 for anything else, 404 for what does not exist. Messages are for admins only, `yes` only in the mail of a subsite. With `sticky`, a top-level comment is moved to the top of its thread and replaces the current sticky comment; without `sticky`, or with `no`, it is no longer sticky. The first time, a top-level comment is added to the inbox of the link’s author, unless it was added when it was posted.',
  params: {
    id: described(
      refusing(fullname('link', 'comment', 'message'), 'NOT_FOUND'),
      'fullname of an own link or comment, or, for admins, message',
    ),
    sticky: described(
      flag(),
      'whether the comment is sticky; 400 `COMMENT_NOT_STICKYABLE` for a reply and for what is removed, 400 for a link or a message',
    ),
    how: described(refusing(oneOf('yes', 'no', 'admin', 'special'), 'FORBIDDEN'), 'as whom'),
  },
  needs: { thing: speaking },
  handle: async (context) => {
    const { thing, params } = context
    const distinguished = distinctions[params.how]
    const recorded = await withinQuota(context, 'distinguish', () => mark(context, thing, { after: distinguished, sticky: params.sticky }))
    if (E.isLeft(recorded)) return recorded
    const written = asWritten(context)
    // the read models may be late
    const now = (await documentsNamed(written, [params.id])).map((found) => ({ ...found, distinguished }))
    return { kind: 'form', data: { things: [...(await recordsOf(written, now)).values()] } }
  },
})
