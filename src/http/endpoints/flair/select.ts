import * as E from 'fp-ts/lib/Either.js'
import { type Flair, isEmpty, type LinkFlair, noFlair, showFlair, UserFlair } from '../../../domain/flair.ts'
import type { FlairKind, FlairTemplate } from '../../../domain/subsite-flair.ts'
import { type AnyEndpoint, type Need, section } from '../../contract/endpoint.ts'
import { describeParam, flag, optional, rawText, replaceInvalid } from '../../contract/params.ts'
import { refuseRule } from '../../contract/refusals.ts'
import { cast } from '../../contract/schemas/names.ts'
import * as shape from '../../contract/schemas/schema.ts'
import { decodeLate, refuseIfDecided, subsiteHere, subsiteIdHere } from '../../needs/facts.ts'
import {
  capacityOverFlair,
  choiceOfOwn,
  chosenBy,
  type FlairChoice,
  flairFrom,
  flairTable,
  isModerators,
  loadOffered,
  onAccount,
  onLink,
  templatesOf,
} from '../../things/flair.ts'
import { accountOfName, isDeleted, linkOfName, linkParam, nameParam, textParam } from './target.ts'

const { post } = section('Flair', { scope: 'flair', login: 'user', errors: 'form', accountQuota: 'flair' })
const { get } = section('Flair', { scope: 'flair', login: 'user', errors: 'plain' })

type TargetParams = { readonly link: string | undefined; readonly name: string | undefined }
/**
 * Returns the link, or the account in the subsite of the path: the viewer's own if the name is unknown. Another account's is for
 * moderators.
 */
const lookUpFlair: Need<FlairChoice, TargetParams> = async (context) => {
  const { params, viewer } = context
  const link = await linkOfName(context, params.link)
  if (link) return chosenBy(context, onLink(link))
  const subsite = subsiteIdHere(context)
  if (subsite === undefined) return refuseRule('FORBIDDEN')
  const account = (await accountOfName(context, params.name)) ?? viewer.account
  const target = onAccount(subsite, account)
  const capacity = await capacityOverFlair(context, target)
  const isOthers = account !== viewer.account
  if (isOthers && (capacity === undefined || capacity === 'user' || (await isDeleted(context, account)))) return refuseRule('FORBIDDEN')
  return E.right({ target, capacity, offered: await loadOffered(context, subsite) })
}

const toFlairPosition = ({ target, offered }: FlairChoice): string => offered.settings[flairTable[target.kind].position]

const toOfferedClasses = (css: string, { target }: FlairChoice): string => css.replace(/\S+/g, `${flairTable[target.kind].prefix}$&`)

const choicesOf = (choosing: FlairChoice, current: Flair, chosen: FlairTemplate | undefined): readonly object[] => {
  if (choosing.capacity === undefined) return []
  return templatesOf(choosing).map((template) => {
    const editable = template.editable || isModerators(choosing)
    return {
      flair_template_id: template.id,
      flair_text: template === chosen && editable ? current.text : template.text,
      flair_css_class: toOfferedClasses(template.css, choosing),
      flair_position: toFlairPosition(choosing),
      flair_text_editable: editable,
    }
  })
}

/** Returns the template that the current flair was made from, else the first that matches it. */
const chosenAmong = (choosing: FlairChoice, { text, css, template: chosen }: LinkFlair): FlairTemplate | undefined =>
  templatesOf(choosing).find(({ id }) => id === chosen) ??
  templatesOf(choosing).find((template) => template.css === css && (template.editable || isModerators(choosing) || template.text === text))

/** Returns the templates of a kind in the subsite of the path, for viewers who may choose such flair of their own. */
const requireOffered =
  (kind: FlairKind): Need<FlairChoice> =>
  async (context) => {
    const subsite = subsiteIdHere(context)
    return subsite === undefined ? refuseRule('FORBIDDEN') : choiceOfOwn(context, subsite, kind)
  }

/** Reddit's record of a template: there are no emojis, colours or templates for moderators alone. */
const templateFields: shape.RecordTable<FlairTemplate> = {
  id: [shape.text(cast.template), ({ id }) => id],
  type: [shape.constant('text'), () => 'text'],
  text: [shape.text('brewer'), ({ text }) => text],
  text_editable: [shape.flag, ({ editable }) => editable],
  css_class: [shape.text('brewer'), ({ css }) => css],
  allowable_content: [shape.constant('text'), () => 'text'],
  background_color: [shape.constant(''), () => ''],
  text_color: [shape.constant('dark'), () => 'dark'],
  max_emojis: [shape.constant(0), () => 0],
  mod_only: [shape.constant(false), () => false],
  override_css: [shape.constant(false), () => false],
  richtext: [{ ...shape.listOf(shape.nullSchema), maxItems: 0, examples: [[]] }, () => []],
}

const templateList = (kind: FlairKind, summary: string) =>
  get(`[/s/{sub}]/api/${kind}_flair_v2`, {
    answers: { 200: shape.listOf(shape.component('FlairTemplate', () => shape.tableRecord(templateFields))) },
    summary,
    notes: 'For those who may choose such flair of their own there, and for moderators with `flair`; 403 for others.',
    needs: { choosing: requireOffered(kind) },
    handle: ({ choosing }) => ({ kind: 'json', body: templatesOf(choosing).map((template) => shape.valuesOf(templateFields, template)) }),
  })

const userFlairTemplates = templateList('user', 'The templates for the flair of users in a subsite.')
const linkFlairTemplates = templateList('link', 'The templates for the flair of links in a subsite.')

const flairFields = {
  flair_text: shape.orNull(shape.text('brewer')),
  flair_css_class: shape.orNull(shape.text('brewer')),
  flair_position: shape.text('right'),
}
const templateId = shape.text(cast.template)

const flairSelector = post('[/s/{sub}]/api/flairselector', {
  modhash: false,
  idempotency: false, // not stored, since it shows texts of others
  whileSuspended: true,
  errors: 'plain',
  answers: {
    200: shape.recordSchema({
      current: shape.recordSchema({ ...flairFields, flair_template_id: shape.orNull(templateId) }),
      choices: shape.listOf(shape.recordSchema({ ...flairFields, flair_template_id: templateId, flair_text_editable: shape.flag })),
    }),
  },
  summary: 'The flair of a user or of a link, and the templates to choose from.',
  notes:
    'With `link`: for its author if the subsite lets authors choose, and for moderators with `flair`, who may also name another user. `choices` is empty if you may not choose. The classes of choices for users begin with `flair-`; those of `current`, of choices for links and of `/api/user_flair_v2` are as stored.',
  params: { link: linkParam, name: nameParam },
  needs: { choosing: lookUpFlair },
  handle: async (context) => {
    const { choosing } = context
    const current: LinkFlair = (await choosing.target.current(context)) ?? noFlair
    const chosen = isEmpty(current) ? undefined : chosenAmong(choosing, current)
    const shown = {
      flair_text: current.text || null,
      flair_css_class: current.css || null,
      flair_position: toFlairPosition(choosing),
    }
    return {
      kind: 'json',
      body: { current: { ...shown, flair_template_id: chosen?.id ?? null }, choices: choicesOf(choosing, current, chosen) },
    }
  },
})

/** Returns the link, else the account that is named in the subsite of the path, if the viewer may choose its flair. */
const chooseFlair: Need<FlairChoice, TargetParams> = async (context) => {
  const link = await linkOfName(context, context.params.link)
  if (link) return chosenBy(context, onLink(link))
  const subsite = subsiteIdHere(context)
  if (subsite === undefined) return refuseRule('FORBIDDEN')
  const account = await accountOfName(context, context.params.name)
  return account === undefined ? refuseRule('NOT_FOUND', 'name') : chosenBy(context, onAccount(subsite, account))
}

const selectFlair = post('[/s/{sub}]/api/selectflair', {
  summary: 'Set flair from a template of the subsite.',
  notes:
    'Users set their own flair and authors that of their links if the subsite allows it; moderators with `flair` set any flair, which is an entry in the moderation log. Without a template the flair is cleared. `text` is used if the template is editable or you are a moderator.',
  params: {
    link: linkParam,
    name: nameParam,
    flair_template_id: describeParam(replaceInvalid(optional(rawText({ max: 100 })), undefined), 'one of the choices; absent: no flair'),
  },
  needs: { choosing: refuseIfDecided(chooseFlair, ({ target }) => target.thing), text: decodeLate(textParam) },
  handle: async (context) => {
    const { choosing, params, text } = context
    const id = params.flair_template_id
    const flair = id === undefined ? E.right(noFlair) : flairFrom(choosing, id, text, 'flair_template_id')
    return E.isLeft(flair) ? flair : choosing.target.set(context, flair.right)
  },
})

const setFlairEnabled = post('[/s/{sub}]/api/setflairenabled', {
  whileSuspended: true,
  summary: 'Show or hide your own flair in a subsite.',
  notes: 'Hidden flair is kept, and moderators still see it in the flair list.',
  params: { flair_enabled: describeParam(flag(), 'absent: false') },
  needs: { subsite: subsiteHere('FORBIDDEN') },
  handle: ({ subsite: { id: subsite }, viewer: { account }, params, run }) =>
    run(UserFlair, `${subsite}.${account}`, showFlair({ subsite, account }, params.flair_enabled)),
})

export const chosenFlair: readonly AnyEndpoint[] = [flairSelector, selectFlair, setFlairEnabled, userFlairTemplates, linkFlairTemplates]
