import * as E from 'fp-ts/lib/Either.js'
import { capacityBy } from '../../../domain/standing.ts'
import { limits } from '../../../domain/text-limits.ts'
import { mayCreate, mayRevise, mayViewPage, moderatesWiki } from '../../../domain/wiki-access.ts'
import {
  checkContent,
  checkNewPageName,
  isMadeFromSettings,
  isRestricted,
  isSpecial,
  MAX_PAGE_CONTENT_BYTES,
} from '../../../domain/wiki-page-name.ts'
import { isWikiFull } from '../../../queries/wiki.ts'
import { type Context, type Need, section, type Uses } from '../../contract/endpoint.ts'
import { foldLineEnds } from '../../contract/line-ends.ts'
import { allowEmpty, describeParam, printableText, rawText, withSchema } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { decodeLate } from '../../needs/facts.ts'
import { type ExistingWikiPage, type InWiki, loadPage, loadWikiFacts, pageName, revisionOf, wikiHere, writtenAt } from '../../needs/wiki.ts'
import { revise, withinWikiQuota } from './write-revision.ts'

type PageParams = { readonly page: string }
type EditContext = Context<PageParams, SignedIn> & InWiki

/** Returns the refusal of a viewer who may not create a page. */
const whyNotCreated = async (context: EditContext, page: string): Promise<Refusal | undefined> => {
  const { wiki, documents } = context
  const refusePage = (code: Refusal['code']): Refusal => ({ code, field: 'page' })
  if (isMadeFromSettings(page)) return refusePage('PAGE_CREATED_ELSEWHERE')
  if (!mayCreate(page, await loadWikiFacts(context, wiki))) return refusePage(isRestricted(page) ? 'RESTRICTED_PAGE' : 'PAGE_NOT_FOUND')
  return checkNewPageName(page) ?? ((await isWikiFull(documents, wiki.subsite)) ? refusePage('TOO_MANY_PAGES') : undefined)
}

const whyNotRevised = async (context: EditContext, page: ExistingWikiPage): Promise<Refusal | undefined> => {
  const { standing } = context.wiki
  const refusePage = (code: Refusal['code']): Refusal => ({ code, field: 'page' })
  if (!mayViewPage(page, standing)) return refusePage('MAY_NOT_VIEW')
  if (isRestricted(page.page) && !isSpecial(page.page) && !moderatesWiki(standing)) return refusePage('RESTRICTED_PAGE')
  return mayRevise(page, await loadWikiFacts(context, context.wiki)) ? undefined : refusePage('MAY_NOT_REVISE')
}

/** Returns the page to edit, null if it does not exist. The request acts in the capacity that permits it from here on. */
const requireEditable: Need<ExistingWikiPage | null, PageParams, SignedIn, InWiki> = async (context) => {
  const { wiki, params } = context
  const page = await loadPage(context, wiki.subsite, params.page)
  const refused = page ? await whyNotRevised(context, page) : await whyNotCreated(context, params.page)
  if (refused) return E.left(refused)
  const capacity = capacityBy(wiki.standing, isMadeFromSettings(params.page) ? 'config' : 'wiki')
  if (capacity !== undefined) context.actAs(capacity)
  return E.right(page ?? null)
}

/**
 * Returns the text of the base revision. It is undefined if none was sent, which replaces the current text; it is empty for an empty
 * `previous`.
 */
const baseOf = async (
  context: EditContext & Uses<'readEvent'>,
  page: ExistingWikiPage | null,
  previous: string | undefined,
): Promise<E.Either<Refusal, string | undefined>> => {
  if (previous === undefined || previous === '') return E.right(previous)
  if (page === null) return refuseRule('INVALID_REVISION', 'previous')
  if (previous === page.current.id) return E.right((await writtenAt(context, page.page, page.current)).text)
  const revision = await revisionOf(context, context.wiki, page.page, previous)
  return E.isLeft(revision) ? revision : E.right((await writtenAt(context, page.page, revision.right)).text)
}

export const editWikiPage = section('Wiki').post('[/s/{sub}]/api/wiki/edit', {
  scope: 'wikiedit',
  login: 'user',
  errors: 'coded',
  longBody: true,
  summary: 'Create a page of the wiki, or change its text.',
  notes:
    'Without `previous` the text replaces the current one. With `previous`, later edits of others are kept: both are merged line by line; if they changed the same lines, the response is 409 `EDIT_CONFLICT` with `newcontent`, `newrevision` and `diffcontent` (null where the texts take too long to compare). An empty `previous` stands for a page without text. Line ends become LF. An unchanged text makes no revision. At most 262,144 bytes in UTF-8; `config/sidebar`, `config/description` and `config/submit_text` are settings of the subsite and have the limits of those. `config/stylesheet` is checked and published as by `/api/subsite_stylesheet`; an invalid one is 415 `SPECIAL_ERRORS` with a text for each problem in `special_errors`.',
  params: {
    page: pageName(),
    previous: describeParam(allowEmpty(rawText()), 'id of the revision that was edited'),
    reason: describeParam(printableText(limits.editReason), 'why'),
  },
  uses: ['blobs', 'readEvent'],
  needs: {
    wiki: wikiHere,
    editable: requireEditable,
    content: decodeLate(
      describeParam(
        withSchema(rawText({ max: 2 * MAX_PAGE_CONTENT_BYTES }), { type: 'string', maxLength: MAX_PAGE_CONTENT_BYTES }),
        'the text of the page, markdown; absent: empty',
      ),
    ),
  },
  handle: async (context) => {
    const { wiki, editable: page, params } = context
    const mine = foldLineEnds(context.content)
    const base = await baseOf(context, page, params.previous)
    if (E.isLeft(base)) return base
    const tooLong = checkContent(params.page, mine)
    if (tooLong) return E.left(tooLong)
    const revision = { wiki, page: params.page, mine, base: base.right, reason: params.reason }
    return E.map(() => undefined)(await withinWikiQuota(context, params.page, () => revise(context, revision)))
  },
})
