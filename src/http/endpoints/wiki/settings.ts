import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { moderatesWiki } from '../../../domain/wiki-access.ts'
import {
  addWikiEditor,
  changeWikiSettings,
  Permlevel,
  permlevels,
  removeWikiEditor,
  WikiPage,
  type WikiPageEvent,
  wikiPageId,
} from '../../../domain/wiki-page.ts'
import { type AnyEndpoint, type Context, type Need, type Param, section } from '../../contract/endpoint.ts'
import { describeParam, documentRequired, flag, json, oneOf, optional, rawText } from '../../contract/params.ts'
import { type Refusal, refuseRule } from '../../contract/refusals.ts'
import type { SignedIn } from '../../contract/request.ts'
import { noBody } from '../../contract/schemas/answers.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { thingShape } from '../../contract/schemas/things.ts'
import { accountCalled, andThen, decodeLate } from '../../needs/facts.ts'
import {
  type ExistingWikiPage,
  type InWiki,
  loadPage,
  normalAddress,
  type PageSent,
  pageName,
  pageSent,
  requireModeratedPage,
  wikiHere,
} from '../../needs/wiki.ts'
import { accountOrNameShape } from '../../present/account.ts'
import { recordsNamed } from '../../things/kinds/all.ts'

const { get, post } = section('Wiki', { scope: 'modwiki', login: 'user', errors: 'coded', accountQuota: 'settings' })

type Settings = Pick<ExistingWikiPage, 'permlevel' | 'listed' | 'editors'>

const fields: shape.RecordTable<Settings & { readonly accounts: ReadonlyMap<string, object> }> = {
  permlevel: [shape.integer(0, '0: as the subsite says; 1: editors and moderators; 2: moderators.'), ({ permlevel }) => permlevel],
  listed: [shape.flag, ({ listed }) => listed],
  editors: [shape.listOf(accountOrNameShape), ({ editors, accounts }) => editors.flatMap((editor) => accounts.get(editor) ?? [])],
}
const settingsShape = thingShape('wikipagesettings', shape.tableShape('WikiPageSettings', fields))

const settingsReply = async (context: Context, settings: Settings) => {
  const accounts = await recordsNamed(context, settings.editors)
  return { kind: 'json', body: { kind: 'wikipagesettings', data: shape.valuesOf(fields, { ...settings, accounts }) } } as const
}

/**
 * Returns a page whose settings may be read. Reading is not a moderation action: wiki moderators without `config` may read those of special
 * pages, too.
 */
const readablePage: Need<ExistingWikiPage, { readonly page: PageSent }, SignedIn, InWiki> = async (context) => {
  const { wiki, params } = context
  if (!moderatesWiki(wiki.standing)) return refuseRule('MOD_REQUIRED')
  const page = await loadPage(context, wiki.subsite, params.page.page)
  return page ? E.right(page) : refuseRule('PAGE_NOT_FOUND')
}

const ofSettings = {
  params: { page: pageSent() },
} as const

const readSettings = get('[/s/{sub}]/wiki/settings/{page}', {
  ...ofSettings,
  answers: { 200: settingsShape, 302: noBody },
  summary: 'The settings of a page: who may edit it, whether it is listed, and its editors.',
  needs: { wiki: wikiHere, pageFound: readablePage, address: normalAddress },
  handle: (context) => settingsReply(context, context.pageFound),
})

const permlevelSent = (): Param<Permlevel> => ({
  ...describeParam(rawText(), '0: as the subsite says; 1: its editors and moderators; 2: moderators, and nobody else sees it'),
  schema: { type: 'integer', enum: permlevels },
  required: true,
  decode: (text = '', name) => {
    const level = permlevels.find((one) => String(one) === text.trim())
    return level === undefined ? refuseRule('INVALID_PERMLEVEL', name) : E.right(level)
  },
})

const SettingsAsSeen = t.type({ permlevel: Permlevel, listed: t.boolean })

const writeSettings = post('[/s/{sub}]/wiki/settings/{page}', {
  ...ofSettings,
  answers: { 200: settingsShape },
  summary: 'Set who may edit a page and whether it is listed.',
  notes:
    'Sets both: an absent `listed` is false. Each changed setting is an entry in the moderation log. Special pages follow their own rules, whatever their level.',
  needs: {
    wiki: wikiHere,
    pageFound: requireModeratedPage,
    permlevel: decodeLate(permlevelSent()),
    listed: decodeLate(describeParam(flag(), 'whether it is in the list of pages')),
    expected: decodeLate(
      describeParam(
        optional(json(SettingsAsSeen)),
        'its `permlevel` and `listed` as you saw them: 409 `CONFLICT` if somebody changed them since',
      ),
    ),
  },
  handle: async (context) => {
    const { wiki, pageFound: page, permlevel, listed, expected, run } = context
    const place = { subsite: wiki.subsite, page: page.page }
    const outcome = await run<WikiPage, WikiPageEvent>(
      WikiPage,
      wikiPageId(place),
      changeWikiSettings(place, { permlevel, listed }, expected),
    )
    return E.isLeft(outcome) ? outcome : settingsReply(context, { permlevel, listed, editors: page.editors })
  },
})

const editorMeant = andThen(decodeLate(describeParam(documentRequired(rawText()), 'whom'), 'username'), async (name, context) =>
  E.mapLeft((): Refusal => ({ code: 'UNKNOWN_USER', field: 'username' }))(await accountCalled(context, name.trim(), 'username')),
)

const alloweditor = post('[/s/{sub}]/api/wiki/alloweditor/{act}', {
  values: { act: ['add', 'del'] },
  summary: 'Add an editor to a page, or remove one.',
  notes:
    'Editors may edit the page whatever its level, unless it is for moderators only. A page has at most 100 editors; one that shows a setting or is made by admins can have none.',
  params: { act: oneOf('add', 'del'), page: pageName() },
  needs: { wiki: wikiHere, pageFound: requireModeratedPage, editor: editorMeant },
  handle: ({ wiki: { subsite }, pageFound: { page }, params, editor, run }) => {
    const decide = params.act === 'add' ? addWikiEditor : removeWikiEditor
    return run<WikiPage, WikiPageEvent>(WikiPage, wikiPageId({ subsite, page }), decide({ subsite, page }, editor))
  },
})

export const wikiSettings: readonly AnyEndpoint[] = [readSettings, writeSettings, alloweditor]
