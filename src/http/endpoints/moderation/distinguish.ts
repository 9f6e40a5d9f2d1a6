import * as E from 'fp-ts/lib/Either.js'
import { type DistinctionName, distinctions } from '../../../domain/distinction.ts'
import { withinQuota } from '../../../limits/account-quota.ts'
import { asWritten } from '../../../queries/log-fallback.ts'
import { type Need, section } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam, flag, oneOf, replaceRefusal } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { form } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { eitherThing } from '../../contract/schemas/things.ts'
import { actIn, adminOnly, refuseIfDecided, textCalled } from '../../needs/facts.ts'
import { commentThingShape } from '../../present/comment.ts'
import { linkThingShape } from '../../present/link.ts'
import { messageThingShape } from '../../present/message.ts'
import { documentsNamed, kindsWith, recordsOf } from '../../things/kinds/all.ts'
import type { UserText } from '../../things/kinds/kind.ts'

type DistinguishParams = { readonly id: string; readonly how: DistinctionName }

/** Returns the viewer's own thing that they may distinguish: moderators with `posts` as moderator, admins in any way. */
const requireSpeaker: Need<UserText, DistinguishParams> = async (context) => {
  const { viewer, params } = context
  const text = await textCalled(context, params.id, 'id')
  if (E.isLeft(text)) return text
  const { author, subsite } = text.right
  if (author !== viewer.account) return refuseRule('FORBIDDEN')
  const asModerator = subsite !== null && (params.how === 'yes' || params.how === 'no')
  const may = asModerator ? await actIn(context, subsite, 'posts') : await adminOnly()(context, 'thing')
  return E.map(() => text.right)(may)
}

export const distinguish = section('Moderation').post('/api/distinguish', {
  aliases: ['/api/distinguish/{how}'],
  scope: 'modposts',
  login: 'user',
  errors: 'form',
  answers: { 200: form(shape.recordSchema({ things: shape.listOf(eitherThing(commentThingShape, linkThingShape, messageThingShape)) })) },
  summary: 'Mark your link, comment or message as written by a moderator or by an admin, or remove the mark.',
  notes:
    '`yes` and `no` for moderators with `posts` there, `admin` and `special` for admins; 403 for anything else, 404 for what does not exist. Messages are for admins only, `yes` only in the mail of a subsite. With `sticky`, a top-level comment is moved to the top of its thread and replaces the current sticky comment; without `sticky`, or with `no`, it is no longer sticky. The first time, a top-level comment is added to the inbox of the link’s author, unless it was added when it was posted.',
  params: {
    id: describeParam(
      replaceRefusal(fullname(...kindsWith('text')), 'NOT_FOUND'),
      'fullname of an own link or comment, or, for admins, message',
    ),
    sticky: describeParam(
      flag(),
      'whether the comment is sticky; 400 `COMMENT_NOT_STICKYABLE` for a reply and for what is removed, 400 for a link or a message',
    ),
    how: describeParam(replaceRefusal(oneOf('yes', 'no', 'admin', 'special'), 'FORBIDDEN'), 'as whom'),
  },
  needs: { thing: refuseIfDecided(requireSpeaker, (_, { params }) => params.id) },
  handle: async (context) => {
    const { thing, params } = context
    const distinguished = distinctions[params.how]
    const recorded = await withinQuota(context, 'distinguish', () =>
      thing.distinguish(context, { after: distinguished, sticky: params.sticky }),
    )
    if (E.isLeft(recorded)) return recorded
    const written = asWritten(context)
    // the read models may be late
    const now = (await documentsNamed(written, [params.id])).map((document) => ({ ...document, distinguished }))
    return { kind: 'form', data: { things: [...(await recordsOf(written, now)).values()] } }
  },
})
