import { either as E } from 'fp-ts'
import type { Either } from 'fp-ts/lib/Either.js'
import type { Recorded } from '../../app.ts'
import { Comment, distinguishComment } from '../../domain/comment.ts'
import { refuse } from '../../domain/decision.ts'
import { distinctions, type How } from '../../domain/distinction.ts'
import { distinguishLink, Link } from '../../domain/link.ts'
import type { Refusal } from '../../domain/refusal.ts'
import { asWritten } from '../../queries/log-fallback.ts'
import { reading } from '../../queries/reading.ts'
import { isLink, thingsById } from '../../queries/things.ts'
import { withinQuota } from '../account-quota.ts'
import { type Context, endpoint, type Need, type SignedIn } from '../endpoint.ts'
import { actIn, type Post, postCalled } from '../needs.ts'
import { described, fullname, oneOf, refusing } from '../params.ts'
import { form } from '../schemas/answers.ts'
import * as shape from '../schemas/schema.ts'
import { commentThingShape, linkThingShape } from '../schemas/things.ts'
import { presentThings } from '../things.ts'

/** An own link or comment, of which the viewer may say so: moderators with `posts` as such, admins as they like. */
const speaking: Need<Post, { readonly id: string; readonly how: How }> = async (context) => {
  const { viewer, params } = context
  const found = await postCalled(context, params.id, 'NOT_FOUND')
  if (E.isLeft(found)) return found
  const { author, subsite } = found.right
  if (author !== viewer.account) return refuse('FORBIDDEN')
  if (params.how === 'yes' || params.how === 'no') return E.map(() => found.right)(await actIn(context, subsite, 'posts'))
  if (!viewer.admin) return refuse('FORBIDDEN')
  context.actAs('admin')
  return found
}

const decide = async (context: Context<unknown, SignedIn>, { id, link }: Post, how: How): Promise<Either<Refusal, Recorded>> => {
  const { run, load, viewer } = context
  const after = distinctions[how]
  if (id === link) return run(Link, id, distinguishLink(viewer.account, after))
  const thread = await load(Link, link)
  return thread ? run(Comment, id, distinguishComment(viewer.account, thread, after)) : refuse('NOT_FOUND')
}

export const distinguish = endpoint({
  method: 'POST',
  path: '/api/distinguish',
  aliases: ['/api/distinguish/{how}'],
  scope: 'modposts',
  login: 'user',
  errors: 'form',
  json: true,
  section: 'Moderation',
  answers: { 200: form(shape.record({ things: shape.listOf(shape.either(commentThingShape, linkThingShape)) })) },
  summary: 'Say an own link or comment as a moderator, as an admin, or as neither.',
  notes:
    '`yes` and `no` for moderators with `posts` there, `admin` and `special` for admins; 403 for anything else, 404 for what does not exist. The first time, a top-level comment enters the inbox of the author of the link, unless it did when it was posted.',
  params: {
    id: described(refusing(fullname('link', 'comment'), 'NOT_FOUND'), 'fullname of an own link or comment'),
    how: described(refusing(oneOf('yes', 'no', 'admin', 'special'), 'FORBIDDEN'), 'as whom'),
  },
  needs: { thing: speaking },
  handle: async (context) => {
    const { thing, params, viewer } = context
    const recorded = await withinQuota(context, 'distinguish', () => decide(context, thing, params.how))
    if (E.isLeft(recorded)) return recorded
    const written = asWritten(context)
    const found = (await thingsById(written.documents, [thing.id])).get(thing.id)
    const distinguished = distinctions[params.how]
    // the read models may be late
    const now = found && (isLink(found) ? { ...found, distinguished } : { ...found, distinguished })
    return { kind: 'form', data: { things: now ? await presentThings(written, reading(written, viewer), [now]) : [] } }
  },
})
