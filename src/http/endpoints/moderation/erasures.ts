// Decision 109.

import * as E from 'fp-ts/lib/Either.js'
import { appearances } from '../../../../projections/appearances.ts'
import { eraseImage, Images } from '../../../domain/images.ts'
import { limits } from '../../../domain/text-limits.ts'
import { STYLESHEET_PAGE, settingShownBy } from '../../../domain/wiki-page-name.ts'
import { eraseWikiRevision, WikiRevision, wikiRevisionId } from '../../../domain/wiki-revision.ts'
import { getOne } from '../../../ports/documents.ts'
import { mayEraseThing } from '../../../runtime/erasable.ts'
import { type AnyEndpoint, type Context, type Need, section } from '../../contract/endpoint.ts'
import { fullname } from '../../contract/name-params.ts'
import { describeParam, documentRequired, rawText, text } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import { adminOnly, decodeLate, subsiteHere } from '../../needs/facts.ts'
import { type InWiki, pageName, revisionOf, wikiHere } from '../../needs/wiki.ts'
import { column, kindsWith } from '../../things/kinds/all.ts'
import type { UserText } from '../../things/kinds/kind.ts'

const { post } = section('Moderation', { scope: 'modposts', login: 'user', errors: 'form' })

const reason = decodeLate(
  describeParam(
    text({ max: limits.erasureReason, line: true }),
    'why; it is public where the moderation log is, so it must not repeat what is erased',
  ),
)

/**
 * Refuses more erased things than an author's key has room for: each makes the key longer, and it is read with every text of the account.
 */
const roomFor = async (
  { vault }: Pick<Context, 'vault'>,
  { author, id }: { readonly author: string | null; readonly id: string },
  field: string,
): Promise<E.Either<Refusal, true>> => {
  if (author === null) return E.left({ code: 'FORBIDDEN', field, text: 'the service itself wrote that, and its texts are not encrypted' })
  return (await mayEraseThing(vault, author, id)) ? E.right(true) : refuseRule('TOO_MANY_ERASED', field)
}

/** Returns the link, comment or message, also a deleted one. */
const textMeant: Need<UserText, { readonly id: string }> = async (context) => {
  const { id } = context.params
  const text = await column(id, 'text')?.(context, id)
  if (!text) return refuseRule('NOT_FOUND', 'id')
  return E.map(() => text)(await roomFor(context, { author: text.author, id }, 'id'))
}

const eraseThing = post('/api/erase_thing', {
  summary: 'Make a link, a comment or a message permanently unreadable, say because a court orders it; for admins.',
  notes:
    'Its title, address and text, and quotations of them in the moderation log, read `[erased]` afterwards; the subject of a conversation goes with its first message. Votes, counts and entries stay. The act is an entry `removelink` or `removecomment` of the moderation log with the details `erase`; that on a message is not public. Nobody can edit the thing any more, or change the flair of the link. Erasing it again changes nothing.',
  params: { id: describeParam(fullname(...kindsWith('text')), 'fullname of a link, a comment or a message') },
  needs: { admin: adminOnly(), thing: textMeant, reason },
  handle: (context) => context.thing.erase(context, context.reason),
})

type RevisionParams = { readonly page: string; readonly revision: string }
type Revision = { readonly id: string; readonly author: string }

/** Returns a revision of a page that is written in the wiki; also a hidden one. */
const revisionMeant: Need<Revision, RevisionParams, Context<unknown>['viewer'] & { readonly account: string }, InWiki> = async (
  context,
) => {
  const { wiki, params } = context
  if (params.page === STYLESHEET_PAGE || settingShownBy(params.page) !== undefined) return refuseRule('PAGE_CREATED_ELSEWHERE', 'page')
  const revision = await revisionOf(context, wiki, params.page, params.revision)
  if (E.isLeft(revision)) return revision
  const { id, author } = revision.right
  const room = await roomFor(context, { author, id }, 'revision')
  return E.isLeft(room) ? room : E.right({ id, author: author ?? '' })
}

const eraseRevision = post('[/s/{sub}]/api/wiki/erase', {
  scope: 'modwiki',
  errors: 'coded',
  summary: 'Make a revision of a wiki page permanently unreadable; for admins.',
  notes:
    'Its text and its reason read `[erased]` afterwards; other revisions stay. If it is the current one, the page reads `[erased]` until somebody edits it. It can be neither compared, nor reverted to, nor hidden or shown any more. An entry `wikirevise` of the moderation log with the details `erase`. Pages that show settings of the subsite, and the stylesheet, are 403 `PAGE_CREATED_ELSEWHERE`: their texts belong to the subsite and are not encrypted.',
  params: { page: pageName(), revision: describeParam(documentRequired(rawText()), 'id of a revision') },
  needs: { admin: adminOnly(), wiki: wikiHere, revision: revisionMeant, reason },
  handle: ({ wiki: { subsite }, params: { page }, revision: { id, author }, reason, run }) => {
    const named = { subsite, page, revision: id }
    return run(WikiRevision, wikiRevisionId(named), eraseWikiRevision(named, author, reason))
  },
})

const imageErasure = post('[/s/{sub}]/api/erase_sr_img', {
  scope: 'modconfig',
  summary: 'Delete an image of a subsite permanently; for admins.',
  notes:
    'Its bytes are deleted, and every subsite that shows the same image loses it: its header, icon or banner, the image of a stylesheet, and what the published stylesheet shows. Each has an entry `editsettings` of the moderation log with the details `erase_image`. The same file cannot be uploaded there again. Copies in the caches of browsers stay as long as they were told.',
  params: { file: describeParam(documentRequired(rawText()), 'the last part of its address: its SHA-256 with the ending of its format') },
  needs: { admin: adminOnly(), subsite: subsiteHere(), reason },
  handle: async ({ subsite: { id }, params: { file }, reason, documents, run }) => {
    const [hash = ''] = file.split('.')
    const look = await getOne(documents, appearances, id)
    return run(Images, id, eraseImage(id, hash, look?.shown.includes(file) ?? false, reason))
  },
})

export const erasureEndpoints: readonly AnyEndpoint[] = [eraseThing, eraseRevision, imageErasure]
